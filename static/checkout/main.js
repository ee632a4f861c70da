// <coinslot-checkout>, the merchant's side of the checkout: attributes in, events out, one frame
// for each order. The link inside the element is trigger and fallback: whatever goes wrong here, it
// still pays. docs/embed.md says what a page may rely on, docs/frame-protocol.md what is said
// between this script and the frame.
//
// The modules are bundled into one classic script (tools/bundle) that works under the strictest
// Content-Security-Policy: styles are an adopted style sheet and element.style, nodes are made by
// createElement, and there is no second <script>. Its limit is 4,096 bytes compressed.

import { CheckoutElement, ELEMENT_NAME } from './element.js';
import { mark } from './dom.js';
import { open } from './open.js';

if (!customElements.get(ELEMENT_NAME)) { // otherwise the script has been loaded twice
  mark('script');
  customElements.define(ELEMENT_NAME, CheckoutElement);
  window.Coinslot = { open, version: '1.0.0' };
}
