import { CheckoutElement } from './element.js';
import { owners, saleOf } from './sale.js';

/**
 * Implements Coinslot.open.
 * @param {CoinslotOpenOptions} options
 * @returns {CoinslotCheckoutElement} the same for the same order
 */
export function open(options) {
  const fresh = Object.assign(new CheckoutElement(), { mode: 'modal' }, options);
  // All createSession calls share one element, so that a double click creates one session.
  const sale = fresh.createSession ? 'new' : saleOf(fresh);
  let element = owners.get(sale);
  if (!element?.isConnected) {
    element = fresh;
    owners.set(sale, element);
    (options.target || document.body).append(element);
  }
  element.createSession = fresh.createSession;
  element.show();
  return /** @type {CoinslotCheckoutElement} */ (/** @type {unknown} */ (element));
}
