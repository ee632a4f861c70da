// The checkout page's own script, first in its head: everything about a framed checkout that has
// to work before WebAssembly and without it. docs/frame-protocol.md says what is said between it
// and checkout.js in the host page.
//
// The modules are bundled into one classic script (tools/bundle). It uses no library and needs no
// Trusted Types policy: nothing here turns text into markup.

import './storage.js'; // first: nothing may have looked at the storage before
import { listenToControls } from './controls.js';
import { connect, reportStatus } from './host-page.js';
import { html, whenRead } from './page.js';
import { watchPayment } from './refresh.js';
import { showInTab } from './tab.js';
import { startProgram } from './webassembly.js';

html.dataset.js = '1'; // CSS shows what needs a script
if (history.length > 1) html.dataset.back = '1'; // and what needs a page before this one

listenToControls();
watchPayment();
whenRead.then(() => {
  // go-app replaces the root of the checkout, so the body is what is observed.
  new MutationObserver(() => {
    showInTab();
    reportStatus();
  }).observe(document.body, {
    childList: true, subtree: true,
    attributeFilter: ['data-status', 'data-session', 'data-title'],
  });
  connect();
  reportStatus();
});
startProgram();
