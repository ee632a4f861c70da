const script = /** @type {HTMLScriptElement} */ (document.currentScript);

/** The origin of this script and of the checkout. */
export const CHECKOUT_ORIGIN = new URL(script.src).origin;

/**
 * The origin of the host page: "null" in a frame with a sandbox that lacks allow-same-origin. The
 * origin of its address is another, also in a frame with srcdoc.
 */
export const PAGE_ORIGIN = origin;

/** Whether the page pins this script by its hash, so that it must not load another. */
export const IS_PINNED = Boolean(script.integrity);
