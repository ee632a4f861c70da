/**
 * Creates an element. Strings become text, never markup.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Partial<HTMLElementTagNameMap[Tag]> | Record<string, unknown>} [properties]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/**
 * Adds a mark to the browser's performance timeline.
 * @param {string} name
 */
export const mark = (name) => performance.mark('coinslot:' + name);

/**
 * A promise and the functions that settle it.
 * @template T
 */
export class Deferred {
  constructor() {
    /** @type {Promise<T>} */
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.promise.catch(() => {}); // a rejection without a listener is no error of the page
  }

  /** @returns {Deferred<T>} a new one, which settles this one too, unless it has settled */
  next() {
    /** @type {Deferred<T>} */
    const next = new Deferred();
    this.resolve(next.promise);
    return next;
  }
}
