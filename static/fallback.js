// What makes a frame work where its inline script did not: something on the way has changed it, and the page's policy
// goes by its hash. A module, because it may not name a script's address in any other way.
if (!document.documentElement.dataset.js) import(document.querySelector('script[data-origin]').dataset.framed);
