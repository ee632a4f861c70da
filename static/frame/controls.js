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

/** @param {HTMLButtonElement} button shows whether its text was copied, as copy.go does */
async function copy(button) {
  const texts = /** @type {Record<string, string>} */ (button.dataset);
  const label = button.closest('.copyable')?.querySelector('.label');
  const isAddress = texts.part === 'copy-address';
  texts.word ??= button.textContent ?? '';
  texts.label ??= label?.textContent ?? '';
  const copied = await navigator.clipboard?.writeText(texts.copy).then(() => true, () => false) ||
    copySelection(button, texts.copy);
  const said = copied ? texts.said ?? texts.copied : texts.failed;
  /** @param {boolean} isDone @param {string} word @param {string} above @param {string} state */
  const show = (isDone, word, above, state) => {
    button.textContent = word;
    button.classList.toggle('done', isDone);
    if (label) [label.textContent, label.className] = [above, 'label' + state];
  };
  if (copied) show(true, texts.copied, isAddress ? said : texts.label, isAddress ? ' copied' : '');
  else show(false, label ? texts.word : said, said, ' failed');
  const announcement = document.querySelector('.announce');
  if (announcement) announcement.textContent = said;
  setTimeout(() => show(false, texts.word, texts.label, ''),
    copied ? COPIED_TIME : NOT_COPIED_TIME);
}

/**
 * Copies by the selection, which needs no permission of the host page. If the browser refuses, the
 * text stays selected for the shopper's Ctrl+C.
 * @param {HTMLButtonElement} button
 * @param {string} text
 */
function copySelection(button, text) {
  const field = document.createElement('textarea'); // what is shown may have more zeros
  field.className = 'offscreen';
  field.value = text;
  button.append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  button.focus();
  const value = button.closest('.copyable, .reference-box')?.querySelector('[data-value]');
  if (!copied && value) getSelection()?.selectAllChildren(value);
  return copied;
}
