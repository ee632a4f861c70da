// The end of /checkout/embed.js for a page with data-debug. Coinslot's error codes are in `codes`.

console.info('coinslot: data-debug explains failures here. Remove it before you go live.');

/** @type {Record<string, string>} where the line of a code goes */
const PLACES = {
  coinslot: "the server's settings, then restart it",
  content_security_policy: "your page's Content-Security-Policy",
  html: "your page's HTML",
  proxy: "the proxy in front of the server",
  machine: 'a shell on the server',
};

/**
 * Logs cause and fix of a failure.
 * @this {{ codes: Record<string, string>[] }} members as in the doctor's JSON; line and place may be absent
 * @param {string} code is ignored if it is unknown
 */
function explain(code) {
  const found = this.codes.find((one) => one.code === code);
  if (!found) return;
  const server = new URL(import.meta.url).origin;
  const lines = [`coinslot explains ${code}`, 'Cause: ' + found.cause, 'Fix: ' + found['cure']];
  if (found.line) {
    const line = found.line.replace('{server}', server).replace('{origin}', origin);
    lines.push(`Add to ${PLACES[found.place]}: ${line}`);
  }
  console.info(lines.join('\n  '), `\n  ${server}/docs/errors#${code}`);
}

/** The custom properties of docs/embed.md, without their prefix, and their values. @type {Record<string, RegExp | string>} */
const PROPERTIES = { radius: /^\d[\d.]*(px)?$/, density: /^(normal|compact|cozy)$/, font: /^[\p{L}\d\s,'"_-]{1,200}$/u };
for (const name of ['accent', 'background', 'surface', 'text', 'border', 'danger']) {
  PROPERTIES[name] = PROPERTIES[name + '-dark'] = 'color';
}
const PREFIX = '--coinslot-';
const named = new Set();

/** Names custom properties and values that the checkout ignores, as far as scripts can see them. */
function nameIgnored() {
  /** @type {[string, string][]} */
  const found = [];
  /** @param {CSSStyleDeclaration} style */
  const read = (style) => {
    for (const name of style) {
      if (name.startsWith(PREFIX)) found.push([name, style.getPropertyValue(name).trim()]);
    }
  };
  /** @param {any} rule a sheet, a style rule, or a group of rules */
  const walk = (rule) => {
    if (rule.style) read(rule.style);
    try {
      for (const inner of rule.cssRules ?? []) walk(inner);
    } catch {
      // The sheet is of another origin.
    }
  };
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) walk(sheet);
  for (const element of document.querySelectorAll('coinslot-checkout, :root, [style*="--coinslot-"]')) {
    read(/** @type {HTMLElement} */ (element).style);
  }
  for (const element of document.querySelectorAll('coinslot-checkout')) {
    for (const [name, [value]] of /** @type {any} */ (element).computedStyleMap?.() ?? []) { // also of other origins
      if (name.startsWith(PREFIX)) found.push([name, String(value).trim()]);
    }
  }
  for (const [name, value] of found) {
    const rule = PROPERTIES[name.slice(PREFIX.length)];
    const isValid = !value || value.includes('var(') ||
      (rule instanceof RegExp ? rule.test(value) : rule && CSS.supports('color', value));
    const line = !rule ? `${name} is unknown` : isValid ? '' : `${name}: ${value} is ignored, because it is no value of it`;
    if (!line || named.has(line)) continue;
    named.add(line);
    console.info(`coinslot: ${line}\n  ${new URL(import.meta.url).origin}/docs/embed#style`);
  }
}

/** Names inline checkouts whose frame waits for checkout.js, and the line that has it load at once. */
function nameLateFrames() {
  const { origin: server, searchParams } = new URL(import.meta.url);
  if (searchParams.get('embed') !== 'inline') return; // a modal's module, beside that of inline elements
  for (const element of document.querySelectorAll('coinslot-checkout:not([mode=modal])')) {
    const session = element.getAttribute('session');
    const sale = ['order', 'item', 'amount', 'quantity'].filter((name) => element.getAttribute(name))
      .map((name) => `${name}=${encodeURIComponent(element.getAttribute(name) ?? '')}&`).join('');
    if (!session && !sale || element.querySelector('iframe')) continue;
    const path = session ? `/checkout/${encodeURIComponent(session)}?` : `/checkout?${sale}`;
    const { lang } = document.documentElement;
    const src = `${server}${path}embed=inline&origin=${origin}${lang && `&lang=${lang}`}`;
    console.info('coinslot: this frame waits for checkout.js. In the HTML of the page, it loads at once. Put it into the element:\n' +
      `  <iframe src="${src}"\n` +
      '    name="coinslot-checkout" title="Checkout" allow="clipboard-write"\n' +
      '    sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox"\n' +
      '    width="100%" height="420" frameborder="0"></iframe>');
  }
}

nameLateFrames();
nameIgnored();
document.addEventListener('coinslot-ready', nameIgnored);
document.addEventListener('coinslot-open', nameIgnored);
