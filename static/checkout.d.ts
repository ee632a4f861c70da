// Types of checkout.js, for plain TypeScript, React 18 and 19, Vue 3, Svelte 5 and Solid. `npm i @coinslot/checkout` has
// them, or copy the file into your project; what a page needs of it is global.

/** One order's state. Final: confirmed, expired, cancelled (a late payment can still turn the last two into confirmed). */
type Status = 'open' | 'preparing' | 'pending' | 'confirmed' | 'expired' | 'cancelled' | 'review';

/** What can go wrong; docs/embed.md says for each what to change. */
type ErrorCode =
  | 'script_blocked' | 'csp_frame_src' | 'frame_blocked' | 'timeout' | 'origin_refused' | 'wasm_unsupported'
  | 'wasm_failed' | 'offline' | 'session_unknown' | 'session_expired' | 'session_paid' | 'order_invalid'
  | 'item_unknown' | 'gateway_unavailable' | 'create_failed';

/** An outcome that a sandbox session can simulate; docs/testing.md has their meanings. */
type Simulation = 'pay' | 'half' | 'parts' | 'over' | 'tenfold' | 'tolerated' | 'late' | 'expire' | 'cancel';

/** In every event. Hints for the page: release goods on a verified receipt, a webhook or an API read. */
interface Detail {
  /** `cs_…`; empty while an order or item has no session yet. */
  session: string;
  /** Empty until the frame has said it. */
  status: Status | '';
}

interface Result {
  session: string;
  status: Status;
  /** Signed receipt, a JWT; empty without one. Verify it on your server. */
  receipt: string;
}

interface Trouble {
  code: ErrorCode;
  /** Whether trying again can help. */
  recoverable: boolean;
  /** The checkout on a page of its own; when nothing is sold yet the link in the element, or empty. */
  url: string;
}

type ErrorDetail = Detail & Trouble;

/** What `ready` rejects with. */
type Failure = Error & Trouble;

interface EventMap {
  /** The frame can be used. */
  'coinslot-ready': CustomEvent<Detail>;
  /** The modal has opened. */
  'coinslot-open': CustomEvent<Detail>;
  /** The status or the session id is new. */
  'coinslot-status': CustomEvent<Detail>;
  /** The status is final for now: it fires again if the shopper tries again or pays late. preventDefault() keeps the page from going to `return-url`. */
  'coinslot-complete': CustomEvent<Result>;
  /** The shopper closes the modal. preventDefault() keeps it open. */
  'coinslot-close': CustomEvent<Detail>;
  /** Something went wrong. */
  'coinslot-error': CustomEvent<ErrorDetail>;
}

/** The attributes that are properties, too. What is sold: one of session, order, item. */
interface Options {
  session?: string;
  order?: string;
  item?: string;
  /** Of items that are declared open-amount only. */
  amount?: string | number;
  quantity?: string | number;
  mode?: 'inline' | 'modal';
  theme?: 'auto' | 'light' | 'dark';
  /** A look to start from; custom properties win over it. */
  preset?: 'default' | 'flat' | 'night';
  lang?: string;
  prewarm?: 'intent' | 'idle' | 'load' | 'none';
  open?: boolean;
  returnUrl?: string;
}

interface TextAttributes {
  'text-title'?: string;
  'text-close'?: string;
  'text-failed'?: string;
  'text-offline'?: string;
  'text-link'?: string;
  'text-retry'?: string;
}

interface Attributes extends Omit<Options, 'returnUrl' | 'open'>, TextAttributes {
  open?: boolean | '';
  'return-url'?: string;
  /** In development: explains failures in the console. */
  'data-debug'?: boolean | '';
}

/** What a framework lets one write on the element, beside what it lets one write on every element. */
type Written = Attributes & { [K in keyof EventMap as `on${K}`]?: (event: EventMap[K]) => void };

// Each of these is used with its framework only; without it, the import is an error and the type is any.
// @ts-ignore
type ReactWritten = Written & { class?: string } & import('react').DetailedHTMLProps<import('react').HTMLAttributes<Checkout>, Checkout>;
// @ts-ignore
type SvelteWritten = Written & Omit<import('svelte/elements').HTMLAttributes<Checkout>, keyof Written>;
// @ts-ignore
type SolidWritten = Attributes & { [K in keyof EventMap as `on:${K}`]?: (event: EventMap[K]) => void } & import('solid-js').JSX.HTMLAttributes<Checkout>;

