import { make } from './dom.js';

/** The modal dialog with a close button. The page behind it does not scroll. */
export class Modal {
  #pressedBackdrop = false;

  /**
   * @param {() => void} requestClose the shopper wants to close the dialog
   * @param {() => void} onClosed the dialog has closed
   */
  constructor(requestClose, onClosed) {
    const page = document.documentElement.style;
    this.closeButton = make('button', { onclick: requestClose }, '×');
    const dialog = this.dialog = make('dialog', {
      inert: true,
      /** @param {Event} event */
      oncancel(event) {
        event.preventDefault();
        requestClose();
      },
      onclose() {
        if (dialog.open) return; // opened again meanwhile
        page.overflow = '';
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
  }

  open() {
    document.documentElement.style.overflow = 'hidden';
    this.dialog.inert = false;
    this.dialog.showModal();
  }
}
