// What an element sells, and which of several elements owns the frame.

/** @import { CheckoutElement } from './element.js' */

const PARAMETERS = ['order', 'item', 'amount', 'quantity'];

/** @param {string} session */
export const pathOf = (session) => `/checkout/${encodeURIComponent(session)}?`;

/**
 * Path and query of an element's checkout, to which parameters can be appended.
 * @param {Element} element
 * @returns {string} empty if it sells nothing
 */
export function saleOf(element) {
  /** @param {string} name */
  const encoded = (name) => encodeURIComponent(element.getAttribute(name) || '');
  const session = element.getAttribute('session');
  if (session) return pathOf(session);
  const query = PARAMETERS.filter(encoded).map((name) => `${name}=${encoded(name)}&`).join('');
  return query && '/checkout?' + query;
}

/**
 * The element that owns the frame, by result of saleOf. There is one frame for each order; other
 * elements for the same order open it. Elements of Coinslot.open with createSession are here by
 * order, too.
 * @type {Map<string, CheckoutElement>}
 */
export const owners = new Map();

/**
 * Whether the dialog or box, the last in the shadow tree, can be seen: not if something around it is
 * "display: none". Safari knows since 17.4.
 * @param {CheckoutElement} element
 */
export const isVisible = ({ isConnected, shadowRoot }) =>
  /** @type {any} */ (shadowRoot).lastChild.checkVisibility?.() ?? isConnected;
