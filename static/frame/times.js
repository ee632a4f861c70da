// How long things take, in milliseconds. This module imports nothing, so esbuild writes the numbers
// where they are used.

/** Between two looks at the payment, give or take a quarter. */
export const REFRESH_INTERVAL = 4000;

/** How long a button says that it has copied, or has not. */
export const COPIED_TIME = 3000;
export const NOT_COPIED_TIME = 10000;

/** How long a page that nobody sees leaves the program alone after it has all its files. */
export const UNSEEN_DELAY = 300;

/** How long the page is held still by a press whose release is not told. */
export const LONGEST_PRESS = 3000;

/** How long it is held still after a tap, whose click comes late. */
export const TAP_DELAY = 400;

/** How long after a click or a key: what it does is done a task later. */
export const NEXT_TASK = 10;

/** How long the program may be kept from drawing. */
export const LONGEST_PAUSE = 1000;