interface Checkout extends HTMLElement {
  /** The status last heard; empty before the first. */
  readonly status: Status | '';
  /** The session's id, also of an order or item once it has one; assigning sets the attribute. */
  session: string;
  order: string;
  item: string;
  amount: string;
  quantity: string;
  mode: '' | 'inline' | 'modal';
  theme: '' | 'auto' | 'light' | 'dark';
  preset: '' | 'default' | 'flat' | 'night';
  /** Whether the modal is open; assigning opens or closes it. */
  open: boolean;
  returnUrl: string;
  /** Settles when the frame is usable; rejects when it cannot be shown. After a failure and another try there is a new one. */
  readonly ready: Promise<{ session: string; status: Status }>;
  /**
   * Settles when the order is paid, or it has ended and the shopper cannot try again or closes the checkout. If the order
   * goes on after all, there is a new one.
   */
  readonly result: Promise<Result>;
  /** Asked for a session's id at show(), unless the last session can still be paid or money for it is awaited. */
  createSession?: () => Promise<string>;
  /** Opens the modal; starts the frame of an inline checkout. */
  show(): void;
  /** Closes the modal, unless coinslot-close is cancelled. Inline: the event only. */
  close(): void;
  /** Loads the frame without showing it. Assigning a string sets the attribute of that name. */
  prewarm(): void;
  /** Sandbox sessions only: simulates an outcome. Waits for the checkout, and rejects with the reason if it cannot. */
  simulate(kind: Simulation): Promise<void>;
  addEventListener<K extends keyof EventMap>(
    type: K, listener: (this: Checkout, event: EventMap[K]) => unknown, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
  removeEventListener<K extends keyof EventMap>(
    type: K, listener: (this: Checkout, event: EventMap[K]) => unknown, options?: boolean | EventListenerOptions): void;
  removeEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | EventListenerOptions): void;
}

interface OpenOptions extends Options {
  /** Returns the id of a session that your server has just made, or of the one that it has for this order. */
  createSession?: () => Promise<string>;
  /** With createSession: your order's number. The same opens the same session, while it can be paid; another is another order. */
  orderRef?: string;
  /** Where a new element is appended; document.body without it. */
  target?: Element;
}

interface Coinslot {
  /** Shows a checkout (mode: modal unless said otherwise). The same order gives the same element. */
  open(options: OpenOptions): Checkout;
  readonly version: string;
}

declare global {
  type CoinslotStatus = Status;
  type CoinslotErrorCode = ErrorCode;
  type CoinslotSimulation = Simulation;
  type CoinslotDetail = Detail;
  type CoinslotResult = Result;
  type CoinslotErrorDetail = ErrorDetail;
  type CoinslotError = Failure;
  type CoinslotEventMap = EventMap;
  type CoinslotAttributes = Attributes;
  type CoinslotOpenOptions = OpenOptions;
  type CoinslotCheckoutElement = Checkout;

  var Coinslot: Coinslot;
  interface Window { Coinslot: Coinslot }
  interface HTMLElementTagNameMap { 'coinslot-checkout': Checkout }
  interface DocumentEventMap extends EventMap {}
  namespace JSX { // React 18
    interface IntrinsicElements { 'coinslot-checkout': ReactWritten }
  }
}

declare module 'react' { // React 19
  namespace JSX {
    interface IntrinsicElements { 'coinslot-checkout': ReactWritten }
  }
}

declare module 'vue' {
  interface GlobalComponents { 'coinslot-checkout': new () => { $props: Attributes } }
}

declare module 'svelte/elements' {
  interface SvelteHTMLElements { 'coinslot-checkout': SvelteWritten }
}

declare module 'solid-js' {
  namespace JSX {
    interface IntrinsicElements { 'coinslot-checkout': SolidWritten }
  }
}

export type {
  Attributes, Checkout, Coinslot, Detail, ErrorCode, ErrorDetail, EventMap, Failure, OpenOptions, Options, Result, Status, TextAttributes,
};
