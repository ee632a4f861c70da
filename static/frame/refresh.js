// Looks whether the payment has gone on, while WebAssembly does not drive the page.

import { isLive, rootData, settings } from './page.js';
import { hasJustTouched } from './presses.js';
import { phaseOf } from '../shared/statuses.js';

const INTERVAL = 4000; // ms between two looks, give or take a quarter

export function watchPayment() {
  lookAgain();
  addEventListener('online', look);
  document.addEventListener('visibilitychange', look);
}

function lookAgain() {
  const pause = INTERVAL * (0.75 + Math.random() / 2);
  setTimeout(() => isLive() || look().finally(lookAgain), pause);
}

/** Loads the page again if the payment has gone on, unless the shopper is about to do something. */
async function look() {
  const isChoosing = document.querySelector('form.choose');
  if (isLive() || document.hidden || isTyping() || isChoosing) return;
  if (phaseOf(rootData('status')) !== 'waiting') return;
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
