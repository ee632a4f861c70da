// <coinslot-checkout>, the host page's side of the checkout: attributes in, events out, one frame for
// each order. The link inside the element is trigger and fallback, so that shoppers can pay whatever
// fails here. See docs/embed.md, and docs/frame-protocol.md for the messages of the frame.
//
// The modules are bundled into one classic script (tools/bundle) that works under the strictest
// Content-Security-Policy: it uses an adopted stylesheet, element.style and createElement, and adds
// no <script>. Its limit is 4,600 bytes compressed.

import { CheckoutElement, ELEMENT_NAME } from './element.js';
import { mark } from './dom.js';
import { open } from './open.js';

if (!customElements.get(ELEMENT_NAME)) { // else the script was loaded twice
  mark('script');
  customElements.define(ELEMENT_NAME, CheckoutElement);
  window.Coinslot = { open, version: '1.0.0' };
}
