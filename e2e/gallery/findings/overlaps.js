const texts = all('p, h1, h2, dt, dd, legend, summary, label, button, a.button, .value, .coin-symbol, .coin-hint, .network-note').filter(seen);
const found = [];
for (const sample of document.querySelectorAll('[data-sample]')) {
  const own = texts.filter(e => sample.contains(e) && !e.closest('.sandbox')).map(e => [e, e.getBoundingClientRect()]);
  for (const [a, x] of own) for (const [b, y] of own) {
    if (a === b || a.contains(b) || b.contains(a)) continue;
    if (Math.min(x.right, y.right) - Math.max(x.left, y.left) > 2 && Math.min(x.bottom, y.bottom) - Math.max(x.top, y.top) > 2) {
      found.push(name(a) + ' lies on ' + name(b));
    }
  }
}
return found.slice(0, 5);
