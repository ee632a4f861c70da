// The checkout page's own script, first in its head: what a framed checkout needs before and without
// WebAssembly. docs/frame-protocol.md describes the messages between it and checkout.js.
//
// The modules are bundled into one classic script (tools/bundle). It uses no library and needs no
// Trusted Types policy.

import { listenToControls } from './controls.js';
import { connect, reportStatus } from './host-page.js';
import { html, whenRead } from './page.js';
import { watchPayment } from './refresh.js';
import { showInTab } from './tab.js';
import { startProgram } from './webassembly.js';

html.dataset.js = '1'; // CSS shows controls that need a script
if (history.length > 1) html.dataset.back = '1'; // and the back button

listenToControls();
watchPayment();
whenRead.then(() => {
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
