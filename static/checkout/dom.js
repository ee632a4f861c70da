/**
 * Makes an element. No text becomes markup.
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
 * Notes in the browser's performance timeline that something has happened.
 * @param {string} name
 */
export const mark = (name) => performance.mark('coinslot:' + name);

/**
 * A promise and the functions that settle it.
 * @template T
 */
export class Deferred {
  /** @type {(value: T | Promise<T>) => void} */ resolve = () => {};
  /** @type {(reason: Error) => void} */ reject = () => {};

  /** @type {Promise<T>} */
  promise = new Promise((resolve, reject) => Object.assign(this, { resolve, reject }));

  constructor() {
    this.promise.catch(() => {}); // that nobody listens is no error of the page
  }

  /** @param {Deferred<T>} next to be waited for instead, unless this one has settled */
  followedBy(next) {
    this.resolve(next.promise);
    return next;
  }
}
