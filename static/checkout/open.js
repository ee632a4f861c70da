import { CheckoutElement } from './element.js';
import { owners, saleOf } from './sale.js';

/**
 * Shows a checkout, as Coinslot.open.
 * @param {CoinslotOpenOptions} options
 * @returns {CoinslotCheckoutElement} the same for the same order
 */
export function open(options) {
  const fresh = Object.assign(new CheckoutElement(), { mode: 'modal' }, options);
  // One element for all that createSession makes: a double click makes one session.
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
