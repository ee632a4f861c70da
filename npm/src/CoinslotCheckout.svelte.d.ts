import type { Component, Snippet } from 'svelte';
import type { HTMLAttributes } from 'svelte/elements';
import type { Checkout } from './checkout.js';
import type { ComponentOptions, Handlers } from './component.js';

export interface CoinslotCheckoutProps extends ComponentOptions, Handlers,
  Omit<HTMLAttributes<Checkout>, keyof ComponentOptions | keyof Handlers> {
  /** The element, to bind. */
  element?: Checkout;
  /** What opens the modal, and what is there without the script. For want of it, the frame of an inline checkout, or a link. */
  children?: Snippet;
}

/** The element, with typed props. */
declare const CoinslotCheckout: Component<CoinslotCheckoutProps, {}, 'element'>;
type CoinslotCheckout = ReturnType<typeof CoinslotCheckout>;
export default CoinslotCheckout;
