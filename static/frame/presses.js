// When the shopper presses something. The program puts elements of its own in the place of the
// page's: were that done between a press and its release, the browser would make no click of them.

import { delay } from './page.js';

// For how long the page is held still (ms) by each event: a tap's click comes late, what a click
// does is done a task later, and a page whose form is sent is on its way out.
const NEXT_TASK = 10;
/** @type {Record<string, Record<string, number>>} */
const HOLDS = {
  pointer: { pointerdown: Infinity, pointerup: 400, pointercancel: NEXT_TASK, click: NEXT_TASK },
  key: { keydown: Infinity, keyup: NEXT_TASK },
  form: { submit: Infinity },
};
const LONGEST = 3000; // ms; some releases are not told, as of a key that moved the focus elsewhere
const LONGEST_DRAWING = 1000; // ms; see coinslotPressed

/** @type {Record<string, number>} */
const heldUntil = { pointer: 0 };
let lastTouch = -LONGEST;

for (const [by, durations] of Object.entries(HOLDS)) {
  for (const [type, duration] of Object.entries(durations)) {
    addEventListener(type, () => {
      lastTouch = performance.now();
      heldUntil[by] = lastTouch + duration;
    }, { capture: true, passive: true });
  }
}

/** Whether the shopper has just touched something, which may lead to another page. */
export const hasJustTouched = () => performance.now() - lastTouch < LONGEST;

/** Resolves once the shopper's hand has let go of the page. */
export async function whenReleased() {
  const end = performance.now() + LONGEST;
  const timeLeft = () => Math.min(end, Math.max(...Object.values(heldUntil))) - performance.now();
  while (timeLeft() > 0) await delay(Math.min(timeLeft(), 50));
}

/**
 * For how long (ms) the program had better draw nothing, because the shopper presses something that
 * it may move. Nobody waits long for one, and what comes of the click is drawn at once.
 */
window.coinslotPressed = () => Math.max(0,
  Math.min(heldUntil.pointer - NEXT_TASK, lastTouch + LONGEST_DRAWING) - performance.now());
