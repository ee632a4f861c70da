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
 * Resolves when the visible part of the page, which ends before its data block, has been parsed.
 * DOMContentLoaded comes after the first layout; a frame that says hello only then is laid out and
 * painted twice before it is visible.
 * @type {Promise<void>}
 */
export const whenRead = new Promise((resolve) => {
  const check = () => {
    if (document.readyState === 'loading' && !document.getElementById('coinslot-page')) {
      // Not the whole tree: there would be a record for each element.
      return observer.observe(document.body ?? html, { childList: true });
    }
    observer.disconnect();
    resolve();
  };
  const observer = new MutationObserver(check);
  document.addEventListener('DOMContentLoaded', check);
  check();
});

/** @param {number} ms @returns {Promise<void>} */
export const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A timer of an animation frame comes after its painting. @returns {Promise<void>} */
export const whenPainted = () => new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
});
