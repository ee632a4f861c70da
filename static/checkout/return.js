import { make } from './dom.js';

const OUTCOME_TIME = 2000; // ms in which the shopper sees the outcome

/**
 * Leads the shopper back to the shop after a successful payment.
 * @param {string | null} url of the page, http or https; with another, or none, the shopper stays
 * @param {CoinslotResult} result is added to the URL's query; an empty receipt is not
 */
export function returnToShop(url, result) {
  const link = make('a', { href: url || 'none:' });
  if (!link.protocol.startsWith('http')) return;
  const query = new URLSearchParams({ ...result });
  if (!result.receipt) query.delete('receipt');
  link.search += (link.search && '&') + query;
  setTimeout(() => link.click(), OUTCOME_TIME);
}
