// How the program makes nodes: all of a tree in one call, since each call costs it as much as ten nodes. What is to be
// done comes as words with a NUL between them; tools/assets/slim/plant.go.txt writes them. It is sent behind Go's loader.
globalThis.coinslotPlant = (text) => {
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
