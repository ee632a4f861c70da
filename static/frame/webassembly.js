// Starts the program, app.wasm, which makes the page live. Without it forms and links still work.

import { port, post } from './host-page.js';
import { delay, html, root, settings, whenRead } from './page.js';
import { whenReleased } from './presses.js';
import { UNSEEN_DELAY } from './times.js';

// Where the shopper comes from a page of ours the host page has been told what fails: without
// WebAssembly every step is a new page.
const isLaterPage = document.referrer.startsWith(location.origin + '/checkout');

export async function startProgram() {
  if (!settings.wasm) { // the server was built without
    html.dataset.wasm = 'none';
    return;
  }
  if (typeof WebAssembly !== 'object') {
    return fail('wasm_unsupported', 'this browser has no WebAssembly: nothing to change');
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
 * The page is shown first: its program is a hundred times as large as all else, and while it starts
 * nothing is painted. A page that nobody sees waits until it has all its files.
 */
const whenShown = () => Promise.race([
  whenRead.then(() => visible).then(whenPainted),
  loaded.then(() => delay(UNSEEN_DELAY)),
]);

/**
 * @param {string} type of an event of the window
 * @param {boolean} hasHappened
 * @returns {Promise<unknown>}
 */
const once = (type, hasHappened) => new Promise((resolve) =>
  hasHappened ? resolve(null) : addEventListener(type, resolve, { once: true }));

const loaded = once('load', document.readyState === 'complete');
const visible = once('coinslot-shown', parent === window); // when the host page shows the frame

/** The second frame of animation says that the first is done. @returns {Promise<void>} */
const whenPainted = () => new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)));
});

/** Runs the program until it ends. */
async function runProgram() {
  /** @type {NodeListOf<HTMLImageElement>} */
  const marks = document.querySelectorAll('img.network-mark');
  for (const mark of marks) mark.loading = 'eager'; // before all that is asked for here
  const binary = fetch(settings.wasm, { priority: 'low' });
  const loader = import(settings.loader);
  const sentences = readText(settings.text);
  for (const download of [binary, loader, sentences]) download.catch(() => {}); // it is told below
  await loader;
  const go = new Go();
  const { instance } = await instantiate(binary, go.importObject);
  const data = /** @type {any} */ (document.getElementById('coinslot-page'));
  data.sentences = await sentences; // app.wasm looks there
  performance.mark('coinslot:program');
  await whenReleased();
  await go.run(instance);
}

/** @param {string} url of the sentences in the page's language, which all its pages share */
async function readText(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(url + ': ' + answer.status);
  return answer.text();
}

/**
 * Compiles while the program arrives. A proxy that changes the content type costs a second pass,
 * not the program.
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

/** @param {string} code @param {string} fix for the page's developer @param {unknown} [cause] */
async function fail(code, fix, cause) {
  html.dataset.wasm = 'failed';
  root()?.setAttribute('data-live', 'html');
  await whenRead; // and the host page is there
  if (isLaterPage) return;
  if (port) post({ type: 'error', code, recoverable: true, cure: fix });
  else console.warn('coinslot ' + code, fix, cause);
}

/**
 * Tells a policy from a file that is not what was built, and both from one that did not come.
 * @param {unknown} cause
 */
function fixOf(cause) {
  try {
    new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)); // the smallest there is
  } catch {
    return "a proxy has changed the frame's Content-Security-Policy: " +
      "script-src needs 'wasm-unsafe-eval'";
  }
  if (cause instanceof WebAssembly.CompileError || cause instanceof WebAssembly.LinkError) {
    return `app.wasm has been changed on the way: a proxy must pass ${settings.wasm} as it is`;
  }
  return `a proxy must pass ${settings.wasm} as it is: it did not come or did not run (${cause})`
    .replace(/[^ -~]+/g, ' ').slice(0, 200);
}
