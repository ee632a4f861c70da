// The demo shop's script, which logs the events of the checkouts. A real shop releases goods on its server, after a
// webhook or a verified receipt, never because of an event in a browser.
(() => {
  'use strict';
  const log = document.querySelector('#log');

  const write = (text) => {
    const time = document.createElement('time');
    time.textContent = new Date().toLocaleTimeString();
    const line = document.createElement('li');
    line.append(time, text);
    log.append(line);
    log.scrollTop = log.scrollHeight;
  };

  const show = (element, text, status) => {
    const outcome = element.closest('[data-product]')?.querySelector('[data-outcome]');
    if (!outcome) return;
    outcome.textContent = text;
    outcome.dataset.status = status;
  };

  for (const name of ['ready', 'open', 'status', 'complete', 'close', 'error']) {
    document.addEventListener('coinslot-' + name, (event) => {
      const { session, status, code } = event.detail;
      write(`${event.type}: ${code || status} ${session}`);
      if (name === 'status') show(event.target, `Payment ${status}`, status);
      if (name === 'error') show(event.target, `No payment: ${code}`, 'error');
    });
  }
})();
