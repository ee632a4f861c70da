// <CoinslotCheckout> for Solid. It is no JSX, so that Solid's compiler does not have to see it.
import { createComponent, createEffect, createMemo, mergeProps, onCleanup, onMount, Show, untrack, type JSX } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import type { Checkout } from './checkout.js';
import { attach, attributesOf, EVENTS, frameKeyOf, frameOf, linkOf, NAME, update, type ComponentOptions, type Handlers } from './component.js';

export interface CoinslotCheckoutProps extends ComponentOptions, Handlers,
  Omit<JSX.HTMLAttributes<Checkout>, keyof ComponentOptions | keyof Handlers> {}

/** The element, with typed props; the ref is the element. */
export function CoinslotCheckout(props: CoinslotCheckoutProps): JSX.Element {
  // Another frame is another element, because checkout.js may have removed the one before.
  const key = createMemo(() => !('children' in props) && frameKeyOf(props) || 'no frame');
  return createComponent(Show, { get when() { return key(); }, keyed: true, get children() { return mount(props); } });
}

function mount(props: CoinslotCheckoutProps) {
  let element: Checkout;
  const attributes = untrack(() => 'children' in props ? undefined : frameOf(props));
  const frame = attributes && tag('iframe', () => attributes);
  onMount(() => {
    const mounted = new AbortController();
    attach(element, () => props, mounted.signal);
    onCleanup(() => mounted.abort());
    createEffect(() => update(element, () => props));
  });
  const ref = (mounted: Checkout) => {
    element = mounted;
    if (typeof props.ref === 'function') props.ref(mounted);
  };
  return tag(NAME, () => ({ ...written(props), ref, children: props.children ?? frame ?? content(props) }));
}

/** Solid sets properties of a custom element, unless their names start with attr:. */
function written(props: CoinslotCheckoutProps) {
  const { ref, children, ...attributes } = attributesOf(props);
  for (const [prop] of EVENTS) delete attributes[prop];
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) =>
    [/^(on|class|style|attr:|prop:|bool:|use:)/.test(name) ? name : `attr:${name}`, value]));
}

function content(props: CoinslotCheckoutProps) {
  const href = linkOf(props);
  if (href) return tag('a', () => ({ href, children: 'Pay with crypto' }));
  if (props.createSession) return tag('button', () => ({ type: 'button', children: 'Pay with crypto' }));
}

const tag = (component: string, props: () => object) =>
  createComponent(Dynamic, mergeProps({ component }, props));
