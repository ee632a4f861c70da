// Starts app.wasm, which makes the page live. Forms and links work without it.

import { port, post } from './host-page.js';
import { delay, html, root, settings, whenPainted, whenRead } from './page.js';
import { whenReleased } from './presses.js';
import { LATE, UNSEEN_DELAY } from './times.js';

// On later pages of the checkout the failure is already reported: without WebAssembly every step is
// a new page.
const isLaterPage = document.referrer.startsWith(location.origin + '/checkout');

export async function startProgram() {
  if (!settings.wasm) { // the server was built without it
    html.dataset.wasm = 'none';
    return;
  }
  if (typeof WebAssembly !== 'object') {
    const loaded = import(settings.loader); // for forms and links
    loaded.catch(() => {});
    return fail('wasm_unsupported', 'this browser has no WebAssembly');
  }
  try {
    await whenShown();
    await runProgram();
    fail('wasm_failed', 'the program has ended: see the lines before');
  } catch (cause) {
    if (!navigator.onLine) addEventListener('online', startProgram, { once: true });
    fail('wasm_failed', fixOf(cause), cause);
  }
}

/**
 * Waits until the page is painted: app.wasm is a hundred times larger than everything else, and
 * nothing is painted while it starts. A hidden page waits for its load event.
 */
const whenShown = () => Promise.race([painted, loaded.then(() => delay(UNSEEN_DELAY))]);

/**
 * @param {string} type of an event of the window
 * @param {boolean} hasHappened
 * @returns {Promise<unknown>}
 */
const once = (type, hasHappened) => new Promise((resolve) =>
  hasHappened ? resolve(null) : addEventListener(type, resolve, { once: true }));

const loaded = once('load', document.readyState === 'complete');
/** Painted where it can be seen: a frame when the host page shows it. */
const painted = parent === window ? whenRead.then(whenPainted) : once('coinslot-shown', false);

/** The program takes the page over in a task of its own, while nothing is pressed. */
window.coinslotTurn = () => delay(0).then(whenReleased);

/** Runs the program until it ends. */
async function runProgram() {
  const loader = import(settings.loader); // the small ones first: they would wait for the large one
  const sentences = readText(settings.text);
  const binary = fetch(settings.wasm, { priority: 'low' });
  for (const download of [binary, loader, sentences]) download.catch(() => {}); // reported below
  await loader;
  sentences.then(coinslotListLanguages, () => {});
  const go = new Go();
  const { instance } = await instantiate(binary, go.importObject);
  const data = /** @type {any} */ (document.getElementById('coinslot-page'));
  data.sentences = await sentences; // for app.wasm
  performance.mark('coinslot:program');
  const ended = go.run(instance);
  setTimeout(loadLate, LATE);
  await ended;
}

/**
 * Loads what the server links only by "data-href": the styles of the screens to come, and the file
 * that this page has inline, for later pages to come without it (bff/web/dictionary.go).
 */
function loadLate() {
  for (const link of document.querySelectorAll('link[data-href]')) {
    link.setAttribute('href', /** @type {HTMLElement} */ (link).dataset.href ?? '');
  }
}

/** @param {string} url of the texts in the page's language */
async function readText(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(url + ': ' + answer.status);
  return answer.text();
}

/**
 * Compiles during the download, or after a second one if a proxy has changed the content type.
 * @param {Promise<Response>} binary
 * @param {WebAssembly.Imports} imports
 */
async function instantiate(binary, imports) {
  try {
    return await WebAssembly.instantiateStreaming(binary, imports);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    const answer = await fetch(settings.wasm);
    if (!answer.ok) throw cause;
    return WebAssembly.instantiate(await answer.arrayBuffer(), imports);
  }
}

/** @param {string} code @param {string} fix for the host page's developer @param {unknown} [cause] */
async function fail(code, fix, cause) {
  html.dataset.wasm = 'failed';
  root()?.setAttribute('data-live', 'html');
  await whenRead; // and the host page is there
  if (isLaterPage) return;
  if (port) post({ type: 'error', code, recoverable: true, cure: fix });
  else console.warn('coinslot ' + code, fix, cause);
}

/**
 * Distinguishes a changed policy, a changed app.wasm, and a failed download.
 * @param {unknown} cause
 */
function fixOf(cause) {
  try {
    new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)); // the smallest module
  } catch {
    return "a proxy has changed the frame's policy: " +
      "script-src needs 'wasm-unsafe-eval'";
  }
  if (cause instanceof WebAssembly.CompileError || cause instanceof WebAssembly.LinkError) {
    return `app.wasm has been changed on the way: a proxy must pass ${settings.wasm} as it is`;
  }
  return `a proxy must pass ${settings.wasm} as it is: it did not load (${cause})`
    .replace(/[^ -~]+/g, ' ').slice(0, 200);
}
