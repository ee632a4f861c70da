// The element. It updates what it shows from its attributes, its place in the page, and the frame's
// messages.

import styles from './styles.css';
import { ENGLISH, loadTexts } from './texts.js';
import { Session } from './session.js';
import { CHECKOUT_ORIGIN, IS_PINNED, PAGE_ORIGIN } from './origins.js';
import { isVisible, owners, pathOf, saleOf } from './sale.js';
import { ANSWER_TIMEOUT, HELLO_TIMEOUT, IDLE_DELAY, OWNER_RETRY, SALE_TIMEOUT } from './times.js';
import { isSparing } from './connection.js';
import { Frame } from './frame.js';
import { make, mark } from './dom.js';
import { Modal } from './modal.js';

export const ELEMENT_NAME = 'coinslot-checkout';

const ATTRIBUTES = [
  'order', 'item', 'amount', 'quantity', 'session', 'mode', 'theme', 'lang', 'prewarm', 'open',
  'return-url', 'preset',
];

const styleSheet = new CSSStyleSheet();
styleSheet.replaceSync(styles);

/** @param {string} attribute */
const propertyOf = (attribute) => attribute.replace('-url', 'Url');

export class CheckoutElement extends HTMLElement {
  static observedAttributes = ATTRIBUTES;

  #session = new Session(this);

  // The attributes as last applied.
  /** @type {boolean | undefined} */ #isModal;
  #isOpen = false;
  #prewarm = '';
  #theme = '';
  #query = '';
  #sale = '';
  /** @type {string | null | undefined} of what is sold; null outside of a document */ #address;

  /** @type {Frame | undefined} */ #frame;
  /** @type {number | undefined} */ #timer;
  #failure = ''; // code of the failure on show
  #texts = ENGLISH;
  /** @type {Promise<void> | undefined} */ #textsSettled;
  /** @type {Promise<string | undefined> | undefined} of the page's createSession */ #creating;
  #speakers = new MutationObserver(() => this.#apply()); // whatever around it may have a lang

