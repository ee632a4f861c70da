// The frame with the checkout and its messages. Messages that do not match docs/frame-protocol.md are
// ignored, although they come from the checkout's origin.

import { make, mark } from './dom.js';
import { CHECKOUT_ORIGIN } from './origins.js';
import { WALLET_SCHEMES } from '../shared/wallets.js';

/** CSP directives that control frames. */
const FRAME_DIRECTIVE = /frame|child|default/;

const SESSION = /^(cs_[\w-]+)?$/; // empty while nothing is stored
const RECEIPT = /^[\w-]+(\.[\w-]+){2}$/; // a JWT
const NAME = /^[a-z_]+$/; // of a status or an error
const FIX = /^[ -~]{1,200}$/; // one line of ASCII

/**
 * @param {unknown} value
 * @param {RegExp} shape
 * @returns {value is string}
 */
const has = (value, shape) => typeof value === 'string' && shape.test(value);

/**
 * Callbacks for a frame's events.
 * @typedef {object} FrameListener
 * @property {() => void} onLoad the frame has loaded, perhaps the browser's error page
 * @property {() => void} onHello the checkout has loaded, also after a navigation of the frame
 * @property {() => void} onBlocked the page's policy forbids the frame
 * @property {() => void} onOnline the browser is connected again
 * @property {() => void} onEscape the shopper pressed Escape
 * @property {() => void} onClose the shopper closes the checkout
 * @property {(type: 'ready' | 'status' | 'complete', session: string, status: CoinslotStatus,
 *   receipt: string, again: boolean) => void} onStatus session and status may be
 *   unchanged; receipt may be empty; again: the shopper can try again
 * @property {(code: string, recoverable: boolean, fix: string, isWarning: boolean) => void} onError
 *   fix is what the page's developer has to change; it may be empty. A warning is for the console
 */

export class Frame {
  /** @type {MessagePort | undefined} the private channel, after the frame's hello */
  port;

  /** @type {string[]} custom properties that the frame knows, without their prefix */ tokens = [];

  #listening = new AbortController(); // removes the event listeners
  #listener;

  /**
   * @param {HTMLIFrameElement} iframe
   * @param {FrameListener} listener
   */
  constructor(iframe, listener) {
    this.iframe = iframe;
    this.#listener = listener;
    iframe.onload = listener.onLoad;
    const { signal } = this.#listening;
    addEventListener('message', (event) => this.#onMessage(event), { signal });
    addEventListener('securitypolicyviolation', (event) => {
      if (event.disposition === 'enforce' && FRAME_DIRECTIVE.test(event.effectiveDirective) &&
        event.blockedURI && iframe.src.startsWith(event.blockedURI)) listener.onBlocked();
    }, { signal });
    addEventListener('online', listener.onOnline, { signal });
  }

  /** @param {object} message is dropped before the frame's hello */
  post(message) {
    this.port?.postMessage(message);
  }

  remove() {
    this.#listening.abort();
    this.port?.close();
    this.iframe.remove();
  }

  /** @param {MessageEvent} event of the window, from any sender */
  #onMessage({ origin, source, data, ports }) {
    if (origin !== CHECKOUT_ORIGIN || source !== this.iframe.contentWindow ||
      data?.coinslot !== 1 || !ports[0]) return;
    mark('hello');
    this.iframe.onload = null;
    this.port = ports[0];
    this.tokens = data.tokens || [];
    this.port.onmessage = (event) => event.data && this.#receive(event.data);
    this.#listener.onHello();
  }

  /** @param {any} message */
  #receive({ type, session, status, receipt, height, href, code, recoverable, cure, again }) {
    switch (type) {
      case 'ready':
      case 'status':
      case 'complete':
        if (has(session, SESSION) && has(status, NAME)) {
          this.#listener.onStatus(type, session, /** @type {CoinslotStatus} */ (status),
            has(receipt, RECEIPT) ? receipt : '', again);
        }
        break;
      case 'size':
        this.iframe.style.height = height + 'px'; // CSS limits it and ignores invalid values
        break;
      case 'open': {
        const link = make('a', { href, target: '_self' });
        if (WALLET_SCHEMES.includes(link.protocol)) link.click();
        break;
      }
      case 'error':
      case 'warning':
        if (has(code, NAME)) {
          this.#listener.onError(code, Boolean(recoverable), has(cure, FIX) ? cure : '', type === 'warning');
        }
        break;
      case 'escape':
        this.#listener.onEscape();
        break;
      case 'close':
        this.#listener.onClose();
    }
  }
}
