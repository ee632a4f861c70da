const script = /** @type {HTMLScriptElement} */ (document.currentScript);

/** The origin of this script and of the checkout. */
export const CHECKOUT_ORIGIN = new URL(script.src).origin;

/**
 * The origin of the host page; "null" in a sandbox without allow-same-origin. The origin of its
 * address may be another one: a frame whose HTML is an attribute has that of the page around it.
 */
export const PAGE_ORIGIN = origin;

/** Whether the page pins this script by its hash, so that it must not load another. */
export const IS_PINNED = Boolean(script.integrity);
