// Types of checkout.js. Reference them once: /// <reference types="https://pay.shop.example/checkout.d.ts" />,
// or copy the file; it declares globals and has no imports.

/** One order's state. Final: confirmed, expired, cancelled (a late payment can still turn the last two into confirmed). */
type CoinslotStatus = 'open' | 'preparing' | 'pending' | 'confirmed' | 'expired' | 'cancelled' | 'review';

/** What can go wrong; docs/embed.md says for each what to change. */
type CoinslotErrorCode =
  | 'script_blocked' | 'csp_frame_src' | 'frame_blocked' | 'timeout' | 'origin_refused' | 'wasm_unsupported'
  | 'wasm_failed' | 'offline' | 'session_unknown' | 'session_expired' | 'session_paid' | 'order_invalid'
  | 'item_unknown' | 'gateway_unavailable';

type CoinslotMode = 'inline' | 'modal';
type CoinslotTheme = 'auto' | 'light' | 'dark';
type CoinslotPrewarm = 'intent' | 'idle' | 'load' | 'none';

/** In every event. Hints for the page: release goods on a verified receipt, a webhook or an API read. */
interface CoinslotDetail {
  /** `cs_…`; empty while an order or item has no session yet. */
  session: string;
  /** Empty until the frame has said it. */
  status: CoinslotStatus | '';
}

interface CoinslotResult {
  session: string;
  status: CoinslotStatus;
  /** Signed receipt; empty without one. */
  receipt: string;
}

interface CoinslotErrorDetail extends CoinslotDetail {
  code: CoinslotErrorCode;
  /** Whether trying again can help. */
  recoverable: boolean;
  /** The checkout on a page of its own; undefined when nothing is sold yet. */
  url?: string;
}

interface CoinslotEventMap {
  'coinslot-ready': CustomEvent<CoinslotDetail>;
  /** The modal has opened. */
  'coinslot-open': CustomEvent<CoinslotDetail>;
  'coinslot-status': CustomEvent<CoinslotDetail>;
  /** Cancelable: preventDefault() keeps the page from going to `return-url`. */
  'coinslot-complete': CustomEvent<CoinslotResult>;
  /** Cancelable: preventDefault() keeps the modal open. */
  'coinslot-close': CustomEvent<CoinslotDetail>;
  'coinslot-error': CustomEvent<CoinslotErrorDetail>;
}

/** What is sold; exactly one of session, order, item or createSession. */
interface CoinslotAttributes {
  session?: string;
  order?: string;
  item?: string;
  amount?: string;
  mode?: CoinslotMode;
  theme?: CoinslotTheme;
  lang?: string;
  prewarm?: CoinslotPrewarm;
  'return-url'?: string;
  'text-title'?: string;
  'text-close'?: string;
  'text-error'?: string;
  'text-retry'?: string;
}

interface CoinslotCheckoutElement extends HTMLElement {
  /** The status last heard; empty before the first. */
  readonly status: CoinslotStatus | '';
  /** The session's id; assigning sets the attribute. */
  session: string;
  /** Settles when the frame is usable; rejects with `{code}` when it cannot be shown. A retry makes a new one. */
  readonly ready: Promise<{ session: string; status: CoinslotStatus }>;
  /** Settles once, at the first final status. */
  readonly result: Promise<CoinslotResult>;
  /** Asked for the session id at every show(). */
  createSession?: () => Promise<string>;
  /** Opens the modal; starts the frame of an inline checkout. */
  show(): void;
  /** Closes the modal, unless coinslot-close is cancelled. Inline: the event only. */
  close(): void;
  /** Loads the frame without showing it. Assigning a string sets the attribute. */
  prewarm(): void;
  /** Sandbox sessions only: plays an outcome. */
  simulate(kind: string): void;
  addEventListener<K extends keyof CoinslotEventMap>(
    type: K, listener: (this: CoinslotCheckoutElement, event: CoinslotEventMap[K]) => unknown,
    options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
  removeEventListener<K extends keyof CoinslotEventMap>(
    type: K, listener: (this: CoinslotCheckoutElement, event: CoinslotEventMap[K]) => unknown,
    options?: boolean | EventListenerOptions): void;
  removeEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | EventListenerOptions): void;
}

interface CoinslotOpenOptions extends CoinslotAttributes {
  createSession?: () => Promise<string>;
  /** Where a new element is appended; document.body without it. */
  target?: Element;
}

interface Coinslot {
  /** Shows a checkout (mode: modal unless said otherwise). The same session gives the same element. */
  open(options: CoinslotOpenOptions): CoinslotCheckoutElement;
  readonly version: string;
}

interface Window { Coinslot: Coinslot }
declare var Coinslot: Coinslot;

interface HTMLElementTagNameMap { 'coinslot-checkout': CoinslotCheckoutElement }
interface DocumentEventMap extends CoinslotEventMap {}