  // The shadow tree. The box is in the dialog or, inline, beside it. The slot has the page's link, and
  // the notice what went wrong.
  #modal = new Modal(() => this.close(), () => this.removeAttribute('open'));
  #slot = make('slot', {
    /** @param {MouseEvent} event */
    onclick: (event) => this.#onTrigger(event),
    onpointerover: () => this.#onIntent(),
  });
  #notice = make('p', { role: 'alert' });
  #box = make('div', {}, make('progress'), this.#notice);
  #nearby = new IntersectionObserver(([entry]) => {
    if (!this.#isModal && entry.isIntersecting) this.#start();
  }, { rootMargin: '420px' });

  static {
    for (const name of ATTRIBUTES) {
      Object.defineProperty(this.prototype, propertyOf(name), {
        /** @this {CheckoutElement} */
        get() { return this.#property(name); },
        /** @this {CheckoutElement} @param {unknown} value */
        set(value) { this.#setAttribute(name, value); },
      });
    }
  }

  constructor() {
    super();
    /** @type {(() => Promise<string>) | undefined} */
    this.createSession = this.createSession; // assigned before the script was loaded
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [styleSheet];
    root.append(this.#modal.dialog);
    this.addEventListener('focusin', () => this.#onIntent());
    const early = /** @type {any} */ (Object.assign(Object.create(null), this)); // likewise
    for (const name of ATTRIBUTES) {
      const property = propertyOf(name);
      delete /** @type {any} */ (this)[property];
      if (early[property]) this.#setAttribute(name, early[property]);
    }
    this.#apply();
  }

  get status() { return this.#session.status; }
  get ready() { return this.#session.ready.promise; }
  get result() { return this.#session.result.promise; }

  // Changes are applied in a microtask: several attributes restart the frame only once, and moving
  // the element in the page does not.
  connectedCallback() { queueMicrotask(() => this.#apply()); }
  disconnectedCallback() { queueMicrotask(() => this.#apply()); }
  attributeChangedCallback() { queueMicrotask(() => this.#apply()); }

  // --- Attributes --------------------------------------------------------------------------------

  /** @param {string} name of an attribute */
  #property(name) {
    if (name === 'open') return this.#modal.dialog.open;
    if (name === 'session') return this.#session.id;
    if (name === 'prewarm') return () => this.#start();
    return this.#attribute(name);
  }

  /** @param {string} name @returns {string} also for an attribute that is empty, otherwise */
  #attribute(name, otherwise = '') {
    return this.getAttribute(name) || otherwise;
  }

  /** @param {string} name @param {any} value */
  #setAttribute(name, value) {
    if (value) this.setAttribute(name, value);
    else this.removeAttribute(name);
  }

  /** Applies attributes and place. It is idempotent. */
  #apply() {
    this.#applyPrewarm();
    this.#applyMode();
    this.#applyTheme();
    this.#applyLanguage();
    this.#applySale();
    this.#applyOpen();
  }

  #applyPrewarm() {
    this.#prewarm = this.#attribute('prewarm', 'intent');
    if (this.#prewarm !== 'load' && isSparing()) this.#prewarm = 'none';
  }

  #applyMode() {
    const isModal = this.#attribute('mode') === 'modal';
    if (this.#isModal === isModal) return;
    this.#isModal = isModal;
    const root = /** @type {ShadowRoot} */ (this.shadowRoot);
    (isModal ? this.#modal.dialog : root).append(this.#box);
    (isModal ? root : this.#box).prepend(this.#slot);
  }

  #applyTheme() {
    this.#theme = this.#attribute('preset') === 'night' ? 'dark' : this.#attribute('theme', 'auto');
    const scheme = this.#theme.replace('auto', ''); // empty follows the page
    this.#modal.dialog.style.colorScheme = this.#box.style.colorScheme = scheme;
    this.#frame?.post({ type: 'theme', value: this.#theme });
    this.#postStyle();
  }

  #applyLanguage() {
    if (!this.isConnected) return;
    let lang = '';
    this.#speakers.disconnect();
    /** @type {any} */
    let speaker = this;
    for (; speaker; speaker = speaker.parentNode || speaker.host) {
      this.#speakers.observe(speaker, { attributeFilter: ['lang'] });
      lang ||= speaker.lang;
    }
    const debug = document.querySelector('[data-debug]') ? '&debug' : '';
    const query = String(new URLSearchParams({
      embed: this.#attribute('mode', 'inline'),
      origin: PAGE_ORIGIN,
      lang: lang || navigator.language,
    }));
    if (this.#query === query) return;
    this.#query = query;
    if (IS_PINNED) return;
    // A frame in the page needs the line more.
    const delay = debug || this.#isModal ? 0 : IDLE_DELAY;
    this.#textsSettled = loadTexts(query + debug, delay).then((texts) => {
      this.#texts = texts;
      this.#renderTexts();
      texts.explain?.(this.#failure);
      styleSheet.insertRule(texts.css); // decoration only
    }).catch(() => {}); // keep the present texts
  }

  #applySale() {
    const sale = saleOf(this);
    const address = this.isConnected ? sale && CHECKOUT_ORIGIN + sale + this.#query : null;
    if (this.#address === address) return;
    this.#address = address;
    this.#stop();
    if (!this.#isModal || !address) this.#modal.dialog.close();
    if (owners.get(this.#sale) === this) owners.delete(this.#sale);
    // An order or item keeps the session of its payment in a new language, mode or place.
    this.#session.change(this.#sale === sale ? this.#session.id : this.#attribute('session'));
    this.#sale = sale;
    if (address === '') this.#wait(SALE_TIMEOUT, () => this.createSession || this.#begin());
    if (this.#modal.dialog.open || this.#prewarm === 'load') this.#start();
    if (this.#prewarm === 'idle') setTimeout(() => this.#start(), IDLE_DELAY);
    this.#nearby.disconnect();
    this.#nearby.observe(this.#box);
  }

  #applyOpen() {
    if (!this.#isModal || !this.#sale) return;
    const isOpen = this.hasAttribute('open');
    if (this.#isOpen === isOpen) return;
    this.#isOpen = isOpen;
    if (isOpen) this.show();
    else this.close();
  }

  // --- Opening and closing ---------------------------------------------------------------------

  // Arrow functions, because a page may pass them on without the element.

  /** @type {() => void} */
  show = () => {
    this.#apply();
    const owner = this.#owner();
    if (owner !== this) return owner.show();
    if (!isVisible(this) || this.#modal.dialog.open) return;
    this.#begin();
    if (!this.#isModal) return;
    this.#announceShown(); // first: the frame's process has work of its own
    this.#modal.open();
    this.#session.emit('open');
  };

  close = () => {
    const { dialog } = this.#modal;
    if ((dialog.open || !this.#isModal) && this.#session.emit('close')) {
      dialog.close();
      this.#session.settle();
    }
  };

  /** @param {CoinslotSimulation} kind @returns {Promise<void>} rejects with the frame's reason */
  simulate = async (kind) => {
    this.#start();
    await this.ready;
    const { port1, port2 } = new MessageChannel();
    this.#frame?.port?.postMessage({ type: 'simulate', kind }, [port2]);
    /** @type {MessageEvent} */
    const { data } = await new Promise((resolve) => { port1.onmessage = resolve; });
    if (data) throw Error(data);
  };

  /** The element that owns the frame of this order: the first one that can be seen. */
  #owner() {
    let owner = owners.get(this.#sale) || this;
    if (isVisible(this) && !isVisible(owner)) {
      owner.#stop();
      this.#session.change(owner.#session.id);
      owner = this;
    }
    if (this.#sale) owners.set(this.#sale, owner);
    return owner;
  }

  /**
   * Handles a click on the page's link, unless it opens a tab or window, or there is no checkout to
   * show.
   * @param {MouseEvent} event
   */
  #onTrigger(event) {
    const isLink = /** @type {Element} */ (event.target).closest('a');
    if (!this.#isModal || event.metaKey || event.ctrlKey || event.shiftKey ||
      isLink && (this.#failure || !this.#sale && !this.createSession)) return;
    event.preventDefault();
    this.show();
  }

  #onIntent() {
    if (this.#prewarm === 'intent') this.#start();
  }

  /** Starts the checkout, also again after a failure. */
  #begin() {
    const isNew = this.createSession && (this.#session.isOver || !this.#attribute('session'));
    if (isNew && this.#creating && !this.#failure) return; // its answer is awaited
    if (isNew || this.#failure) this.#stop();
    if (isNew) this.#create();
    else if (this.#sale) this.#start();
    else this.#fail('session_unknown', 'session');
  }

  /**
   * Asks the page for a session: not while the last one can still be paid, or a shopper could pay
   * twice. createSession is called synchronously, as part of the click.
   */
  async #create() {
    const answer = this.#creating = (async () => this.createSession?.())();
    this.#wait(ANSWER_TIMEOUT, () => this.#fail('create_failed', 'timeout'));
    const [session, problem] =
      await answer.then((id) => [id, 'session'], (error) => ['', error]);
    if (this.#creating !== answer) return; // asked again after the timeout
    this.#creating = undefined;
    if (!session) return this.#fail('create_failed', problem);
    this.#setAttribute('session', session);
    this.#apply();
    this.#start();
  }

  // --- The frame -------------------------------------------------------------------------------

  /** @returns {void} */
  #start() {
    if (this.#frame || !this.#address) return;
    // The owner may leave the page, as in single-page apps.
    if (this.#owner() !== this) return this.#wait(OWNER_RETRY, () => this.#start());
    // The page's HTML may have the frame, which then loads beside this script.
    const adopted = /** @type {HTMLIFrameElement | null | false} */ (!this.#isModal &&
      this.querySelector(`iframe[src^="${CHECKOUT_ORIGIN + this.#sale}"]`));
    const iframe = adopted || make('iframe', {
      name: ELEMENT_NAME,
      allow: 'clipboard-write',
      sandbox: 'allow-scripts allow-same-origin allow-forms allow-popups ' +
        'allow-popups-to-escape-sandbox',
      src: CHECKOUT_ORIGIN + this.#path() + this.#query + '&theme=' + this.#theme,
    });
    this.#frame = new Frame(iframe, {
      // A blocked frame loads too, without an error: it only lacks the hello.
      onLoad: () => this.#failure || this.#wait(HELLO_TIMEOUT, () => this.#fail('frame_blocked')),
      // Also after a failure, if the frame was only slow.
      onHello: () => {
        this.#setState(adopted ? 'waiting shown' : 'shown');
        if (!this.#isModal || this.#modal.dialog.open) this.#announceShown();
        else this.#postStyle();
      },
      onBlocked: () => this.#fail('csp_frame_src', 'frame-src ' + CHECKOUT_ORIGIN),
      onOnline: () => this.#failure && this.#begin(),
      onEscape: () => this.#isModal && this.close(),
      onClose: this.close,
      onStatus: (...status) =>
        this.#session.update(!this.#isModal || this.#modal.dialog.open, ...status),
      onError: (...error) => this.#report(...error),
    });
    this.#textsSettled?.then(() => {
      if (!this.#texts.listed && !this.#frame?.port && !this.#failure) this.#fail('origin_refused');
    });
    this.#wait(ANSWER_TIMEOUT, () => this.#fail('timeout'));
    adopted || this.#box.append(iframe);
    mark('frame');
  }

  /** Removes the frame and shows the page's link. */
  #stop() {
    this.#frame?.remove();
    this.#frame = undefined;
    this.#setState('waiting');
    this.#session.restart();
  }

  #postStyle() {
    if (!this.#frame?.port) return; // do not compute styles in vain
    const computed = getComputedStyle(this);
    /** @type {Record<string, string>} */
    const message = { type: 'style', preset: this.#attribute('preset') };
    for (const name of this.#frame.tokens) {
      message[name] = computed.getPropertyValue('--coinslot-' + name);
    }
    this.#frame.post(message);
  }

  #announceShown() {
    this.#postStyle();
    this.#frame?.post({ type: 'shown' });
    mark('shown');
  }

  // --- State and errors -----------------------------------------------------------------------

  /**
   * Calls back later, unless the state changes first. There is one timer at a time.
   * @param {number} ms
   * @param {() => unknown} callback
   */
  #wait(ms, callback) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(callback, ms);
  }

  /**
   * Shows what the page has (waiting), the frame (shown), or an error (failed); see styles.css.
   * @param {'waiting' | 'shown' | 'waiting shown' | 'failed'} state
   * @param {string} failure
   */
  #setState(state, failure = '') {
    clearTimeout(this.#timer);
    this.#box.className = state;
    this.#failure = failure;
    this.#renderTexts();
  }

  /** Sets all texts, from the page's attributes or the server. */
  #renderTexts() {
    /** @param {'title' | 'close' | 'failed' | 'create' | 'offline' | 'link' | 'retry'} name */
    const text = (name) => this.#attribute('text-' + name, this.#texts[name]);
    this.#modal.dialog.ariaLabel = text('title');
    this.#modal.dialog.dir = this.#texts.dir;
    this.#modal.closeButton.ariaLabel = text('close');
    if (this.#frame) this.#frame.iframe.title = text('title');
    const url = this.#pageURL();
    this.#notice.replaceChildren(...this.#failure ? [
      text(this.#failure === 'offline' ? 'offline' : url ? 'failed' : 'create'),
      url && make('a', {
        href: url,
        // A page that is not listed may itself be in a frame, and the browser keeps the checkout out.
        target: this.#texts.listed ? '_self' : '_blank',
      }, text('link')),
      make('button', { onclick: () => this.#begin() }, text('retry')),
    ] : []);
  }

  /** Path and query of the checkout: of its session, if it has one that can still be paid. */
  #path() {
    const { id, isOver } = this.#session;
    return id && !isOver ? pathOf(id) : this.#sale;
  }

  /** The checkout's own page; without a sale the page's link, or nothing. */
  #pageURL() {
    if (this.#sale) return CHECKOUT_ORIGIN + this.#path().slice(0, -1);
    return /** @type {HTMLAnchorElement | null} */ (this.querySelector('a[href]'))?.href || '';
  }

  /**
   * Shows that the checkout failed, with the link and a retry button.
   * @param {CoinslotErrorCode} code
   * @param {unknown} fix what the developer has to change
   */
  #fail(code, fix = this.#texts[code] || CHECKOUT_ORIGIN) {
    if (this.contains(/** @type {any} */ (this.#frame?.iframe))) { // one of our own tells what is wrong
      this.#stop();
      return this.#start();
    }
    if (!navigator.onLine) code = fix = 'offline';
    this.#setState('failed', code);
    this.#report(code, true, fix);
  }

  /**
   * @param {string} code
   * @param {boolean} recoverable
   * @param {unknown} fix
   * @param {boolean} [isWarning]
   */
  #report(code, recoverable, fix, isWarning) {
    const error = { code, recoverable, url: this.#pageURL() };
    const doctor = `${CHECKOUT_ORIGIN}/checkout/doctor?origin=${PAGE_ORIGIN}&code=${code}`;
    console.error('coinslot', code, fix, doctor);
    this.#texts.explain?.(code);
    if (isWarning) return;
    this.#session.isOver ||= code === 'session_unknown';
    this.#session.emit('error', error);
    this.#session.ready.reject(Object.assign(Error(code), error));
  }
}
