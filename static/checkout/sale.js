// What an element sells, and which of several elements has the frame of it.

/** @import { CheckoutElement } from './element.js' */

const PARAMETERS = ['order', 'item', 'amount', 'quantity'];

/**
 * Path and query of the checkout of what an element sells, ready for more parameters.
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
 * The element that has, or may have, the frame, by what it sells. There is one frame for each
 * order; other elements that sell the same lead to it.
 * @type {Map<string, CheckoutElement>}
 */
export const owners = new Map();
