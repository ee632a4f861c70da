import { Deferred, mark } from './dom.js';
import { returnToShop } from './return.js';

/** @import { FrameListener } from './frame.js' */

/** The session as the page sees it: by properties, events and promises. */
export class Session {
  id = '';
  /** @type {CoinslotStatus | ''} */ status = '';
  /** @type {Deferred<CoinslotDetail>} */ ready = new Deferred();
  /** @type {Deferred<CoinslotResult>} */ result = new Deferred();

  #isReady = false;
  /** @type {CoinslotStatus | ''} the final status last reported */ #reported = '';
  #element;

  /** @param {HTMLElement} element on which events are dispatched */
  constructor(element) {
    this.#element = element;
  }

  /** @param {string} id of another session; empty = unknown */
  change(id) {
    this.id = id;
    this.status = this.#reported = '';
  }

  /** Starts new promises for another frame. */
  restart() {
    this.#isReady = false;
    this.ready = this.ready.followedBy(new Deferred());
    this.result = this.result.followedBy(new Deferred());
  }

  /** @type {FrameListener['onStatus']} */
  update(type, session, status, receipt) {
    const isNew = this.id !== session || this.status !== status;
    this.id = session;
    this.status = status;
    if (type === 'ready' && !this.#isReady) {
      this.#isReady = true;
      mark('ready');
      this.emit('ready');
      this.ready.resolve({ session, status });
    }
    if (isNew) this.emit('status');
    if (type === 'complete' && this.#reported !== status) {
      this.#reported = status;
      this.#complete({ session, status, receipt });
    }
  }

  /** @param {CoinslotResult} result */
  #complete(result) {
    this.result.resolve(result);
    const url = this.#element.getAttribute('return-url');
    if (this.emit('complete', result) && result.status === 'confirmed') returnToShop(url, result);
  }

  /**
   * @param {string} name of the event, without its prefix
   * @param {object} [more] goes into its detail
   * @returns {boolean} whether the page has not prevented the default
   */
  emit(name, more) {
    return this.#element.dispatchEvent(new CustomEvent('coinslot-' + name, {
      bubbles: true, composed: true, cancelable: true,
      detail: { session: this.id, status: this.status, ...more },
    }));
  }
}
