// What an element sells, and which of several elements owns the frame.

/** @import { CheckoutElement } from './element.js' */

const PARAMETERS = ['order', 'item', 'amount', 'quantity'];

/**
 * Path and query of an element's checkout, to which parameters can be appended.
 * @param {Element} element
 * @returns {string} empty if it sells nothing
 */
export function saleOf(element) {
  /** @param {string} name */
  const encoded = (name) => encodeURIComponent(element.getAttribute(name) || '');
  const session = encoded('session');
  if (session) return `/checkout/${session}?`;
  const query = PARAMETERS.filter(encoded).map((name) => `${name}=${encoded(name)}&`).join('');
  return query && '/checkout?' + query;
}

/**
 * The element that owns the frame, by result of saleOf. There is one frame for each order; other
 * elements for the same order open it.
 * @type {Map<string, CheckoutElement>}
 */
export const owners = new Map();
