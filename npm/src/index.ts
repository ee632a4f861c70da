// Types, loader and functions for pages with a bundler. Nothing here runs on import, and nothing but a function that
// is called touches what only browsers have.
import type { Checkout, Coinslot, OpenOptions } from './checkout.js';
import { EVENTS, listen, type Handlers } from './component.js';

export type {
  Attributes as CoinslotAttributes, Checkout as CoinslotCheckoutElement, Coinslot, Detail as CoinslotDetail,
  ErrorCode as CoinslotErrorCode, ErrorDetail as CoinslotErrorDetail, EventMap as CoinslotEventMap,
  Failure as CoinslotError, OpenOptions as CoinslotOpenOptions, Result as CoinslotResult, Status as CoinslotStatus,
} from './checkout.js';
export { checkoutFrame, type FrameOptions as CoinslotFrameOptions } from './frame.js';
export type { ComponentOptions as CoinslotComponentOptions, Handlers as CoinslotHandlers } from './component.js';

export interface LoadOptions {
  /** Milliseconds until the promise rejects; 15,000 without it. */
  timeout?: number;
  /** Hash of a pinned script: url is then that of the script, `https://…/checkout/1.0.0/checkout.js`. */
  integrity?: string;
  /** Nonce of the page's Content-Security-Policy. */
  nonce?: string;
}

export interface CheckoutOptions extends OpenOptions, LoadOptions, Handlers {
  /** The checkout, `https://pay.shop.example`. */
  url: string;
}

const NAME = 'coinslot-checkout';
const loading = new Map<string, Promise<Coinslot>>();

/**
 * Loads checkout.js, unless the page has it, and resolves once the element is defined. Every call with the same url
 * gets the same promise; after a failure, the next call tries again.
 * @param url the checkout, `https://pay.shop.example`, or the address of a pinned script
 * @throws (rejects with) an Error whose `code` is `script_blocked` or `timeout`; another on a server
 */
export function loadCoinslot(url: string, options: LoadOptions = {}): Promise<Coinslot> {
  if (typeof document === 'undefined') return noBrowser();
  const src = String(/\.js$/.test(url) ? new URL(url) : new URL('/checkout.js', url));
  let promise = loading.get(src);
  if (!promise) {
    promise = load(src, options);
    loading.set(src, promise);
    promise.catch(() => loading.delete(src));
  }
  return promise;
}

/** A module may call loadCoinslot when it is imported, also on a server, without an unhandled rejection. */
function noBrowser() {
  const promise = Promise.reject<never>(new Error('loadCoinslot works in browsers only: call it in an effect or an event handler'));
  promise.catch(() => {});
  return promise;
}

async function load(src: string, { timeout = 15000, integrity, nonce }: LoadOptions): Promise<Coinslot> {
  if (customElements.get(NAME)) return window.Coinslot;
  let script = [...document.scripts].find((one) => one.src === src);
  const isOurs = !script;
  script ??= Object.assign(document.createElement('script'), { src, async: true });
  let timer: ReturnType<typeof setTimeout>;
  const failed = new Promise<never>((_, reject) => {
    const fail = (code: string, why: string) => reject(Object.assign(new Error(`${src} ${why}`), { code, recoverable: true, url: '' }));
    const blocked = () => customElements.get(NAME) ||
      fail('script_blocked', 'did not load or run: check the address, script-src of the Content-Security-Policy, and content blockers');
    script.addEventListener('error', blocked);
    script.addEventListener('load', blocked);
    timer = setTimeout(() => fail('timeout', `did not define <${NAME}> within ${timeout} ms`), timeout);
  });
  if (isOurs) {
    if (integrity) Object.assign(script, { integrity, crossOrigin: 'anonymous' });
    if (nonce) script.nonce = nonce;
    document.head.append(script);
  }
  try {
    await Promise.race([customElements.whenDefined(NAME), failed]);
    return window.Coinslot;
  } catch (error) {
    if (isOurs) script.remove();
    throw error;
  } finally {
    clearTimeout(timer!);
  }
}

const bound = new WeakMap<Element, AbortController>();

/**
 * Loads the script and shows a checkout: a modal, unless `mode` is `inline`. The same order gives the same element,
 * which then calls the handlers of the latest call.
 */
export async function createCheckout({ url, timeout, integrity, nonce, ...options }: CheckoutOptions): Promise<Checkout> {
  const { open } = await loadCoinslot(url, { timeout, integrity, nonce });
  const early = new AbortController(), later = new AbortController();
  const handlers: Handlers = {};
  for (const [prop] of EVENTS) {
    handlers[prop] = options[prop] as () => void;
    delete options[prop];
  }
  listen(window, () => handlers, early.signal); // open() dispatches before it returns
  const element = open(options);
  early.abort();
  bound.get(element)?.abort();
  bound.set(element, later);
  listen(element, () => handlers, later.signal);
  return element;
}
