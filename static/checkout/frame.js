// The frame with the checkout, and what it says. It comes from the checkout's origin, and is not
// believed all the same: what does not have the shape of docs/frame-protocol.md is ignored.

import { make, mark } from './dom.js';
import { CHECKOUT_ORIGIN } from './origins.js';
import { CHOOSING, FINAL, WAITING } from '../shared/statuses.js';
import { WALLET_SCHEMES } from '../shared/wallets.js';

const STATUSES = [...CHOOSING, ...WAITING, ...FINAL];

/** Directives of a policy that decide which frames a page may have. */
const FRAME_DIRECTIVES = ['frame-src', 'child-src', 'default-src'];

const SESSION = /^(cs_[\w-]+)?$/; // empty while an order or item has none
const RECEIPT = /^[\w-]+(\.[\w-]+){2}$/; // a JWT
const ERROR_CODE = /^[a-z_]+$/;
const FIX = /^[ -~]{1,200}$/; // one line of ASCII

/**
 * @param {unknown} value
 * @param {RegExp} shape
 * @returns {value is string}
 */
const has = (value, shape) => typeof value === 'string' && shape.test(value);

/**
 * What a frame tells the element.
 * @typedef {object} FrameListener
 * @property {() => void} onLoad something was loaded, which may be the browser's error page
 * @property {() => void} onHello the checkout is there, or there again: the frame has navigated
 * @property {() => void} onBlocked the page's policy forbids the frame
 * @property {() => void} onOnline the browser is connected again
 * @property {() => void} onEscape the shopper pressed Escape
 * @property {() => void} onClose the shopper closes the checkout
 * @property {(type: 'ready' | 'status' | 'complete', session: string, status: CoinslotStatus,
 *   receipt: string) => void} onStatus session and status may be as before; no receipt is empty
 * @property {(code: string, recoverable: boolean, fix: string) => void} onError fix is what the
 *   page's developer has to change; it may be empty
 */

export class Frame {
  /** @type {MessagePort | undefined} the private channel; there once the frame has said hello */
  port;

  #listening = new AbortController(); // aborted when nothing is listened to any more
  #listener;

  /**
   * @param {string} address
   * @param {FrameListener} listener
   */
  constructor(address, listener) {
    this.#listener = listener;
    this.iframe = make('iframe', {
      name: 'coinslot-checkout',
      allow: 'clipboard-write',
      sandbox: 'allow-scripts allow-same-origin allow-forms allow-popups ' +
        'allow-popups-to-escape-sandbox',
      onload: listener.onLoad,
      src: address,
    });
    const { signal } = this.#listening;
    addEventListener('message', (event) => this.#greet(event), { signal });
    addEventListener('securitypolicyviolation', (event) => {
      if (event.disposition === 'enforce' && FRAME_DIRECTIVES.includes(event.effectiveDirective) &&
        event.blockedURI && this.iframe.src.startsWith(event.blockedURI)) listener.onBlocked();
    }, { signal });
    addEventListener('online', listener.onOnline, { signal });
  }

  /** @param {object} message is lost if the frame has not said hello */
  post(message) {
    this.port?.postMessage(message);
  }

  remove() {
    this.#listening.abort();
    this.port?.close();
    this.iframe.remove();
  }

  /** @param {MessageEvent} event of the window: anybody may have sent it */
  #greet({ origin, source, data, ports }) {
    if (origin !== CHECKOUT_ORIGIN || source !== this.iframe.contentWindow ||
      data?.coinslot !== 1 || !ports[0]) return;
    mark('hello');
    this.iframe.onload = null;
    this.port = ports[0];
    this.port.onmessage = (event) => event.data && this.#receive(event.data);
    this.#listener.onHello();
  }

  /** @param {any} message */
  #receive({ type, session, status, receipt, height, href, code, recoverable, cure }) {
    const { onClose, onEscape, onError, onStatus } = this.#listener;
    switch (type) {
      case 'ready':
      case 'status':
      case 'complete':
        if (has(session, SESSION) && STATUSES.includes(status)) {
          onStatus(type, session, status, has(receipt, RECEIPT) ? receipt : '');
        }
        break;
      case 'size':
        this.iframe.style.height = height + 'px'; // CSS limits it, and ignores what is no length
        break;
      case 'open': {
        const link = make('a', { href });
        if (WALLET_SCHEMES.includes(link.protocol)) link.click();
        break;
      }
      case 'error':
        if (has(code, ERROR_CODE)) onError(code, Boolean(recoverable), has(cure, FIX) ? cure : '');
        break;
      case 'escape':
        onEscape();
        break;
      case 'close':
        onClose();
    }
  }
}
