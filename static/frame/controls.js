// Clicks and keys that WebAssembly does not handle.

import { port, post } from './host-page.js';
import { isLive } from './page.js';
import { COPIED_TIME, NOT_COPIED_TIME } from './times.js';
import { WALLET_SCHEMES } from '../shared/wallets.js';

export function listenToControls() {
  addEventListener('keydown', onKey);
  document.addEventListener('click', onClick);
}

/** @param {KeyboardEvent} event Escape closes the checkout, unless it has another meaning here */
function onKey(event) {
  const field = /** @type {HTMLInputElement} */ (event.target);
  const clearsSearch = field.type === 'search' && field.value;
  if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing && !clearsSearch) {
    post({ type: 'escape' });
  }
}

/** @param {MouseEvent} event */
function onClick(event) {
  /** @param {string} selector @returns {any} */
  const clicked = (selector) => /** @type {Element} */ (event.target).closest?.(selector);
  const link = clicked('a[href]');
  if (port && link && WALLET_SCHEMES.includes(link.protocol)) {
    event.preventDefault();
    post({ type: 'open', href: link.href });
  }
  if (clicked('[data-part=close]')) post({ type: 'close' });
  if (clicked('[data-part=back]')) history.back();
  if (clicked('[data-part=print]')) print();
  const copyButton = clicked('[data-copy]');
  if (copyButton && !isLive()) copy(copyButton);
}

/** @param {HTMLButtonElement} button shows whether its text was copied */
async function copy(button) {
  const texts = /** @type {Record<string, string>} */ (button.dataset);
  const label = texts.word ??= button.textContent ?? '';
  const copied = await navigator.clipboard?.writeText(texts.copy).then(() => true, () => false) ||
    copySelection(button, texts.copy);
  button.textContent = copied ? texts.copied : texts.failed;
  setTimeout(() => { button.textContent = label; }, copied ? COPIED_TIME : NOT_COPIED_TIME);
}

/**
 * Copies by the selection, which needs no permission of the host page. If the browser refuses, the
 * text stays selected for the shopper's Ctrl+C.
 * @param {HTMLButtonElement} button
 * @param {string} text
 */
function copySelection(button, text) {
  const value = button.closest('.copyable, .reference-box')?.querySelector('[data-value]');
  const selection = /** @type {Selection} */ (getSelection());
  if (!value) return false;
  selection.selectAllChildren(value);
  const copied = selection.toString() === text && document.execCommand('copy');
  if (copied) selection.removeAllRanges();
  return copied;
}
