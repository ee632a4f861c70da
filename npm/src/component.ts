// What the components of all frameworks share.
import type { Checkout, Detail, ErrorDetail, Options, Result, TextAttributes } from './checkout.js';
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
  /** The checkout, `https://pay.shop.example`: the component loads the script, and renders a link when it has no children. */
  url?: string;
  /** The page's own origin, `https://shop.example`: an inline checkout's frame is then in the HTML that a server renders. */
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

/** The checkout's own page of what is sold; without an url or a sale undefined. */
export function linkOf(props: ComponentOptions) {
  return addressOf(props)?.slice(0, -1);
}

/** As checkout.js expects it of a frame that it takes over: docs/embed.md, "Put the frame into the HTML". */
function addressOf({ url, session, ...sale }: ComponentOptions) {
  if (!url) return;
  const { origin } = new URL(url);
  if (session) return `${origin}/checkout/${encodeURIComponent(session)}?`;
  const query = (['order', 'item', 'amount', 'quantity'] as const)
    .flatMap((name) => sale[name] ? `${name}=${encodeURIComponent(sale[name])}&` : []).join('');
  if (query) return `${origin}/checkout?${query}`;
}

/** The attributes of an inline checkout's frame, if the page's origin is known; a key of what it shows is its src. */
export function frameOf(props: ComponentOptions) {
  const address = addressOf(props);
  if (!address || !props.origin || props.mode === 'modal') return;
  const query = new URLSearchParams({ embed: 'inline', origin: props.origin });
  if (props.lang) query.set('lang', props.lang);
  if (props.theme) query.set('theme', props.theme);
  return {
    src: address + query, name: NAME, title: props['text-title'] || 'Checkout', allow: 'clipboard-write',
    sandbox: 'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox',
    width: '100%', height: '480', frameborder: '0',
  };
}
