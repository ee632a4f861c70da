/** Whether the shopper's connection is slow, or to be spared: then nothing is loaded early. */
export function isSparing() {
  const { connection } = /** @type {any} */ (navigator); // in Chromium only
  return Boolean(connection?.saveData || connection?.effectiveType?.includes('2g'));
}
