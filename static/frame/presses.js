// Detects presses of the shopper. WebAssembly may replace elements of the page; between a press and
// its release, that would lose the click.

import { delay } from './page.js';
import { LONGEST_PAUSE, LONGEST_PRESS, NEXT_TASK, TAP_DELAY } from './times.js';

/**
 * For how long (ms) each event keeps the page unchanged. Some releases have no event, as of a key
 * that has moved the focus elsewhere, and a page that submits its form is about to unload.
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

/** Whether the shopper has just pressed something, which may load another page. */
export const hasJustTouched = () => performance.now() - lastTouch < LONGEST_PRESS;

/** Resolves when nothing is pressed any more. */
export async function whenReleased() {
  const end = performance.now() + LONGEST_PRESS;
  const timeLeft = () => Math.min(end, Math.max(...Object.values(heldUntil))) - performance.now();
  while (timeLeft() > 0) await delay(Math.min(timeLeft(), 50));
}

/** For how long (ms) WebAssembly should not redraw, because the shopper presses something. */
window.coinslotPressed = () => Math.max(0,
  Math.min(heldUntil.pointer - NEXT_TASK, lastTouch + LONGEST_PAUSE) - performance.now());
