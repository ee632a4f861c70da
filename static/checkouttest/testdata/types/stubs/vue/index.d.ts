// As much of Vue 3's types as the test needs.
export interface GlobalComponents {}
