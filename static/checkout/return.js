import { make } from './dom.js';

const OUTCOME_TIME = 2000; // ms to show the outcome

/**
 * Navigates back to the shop after a successful payment.
 * @param {string | null} url http(s); with any other the shopper stays
 * @param {CoinslotResult} result is added to the URL's query, without an empty receipt
 */
export function returnToShop(url, result) {
  const link = make('a', { href: url || 'x:', target: '_self' });
  if (!link.protocol.startsWith('http')) return;
  const query = new URLSearchParams({ ...result });
  if (!result.receipt) query.delete('receipt');
  link.search += (link.search && '&') + query;
  setTimeout(() => link.click(), OUTCOME_TIME);
}
