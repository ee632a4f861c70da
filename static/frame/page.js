// The page, as rendered by the server or WebAssembly.

/** Data attributes of the script's own tag. */
export const settings = /** @type {{ origin: string, embed: string, wasm: string,
  loader: string, text: string, style: string }} */ (
    /** @type {HTMLElement} */ (document.querySelector('script[data-origin]')).dataset);

export const html = document.documentElement;

/** The checkout's root element; null before the page has been read. */
export const root = () => document.getElementById('coinslot');

/** @param {string} name of one of its data attributes; a missing one is empty */
export const rootData = (name) => root()?.getAttribute('data-' + name) ?? '';

/** Whether WebAssembly has taken over. */
export const isLive = () => rootData('live') === 'wasm';

/**
 * Resolves when an element has been parsed. DOMContentLoaded comes after the first layout; a frame
 * that says hello only then is laid out and painted twice before it is visible.
 * @param {string} id
 * @returns {Promise<void>}
 */
const whenParsed = (id) => new Promise((resolve) => {
  const check = () => {
    if (document.readyState === 'loading' && !document.getElementById(id)) return;
    observer.disconnect();
    resolve();
  };
  const observer = new MutationObserver(check);
  observer.observe(document, { childList: true, subtree: true });
  document.addEventListener('DOMContentLoaded', check);
  check();
});

/** Resolves when the first of the visible part of the page has been parsed, whose rest follows at once. */
export const whenBegun = whenParsed('coinslot');

/** Resolves when all of the visible part has been parsed, which ends before the page's data block. */
export const whenRead = whenParsed('coinslot-page');

/** @param {number} ms @returns {Promise<void>} */
export const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
