// What the program uses of JavaScript beside Go's loader, behind which it is sent. Nothing here is needed before.
(() => {
  // --- Nodes ---------------------------------------------------------------------------------------------------------

  // coinslotCreateNodes creates a batch of nodes in one call, since each call costs the program as much as ten nodes. What
  // is to be done comes as words with a NUL between them; go-app writes them, by the last patch in tools/assets/patches.
  window.coinslotCreateNodes = (text) => {
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
  const DEAD = 60000; // ms after which it is taken for closed
  const TIMES = /"(?:expires_in_ms|(checked_ms_ago))":(\d+)/g;

  // coinslotDedupe takes a socket's handlers and lets them hear what is new. While nothing happens, a socket's messages differ
  // in two times only, and WebAssembly would wake for each. The server speaks as soon as the gateway's last answer is
  // JUST_NOW old (bff/shop/dedupe.go), so silence means that it is not; if the socket is SILENT or closes, the latest is said,
  // as it is by then. The time left goes by itself, and is news if it differs by a second from that, as after the
  // computer's sleep.
  // coinslotKnown is what was said last without its times; WebAssembly empties it when it has heard something elsewhere.
  window.coinslotDedupe = (socket) => {
    const tell = socket.onmessage;
    let last, came, told, late;
    const say = () => {
      clearTimeout(late);
      if (!socket.onmessage || last === undefined) return; // it was closed by this side, or has said nothing
      const since = Math.ceil(performance.now() - came);
      window.coinslotKnown = null; // from now on the age is counted aloud, so the next message is news
      tell({ data: last.replace(TIMES, (all, ago, ms) => all.replace(ms, ago ? +ms + since : Math.max(0, ms - since))) });
    };
    const silent = () => {
      say();
      late = setTimeout(() => socket.dispatchEvent(new Event('close')), DEAD - SILENT);
    };
    const listen = () => {
      clearTimeout(late);
      late = setTimeout(silent, SILENT);
    };
    socket.onmessage = ({ data }) => {
      listen();
      [last, came] = [data, performance.now()];
      let age = JUST_NOW, end = 0;
      const words = data.replace(TIMES, (all, ago, ms) => { ago ? age = +ms : end = came + +ms; return ''; });
      if (words === window.coinslotKnown && age < JUST_NOW && Math.abs(end - told) < 1000) return;
      [window.coinslotKnown, told] = [age < JUST_NOW ? words : null, end];
      tell({ data });
    };
    socket.addEventListener('close', say);
    listen();
  };
})();
