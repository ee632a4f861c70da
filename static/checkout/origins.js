const script = /** @type {HTMLScriptElement} */ (document.currentScript);

/** Where this script came from, which is where the checkout is. */
export const CHECKOUT_ORIGIN = new URL(script.src).origin;

/** The page that this script runs in. */
export const PAGE_ORIGIN = location.origin;

/** Whether the page trusts this script by its hash alone, so that no other may be loaded. */
export const IS_PINNED = Boolean(script.integrity);
