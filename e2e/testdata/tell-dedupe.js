(() => {
  const real = {setTimeout, clearTimeout, now: performance.now};
  let clock = 1000, timer = null; // nothing else runs meanwhile
  window.setTimeout = (f, ms) => { timer = {f, at: clock + ms}; return 1; };
  window.clearTimeout = () => { timer = null; };
  performance.now = () => clock;
  const pass = (ms) => { clock += ms; const due = timer; if (due?.at <= clock) { timer = null; due.f(); } };
  const heard = [], closing = [], socket = {
    onmessage: ({data}) => heard.push(data),
    addEventListener(_, f) { closing.push(f); },
    dispatchEvent({type}) { heard.push(type); },
  };
  coinslotDedupe(socket);
  pass(19999);
  const say = (word, left, ago) => socket.onmessage({data: JSON.stringify({word, attempt: {expires_in_ms: left}, checked_ms_ago: ago})});
  for (let left = 300000; left > 60000; left -= 15000) { say('a', left, 100); pass(15000); }
  say('a', 60000, 100);
  pass(3000);
  say('a', 57900, 90);
  say('a', 58000, 90); // the page's clock has stood still
  say('b', 56000, 80);
  pass(19999);
  say('b', 35500, 4500);
  pass(19999);
  heard.push('-');
  pass(1);
  heard.push('-');
  pass(39999);
  heard.push('-');
  pass(1);
  say('b', 50000, 70);
  say('b', 50000, 70);
  say('b', 50000, 5000);
  say('b', 50000, 9000);
  say('b', 50000, 0);
  window.coinslotKnown = null;
  say('b', 50000, 0);
  say('b', 50000, 7);
  pass(500);
  for (const closed of closing) closed();
  say('b', 43000, -1);
  socket.onmessage = null;
  for (const closed of closing) closed(); // by this side
  Object.assign(window, {setTimeout: real.setTimeout, clearTimeout: real.clearTimeout});
  performance.now = real.now;
  return heard;
})()
