window.said = window.heard = window.woken = 0;
let dedupe, go;
Object.defineProperty(window, 'Go', {get: () => go, set: (real) => {
  go = real;
  const resume = go.prototype._resume;
  go.prototype._resume = function () { woken++; return resume.call(this); };
}});
Object.defineProperty(window, 'coinslotDedupe', {get: () => dedupe, set: (real) => {
  dedupe = (socket) => {
    window.socket = socket;
    const tell = socket.onmessage;
    socket.onmessage = (event) => { heard++; tell(event) };
    real(socket);
    socket.addEventListener('message', () => said++);
  };
}});
addEventListener('DOMContentLoaded', () => new MutationObserver((list) => {
  for (const {type, target} of list) if (window.changes) {
    const where = type + ' ' + ((target.parentElement ?? target).dataset.part ?? (target.parentElement ?? target).className);
    changes[where] = (changes[where] ?? 0) + 1;
  }
}).observe(document.documentElement, {childList: true, subtree: true, characterData: true, attributes: true}));
