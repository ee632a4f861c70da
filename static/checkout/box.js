import { make } from './dom.js';

/**
 * The box in the dialog or, inline, in the page. It shows the page's link (waiting), the frame
 * (shown), or an error with a link and a button (failed), by class names in styles.css.
 */
export class Box {
  #notice = make('p', { role: 'alert' });
  element = make('div', {}, make('progress'), this.#notice);

  /** @param {'waiting' | 'shown' | 'failed'} state */
  show(state) {
    this.element.className = state;
  }

  /**
   * @param {string} failure what went wrong
   * @param {HTMLAnchorElement | ''} link
   * @param {HTMLButtonElement} button
   */
  describe(failure, link, button) {
    this.#notice.replaceChildren(failure, link, button);
  }
}
