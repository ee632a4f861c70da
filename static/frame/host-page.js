// The channel to the host page. The host page releases nothing on what it hears: its server
// verifies the receipt, asks, or gets a webhook.

import { applyStyle, applyTheme } from './appearance.js';
import { FIXES } from './fixes.js';
import { html, rootData, settings } from './page.js';
import { FINAL } from '../shared/statuses.js';

/** @type {MessagePort | undefined} undefined while no host page is told what happens */
export let port;

/** @param {object} message is lost without a host page */
export const post = (message) => port?.postMessage(message);

/** Greets the host page. One that is not listed is not greeted; then the page has words for it. */
export function connect() {
  if (parent === window) return;
  if (document.querySelector('[data-part=standalone]')) {
    console.error('coinslot origin_refused', FIXES.origin_refused);
  }
  if (!settings.origin) return;
  const channel = new MessageChannel();
  port = channel.port1;
  port.onmessage = ({ data }) => data && receive(data);
  parent.postMessage(
    { coinslot: 1, type: 'hello', version: '1.0.0' }, settings.origin, [channel.port2]);
  reportStatus();
  setTimeout(() => { // later: a message leaves when its task is over, and this lays the page out
    reportSize();
    new ResizeObserver(reportSize).observe(document.body);
  });
}

/** @param {any} message what the protocol does not name is ignored */
function receive(message) {
  switch (message.type) {
    case 'shown':
      html.dataset.shown = '1';
      dispatchEvent(new Event('coinslot-shown'));
      reportedHeight = 0;
      reportSize();
      break;
    case 'theme':
      applyTheme(message.value);
      break;
    case 'style':
      applyStyle(message);
      setTimeout(reportSize);
      break;
    case 'simulate':
      simulate(message.kind);
  }
}

/** @param {string} kind of outcome, as the value of a button that only sandbox sessions have */
function simulate(kind) {
  /** @type {NodeListOf<HTMLButtonElement>} */
  const buttons = document.querySelectorAll('[data-part=simulate]');
  [...buttons].find((button) => button.value === kind)?.click();
}

let reported = ''; // session and status

/** Tells the host page the status if it is new; the first one says that the page is ready. */
export function reportStatus() {
  reportError();
  const session = rootData('session');
  const status = rootData('status');
  const current = session + ' ' + status;
  if (current === reported || !status || hasOnlyError()) return;
  post({ type: reported ? 'status' : 'ready', session, status });
  reported = current;
  if (FINAL.includes(status)) {
    post({ type: 'complete', session, status, receipt: rootData('receipt') });
  }
  setTimeout(reportSize); // after layout; an animation frame would never come in a hidden frame
}

let reportedError = '';

/** Tells the host page why nothing can be paid, once for each reason. */
function reportError() {
  const error = /** @type {HTMLElement | null} */ (document.querySelector('.error'));
  const code = error?.dataset.code ?? '';
  if (code === reportedError) return;
  reportedError = Object.hasOwn(FIXES, code) ? code : '';
  const recoverable = code === 'gateway_unavailable';
  if (reportedError) post({ type: 'error', code, recoverable, cure: FIXES[code] });
}

/** Whether the page has nothing to choose but a reason why: "open" is then no order's status. */
const hasOnlyError = () =>
  rootData('status') === 'open' && (reportedError || !rootData('session')) &&
  document.querySelector('.error') && !document.querySelector('form[method=post]');

let reportedHeight = 0;

function reportSize() {
  const height = Math.ceil(document.body.getBoundingClientRect().height);
  if (height <= 0 || height === reportedHeight) return;
  reportedHeight = height;
  post({ type: 'size', height });
}
