// <coinslot-checkout>: the merchant's side of the checkout. One classic script, one file.
//
// Attributes in, events out, one frame per session. The light-DOM link is trigger and fallback: whatever goes wrong
// here, it still pays. The words to the frame are in docs/frame-protocol.md, the words to the page in docs/embed.md.
//
// Strict-CSP clean by construction: styles are an adopted sheet and el.style, nodes are made by createElement, there
// is no second script. Minified it must stay under 3,000 bytes brotli, which is why the CSS is written tight (the
// minifier does not look into strings), why an element's state is a closure and not fields, and why its functions stand
// in the order that packs best.
(() => {
  const NAME = 'coinslot-checkout';
  if (customElements.get(NAME)) return; // the script was loaded twice

  const BASE = new URL(document.currentScript.src).origin;
  const HERE = location.origin;

  // A closed dialog is laid out but not visible: the warm frame boots at its real size, can be neither focused nor
  // clicked, and is shown without a move or a new layout. display:none would cost the layout, a move would reload it.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    'div{position:relative}div:not(.on){min-height:420px}' +
    'iframe{min-height:120px;width:100%;max-height:4000px;display:block;border:0;height:420px}' +
    ':not(.on)>iframe{position:absolute;visibility:hidden}' +
    ':not(.wait)>:is(slot,progress){display:none}' +
    'p,progress{margin:24px}button{min-height:44px;min-width:44px}' +
    'dialog{position:fixed;overflow:hidden;padding:0;width:420px;inset:0;display:block;border:0;' +
    'border-radius:16px}dialog:not([open]){visibility:hidden}::backdrop{background:#0009}' +
    'dialog iframe{max-height:90dvh}' +
    'div>button{font-size:20px;display:block;margin-left:auto;border:0;background:none}' +
    // A minimum beats a maximum: the sheet fills the phone whatever height the frame asks for.
    '@media(max-width:480px){dialog{max-height:100%;border-radius:0;max-width:100%;width:100%}' +
    'dialog iframe{min-height:calc(100dvh - 44px)}}');

  const make = (tag, properties, ...children) => {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children);
    return node;
  };

  // Path and query of what an element sells, ready for more parameters; '' for nothing.
  const selling = (element) => {
    const get = (name) => encodeURIComponent(element.getAttribute(name) || '');
    const query = ['order', 'item', 'amount'].filter(get).map((name) => name + '=' + get(name) + '&');
    return get('session') ? '/checkout/' + get('session') + '?' : query[0] && '/checkout?' + query.join('');
  };

  // What is sold -> the element that has its frame; others that sell the same lead to it.
  const leads = {};

  // The page's scroll is locked while a dialog is open; the gutter keeps it from jumping sideways.
  let locks = 0;
  const lock = (by) => {
    const { style, clientWidth } = document.documentElement;
    locks += by;
    style.scrollbarGutter = locks && innerWidth > clientWidth ? 'stable' : '';
    style.overflow = locks ? 'hidden' : '';
  };

  class Checkout extends HTMLElement {
    static observedAttributes = ['session', 'order', 'item', 'amount', 'mode', 'theme', 'lang', 'prewarm', 'open'];

    #sync; #start; #session = '';

    // Frameworks assign properties when an element has one of that name; for these two that means the attribute.
    get session() { return this.#session; }
    set session(id) { this.setAttribute('session', id); }
    get prewarm() { return this.#start; }
    set prewarm(how) { this.setAttribute('prewarm', how); }

    // Everything is settled a microtask later: one restart for many attributes, none for an unmount and remount.
    connectedCallback() { queueMicrotask(this.#sync); }
    disconnectedCallback() { queueMicrotask(this.#sync); }
    attributeChangedCallback() { queueMicrotask(this.#sync); }

    constructor() {
      super();
      const host = this, root = host.attachShadow({ mode: 'open' });
      let key, sold, modal, theme, open, how; // the attributes as they are on show
      let box, dialog, frame, port, bad;      // nodes, and the private line to the frame
      let near, timer, loads;                 // viewport watch; hello watchdog; loads no hello has answered
      let shown, pressed, opener;             // of the dialog
      let final, accept, refuse, settle;      // of the promises

      const attribute = (name, otherwise) => host.getAttribute(name) || otherwise;
      const post = (message) => port?.postMessage(message);
      const seen = (more) => ({ session: host.session, status: host.status, ...more });
      const emit = (name, more, cancelable) => host.dispatchEvent(new CustomEvent('coinslot-' + name, {
        bubbles: true, composed: true, cancelable, detail: seen(more),
      }));

      // Ends the frame and all that listens to it; the link is back.
      const halt = () => {
        ears('remove');
        near?.disconnect();
        port?.close();
        frame?.remove();
        port = frame = null;
        loads = 0;
        state('wait');
        if (accept && refuse) return; // still open: the promise is for the next frame
        host.ready = new Promise((yes, no) => { accept = yes; refuse = no; });
        host.ready.catch(() => {}); // nobody listening is not an error of the merchant's page
      };

      host.close = () => {
        if ((shown || !modal) && emit('close', {}, true) && shown) closed();
      };

      // What the box shows: the link ('wait'), the frame ('on') or the words of a failure ('bad').
      const state = (name, words) => {
        clearTimeout(timer);
        bad?.remove();
        box.className = name;
        if (bad = words) box.append(bad);
      };

      const build = () => {
        if (shown) closed();
        const slot = make('slot', { onclick: clicked });
        box = make('div', {}, ...modal ? [
          make('button', { ariaLabel: attribute('text-close', 'Close'), onclick: host.close }, '×'), make('progress'),
        ] : [slot]);
        dialog = make('dialog', {
          ariaLabel: attribute('text-title', 'Checkout'),
          oncancel: (event) => { event.preventDefault(); host.close(); },
          onclose: () => shown > dialog.open && closed(), // not if it was shown again meanwhile
          // Only a press that begins and ends on the backdrop closes, and not the second half of a double click.
          onpointerdown: (event) => { pressed = event.target === dialog; },
          onpointerup: (event) => { pressed &&= event.target === dialog; },
          onclick: (event) => pressed && event.detail === 1 && host.close(),
        });
        root.adoptedStyleSheets = [sheet];
        root.replaceChildren(...modal ? [slot, dialog] : [box]);
        if (modal) dialog.append(box);
        key = theme = 0;
      };

      // The light-DOM trigger. Clicks that ask for a tab or window go through, and so does a link after a failure.
      const clicked = (event) => {
        const trigger = event.target.closest('a,button');
        if (!modal || event.metaKey || event.ctrlKey || event.shiftKey || bad && trigger?.href ||
          !sold && !host.createSession) return;
        event.preventDefault();
        show(trigger);
      };

      const closed = () => {
        shown = false;
        dialog.close();
        lock(-1);
        opener.focus();
        host.removeAttribute('open');
      };

      const intent = () => how === 'intent' && start();
      host.addEventListener('pointerover', intent);
      host.addEventListener('focusin', intent);

      const arm = () => {
        if (how === 'load') start();
        if (how === 'idle') (window.requestIdleCallback || setTimeout)(start);
        if (!modal) {
          near = new IntersectionObserver(([entry]) => entry.isIntersecting && start(),
            { rootMargin: how === 'intent' ? '420px' : '0px' });
          near.observe(box);
        }
      };

      const show = host.show = (from) => {
        sync();
        if (lead() !== host) return lead().show(from);
        if (!host.isConnected || shown) return;
        go();
        if (!modal) return;
        opener = from || document.activeElement;
        shown = true;
        lock(1);
        dialog.showModal();
        visible();
        emit('open');
      };

      // One line for the developer, naming what to change.
      const report = (code, recoverable, cure = '') => {
        console.error('coinslot', code, cure, BASE + '/checkout/doctor?origin=' + HERE);
        emit('error', { code, recoverable, url: url() });
        refuse = refuse?.({ code });
      };

      // One ear for the window's three events; a property that an event lacks tells them apart.
      const hear = (event) => {
        if (event.origin === BASE && event.source === frame.contentWindow && event.data?.coinslot === 1 &&
          event.data.type === 'hello' && event.ports[0]) hello(event.ports[0]);
        if (event.effectiveDirective + event.disposition === 'frame-srcenforce' &&
          frame.src.startsWith(event.blockedURI)) fail('csp_frame_src', 'CSP frame-src ' + BASE);
        if (bad && event.type === 'online') go();
      };

      // Brings what is on show in line with the attributes and the place in the document. Does nothing twice.
      const sync = this.#sync = () => {
        how = navigator.connection?.saveData || attribute('prewarm', 'intent'); // true means neither of the words
        const sells = host.isConnected && selling(host);
        const lang = host.closest('[lang]')?.lang || navigator.language;
        if (modal !== (modal = attribute('mode') === 'modal')) build();
        if (theme !== (theme = attribute('theme', 'auto'))) {
          dialog.style.colorScheme = box.style.colorScheme = theme === 'auto' ? '' : theme; // '' follows the page
          post({ type: 'theme', value: theme });
        }
        if (key !== (key = sells && BASE + sells +
          new URLSearchParams({ embed: attribute('mode', 'inline'), origin: HERE, lang }))) {
          halt();
          if (lead() === host) leads[sold] = 0;
          if (!settle) host.result = new Promise((yes) => { settle = yes; });
          host.#session = attribute('session', '');
          host.status = final = '';
          sold = sells;
          if (sold) (shown ? start : arm)();
        }
        if (shown && !host.isConnected) closed();
        if (modal && sold && open ^ (open = host.hasAttribute('open'))) open ? show() : host.close();
      };

      host.simulate = (kind) => post({ type: 'simulate', kind });

      const url = () => host.querySelector('a[href]')?.href || sold && BASE + sold;

      const start = this.#start = () => {
        if (frame || !sold) return;
        if (lead() !== host) { // in line: the other may go, as an old page does when a new one has come
          clearTimeout(timer);
          timer = setTimeout(start, 2000);
          return;
        }
        frame = make('iframe', {
          name: NAME,
          title: attribute('text-title', 'Checkout'),
          allow: 'clipboard-write',
          referrerPolicy: 'strict-origin',
          sandbox: 'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox ' +
            'allow-top-navigation-to-custom-protocols',
          // A blocked frame fires load as well, never error: only the hello that does not come tells.
          onload: () => ++loads > 0 && wait(4000, 'frame_blocked', 'COINSLOT_ORIGINS ' + HERE),
          src: key + '&theme=' + theme,
        });
        ears('add');
        wait(15000, 'timeout');
        box.append(frame);
      };

      // The element that has, or may have, the frame. It is this one unless another was first.
      const lead = () => sold ? leads[sold] ||= host : host;

      // At the shopper's wish: again after a failure, by way of the merchant's server for createSession. That is asked
      // while the dialog is already open: the click's gesture is not spent waiting.
      const go = async () => {
        if (bad || host.createSession) halt();
        if (!host.createSession) return start();
        wait(15000, 'timeout');
        try {
          host.session = await host.createSession();
          sync();
          start();
        } catch {
          fail('session_unknown');
        }
      };

      const ears = (verb) => ['message', 'securitypolicyviolation', 'online'].map((type) =>
        window[verb + 'EventListener'](type, hear));

      const wait = (time, code, cure) => {
        clearTimeout(timer);
        timer = setTimeout(fail, time, code, cure);
      };

      // The frame is there, or there again: it has navigated, or was only slow and has been given up too early.
      const hello = (line) => {
        loads--;
        state('on');
        port?.close();
        port = line;
        port.onmessage = ({ data }) => data && heard(data);
        if (!modal || shown) visible();
      };

      const visible = () => {
        const style = getComputedStyle(host), message = { type: 'style' };
        for (const name of ['accent', 'radius', 'density', 'font']) {
          message[name] = style.getPropertyValue('--coinslot-' + name);
        }
        post(message);
        post({ type: 'shown' });
      };

      const heard = (data) => {
        const { type, session, status, href, code } = data;
        if (type === 'escape' && modal || type === 'close') host.close();
        if (type === 'open' && /^(\w+coin|ethereum|solana|ton):/.test(href)) make('a', { href }).click();
        if (type === 'error' && /^[a-z_]+$/.test(code)) report(code, !!data.recoverable);
        if (type === 'size') frame.style.height = data.height + 'px';
        // The first letters of the seven statuses; "undefined" is none of them.
        if (!/^(cs_[\w-]+)? [ceopr][a-z]+$/.test(session + ' ' + status)) return;
        const was = host.session + host.status;
        host.#session = session;
        host.status = status;
        if (type === 'ready' && accept) {
          emit(type);
          accept = accept(seen());
        }
        if (was !== session + status) emit('status');
        if (type === 'complete' && final !== (final = status)) complete(seen({ receipt: '' + data.receipt }));
      };

      const complete = (outcome) => {
        settle = settle?.(outcome);
        const link = make('a', { href: attribute('return-url', 'a:') }); // a: goes nowhere
        if (!emit('complete', outcome, true) || final !== 'confirmed' || !/^https?:/.test(link)) return;
        link.search += '&session=' + outcome.session + '&status=' + final;
        setTimeout(() => link.click(), 2000); // long enough to see the outcome
      };

      // The checkout cannot be shown here: words, the link, another try.
      const fail = (code, cure) => {
        if (!navigator.onLine) code = cure = 'offline';
        state('bad', make('p', { role: 'alert' },
          attribute('text-error', 'Checkout did not load.'), ' ',
          make('a', { href: url(), hidden: !url() }, attribute('text-title', 'Checkout')), ' ',
          make('button', { onclick: go }, attribute('text-retry', 'Retry'))));
        report(code, true, cure);
      };
    }
  }

  const open = ({ createSession, target, ...options }) => {
    const fresh = new Checkout();
    fresh.setAttribute('mode', 'modal');
    for (const name in options) if (options[name]) fresh.setAttribute(name, options[name]);
    // One element for all that createSession makes: a double click makes one session.
    const sold = createSession ? 'new' : selling(fresh);
    let element = leads[sold];
    if (!element?.isConnected) (target || document.body).append(element = leads[sold] = fresh);
    element.createSession = createSession;
    element.show();
    return element;
  };

  customElements.define(NAME, Checkout);
  window.Coinslot = { open, version: '1.0.0' };
})();
