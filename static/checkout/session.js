import { Deferred, mark } from './dom.js';
import { returnToShop } from './return.js';

/** @import { FrameListener } from './frame.js' */

/** The session as the page sees it: by properties, events and promises. */
export class Session {
  id = '';
  /** @type {CoinslotStatus | ''} */ status = '';
  isOver = false; // it can no longer be paid, so that another order may be made
  /** @type {Deferred<CoinslotDetail>} */ ready = new Deferred();
  /** @type {Deferred<CoinslotResult>} */ result = new Deferred();

  #isReady = false;
  /** @type {CoinslotResult | undefined} reported to the page */ #outcome;
  #element;

  /** @param {HTMLElement} element on which events are dispatched */
  constructor(element) {
    this.#element = element;
  }

  /** @param {string} id perhaps of another session; empty = unknown */
  change(id) {
    this.isOver &&= this.id === id;
    this.id = id;
    this.status = '';
    this.#outcome = undefined;
  }

  /** Starts new promises for another frame. */
  restart() {
    this.#isReady = false;
    this.ready = this.ready.next();
    this.result = this.result.next();
  }

  /**
   * @param {boolean} isOpen whether the shopper sees the frame
   * @param {Parameters<FrameListener['onStatus']>[0]} type
   * @param {string} session
   * @param {CoinslotStatus} status
   * @param {string} receipt
   * @param {boolean} again
   */
  update(isOpen, type, session, status, receipt, again) {
    const isNew = this.id !== session || this.status !== status;
    if (isNew && this.#outcome) { // the shopper tries again, or paid late
      this.#outcome = undefined;
      this.result = this.result.next();
    }
    this.id = session;
    this.status = status;
    this.isOver = type === 'complete' && !again;
    if (type === 'ready' && !this.#isReady) {
      this.#isReady = true;
      mark('ready');
      this.emit('ready');
      this.ready.resolve({ session, status });
    }
    if (isNew) this.emit('status');
    if (type === 'complete' && !this.#outcome) {
      this.#outcome = { session, status, receipt };
      if (!again || !isOpen) this.settle();
      const url = this.#element.getAttribute('return-url');
      if (this.emit('complete', this.#outcome) && status === 'confirmed') {
        returnToShop(url, this.#outcome);
      }
    }
  }

  /** Settles the result with the outcome, if there is one: the shopper does not try again. */
  settle() {
    if (this.#outcome) this.result.resolve(this.#outcome);
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
