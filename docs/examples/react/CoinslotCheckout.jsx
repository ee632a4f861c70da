// <coinslot-checkout> for React 17, 18 and 19. Copy this file, and load checkout.js with a <script> as on any page.
//
// On the server it renders the element with its frame or link. Handlers are kept in a ref, so a render adds no listeners, and strict
// mode's second mount keeps the frame. Every other prop becomes an attribute of the same name.
import { createElement, forwardRef, useEffect, useImperativeHandle, useRef } from 'react';

const EVENTS = ['ready', 'open', 'status', 'complete', 'close', 'error'];
const handler = (name) => 'on' + name[0].toUpperCase() + name.slice(1);

export const CoinslotCheckout = forwardRef(({ createSession, ...props }, ref) => {
  const element = useRef(null), latest = useRef(props);
  latest.current = props;
  useImperativeHandle(ref, () => element.current, []);

  useEffect(() => { element.current.createSession = createSession; });

  useEffect(() => {
    const stop = new AbortController();
    for (const name of EVENTS) {
      element.current.addEventListener('coinslot-' + name, (event) => latest.current[handler(name)]?.(event),
        { signal: stop.signal });
    }
    return () => stop.abort();
  }, []);

  const attributes = { ref: element };
  for (const name in props) {
    // null removes an attribute; React 17 and 18 would write "false".
    if (!EVENTS.some((event) => handler(event) === name)) attributes[name.replace('returnUrl', 'return-url')] = props[name] === false ? null : props[name];
  }
  return createElement('coinslot-checkout', attributes);
});
