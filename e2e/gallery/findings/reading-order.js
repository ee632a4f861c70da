const found = [];
for (const sample of document.querySelectorAll('[data-sample]')) {
  const parts = [...sample.querySelectorAll('h1, h2, p, dt, a.button, button, summary, .slip > *, .coin, .network')].filter(seen).filter(e => !e.closest('.sandbox, .bar, .order-price')); // these stick, and the price heads its panel
  parts.forEach((e, i) => {
    const before = parts[i - 1];
    if (!before || before.contains(e)) return;
    const [mine, theirs] = [e.getBoundingClientRect(), before.getBoundingClientRect()];
    const column = mine.left < theirs.right && theirs.left < mine.right; // what stands beside is another column
    if (column && mine.bottom <= theirs.top + 1) found.push(name(e) + ' is read after ' + name(before) + ' and stands above it');
  });
}
return found.slice(0, 8);
