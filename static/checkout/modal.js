import { make } from './dom.js';

/** Events that close or refocus a dialog of the page's own, if they come from outside of it. */
const OUTSIDE = ['pointerdown', 'mousedown', 'click', 'focusin'];

/** @type {Set<Modal>} */
const opened = new Set();
/** Gives the page its own styles back. @type {() => void} */
let unlock;

/** @param {Event} event which the page does not get */
const hide = (event) => event.stopPropagation();

/** @param {KeyboardEvent} event Escape closes this dialog only, not one of the page's below it */
const onKey = (event) => event.key === 'Escape' && hide(event);

/** The modal dialog with a close button. The page behind it does not scroll. */
export class Modal {
  #pressedBackdrop = false;

  /**
   * @param {() => void} requestClose the shopper wants to close the dialog
   * @param {() => void} onClosed the dialog has closed
   */
  constructor(requestClose, onClosed) {
    this.closeButton = make('button', { onclick: requestClose }, '×');
    const dialog = this.dialog = make('dialog', {
      inert: true,
      /** @param {Event} event */
      oncancel(event) {
        event.preventDefault();
        requestClose();
      },
      onclose: () => {
        if (dialog.open) return; // opened again meanwhile
        opened.delete(this);
        if (!opened.size) unlock();
        dialog.inert = true;
        onClosed();
      },
      // A press must start and end on the backdrop, and not be the second half of the double click
      // that opened the dialog.
      /** @param {MouseEvent} event */
      onmousedown: (event) => {
        this.#pressedBackdrop = event.target === dialog && event.detail === 1;
      },
      /** @param {MouseEvent} event */
      onmouseup: (event) => {
        if (this.#pressedBackdrop && event.target === dialog) requestClose();
      },
    }, this.closeButton);
    for (const type of OUTSIDE) dialog.addEventListener(type, hide);
  }

  open() {
    if (!opened.size) unlock = lockPage();
    opened.add(this);
    this.dialog.inert = false;
    this.dialog.showModal();
  }
}

/**
 * Keeps the page from scrolling, without a jump where a scrollbar has a width.
 * @returns {() => void} puts back what was there
 */
function lockPage() {
  const { body, documentElement: root } = document;
  // The page scrolls by the body's overflow, if only the body has one.
  const { style } = [root, body].find((one) => getComputedStyle(one).overflow !== 'visible') ?? root;
  const { overflowX, overflowY } = style;
  const { scrollbarGutter } = root.style;
  if (innerWidth > root.clientWidth) root.style.scrollbarGutter = 'stable';
  style.overflow = 'hidden';
  addEventListener('keydown', onKey, true);
  return () => {
    Object.assign(style, { overflowX, overflowY });
    root.style.scrollbarGutter = scrollbarGutter;
    removeEventListener('keydown', onKey, true);
  };
}
