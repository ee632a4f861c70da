// Milliseconds. This module imports nothing, so that esbuild inlines the numbers.

export const ANSWER_TIMEOUT = 15000; // of the frame, and of the page's createSession
export const HELLO_TIMEOUT = 4000; // after the frame's load event
export const SALE_TIMEOUT = 4000; // for a framework to set the attributes
export const OWNER_RETRY = 2000;
export const IDLE_DELAY = 2000;
