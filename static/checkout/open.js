import { CheckoutElement } from './element.js';
import { isVisible, owners, saleOf } from './sale.js';

/**
 * Implements Coinslot.open.
 * @param {CoinslotOpenOptions} options
 * @returns {CoinslotCheckoutElement} the same for the same order
 */
export function open(options) {
  const fresh = Object.assign(new CheckoutElement(), { mode: 'modal' }, options);
  const { createSession, orderRef } = fresh;
  // A page that names no order asks for the same one with the same code. An element that has left
  // the page still knows its session.
  const order = createSession ? orderRef || String(createSession) : saleOf(fresh);
  let element = owners.get(order);
  if (!element || !createSession && !isVisible(element)) element = fresh;
  owners.set(order, element);
  if (!isVisible(element)) (options.target || document.body).append(element);
  element.createSession = createSession;
  element.show();
  return /** @type {CoinslotCheckoutElement} */ (/** @type {unknown} */ (element));
}
