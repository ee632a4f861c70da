// The channel to the host page. Its messages are hints: the shop's server verifies the receipt, asks
// the API, or gets a webhook.

import { applyStyle, applyTheme, TOKENS } from './appearance.js';
import { html, rootData, settings, whenPainted } from './page.js';
import { HELLO_INTERVAL } from './times.js';
import { FINAL } from '../shared/statuses.js';

/** @type {MessagePort | undefined} undefined without a host page */
export let port;

/** @type {object[] | undefined} what was said to a host page that has not answered yet */
let unanswered = parent === window ? undefined : [];

/** @param {object} message is lost without a host page */
export function post(message) {
  unanswered?.push(message);
  port?.postMessage(message);
}

/** Says hello to the host page, if it is in COINSLOT_ORIGINS; otherwise the page shows an error. */
export function connect() {
  if (parent !== window && settings.origin) greet();
  const refused = /** @type {HTMLElement | null} */ (
    document.querySelector('[data-part=standalone]'));
  if (refused) console.error('coinslot origin_refused', refused.dataset.fix);
  measure();
  addEventListener('load', reportSize); // a frame out of sight is laid out only here
}

/**
 * Says hello until the host page answers: its script may come later than this frame. Only the first
 * channel has the messages at once, so that a host page that is merely slow gets none of them twice.
 */
function greet() {
  const { port1, port2 } = new MessageChannel();
  port ??= port1;
  port1.onmessage = ({ data, ports }) => {
    if (port !== port1) unanswered?.forEach((message) => port1.postMessage(message));
    port = port1;
    unanswered = undefined;
    if (data) receive(data, ports[0]);
    if (settings.embed === 'inline' && !html.dataset.shown) onShown(); // or it would not answer
  };
  const hello = { coinslot: 1, type: 'hello', version: '1.0.0', tokens: TOKENS };
  parent.postMessage(hello, settings.origin, [port2]);
  setTimeout(() => unanswered && greet(), HELLO_INTERVAL);
}

/**
 * @param {any} message unknown types are ignored
 * @param {MessagePort | undefined} answer
 */
function receive(message, answer) {
  switch (message.type) {
    case 'shown':
      onShown();
      break;
    case 'theme':
      applyTheme(message.value);
      break;
    case 'style':
      applyStyle(message, warn);
      break;
    case 'simulate':
      simulate(message.kind, answer);
  }
}

/** The host page shows the frame. What is no part of its first picture comes after that. */
function onShown() {
  html.dataset.shown = '1';
  whenPainted().then(() => dispatchEvent(new Event('coinslot-shown')));
  reportedHeight = 0;
  measure();
}

const warned = new Set();

/** Warns the host page's developer, once of each problem. @param {string} problem */
function warn(problem) {
  if (!warned.has(problem)) post({ type: 'warning', code: 'contrast_failed', cure: problem });
  warned.add(problem);
}

/**
 * @param {string} kind of outcome, as the value of a button that only sandbox sessions have
 * @param {MessagePort | undefined} answer gets why nothing is simulated; empty if it is
 */
function simulate(kind, answer) {
  const button = /** @type {HTMLElement | null} */ (
    document.querySelector(`[data-part=simulate][value="${CSS.escape(kind)}"]`));
  button?.click();
  answer?.postMessage(button ? '' : 'cannot simulate ' + kind);
}

let reported = ''; // session and status

/** Reports a new status to the host page; the first one is "ready". */
export function reportStatus() {
  reportError();
  const session = rootData('session');
  const status = rootData('status');
  const current = session + ' ' + status;
  if (current === reported || !status || hasOnlyError()) return;
  post({ type: reported ? 'status' : 'ready', session, status });
  reported = current;
  if (FINAL.includes(status)) {
    const again = !!document.querySelector('[data-part=retry]');
    post({ type: 'complete', session, status, receipt: rootData('receipt'), again });
  }
}

let reportedError = '';

/** Reports to the host page why nothing can be paid, once for each reason. */
function reportError() {
  const error = /** @type {HTMLElement | null} */ (document.querySelector('.error'));
  const { code = '', fix: cure } = error?.dataset ?? {};
  if (code === reportedError) return;
  reportedError = cure ? code : ''; // others are the shopper's
  if (cure) post({ type: 'error', code, recoverable: code === 'gateway_unavailable', cure });
}

/** Whether the page shows an error instead of a choice: "open" is then not the order's status. */
const hasOnlyError = () =>
  rootData('status') === 'open' && (reportedError || !rootData('session')) &&
  document.querySelector('.error') && !document.querySelector('form[method=post]');

const sizes = new ResizeObserver(reportSize);

/**
 * Reports the height after the next layout: to ask for it now would cause one more. Observing again
 * reports again: https://drafts.csswg.org/resize-observer/#dom-resizeobserver-observe
 */
const measure = () => sizes.observe(document.body);

let reportedHeight = 0;

function reportSize() {
  const height = Math.ceil(document.body.getBoundingClientRect().height);
  if (!height || height === reportedHeight) return;
  reportedHeight = height;
  post({ type: 'size', height });
}
