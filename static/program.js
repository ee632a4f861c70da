// JavaScript helpers of the WebAssembly program, and what a page does until it runs, appended to Go's loader.
(() => {
  // --- Storage -------------------------------------------------------------------------------------------------------

  // Browsers may block the storage of a third-party frame: its getter throws, which would end go-app at its start. Such
  // storage is replaced by one in memory.
  for (const name of ['localStorage', 'sessionStorage']) {
    try {
      window[name].length;
    } catch {
      const items = new Map();
      Object.defineProperty(window, name, {
        configurable: true,
        value: {
          getItem: (key) => items.get(String(key)) ?? null,
          setItem: (key, text) => void items.set(String(key), String(text)),
          removeItem: (key) => void items.delete(String(key)),
          clear: () => items.clear(),
          key: (index) => [...items.keys()][index] ?? null,
          get length() { return items.size; },
        },
      });
    }
  }

  // --- The menu of languages -----------------------------------------------------------------------------------------

  // coinslotListLanguages completes the menu, of which the server sends only the present language. text is the JSON file
  // of the page's texts. The page is then the same as the program's.
  window.coinslotListLanguages = (text) => {
    const current = document.querySelector('option.now:only-child');
    let isBefore = true;
    for (const { Tag, Name } of JSON.parse(text).Languages) {
      const option = new Option(Name, Tag);
      option.lang = Tag;
      if (Tag === current?.value) isBefore = false;
      else if (isBefore) current?.before(option);
      else current?.parentElement.append(option);
    }
  };

  // --- Nodes ---------------------------------------------------------------------------------------------------------

  // coinslotCreateNodes creates a batch of DOM nodes in one call, since a call from Go costs as much as ten nodes. text is
  // a list of commands and arguments separated by NUL, written by go-app with the last patch in tools/assets/patches.
  // The first batch is the whole checkout. It consists of the server's nodes, changed where they differ: the browser
  // does not lay out and paint again, and focus, selection, typed text and a press under way remain.
  window.coinslotCreateNodes = (text) => {
    const nodes = [], parts = text.split('\0');
    let at = 0;
    const next = () => parts[at++], node = () => nodes[next()];
    const commands = {
      e: () => nodes.push({ tag: next(), attributes: new Map(), properties: new Map(), children: [] }),
      t: () => nodes.push({ text: next() }),
      a: () => { node().attributes.set(next(), next()); },
      v: () => { node().properties.set(next(), next()); },
      b: () => { node().properties.set(next(), !next()); },
      c: () => { node().children.push(node()); },
    };
    while (at < parts.length) commands[next()]();
    const page = document.querySelector('#coinslot[data-live=html]');
    for (const n of nodes) n.made ??= make(n, n.attributes?.get('id') === 'coinslot' ? page : null);
    return nodes.map((n) => n.made);
  };

  // make returns the node that n describes: old, if it can be that node.
  const make = (n, old) => n.made = n.tag ? makeElement(n, old) : makeText(n.text, old);

  const makeText = (text, old) => {
    if (!text || old?.nodeType !== Node.TEXT_NODE) return document.createTextNode(text);
    if (old.data.startsWith(text)) {
      if (old.length > text.length) old.splitText(text.length); // HTML joins neighbors
    } else {
      old.data = text;
    }
    return old;
  };

  // KEPT are attributes that say how the page was before the shopper used it, and one that delays hidden images.
  const KEPT = ['checked', 'loading', 'open', 'selected', 'value'];

  const makeElement = ({ tag, attributes, properties, children }, old) => {
    const element = old?.localName === tag ? old : document.createElement(tag);
    for (const name of element.getAttributeNames()) {
      if (!attributes.has(name) && !properties.get(name) && !KEPT.includes(name)) element.removeAttribute(name);
    }
    for (const [name, value] of attributes) {
      if (element.getAttribute(name) !== value) element.setAttribute(name, value);
    }
    let rest = element.firstChild;
    for (const child of children) {
      while (child.tag && rest && rest.localName !== child.tag) rest = remove(rest);
      const made = make(child, rest);
      if (made === rest) rest = rest.nextSibling;
      else element.insertBefore(made, rest);
    }
    while (rest) rest = remove(rest);
    for (const [name, value] of properties) { // last: the value of a select is one of its options
      if (element[name] !== value) element[name] = value;
    }
    return element;
  };

  // remove removes a node and returns the one after it.
  const remove = (node) => {
    const after = node.nextSibling;
    node.remove();
    return after;
  };

  // --- Pages translated by the browser -----------------------------------------------------------------------------------

  // Translators put <font> elements in the place of texts, or around them, while WebAssembly goes on changing and removing
  // its own nodes. What it changes takes its place again, and is then translated again.
  const fonts = new WeakMap(); // by the text in whose place they are
  const texts = new WeakMap(); // by the <font>

  const translate = (text, font) => {
    fonts.set(text, font);
    texts.set(font, text);
    Object.defineProperty(font, 'data', { // app/widget/updater.go writes to the first node of an element
      configurable: true, get: () => text.data, set: (data) => { text.nodeValue = data; },
    });
  };

  new MutationObserver((records) => {
    for (const { addedNodes, removedNodes, previousSibling, nextSibling } of records) {
      for (const text of removedNodes) {
        const font = text.nodeType === Node.TEXT_NODE && [...addedNodes, previousSibling, nextSibling]
          .find((node) => node?.localName === 'font' && !texts.has(node));
        if (font) translate(text, font);
      }
    }
  }).observe(document, { childList: true, subtree: true });

  // placeOf returns the child of parent that is node, contains it, or is in its place.
  const placeOf = (node, parent) => {
    let place = fonts.get(node)?.isConnected ? fonts.get(node) : node;
    while (place && place.parentNode !== parent) place = place.parentNode;
    return place;
  };

  const { removeChild, replaceChild } = Node.prototype;
  const nodeValue = Object.getOwnPropertyDescriptor(Node.prototype, 'nodeValue');
  Node.prototype.removeChild = function (child) {
    const place = placeOf(child, this);
    return place ? removeChild.call(this, place) : child;
  };
  Node.prototype.replaceChild = function (node, child) {
    const place = placeOf(child, this);
    return place ? replaceChild.call(this, node, place) : this.appendChild(node);
  };
  Object.defineProperty(Node.prototype, 'nodeValue', {
    ...nodeValue,
    set(text) {
      const font = fonts.get(this);
      if (font?.isConnected) font.replaceWith(this);
      fonts.delete(this);
      nodeValue.set.call(this, text);
    },
  });

  // coinslotFields returns what the shopper has typed and chosen, as JSON: the values of fields by name, or by data-part.
  window.coinslotFields = () => JSON.stringify(Object.fromEntries(
    [...document.querySelectorAll('#coinslot :is(input:not([type=hidden]), select)')]
      .filter((field) => field.type !== 'radio' || field.checked)
      .map((field) => [field.name || field.dataset.part, field.value])));

  // coinslotZone returns the browser's time zone at a time: its name in a language, and the minutes it is ahead of UTC.
  window.coinslotZone = (at, lang) => {
    const time = new Date(at);
    if (isNaN(time)) return ['UTC', 0];
    const parts = new Intl.DateTimeFormat(lang, { timeZoneName: 'short' }).formatToParts(time);
    return [parts.find((part) => part.type === 'timeZoneName').value, -time.getTimezoneOffset()];
  };

  // --- Forms and links of a frame, until the program runs ---------------------------------------------------------------

  // Each new page of a frame is an entry in the tab's history, and so one more Back before the shopper leaves the shop's
  // page. Here a page takes the place of the one before it.
  const isLive = () => document.querySelector('#coinslot[data-live=wasm]');
  let isSending = false;

  const onClick = (event) => {
    const link = event.target.closest?.('a[href]');
    const opensTab = event.ctrlKey || event.metaKey || event.shiftKey || link?.target;
    if (!link || opensTab || link.hash || link.origin !== location.origin) return;
    if (isLive() || event.defaultPrevented) return;
    event.preventDefault();
    location.replace(link.href);
  };

  const onSubmit = (event) => {
    const { target: form, submitter } = event;
    if (isLive() || event.defaultPrevented || form.target) return;
    event.preventDefault();
    if (isSending) return;
    const data = new FormData(form);
    if (submitter?.name) data.append(submitter.name, submitter.value);
    const fields = new URLSearchParams(data);
    const address = new URL(form.getAttribute('action') ?? '', location.href);
    if (form.method === 'post') {
      submitter?.setAttribute('aria-disabled', 'true');
      send(form, address.href, fields);
    } else {
      address.search = fields;
      location.replace(address);
    }
  };

  // send sends a form and shows the answer: usually the address of the next page, else this page with an error. The policy
  // of the page allows no other parser than that of a request.
  const send = (form, address, fields) => {
    isSending = true;
    const request = new XMLHttpRequest();
    request.open('POST', address);
    request.setRequestHeader('Accept', 'text/html');
    request.responseType = 'document';
    request.onload = () => {
      isSending = false;
      const page = request.response?.getElementById('coinslot');
      if (request.responseURL !== address) location.replace(request.responseURL);
      else if (page) show(page);
      else form.submit();
    };
    request.onerror = () => form.submit(); // the browser says what is wrong
    request.send(fields);
  };

  const show = (page) => {
    document.getElementById('coinslot').replaceWith(page);
    document.title = page.dataset.title || document.title;
    page.querySelector('.error')?.scrollIntoView({ block: 'nearest' });
  };

  if (parent !== window) {
    document.addEventListener('click', onClick);
    document.addEventListener('submit', onSubmit);
  }

  // --- Wallets that are opened by a link --------------------------------------------------------------------------------

  // A page cannot see whether a wallet has opened. Once the shopper is back, or has stayed, a note says what to do if none
  // has; it never says that something was sent. A tap counts until the payment changes, also after a reload: phones unload
  // pages while another app is in front.
  const STAYED = 2000; // ms after which a shopper who has not left has stayed
  const OPENED = 'coinslot-wallet'; // in sessionStorage: the id of the last wallet, and the state of the payment

  let tap = { id: '', state: '' }; // the last one; at: its time, hasLeft: whether the page was hidden since

  // coinslotAsks reports whether to ask if a wallet has opened.
  window.coinslotAsks = (tap, now, isHidden) => !isHidden && (tap.hasLeft || now - tap.at >= STAYED);

  window.coinslotLastWallet = () => tap.id;

  const stateOfPayment = () => {
    const { base, version } = document.getElementById('coinslot').dataset;
    return base + ' ' + version;
  };

  const linkOf = (id) => document.querySelector(`a[data-part=wallet][data-value="${CSS.escape(id)}"]`);

  const onTap = (event) => {
    const link = event.target.closest?.('a:is([data-part=wallet], [data-part=open-wallet])');
    if (!link) return;
    tap = { id: link.dataset.value ?? '', state: stateOfPayment(), at: performance.now() };
    setTimeout(showNote, STAYED);
    sessionStorage.setItem(OPENED, tap.id + ' ' + tap.state);
  };

  // showNote shows or clears the note when nothing is pressed: it moves what is below it.
  const showNote = () => {
    const note = document.querySelector('[data-part=wallet-back]');
    const isOver = tap.state !== stateOfPayment();
    if (!note || !isOver && !coinslotAsks(tap, performance.now(), document.hidden)) return;
    const pressed = coinslotPressed();
    if (pressed > 0) {
      setTimeout(showNote, pressed);
      return;
    }
    const question = document.createElement('b');
    question.textContent = linkOf(tap.id)?.dataset.asks ?? '';
    if (isOver) note.replaceChildren();
    else if (note.firstChild?.textContent !== question.textContent) note.replaceChildren(question, ' ', note.dataset.help);
  };

  // showLastWallet puts the wallet first that was opened last, as the program does. The server does not know it.
  const showLastWallet = () => {
    const list = document.querySelector('[data-part=wallets]');
    const row = list && linkOf(tap.id)?.parentElement;
    if (!row || coinslotPressed()) return;
    const folded = row.parentElement === list ? null : row.parentElement;
    list.prepend(row);
    folded?.prepend(list.lastElementChild);
  };

  const startWallets = () => {
    const [id, ...state] = (sessionStorage.getItem(OPENED) ?? '').split(' ');
    tap = { id, state: state.join(' '), hasLeft: true };
    showLastWallet();
    showNote();
    document.addEventListener('click', onTap);
    document.addEventListener('visibilitychange', () => {
      tap.hasLeft ||= document.hidden;
      showNote();
    });
    new MutationObserver(showNote).observe(document.body, { subtree: true, attributeFilter: ['data-live', 'data-version'] });
  };
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', startWallets);
  else startWallets();

  // --- Amounts that are copied by hand -----------------------------------------------------------------------------------

  // A selected amount is copied as wallets read it, with a point.
  document.addEventListener('copy', (event) => {
    const place = getSelection().anchorNode?.parentElement?.closest('.amount-value');
    const amount = place?.querySelector('[data-value]');
    if (!amount) return;
    event.preventDefault();
    event.clipboardData.setData('text/plain', amount.dataset.value);
  });

  // --- Deduplication of socket messages --------------------------------------------------------------------------------

  const JUST_NOW = 5000; // ms; wire.JustNow
  const SILENT = 20000; // ms without a message after which the page polls; the server sends every 15 s
  const DEAD = 60000; // ms without a message after which the socket counts as closed
  const TIMES = /"(?:expires_in_ms|(checked_ms_ago))":(\d+)/g;

  // coinslotDedupe passes only new messages of a socket to its handler. While nothing happens, messages differ in two times
  // only, and WebAssembly would wake for each. The server sends a message once the gateway's last answer is JUST_NOW old
  // (bff/shop/dedupe.go), so the age is lower while there is none. If the socket is SILENT or closes, the latest message is
  // delivered with its times brought up to date; coinslotSilent says that there was no message, or none lately. A time left that is off by a second, as after the computer's sleep, is new.
  // coinslotKnown is the last delivered message without its times; WebAssembly clears it when it gets a view elsewhere.
  window.coinslotDedupe = (socket) => {
    const deliver = socket.onmessage;
    let last, lastAt, deliveredEnd, timer;
    const deliverLast = () => {
      clearTimeout(timer);
      if (!socket.onmessage || last === undefined) return; // closed by this side, or no message yet
      const since = Math.ceil(performance.now() - lastAt);
      window.coinslotKnown = null; // the page counts the age from now on, so the next message is new
      deliver({ data: last.replace(TIMES, (all, ago, ms) => all.replace(ms, ago ? +ms + since : Math.max(0, ms - since))) });
    };
    const onSilent = () => {
      socket.coinslotSilent = true;
      deliverLast();
      timer = setTimeout(() => socket.dispatchEvent(new Event('close')), DEAD - SILENT);
    };
    const restartTimer = () => {
      clearTimeout(timer);
      timer = setTimeout(onSilent, SILENT);
    };
    socket.coinslotSilent = true;
    socket.onmessage = ({ data }) => {
      socket.coinslotSilent = false;
      restartTimer();
      [last, lastAt] = [data, performance.now()];
      let age = JUST_NOW, end = 0;
      const timeless = data.replace(TIMES, (all, ago, ms) => { ago ? age = +ms : end = lastAt + +ms; return ''; });
      if (timeless === window.coinslotKnown && age < JUST_NOW && Math.abs(end - deliveredEnd) < 1000) return;
      [window.coinslotKnown, deliveredEnd] = [age < JUST_NOW ? timeless : null, end];
      deliver({ data });
    };
    socket.addEventListener('close', deliverLast);
    restartTimer();
  };
})();
