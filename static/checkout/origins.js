const script = /** @type {HTMLScriptElement} */ (document.currentScript);

/** The origin of this script and of the checkout. */
export const CHECKOUT_ORIGIN = new URL(script.src).origin;

/** The origin of the host page. */
export const PAGE_ORIGIN = location.origin;

/** Whether the page pins this script by its hash, so that it must not load another. */
export const IS_PINNED = Boolean(script.integrity);
