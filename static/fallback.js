// Loads the frame's script if a proxy has changed the inline one, whose hash the page's policy requires. It is a module,
// because it could not load a script under the policy otherwise.
if (!document.documentElement.dataset.js) import(document.querySelector('script[data-origin]').dataset.framed);
