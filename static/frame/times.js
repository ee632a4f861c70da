// Times in milliseconds. This module imports nothing, so that esbuild inlines the numbers.

/** Pause between two polls, plus or minus a quarter. */
export const REFRESH_INTERVAL = 4000;

/** How long a button shows that it has copied, or has not. */
export const COPIED_TIME = 3000;
export const NOT_COPIED_TIME = 10000;

/** From one hello to the next, until the host page answers. */
export const HELLO_INTERVAL = 250;

/** How long a hidden page waits after its load event before it starts WebAssembly. */
export const UNSEEN_DELAY = 300;

/** How long a press without a release event keeps the page unchanged. */
export const LONGEST_PRESS = 3000;

/** How long after a tap, whose click comes late. */
export const TAP_DELAY = 400;

/** How long after a click or a key, whose effect comes a task later. */
export const NEXT_TASK = 10;

/** How long WebAssembly's redraw may be delayed. */
export const LONGEST_PAUSE = 1000;

/** From the start of the program until it loads what later screens need. */
export const LATE = 300;
