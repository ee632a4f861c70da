// The playground: its controls style a checkout and print the HTML for it. The address of the page
// has what was set, so that a link can carry a look.

import { contrast, readColor } from '../frame/colors.js';
import { NEEDED, palette } from '../frame/palette.js';

/** @param {string} selector */
const all = (selector) =>
  /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll(selector));

/** @template {Element} T @param {string} selector */
const one = (selector) => /** @type {T} */ (document.querySelector(selector));

/** @type {HTMLFormElement} */ const form = one('form');
/** @type {HTMLElement} */ const live = one('coinslot-checkout');
/** @type {HTMLElement} */ const code = one('[data-part=html]');

const ATTRIBUTES = ['preset', 'theme', 'mode'];
const COLORS = ['background', 'surface', 'text', 'border', 'danger'];

/** The page's own custom property of each color. @type {Record<string, string>} */
const OWN = {
  'accent': 'coinslot-accent', 'background': 'paper', 'surface': 'raised', 'text': 'ink',
  'border': 'line', 'danger': 'bad',
};

/** @param {string} name of a control */
const defaultOf = (name) =>
  name === 'radius' && form.preset.value === 'flat' ? '8' : initial.get(name) ?? '';

const ownAccent = hex(/** @type {number[]} */ (readColor('var(--coinslot-accent)', 'light')));

/** What is set: the values that are not the default. @returns {Record<string, string>} */
function read() {
  /** @type {Record<string, string>} */
  const values = {};
  for (const [name, value] of new FormData(form)) {
    const text = String(value).trim();
    if (text && text !== defaultOf(name)) values[name] = text;
  }
  return values;
}

/** The custom properties for values. @param {Record<string, string>} values */
function properties(values) {
  /** @type {Record<string, string>} */
  const list = {};
  const { accent = ownAccent, 'accent-dark': dark } = values;
  if (dark) list.accent = `light-dark(${accent}, ${dark})`;
  else if (values.accent) list.accent = accent;
  for (const name of COLORS) {
    for (const token of [name, name + '-dark']) if (values[token]) list[token] = values[token];
  }
  if (values.radius) list.radius = values.radius + 'px';
  if (values.density) list.density = values.density;
  if (values.font) list.font = values.font;
  return list;
}

/** The HTML to copy. @param {Record<string, string>} values */
function html(values) {
  const style = Object.entries(properties(values))
    .map(([name, value]) => `    --coinslot-${name}: ${value};\n`).join('');
  const attributes = ATTRIBUTES.filter((name) => values[name])
    .map((name) => ` ${name}="${values[name]}"`).join('');
  const { server } = code.dataset;
  return `<script async src="${server}/checkout.js"></script>\n` +
    (style && `<style>\n  coinslot-checkout {\n${style}  }\n</style>\n`) +
    `\n<coinslot-checkout session="cs_…"${attributes}>\n` +
    (values.mode === 'modal' ? `  <a href="${server}/checkout/cs_…">Pay with crypto</a>\n` : frame(values)) +
    '</coinslot-checkout>\n';
}

/** The frame of an inline checkout. @param {Record<string, string>} values */
function frame(values) {
  const theme = values.preset === 'night' ? 'dark' : values.theme;
  const query = 'embed=inline&lang=en' + (theme ? '&theme=' + theme : '');
  return `  <iframe src="${code.dataset.server}/checkout/cs_…?${query}"\n` +
    '    name="coinslot-checkout" title="Checkout" allow="clipboard-write"\n' +
    '    sandbox="allow-scripts allow-same-origin allow-forms allow-popups ' +
    'allow-popups-to-escape-sandbox"\n' +
    '    width="100%" height="420" frameborder="0"></iframe>\n';
}

/**
 * Shows the colors in use and the contrast of each pair.
 * @param {Record<string, string>} values @param {'' | '-dark'} suffix of the scheme's tokens
 */
function showColors(values, suffix) {
  const scheme = suffix ? 'dark' : 'light';
  /** @type {Record<string, number>} */
  const ratios = {};
  const colors = palette(properties(values), suffix, (front, back, ratio) => {
    ratios[front + ' ' + back] = ratio;
  });
  /** @param {string} token */
  const used = (token) => colors[OWN[token]] ??
    /** @type {number[]} */ (readColor(`var(--${OWN[token]})`, scheme));
  for (const name in OWN) {
    const field = /** @type {HTMLInputElement} */ (form.elements.namedItem(name + suffix));
    const given = readColor(field.value, scheme, used('background'));
    field.placeholder = hex(used(name));
    field.ariaInvalid = String(Boolean(field.value && !given));
    /** @type {HTMLInputElement} */
    const swatch = one(`[data-for="${name + suffix}"]`);
    swatch.value = hex(given ?? used(name));
  }
  for (const row of all('[data-part=pair]')) {
    const { front = '', back = '' } = row.dataset;
    const ratio = ratios[`${front}${suffix} ${back}${suffix}`] ??
      contrast(used(front), used(back));
    const cell = /** @type {HTMLElement} */ (row.querySelector(`[data-scheme=${scheme}]`));
    cell.textContent = Math.floor(ratio * 10) / 10 + (ratio < NEEDED ? ' fails' : '');
    cell.classList.toggle('pg-fails', ratio < NEEDED);
  }
}

/** @param {number[]} color @returns {string} as a color input takes it */
function hex(color) {
  return '#' + color
    .map((part) => Math.round(part * 255).toString(16).padStart(2, '0')).join('');
}

function update() {
  const values = read();
  const list = properties(values);
  for (const token of ['accent', 'radius', 'density', 'font',
    ...COLORS.flatMap((name) => [name, name + '-dark'])]) {
    live.style.setProperty('--coinslot-' + token, list[token] ?? '');
  }
  for (const name of ATTRIBUTES) live.setAttribute(name, values[name] ?? ''); // applies all anew
  one('output').textContent = form.radius.value + 'px';
  code.textContent = html(values);
  history.replaceState(null, '', '?' + new URLSearchParams(values));
  showColors(values, '');
  showColors(values, '-dark');
}

/** What the controls have before anything is set, by name. */
const initial = new Map([...new FormData(form)].map(([name, value]) => [name, String(value)]));

document.documentElement.dataset.js = '1'; // CSS shows the copy button
for (const [name, value] of new URLSearchParams(location.search)) {
  const control = /** @type {RadioNodeList | HTMLInputElement | null} */ (
    form.elements.namedItem(name));
  if (control && initial.has(name)) control.value = value;
}
if (!location.search.includes('radius=')) form.radius.value = defaultOf('radius');
for (const radio of all('[name=preset]')) {
  radio.onchange = () => { form.radius.value = defaultOf('radius'); update(); };
}
for (const swatch of all('[type=color]')) {
  swatch.oninput = () => {
    /** @type {HTMLInputElement} */ (form.elements.namedItem(swatch.dataset.for ?? '')).value =
      swatch.value;
  };
}
form.addEventListener('input', update);
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('reset', () => setTimeout(update));

/** @type {HTMLButtonElement} */ const copy = one('[data-part=copy-html]');
copy.onclick = async () => {
  const done = await navigator.clipboard.writeText(code.textContent ?? '').then(() => true, () => false);
  if (!done) getSelection()?.selectAllChildren(code);
  copy.classList.toggle('done', done);
  copy.textContent = done ? 'Copied' : 'Press Ctrl+C';
  one('[role=status]').textContent = copy.textContent;
  setTimeout(() => {
    copy.classList.remove('done');
    copy.textContent = 'Copy';
  }, 3000);
};
update();
