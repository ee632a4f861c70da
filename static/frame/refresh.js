// Polls the payment's status while WebAssembly does not run.

import { isLive, rootData } from './page.js';
import { hasJustTouched } from './presses.js';
import { REFRESH_INTERVAL } from './times.js';
import { WAITING } from '../shared/statuses.js';

export function watchPayment() {
  pollLater();
  addEventListener('online', poll);
  document.addEventListener('visibilitychange', poll);
}

function pollLater() {
  const pause = REFRESH_INTERVAL * (0.75 + Math.random() / 2);
  setTimeout(() => isLive() || poll().finally(pollLater), pause);
}

/** Reloads the page if the payment has changed, unless the shopper is about to do something. */
async function poll() {
  if (isLive() || document.hidden || !WAITING.includes(rootData('status'))) return;
  if (isTyping() || document.querySelector('form.choose')) return;
  try {
    const answer = await fetch(rootData('base') + '/view', {
      headers: { Accept: 'application/json' }, cache: 'no-store',
    });
    if (!answer.ok) return;
    const { status, version } = await answer.json();
    const hasChanged = status !== rootData('status') || version > Number(rootData('version'));
    if (hasChanged && !isLive() && !isTyping() && !hasJustTouched()) {
      location.replace(/** @type {string} */ (document.body.dataset.refresh));
    }
  } catch {
    // Offline: the next poll may work.
  }
}

function isTyping() {
  const field = /** @type {HTMLInputElement | null} */ (document.activeElement);
  return field?.matches('input:not([type=radio])') && field.value;
}
