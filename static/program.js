// What the program uses of JavaScript beside Go's loader, behind which it is sent. Nothing here is needed before.
(() => {
  // --- Nodes ---------------------------------------------------------------------------------------------------------

  // coinslotPlant makes all nodes of a tree in one call, since each call costs the program as much as ten nodes. What is to
  // be done comes as words with a NUL between them; tools/assets/slim/plant.go.txt writes them.
  window.coinslotPlant = (text) => {
    const nodes = [], words = text.split('\0');
    let at = 0;
    const next = () => words[at++], node = () => nodes[next()];
    const orders = {
      e: () => nodes.push(document.createElement(next())),
      t: () => nodes.push(document.createTextNode(next())),
      a: () => node().setAttribute(next(), next()),
      v: () => { node()[next()] = next(); },
      b: () => { node()[next()] = !next(); },
      c: () => node().appendChild(node()),
    };
    while (at < words.length) orders[next()]();
    return nodes;
  };

  // --- What a waiting page hears -------------------------------------------------------------------------------------

  const JUST_NOW = 5000; // ms; wire.JustNow
  const SILENT = 20000; // ms after which a socket that says nothing is not believed to be alive; it speaks every 15 s
  const ALIVE = 45000; // ms for which a socket may seem silent; it is taken for dead after a minute
  const TIMES = /"(?:expires_in_ms|(checked_ms_ago))":(\d+)/g;

  // coinslotHush takes a socket's handler and lets it hear what is new. While nothing happens, a socket's messages differ
  // in two times only, and WebAssembly would wake for each. The server speaks as soon as the gateway's last answer is
  // JUST_NOW old (bff/web/hush.go), so silence means that it is not; if the socket is SILENT or closes, the latest is said,
  // as it is by then.
  // coinslotHeard is what was said last without its times; WebAssembly empties it when it has heard something elsewhere.
  window.coinslotHush = (socket) => {
    const tell = socket.onmessage;
    let last, came, told, late;
    const say = () => {
      if (!socket.onmessage || last === undefined) return; // it was closed by this side, or has said nothing
      const since = Math.ceil(performance.now() - came);
      window.coinslotHeard = null; // from now on the age is counted aloud, so the next message is news
      tell({ data: last.replace(TIMES, (all, ago, ms) => all.replace(ms, ago ? +ms + since : Math.max(0, ms - since))) });
    };
    socket.onmessage = ({ data }) => {
      clearTimeout(late);
      [last, came] = [data, performance.now()];
      let age = JUST_NOW;
      const words = data.replace(TIMES, (all, ago, ms) => { if (ago) age = +ms; return ''; });
      if (age < JUST_NOW) late = setTimeout(say, SILENT);
      if (words === window.coinslotHeard && age < JUST_NOW && came - told < ALIVE) return;
      [window.coinslotHeard, told] = [age < JUST_NOW ? words : null, came];
      tell({ data });
    };
    socket.addEventListener('close', () => { clearTimeout(late); say(); });
  };
})();
