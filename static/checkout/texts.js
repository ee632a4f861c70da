// The script's own texts, which the server has in the language of the page.

import { CHECKOUT_ORIGIN } from './origins.js';

/**
 * Sentences and labels, and for the page's developer what to change when something fails.
 * @typedef {Record<'title' | 'close' | 'failed' | 'offline' | 'link' | 'retry', string>
 *   & Partial<Record<CoinslotErrorCode, string>>
 *   & { listed: boolean, css: string }} Texts listed: may the page show the checkout; css: one rule
 */

/**
 * What is said until the server's texts are there, and if they never come.
 * @type {Texts}
 */
export const ENGLISH = {
  listed: true, // not known to be refused
  css: '',
  title: 'Checkout',
  close: 'Close',
  failed: 'Checkout did not load.',
  offline: 'Offline',
  link: 'Checkout',
  retry: 'Retry',
};

/**
 * Loads the server's texts. They are a module because that needs no permission of the page's
 * policy beyond this script's own, and adds no <script> to it.
 * @param {string} query
 * @returns {Promise<Texts>} rejects where a policy blocks it, or the server does not answer
 */
export async function loadTexts(query) {
  const { default: texts } = await import(CHECKOUT_ORIGIN + '/checkout/embed.js?' + query);
  return { ...ENGLISH, ...texts };
}
