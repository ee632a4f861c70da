// What the components of all frameworks share.
import type { Checkout, Detail, ErrorDetail, Options, Result, TextAttributes } from './checkout.js';
import { checkoutFrame, checkoutPage } from './frame.js';
import { loadCoinslot } from './index.js';

/** What a checkout calls: of a component these are props. Hints for the page, as all events. */
export interface Handlers {
  onReady?: (event: CustomEvent<Detail>) => void;
  onOpen?: (event: CustomEvent<Detail>) => void;
  onStatus?: (event: CustomEvent<Detail>) => void;
  onComplete?: (event: CustomEvent<Result>) => void;
  onClose?: (event: CustomEvent<Detail>) => void;
  onError?: (event: CustomEvent<ErrorDetail>) => void;
}

/** The props of a component in every framework. */
export interface ComponentOptions extends Options, TextAttributes {
  /** The checkout, `https://pay.shop.example`: the component loads the script, and renders a frame or a link when it has no children. */
  url?: string;
  /** The page's own origin, `https://shop.example`, for the frame's address; without it, the server reads it from the referrer. */
  origin?: string;
  /** Returns the id of a session that your server has just made. */
  createSession?: () => Promise<string>;
}

export const NAME = 'coinslot-checkout';

export const EVENTS = [
  ['onReady', 'coinslot-ready'], ['onOpen', 'coinslot-open'], ['onStatus', 'coinslot-status'],
  ['onComplete', 'coinslot-complete'], ['onClose', 'coinslot-close'], ['onError', 'coinslot-error'],
] as const;

/** Calls the handlers of the moment of an event, until the signal. */
export function listen(target: EventTarget, handlers: () => Handlers, signal: AbortSignal) {
  for (const [prop, type] of EVENTS) {
    target.addEventListener(type, (event) => handlers()[prop]?.(event as never), { signal });
  }
}

/** Connects a mounted element with the props of its component, until the signal. */
export function attach(element: Checkout, props: () => ComponentOptions & Handlers, signal: AbortSignal) {
  update(element, props);
  listen(element, props, signal);
  queueMicrotask(() => { // the first mount of React's strict mode has ended by then
    if (signal.aborted) return;
    replay(element, props, signal);
    const { url } = props();
    if (url) loadCoinslot(url).catch((error) => signal.aborted || blame(element, props(), error));
  });
}

/** Sets what an attribute cannot hold. It is kept by an element whose script comes later. */
export function update(element: Checkout, props: () => ComponentOptions) {
  element.createSession = props().createSession && (() => props().createSession!());
}

/** Repeats what happened before a server-rendered element was hydrated. */
function replay(element: Checkout, props: () => Handlers, signal: AbortSignal) {
  const { session, status } = element;
  if (!status) return;
  const { onReady, onStatus } = props();
  const detail = { session, status };
  onReady?.(new CustomEvent('coinslot-ready', { detail }));
  onStatus?.(new CustomEvent('coinslot-status', { detail }));
  if (status !== 'confirmed') return;
  element.result.then((detail) => signal.aborted || props().onComplete?.(new CustomEvent('coinslot-complete', { detail })));
}

/** The script did not come, so that the page says it instead. */
function blame(element: Checkout, props: ComponentOptions, { code, message }: { code: string; message: string }) {
  console.error('coinslot', code, message);
  const detail = { session: props.session || '', status: '', code, recoverable: true, url: linkOf(props) || '' };
  element.dispatchEvent(new CustomEvent('coinslot-error', { bubbles: true, composed: true, cancelable: true, detail }));
}

/** The element's attributes: props without those that are none. A boolean false is no attribute. */
export function attributesOf<P extends ComponentOptions>({ url, origin, createSession, returnUrl, open, ...rest }: P) {
  return { ...rest, 'return-url': returnUrl || undefined, open: open || undefined };
}

/** The checkout's own page of what is sold; undefined without an url or a sale. */
export function linkOf({ url, ...sale }: ComponentOptions) {
  if (url && (sale.session || sale.order || sale.item)) return checkoutPage(new URL(url).origin, sale);
}

/**
 * A key of an inline checkout's frame; undefined if there is none. With another key, a component has to make another
 * element, because checkout.js may have removed the frame. A new theme is no new frame: checkout.js tells the one
 * that is there.
 */
export function frameKeyOf(props: ComponentOptions) {
  const page = linkOf(props);
  if (page && props.mode !== 'modal') return [page, props.origin, props.lang].join(' ');
}

/**
 * The attributes of an inline checkout's frame, which is in the HTML that a server renders; undefined if there is none.
 * They are to stay as long as the key does: another address would load the frame again.
 */
export function frameOf(props: ComponentOptions) {
  if (!frameKeyOf(props)) return;
  const theme = props.preset === 'night' ? 'dark' : props.theme;
  return {
    src: checkoutFrame(new URL(props.url!).origin, { ...props, theme }),
    name: NAME, title: props['text-title'] || 'Checkout', allow: 'clipboard-write',
    sandbox: 'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox',
    // The server reads a missing origin from the referrer, whatever the page's own policy is.
    referrerpolicy: 'strict-origin',
    loading: props.prewarm === 'none' ? 'lazy' : undefined,
    width: '100%', height: '420', frameborder: '0',
  } as const;
}
