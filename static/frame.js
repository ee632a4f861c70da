// The page's own script, first in its head: everything about a framed checkout that must work before WebAssembly and
// without it. The words to the host page are in docs/frame-protocol.md.
//
// It is plain JavaScript, uses no library, and needs no Trusted Types policy: nothing here turns text into markup.

// A third-party frame may be refused its storage, and then the mere look at it throws. go-app looks when it starts, and
// a Go program does not survive a throwing getter, so storage that throws is replaced by one that forgets.
for (const name of ['localStorage', 'sessionStorage']) {
  try {
    window[name].length;
  } catch {
    const kept = new Map();
    const value = {
      getItem: (key) => kept.get(String(key)) ?? null,
      setItem: (key, text) => void kept.set(String(key), String(text)),
      removeItem: (key) => void kept.delete(String(key)),
      clear: () => kept.clear(),
      key: (n) => [...kept.keys()][n] ?? null,
      get length() { return kept.size; },
    };
    Object.defineProperty(window, name, { value, configurable: true });
  }
}

(() => {
  const VERSION = '1.0.0';
  const FINAL = ['confirmed', 'expired', 'cancelled'];
  const WAITS = ['preparing', 'pending', 'review'];
  // What the page may be told is wrong, and what its developer has to change: at most 200 characters of ASCII each.
  // Why an order token is refused is not told: whoever forges one would learn from it.
  const CURES = {
    session_unknown: 'the session attribute must be an id from POST /v1/sessions of this very server (COINSLOT_DATABASE)',
    session_expired: 'the session attribute names an order that is over: make a new one with POST /v1/sessions',
    session_paid: 'the session attribute names an order that is paid: make a new one with POST /v1/sessions',
    order_invalid: 'the order attribute must be signed (HS256) with COINSLOT_ORDER_KEY and have amount_usd, order_ref and an exp that is not over',
    item_unknown: 'the item attribute must name an item of the file in COINSLOT_CATALOG',
    gateway_unavailable: 'run coinslot check on the server: COINSLOT_GATEWAY_URL, COINSLOT_GATEWAY_KEY',
    origin_refused: 'COINSLOT_ORIGINS must list the origin of the page around this frame',
  };
  const SCHEMES = ['ethereum:', 'ton:', 'bitcoin:', 'litecoin:', 'dogecoin:', 'solana:'];
  const ASK_EVERY = 4000; // ms between two looks while WebAssembly does not drive the page

  const given = document.querySelector('script[data-origin]').dataset; // embed, wasm, loader, text, refresh, too: written by the BFF
  const page = document.documentElement;
  page.dataset.js = '1'; // CSS shows what needs a script
  if (history.length > 1) page.dataset.back = '1'; // … and what needs a page before this one

  const root = () => document.getElementById('coinslot');
  const told = (name) => root()?.getAttribute('data-' + name) ?? '';
  const live = () => told('live') === 'wasm';
  // What the page shows has been read: its data comes after all of it. A browser says so by itself after the first layout,
  // and a frame that greets only then is laid out and painted twice before it is seen.
  const ready = new Promise((done) => {
    const whole = () => document.readyState !== 'loading' || document.getElementById('coinslot-page');
    const look = () => whole() && (reading.disconnect(), done());
    const reading = new MutationObserver(look);
    reading.observe(document, { childList: true, subtree: true });
    document.addEventListener('DOMContentLoaded', look, { once: true });
    look();
  });

  // --- The bridge to the host page -----------------------------------------------------------------------------------

  let port;
  const post = (message) => port?.postMessage(message);

  // connect greets the host page. Without a listed origin there is nobody to greet, and the page says so in words.
  function connect() {
    if (parent === window) return;
    if (document.querySelector('[data-part=standalone]')) console.error('coinslot origin_refused', CURES.origin_refused);
    if (!given.origin) return;
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = ({ data }) => hears[data?.type]?.(data);
    parent.postMessage({ coinslot: 1, type: 'hello', version: VERSION }, given.origin, [channel.port2]);
    tell();
    setTimeout(() => { // not now: a message leaves when its task is over, and this lays the page out
      size();
      new ResizeObserver(size).observe(document.body);
    });
  }

  // trouble tells by code why there is nothing to pay, once for each reason.
  let known = '';
  function trouble() {
    const code = document.querySelector('.error')?.dataset.code ?? '';
    if (code === known) return;
    known = Object.hasOwn(CURES, code) ? code : '';
    if (known) post({ type: 'error', code, recoverable: code === 'gateway_unavailable', cure: CURES[code] });
  }

  // barren reports whether there is nothing to choose and only a reason why: "open" is then no order's status.
  const barren = () => told('status') === 'open' && (known || !told('session')) &&
    document.querySelector('.error') && !document.querySelector('form[method=post]');

  // tell reports the status, at first as "ready", when it has changed. go-app replaces the root, so what is watched is the body.
  let last = '';
  function tell() {
    trouble();
    const session = told('session'), status = told('status');
    const now = session + ' ' + status;
    if (now === last || !status || barren()) return;
    post({ type: last ? 'status' : 'ready', session, status });
    last = now;
    if (FINAL.includes(status)) complete(session, status);
    setTimeout(size); // after layout; an animation frame would never come in a hidden frame
  }

  // label names the tab and draws its icon as the payment goes; at load the BFF has done both.
  function label() {
    const title = told('title'), icon = told('icon'), link = document.querySelector('link[rel=icon]');
    if (title && document.title !== title) document.title = title;
    if (icon && link && link.getAttribute('href') !== icon) link.setAttribute('href', icon);
  }

  // The host page releases nothing on this: its server verifies the receipt, asks, or is told by webhook.
  const complete = (session, status) => post({ type: 'complete', session, status, receipt: told('receipt') });

  let height = 0;
  function size() {
    const now = Math.ceil(document.body.getBoundingClientRect().height);
    if (now > 0 && now !== height) post({ type: 'size', height: height = now });
  }

  // hears is what the host page may say; everything else is ignored.
  const hears = {
    shown() {
      page.dataset.shown = '1';
      dispatchEvent(new Event('coinslot-shown'));
      height = 0;
      size();
    },
    theme({ value }) {
      if (!['auto', 'light', 'dark'].includes(value)) return;
      page.classList.remove('theme-auto', 'theme-light', 'theme-dark');
      page.classList.add('theme-' + value);
    },
    style,
    simulate({ kind }) {
      const buttons = document.querySelectorAll('[data-part=simulate]');
      [...buttons].find((button) => button.value === kind)?.click();
    },
  };

  // --- Style tokens: each is checked, because they come from a page that may itself have been given them -------------

  const FONT = /^[\p{L}\d\s,'"_-]{1,200}$/u;
  const READABLE = 4.6; // to 1: WCAG asks for 4.5, and numbers are rounded

  function style({ accent, radius, density, font }) {
    const set = (name, value) => value && page.style.setProperty('--coinslot-' + name, value);
    const [day, night] = ['light', 'dark'].map((scheme) => dress(accent, scheme));
    for (const name in day) set(name, day[name] === night[name] ? day[name] : `light-dark(${day[name]}, ${night[name]})`);
    const corner = /^(\d{1,3}(?:\.\d+)?)(px)?$/.exec(radius);
    if (corner) set('radius', Math.min(24, Number(corner[1])) + 'px');
    if (['compact', 'normal', 'cozy'].includes(density)) page.dataset.density = density;
    if (FONT.test(font)) set('font', font);
    setTimeout(size);
  }

  // dress returns what an accent becomes in a scheme: what it is on paper, black or white, whichever reads better on it,
  // and an ink for text and lines: the accent itself if it can be read on paper and on its tint, else as little of the
  // page's ink in it as makes it so. Nothing if the accent is no colour.
  function dress(accent, scheme) {
    if (!accent || /--|env\(|attr\(/i.test(accent)) return; // valid whatever they come to, and then no colour
    const paper = paint('var(--paper, Canvas)', scheme), ink = paint('var(--ink, CanvasText)', scheme);
    const own = paint(accent, scheme, paper);
    if (!own) return;
    const tint = mix(paper, own, 0.09);
    let line = own;
    for (let share = 1; share <= 10 && Math.min(contrast(line, paper), contrast(line, tint)) < READABLE; share++) {
      line = mix(own, ink, share / 10);
    }
    return { 'accent': text(own), 'on-accent': light(own) > 0.179 ? '#000' : '#fff', 'accent-ink': text(line) };
  }

  // paint returns the red, green and blue (0 to 1) of whatever the browser calls a colour, in a scheme, laid on under.
  // Nothing but these numbers is taken over. Nothing if it is no colour.
  function paint(colour, scheme, under) {
    const probe = document.createElement('i');
    Object.assign(probe.style, { colorScheme: scheme, forcedColorAdjust: 'none', color: `color-mix(in srgb, ${colour}, ${colour})` });
    if (!probe.style.color) return;
    page.append(probe);
    const [r, g, b, a = 1] = getComputedStyle(probe).color.replaceAll('none', '0').match(/-?[\d.]+(e-?\d+)?/g).map(Number);
    probe.remove();
    const own = [r, g, b].map((n) => Math.min(1, Math.max(0, n)));
    return under ? mix(under, own, a) : own;
  }

  const mix = (a, b, share) => a.map((n, i) => n + (b[i] - n) * share);
  const text = (colour) => `rgb(${colour.map((n) => Math.round(n * 255)).join(', ')})`;

  // light is the relative luminance of WCAG, contrast its contrast ratio.
  function light(colour) {
    const [r, g, b] = colour.map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  function contrast(a, b) {
    const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  }

  // --- What a click or a key means -----------------------------------------------------------------------------------

  addEventListener('keydown', (event) => {
    const means = event.defaultPrevented || event.isComposing || (event.target.type === 'search' && event.target.value);
    if (event.key === 'Escape' && !means) post({ type: 'escape' });
  });

  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href]');
    if (port && link && SCHEMES.includes(link.protocol)) {
      event.preventDefault(); // wallets refuse frames
      post({ type: 'open', href: link.href });
    }
    if (event.target.closest?.('[data-part=close]')) post({ type: 'close' });
    if (event.target.closest?.('[data-part=back]')) history.back();
    if (event.target.closest?.('[data-part=print]')) print();
    const button = event.target.closest?.('[data-copy]');
    if (button && !live()) copy(button);
  });

  // copy works until WebAssembly brings its own. What the browser does not let go stays selected for the shopper's Ctrl+C.
  async function copy(button) {
    const word = button.dataset.word ??= button.textContent, text = button.dataset.copy;
    const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false) || copyOld(button, text);
    button.textContent = copied ? button.dataset.copied : button.dataset.failed;
    setTimeout(() => { button.textContent = word; }, copied ? 3000 : 10000);
  }

  // copyOld copies by way of the selection, which a frame without permission may do too.
  function copyOld(button, text) {
    const value = button.closest('.copyable, .reference-box')?.querySelector('[data-value]'), selection = getSelection();
    if (!value) return false;
    selection.selectAllChildren(value);
    const copied = selection.toString() === text && document.execCommand('copy');
    if (copied) selection.removeAllRanges();
    return copied;
  }

  // --- WebAssembly ---------------------------------------------------------------------------------------------------

  // Coming from a page of ours, the host page has been told: without WebAssembly every step is a new page.
  const again = document.referrer.startsWith(location.origin + '/checkout');

  async function fail(code, cure, cause) {
    page.dataset.wasm = 'failed';
    root()?.setAttribute('data-live', 'html'); // the forms and links still go
    await ready; // and the host page is there
    if (again) return;
    if (port) return post({ type: 'error', code, recoverable: true, cure });
    console.warn('coinslot ' + code, cure, cause);
  }

  async function boot() {
    if (!given.wasm) return void (page.dataset.wasm = 'none'); // built without: forms, links and polling do it all
    if (typeof WebAssembly !== 'object') return fail('wasm_unsupported', 'this browser has no WebAssembly: nothing to change');
    try {
      await seen();
      for (const mark of document.querySelectorAll('img.network-mark')) mark.loading = 'eager'; // before all that is asked for here
      const binary = fetch(given.wasm, { priority: 'low' });
      const loader = import(given.loader), sentences = read(given.text);
      for (const coming of [binary, loader, sentences]) coming.catch(() => {});
      await loader;
      const go = new Go();
      const { instance } = await compile(binary, go.importObject);
      document.getElementById('coinslot-page').sentences = await sentences; // app.wasm looks there
      performance.mark('coinslot:program');
      await rest();
      await go.run(instance);
      fail('wasm_failed', 'the program has ended: see the lines before');
    } catch (cause) {
      if (!navigator.onLine) addEventListener('online', boot, { once: true });
      fail('wasm_failed', cureOf(cause), cause);
    }
  }

  // read gets the sentences of the page's language, which all its pages share.
  async function read(url) {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(url + ': ' + answer.status);
    return answer.text();
  }

  // The page is shown first: its program is a hundred times as large as all else, and while it starts nothing is
  // painted. The second frame of animation says that the first is done. A page that nobody sees has none, and is waited
  // for until it has all its files.
  const UNSEEN = 300; // ms
  const wait = (time) => new Promise((done) => setTimeout(done, time));
  const loaded = new Promise((done) => document.readyState === 'complete' ? done() : addEventListener('load', done, { once: true }));
  const shown = new Promise((done) => parent === window ? done() : addEventListener('coinslot-shown', done, { once: true }));
  const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
  const seen = () => Promise.race([ready.then(() => shown).then(frames), loaded.then(() => wait(UNSEEN))]);

  // The program puts elements of its own in the place of the page's. Were that done between a press and its release, the
  // browser would make no click of them, so it waits, for this long (ms) after each: a tap's click comes late, what a
  // click does is done a task later, and a page whose form is sent is on its way out.
  const AFTER = 10;
  const HOLDS = {
    pointer: { pointerdown: Infinity, pointerup: 400, pointercancel: AFTER, click: AFTER },
    key: { keydown: Infinity, keyup: AFTER },
    form: { submit: Infinity },
  };
  const LONGEST = 3000; // ms; not every release is told, as of a key that has moved the focus out of the frame
  const held = { pointer: 0 }; // until when, by what
  let touched = -LONGEST; // when, last
  for (const by in HOLDS) {
    for (const type in HOLDS[by]) {
      addEventListener(type, () => {
        touched = performance.now();
        held[by] = touched + HOLDS[by][type];
      }, { capture: true, passive: true });
    }
  }

  // rest is over once the shopper's hand has let go of the page.
  async function rest() {
    const end = performance.now() + LONGEST;
    const left = () => Math.min(end, Math.max(...Object.values(held))) - performance.now();
    while (left() > 0) await new Promise((done) => setTimeout(done, Math.min(left(), 50)));
  }

  // coinslotPressed is for how long (ms) nothing had better be drawn, because the shopper presses something that it may
  // move: nobody waits longer than PRESS for one, and what comes of the click is drawn at once.
  const PRESS = 1000;
  window.coinslotPressed = () => Math.max(0, Math.min(held.pointer - AFTER, touched + PRESS) - performance.now());

  // cureOf tells a policy from a file that is not what was built, and both from one that did not come.
  function cureOf(cause) {
    try {
      new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)); // the smallest there is
    } catch {
      return "a proxy has changed the frame's Content-Security-Policy: script-src needs 'wasm-unsafe-eval'";
    }
    if (cause instanceof WebAssembly.CompileError || cause instanceof WebAssembly.LinkError) {
      return 'app.wasm has been changed on the way: a proxy must pass ' + given.wasm + ' as it is';
    }
    return `a proxy must pass ${given.wasm} as it is: it did not come or did not run (${cause})`.replace(/[^ -~]+/g, ' ').slice(0, 200);
  }

  // compile streams; a proxy that changes the content type costs a second pass, not the program.
  async function compile(binary, imports) {
    try {
      return await WebAssembly.instantiateStreaming(binary, imports);
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause;
      const again = await fetch(given.wasm);
      if (!again.ok) throw cause;
      return WebAssembly.instantiate(await again.arrayBuffer(), imports);
    }
  }

  // --- Looking again while WebAssembly does not drive the page -------------------------------------------------------

  const typing = () => document.activeElement?.matches?.('input:not([type=radio])') && document.activeElement.value;
  const choosing = () => document.querySelector('form.choose');

  async function look() {
    if (live() || document.hidden || !WAITS.includes(told('status')) || typing() || choosing()) return;
    try {
      const answer = await fetch(told('base') + '/view', { headers: { Accept: 'application/json' }, cache: 'no-store' });
      if (!answer.ok) return;
      const view = await answer.json();
      const changed = view.status !== told('status') || view.version > Number(told('version'));
      const touching = performance.now() - touched < LONGEST; // it may be on its way to where a link or a form leads
      if (changed && !live() && !typing() && !touching) location.replace(given.refresh);
    } catch {
      // Offline for now: the next look will tell.
    }
  }

  (function keepLooking() {
    setTimeout(() => live() || look().finally(keepLooking), ASK_EVERY * (0.75 + Math.random() / 2));
  })();
  addEventListener('online', look);
  document.addEventListener('visibilitychange', look);

  // --- Start ---------------------------------------------------------------------------------------------------------

  ready.then(() => {
    new MutationObserver(() => { label(); tell(); }).observe(document.body, {
      childList: true, subtree: true, attributes: true, attributeFilter: ['data-status', 'data-session', 'data-title'],
    });
    connect();
    tell();
  });
  boot();
})();
