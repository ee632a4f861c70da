// Looks whether the payment has gone on, while WebAssembly does not drive the page.

import { isLive, rootData, settings } from './page.js';
import { hasJustTouched } from './presses.js';
import { REFRESH_INTERVAL } from './times.js';
import { WAITING } from '../shared/statuses.js';

export function watchPayment() {
  lookAgain();
  addEventListener('online', look);
  document.addEventListener('visibilitychange', look);
}

function lookAgain() {
  const pause = REFRESH_INTERVAL * (0.75 + Math.random() / 2);
  setTimeout(() => isLive() || look().finally(lookAgain), pause);
}

/** Loads the page again if the payment has gone on, unless the shopper is about to do something. */
async function look() {
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
      location.replace(settings.refresh);
    }
  } catch {
    // Offline for now: the next look will tell.
  }
}

function isTyping() {
  const field = /** @type {HTMLInputElement | null} */ (document.activeElement);
  return field?.matches('input:not([type=radio])') && field.value;
}
