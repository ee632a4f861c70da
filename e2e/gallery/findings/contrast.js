// ratio is the WCAG contrast of two colors, each laid on white, and under the color of the
// nearest painted box around e.
const known = globalThis.known ??= new Map(); // a probe in a page of every sample costs a look at all of it
const bytes = css => {
  if (!known.has(css)) known.set(css, probed(css));
  return known.get(css);
};
const probed = css => {
  const probe = document.createElement('i');
  probe.style.color = 'color-mix(in srgb, ' + css + ', ' + css + ')';
  document.body.append(probe);
  const [r, g, b, a = 1] = getComputedStyle(probe).color.replaceAll('none', '0').match(/-?[\d.]+(e-?\d+)?/g).map(Number);
  probe.remove();
  return [r, g, b, a];
};
const light = ([r, g, b]) => {
  const [x, y, z] = [r, g, b].map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
const ratio = (a, b) => {
  const [low, high] = [light(bytes(a)), light(bytes(b))].sort((x, y) => x - y);
  return Math.round(100 * (high + 0.05) / (low + 0.05)) / 100;
};
const under = e => { // the color behind a box
  for (let p = e.parentElement; p; p = p.parentElement) {
    const color = getComputedStyle(p).backgroundColor;
    if (bytes(color)[3] > 0) return color;
  }
  return 'Canvas';
};
