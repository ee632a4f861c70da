// When the shopper presses something. The program puts elements of its own in the place of the
// page's: were that done between a press and its release, the browser would make no click of them.

import { delay } from './page.js';
import { LONGEST_PAUSE, LONGEST_PRESS, NEXT_TASK, TAP_DELAY } from './times.js';

/**
 * For how long (ms) the page is held still by each event. Some releases are not told, as of a key
 * that has moved the focus elsewhere, and a page whose form is sent is on its way out.
 * @type {Record<string, Record<string, number>>}
 */
const HOLDS = {
  pointer: {
    pointerdown: Infinity, pointerup: TAP_DELAY, pointercancel: NEXT_TASK, click: NEXT_TASK,
  },
  key: { keydown: Infinity, keyup: NEXT_TASK },
  form: { submit: Infinity },
};

/** @type {Record<string, number>} */
const heldUntil = { pointer: 0 };
let lastTouch = -LONGEST_PRESS;

for (const by in HOLDS) {
  for (const type in HOLDS[by]) {
    addEventListener(type, () => {
      lastTouch = performance.now();
      heldUntil[by] = lastTouch + HOLDS[by][type];
    }, { capture: true, passive: true });
  }
}

/** Whether the shopper has just touched something, which may lead to another page. */
export const hasJustTouched = () => performance.now() - lastTouch < LONGEST_PRESS;

/** Resolves once the shopper's hand has let go of the page. */
export async function whenReleased() {
  const end = performance.now() + LONGEST_PRESS;
  const timeLeft = () => Math.min(end, Math.max(...Object.values(heldUntil))) - performance.now();
  while (timeLeft() > 0) await delay(Math.min(timeLeft(), 50));
}

/**
 * For how long (ms) the program had better draw nothing, because the shopper presses something that
 * it may move. Nobody waits long for one, and what comes of the click is drawn at once.
 */
window.coinslotPressed = () => Math.max(0,
  Math.min(heldUntil.pointer - NEXT_TASK, lastTouch + LONGEST_PAUSE) - performance.now());
