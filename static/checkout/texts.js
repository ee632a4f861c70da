// The script's texts, which the server has in the page's language.

import { CHECKOUT_ORIGIN } from './origins.js';

/**
 * Labels and messages, and what the page's developer has to change after an error.
 * @typedef {Record<'title' | 'close' | 'failed' | 'create' | 'offline' | 'link' | 'retry', string>
 *   & Partial<Record<CoinslotErrorCode, string>>
 *   & { listed: boolean, dir: string, css: string, explain?: (code: string) => void }} Texts
 *   listed: the page may show the checkout; dir: the language's direction; css: one rule;
 *   explain: only with data-debug, logs the cause of an error code, if it is one
 */

/**
 * The texts until the server's are loaded.
 * @type {Texts}
 */
export const ENGLISH = {
  listed: true, // until the server refuses
  dir: '', // the page's
  css: '',
  link: 'Checkout',
  close: 'Close',
  failed: 'Checkout did not load.',
  create: 'Checkout did not load.',
  title: 'Checkout',
  retry: 'Retry',
  offline: 'Offline',
};

/**
 * Loads the server's texts. They are a module, which the page's policy for this script allows
 * without a <script>.
 * @param {string} query
 * @param {number} delay in milliseconds
 * @returns {Promise<Texts>} rejects if a policy blocks it or the server does not answer
 */
export async function loadTexts(query, delay) {
  await new Promise((resolve) => setTimeout(resolve, delay));
  return { ...ENGLISH, ...(await import(CHECKOUT_ORIGIN + '/checkout/embed.js?' + query)).default };
}
