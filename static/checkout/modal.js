import { make } from './dom.js';

/** The modal: a dialog with a close button, over a page that does not scroll meanwhile. */
export class Modal {
  #pressedBackdrop = false;

  /**
   * @param {() => void} requestClose is called when the shopper wants to close it
   * @param {() => void} onClosed is called when it has closed
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
        if (dialog.open) return; // it has been opened again meanwhile
        page.overflow = '';
        dialog.inert = true;
        onClosed();
      },
      // Only a press that begins and ends on the backdrop closes, and not the second half of a
      // double click on what has opened it.
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
