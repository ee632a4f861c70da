// <coinslot-checkout>: the merchant's side of the checkout. One classic script, one file.
//
// Attributes in, events out, one frame per session. The light-DOM link is trigger and fallback: whatever goes wrong
// here, it still pays. The words to the frame are in docs/frame-protocol.md, the words to the page in docs/embed.md.
//
// Strict-CSP clean by construction: styles are an adopted sheet and el.style, nodes are made by createElement, there
// is no second script element; the module of words is imported, and not missed where a policy blocks it. Minified it
// must stay under 3,100 bytes brotli, which is why the CSS is written tight (the minifier does not look into strings),
// why an element's state is a closure and not fields, and why its functions stand in the order that packs best.
(() => {
  const NAME = 'coinslot-checkout';
  if (customElements.get(NAME)) return; // the script was loaded twice

  const BASE = new URL(document.currentScript.src).origin;
  const HERE = location.origin;
  const PINNED = document.currentScript.integrity;
  const ATTRIBUTES = 'order,item,amount,quantity,session,mode,theme,lang,prewarm,open,return-url'.split(',');
  // Words for as long as the server's, in the page's language, are not there.
  const ENGLISH = { listed: 1, offline: 'Offline', failed: 'Checkout did not load.', close: 'Close', retry: 'Retry' };

  const mark = (name) => performance.mark('coinslot:' + name);
  mark('script');

  // A warm frame is laid out and painted, at its place in a closed dialog that is transparent and inert: what is left
  // to do at the click is to show it. A frame that has not said hello is invisible. A move would reload either.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    'iframe{width:100%;border:0;min-height:120px;height:420px;display:block;max-height:4000px}' +
    ':not(.on)>iframe{position:fixed;visibility:hidden}' +
    'dialog{display:block;width:420px}' +
    ':not(.wait)>:is(slot,progress),:not(.bad)>p,:host>div>progress{display:none}' +
    'div:not(.on){min-height:420px}' +
    'dialog:not([open]){position:fixed;opacity:0;top:0}');

  const make = (tag, properties, ...children) => {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children);
    return node;
  };

  // Path and query of what an element sells, ready for more parameters; undefined for nothing.
  const selling = (element) => {
    const get = (name) => encodeURIComponent(element.getAttribute(name) || '');
    const query = ATTRIBUTES.slice(0, 4).filter(get).map((name) => name + '=' + get(name) + '&');
    return get('session') ? '/checkout/' + get('session') + '?' : query[0] && '/checkout?' + query.join('');
  };

  // What is sold -> the element that has its frame; others that sell the same lead to it.
  const leads = {};

  const page = document.documentElement;

  class Checkout extends HTMLElement {
    static observedAttributes = ATTRIBUTES;

    #sync;

    // Everything is settled a microtask later: one restart for many attributes, none for an unmount and remount.
    connectedCallback() { queueMicrotask(this.#sync); }
    disconnectedCallback() { queueMicrotask(this.#sync); }
    attributeChangedCallback() { queueMicrotask(this.#sync); }

    constructor() {
      super();
      const host = this, root = host.attachShadow({ mode: 'open' });
      let frame, port, timer;            // the frame, the private line to it, and the watchdog
      let words = ENGLISH, bad;          // bad: the code of the failure on show
      let pressed;                       // on the dialog's backdrop
      let refuse, final, accept, settle; // the last final status, and the ends of the promises
      let modal, key = 0, sold, query, spoken, how, id = '', theme, open; // what is on show, and the attributes it came from

      const visible = () => {
        const message = { type: 'style' };
        for (const name of ['accent', 'radius', 'density', 'font']) message[name] = getComputedStyle(host).getPropertyValue('--coinslot-' + name);
        post(message);
        post({ type: 'shown' });
        mark('shown');
      };

      const wait = (call, time, ...rest) => {
        clearTimeout(timer);
        timer = setTimeout(call, time, ...rest);
      };

      const heard = (data) => {
        const { type, session, status, href, code, cure } = data;
        if (type === 'escape' && modal || type === 'close') host.close();
        if (type === 'open' && /^(\w+coin|ethereum|solana|ton):/.test(href)) make('a', { href }).click();
        if (type === 'error' && /^[a-z_]+$/.test(code)) report(code, !!data.recoverable, /^[ -~]{1,200}$/.test(cure) ? cure : '');
        if (type === 'size') frame.style.height = data.height + 'px';
        if (!/^(cs_[\w-]+)? (open|preparing|pending|confirmed|expired|cancelled|review)$/.test(session + ' ' + status)) return;
        const was = id + host.status;
        id = session;
        host.status = status;
        if (type === 'ready' && accept) {
          mark(type);
          emit(type);
          accept = accept(seen());
        }
        if (was !== session + status) emit('status');
        if (type === 'complete' && final !== (final = status)) {
          const outcome = seen({ receipt: /^[\w-]+(\.[\w-]+){2}$/.test(data.receipt) ? data.receipt : '' });
          settle(outcome);
          const link = make('a', { href: attribute('return-url', 'a:') }); // a: goes nowhere
          if (!emit('complete', outcome) || status !== 'confirmed' || !/^http/.test(link)) return;
          link.search += (link.search && '&') + new URLSearchParams(outcome.receipt ? outcome : seen());
          setTimeout(() => link.click(), 2000); // long enough to see the outcome
        }
      };

      // At the shopper's wish: again after a failure, by way of the merchant's server for createSession. That is asked
      // while the dialog is already open: the click's gesture is not spent waiting.
      const go = async () => {
        if (bad || host.createSession) halt();
        if (host.createSession) {
          wait(fail, 15000, 'timeout');
          try {
            host.session = await host.createSession();
          } catch (error) {
            return fail('session_unknown', error);
          }
          sync();
        }
        sold ? start() : fail('session_unknown', 'session');
      };

      const show = host.show = () => {
        sync();
        if (lead() !== host) return lead().show();
        if (!host.isConnected || dialog.open) return;
        go();
        if (!modal) return;
        page.style.overflow = 'hidden';
        dialog.inert = false;
        dialog.showModal();
        visible();
        emit('open');
      };

      // What the box shows: the link ('wait'), the frame ('on') or the words of a failure ('bad', with its code).
      const state = (name, code) => {
        clearTimeout(timer);
        box.className = name;
        bad = code;
        speak();
      };

      // One ear for the window's three events; a property that an event lacks tells them apart.
      const hear = (event) => {
        if (event.origin === BASE && event.source === frame.contentWindow && event.data?.coinslot === 1 && event.ports[0]) {
          // The frame is there, or there again: it has navigated, or was only slow and has been given up too early.
          mark('hello');
          frame.onload = null;
          state('on');
          port = event.ports[0];
          port.onmessage = ({ data }) => data && heard(data);
          if (!modal || dialog.open) visible();
        }
        if (event.disposition === 'enforce' && /^(fr|ch|de)/.test(event.effectiveDirective) &&
          frame.src.startsWith(event.blockedURI || 0)) fail('csp_frame_src', 'frame-src ' + BASE);
        if (bad && event.type === 'online') go();
      };

      // The light-DOM trigger. Clicks that ask for a tab or window go through, and so does a link after a failure.
      const clicked = (event) => {
        if (!modal || event.metaKey || event.ctrlKey || event.shiftKey ||
          event.target.closest('a') && (bad || !sold && !host.createSession)) return;
        event.preventDefault();
        show();
      };

      // Ends the frame and all that listens to it; the link is back.
      const halt = () => {
        ears('remove');
        port?.close();
        frame?.remove();
        frame = port = null;
        state('wait');
        // A promise that is still open follows the next one; Boolean stands for none.
        (accept || Boolean)(host.ready = new Promise((yes, no) => { accept = yes; refuse = no; }));
        (settle || Boolean)(host.result = new Promise((yes) => { settle = yes; }));
        host.ready.catch(() => {}); // nobody listening is not an error of the merchant's page
      };

      // Writes every word that is or will be on show: the page's own, else the server's.
      const speak = () => {
        const say = (name) => attribute('text-' + name, words[name] || 'Checkout');
        dialog.ariaLabel = say('title');
        cross.ariaLabel = say('close');
        if (frame) frame.title = say('title');
        notice.replaceChildren(say(bad === 'offline' ? bad : 'failed'),
          url() && make('a', { href: url() }, say('link')), make('button', { onclick: go }, say('retry')));
      };

      // One line for the developer, naming what to change.
      const report = (code, recoverable, cure) => {
        const error = { code, recoverable, url: url() };
        console.error('coinslot', code, cure, BASE + '/checkout/doctor?origin=' + HERE + '&code=' + code);
        emit('error', error);
        refuse(Object.assign(Error(code), error));
      };

      // Brings what is on show in line with the attributes and the place in the document. Does nothing twice.
      const sync = this.#sync = () => {
        const net = navigator.connection;
        how = attribute('prewarm', 'intent');
        if (how !== 'load' && /2g|true/.test(net?.effectiveType + net?.saveData)) how = '';
        const sells = host.isConnected && selling(host);
        if (modal !== (modal = attribute('mode') === 'modal')) {
          (modal ? dialog : root).append(box);
          (modal ? root : box).prepend(slot);
        }
        theme = attribute('theme', 'auto');
        dialog.style.colorScheme = box.style.colorScheme = theme.replace('auto', ''); // '' follows the page
        post({ type: 'theme', value: theme });
        if (host.isConnected && query !== (query = '' + new URLSearchParams({ embed: attribute('mode', 'inline'), origin: HERE, lang: host.closest('[lang]')?.lang || navigator.language })) && !PINNED) {
          spoken = import(BASE + '/checkout/embed.js?' + query).then((module) => {
            words = module.default;
            speak();
            sheet.insertRule(words.css); // the looks that are not needed to work
          }).catch(() => {}); // the words that are there will do
        }
        if (key !== (key = sells && BASE + sells + query)) {
          halt();
          modal && sells || dialog.close();
          if (lead() === host) leads[sold] = 0;
          id = attribute('session', '');
          host.status = final = '';
          sold = sells;
          // Frameworks mount first and know later; but a checkout that never gets anything to sell is a mistake.
          sells ?? wait(() => host.createSession || go(), 4000);
          if (dialog.open || how === 'load') start();
          if (how === 'idle') setTimeout(start, 2000);
          near.disconnect();
          near.observe(box);
        }
        if (modal && sold && open ^ (open = host.hasAttribute('open'))) open ? show() : host.close();
      };

      // The element that has, or may have, the frame. It is this one unless another was first.
      const lead = () => sold ? leads[sold] ||= host : host;

      // The checkout on a page of its own: without the sign that waits for more parameters; or the page's own link.
      const url = () => sold ? BASE + sold.slice(0, -1) : host.querySelector('a[href]')?.href || '';

      const intent = () => how === 'intent' && start();
      host.addEventListener('focusin', intent);

      host.simulate = (kind) => post({ type: 'simulate', kind });

      host.close = () => {
        if ((dialog.open || !modal) && emit('close')) dialog.close();
      };

      const ears = (verb) => {
        for (const type of ['message', 'securitypolicyviolation', 'online']) window[verb + 'EventListener'](type, hear);
      };

      // The checkout cannot be shown here: words, the link, another try.
      const fail = (code, cure) => {
        if (!navigator.onLine) code = cure = 'offline';
        state('bad', code);
        report(code, true, cure || words[code] || BASE);
      };

      const start = () => {
        if (frame || !sold) return;
        if (lead() !== host) return wait(start, 2000); // the other may go, as an old page does when a new one has come
        frame = make('iframe', {
          name: NAME,
          allow: 'clipboard-write',
          sandbox: 'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox',
          // A blocked frame fires load as well, never error: only the hello that does not come tells.
          onload: () => bad || wait(fail, 4000, 'frame_blocked'),
          src: key + '&theme=' + theme,
        });
        spoken?.then(() => port || bad || words.listed || fail('origin_refused'));
        ears('add');
        wait(fail, 15000, 'timeout');
        box.append(frame);
        mark('frame');
      };

      const attribute = (name, otherwise) => host.getAttribute(name) || otherwise;
      const post = (message) => port?.postMessage(message);
      const seen = (more) => ({ session: id, status: host.status, ...more });
      const emit = (name, more) => host.dispatchEvent(new CustomEvent('coinslot-' + name, {
        bubbles: true, composed: true, cancelable: true, detail: seen(more),
      }));

      const cross = make('button', { onclick: host.close }, '×'), slot = make('slot', { onclick: clicked, onpointerover: intent });
      const notice = make('p', { role: 'alert' }), box = make('div', {}, make('progress'), notice);
      const dialog = make('dialog', {
        inert: true,
        oncancel: (event) => { event.preventDefault(); host.close(); },
        onclose() {
          if (dialog.open) return; // shown again meanwhile
          page.style.overflow = '';
          dialog.inert = true;
          host.removeAttribute('open');
        },
        // Only a press that begins and ends on the backdrop closes, and not the second half of a double click.
        onmousedown: (event) => { pressed = event.target === dialog && event.detail === 1; },
        onmouseup: (event) => pressed && event.target === dialog && host.close(),
      });
      const near = new IntersectionObserver(([entry]) => modal || entry.isIntersecting && start(), { rootMargin: '420px' });
      root.adoptedStyleSheets = [sheet];
      dialog.append(cross);
      root.append(dialog);

      for (const name of ATTRIBUTES) {
        const property = name.replace('-u', 'U'), early = Object.hasOwn(host, property) && host[property];
        Object.defineProperty(host, property, {
          get: () => ({ open: dialog.open, prewarm: start, session: id })[name] ?? attribute(name, ''),
          set: (value) => value ? host.setAttribute(name, value) : host.removeAttribute(name),
        });
        if (early) host[property] = early; // assigned before the script was there
      }
      sync();
    }
  }

  const open = (options) => {
    const fresh = Object.assign(new Checkout(), { mode: 'modal' }, options);
    // One element for all that createSession makes: a double click makes one session.
    const sold = fresh.createSession ? 'new' : selling(fresh);
    let element = leads[sold];
    if (!element?.isConnected) (options.target || document.body).append(element = leads[sold] = fresh);
    element.createSession = fresh.createSession;
    element.show();
    return element;
  };

  customElements.define(NAME, Checkout);
  window.Coinslot = { open, version: '1.0.0' };
})();
