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
    const line = found.line.replace('{server}', server).replace('{origin}', location.origin);
    lines.push(`Add to ${PLACES[found.place]}: ${line}`);
  }
  console.info(lines.join('\n  '), `\n  ${server}/docs/errors#${code}`);
}
