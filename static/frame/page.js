// The page around the script, as the server has written it or WebAssembly keeps it.

/** What the server has written into the script's own tag. */
export const settings = /** @type {{ origin: string, wasm: string, loader: string, text: string,
  refresh: string, style: string }} */ (
    /** @type {HTMLElement} */ (document.querySelector('script[data-origin]')).dataset);

export const html = document.documentElement;

/** The checkout's root element, which go-app replaces; null before the page has been read. */
export const root = () => document.getElementById('coinslot');

/** @param {string} name of one of its data attributes; what is not there is empty */
export const rootData = (name) => root()?.getAttribute('data-' + name) ?? '';

/** Whether WebAssembly drives the page. */
export const isLive = () => rootData('live') === 'wasm';

/**
 * Resolves when everything that the page shows has been read; its data block comes behind that.
 * The browser's own event comes after the first layout, and a frame that greets only then is laid
 * out and painted twice before it is seen.
 * @type {Promise<void>}
 */
export const whenRead = new Promise((resolve) => {
  const look = () => {
    if (document.readyState === 'loading' && !document.getElementById('coinslot-page')) return;
    reading.disconnect();
    resolve();
  };
  const reading = new MutationObserver(look);
  reading.observe(document, { childList: true, subtree: true });
  document.addEventListener('DOMContentLoaded', look);
  look();
});

/** @param {number} ms @returns {Promise<void>} */
export const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
