'use client';
// <CoinslotCheckout> for React 17 and newer.
import {
  createElement, forwardRef, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState,
  type ForwardedRef, type HTMLAttributes, type ReactNode,
} from 'react';
import type { Checkout } from './checkout.js';
import { attach, attributesOf, EVENTS, frameKeyOf, frameOf, linkOf, NAME, update, type ComponentOptions, type Handlers } from './component.js';

export interface CoinslotCheckoutProps extends ComponentOptions, Handlers,
  Omit<HTMLAttributes<Checkout>, keyof ComponentOptions | keyof Handlers> {
  /** What opens the modal, and what is there without the script. For want of it, the frame of an inline checkout, or a link. */
  children?: ReactNode;
}

const useBrowserEffect = typeof document === 'undefined' ? useEffect : useLayoutEffect;

/** The element, with typed props; the ref is the element. */
export const CoinslotCheckout = forwardRef<Checkout, CoinslotCheckoutProps>((props, ref) =>
  // Another frame is another element, because checkout.js may have removed the one before.
  createElement(Mounted, { key: props.children == null ? frameKeyOf(props) : undefined, props, ref }));
CoinslotCheckout.displayName = 'CoinslotCheckout';

const Mounted = forwardRef(({ props }: { props: CoinslotCheckoutProps }, ref: ForwardedRef<Checkout>) => {
  const element = useRef<Checkout>(null), latest = useRef(props);
  const [frame] = useState(() => frameOf(props));
  useImperativeHandle(ref, () => element.current!, []);
  useBrowserEffect(() => {
    latest.current = props;
    update(element.current!, () => latest.current);
  });
  useBrowserEffect(() => {
    const mounted = new AbortController();
    attach(element.current!, () => latest.current, mounted.signal);
    return () => mounted.abort();
  }, [props.url]);

  const { children, className, ...attributes } = attributesOf(props);
  for (const [prop] of EVENTS) delete attributes[prop];
  return createElement(NAME, { ...attributes, class: className, ref: element }, children ?? content(props, frame));
});

function content(props: CoinslotCheckoutProps, frame: ReturnType<typeof frameOf>) {
  if (frame) { // which checkout.js may have changed before hydration
    const { frameborder, referrerpolicy, ...attributes } = frame;
    return createElement('iframe', {
      ...attributes, frameBorder: frameborder, referrerPolicy: referrerpolicy, suppressHydrationWarning: true,
    });
  }
  const href = linkOf(props);
  if (href) return createElement('a', { href }, 'Pay with crypto');
  if (props.createSession) return createElement('button', { type: 'button' }, 'Pay with crypto');
}
