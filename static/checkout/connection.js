/** Whether the shopper's connection is slow or saves data, so that nothing is loaded early. */
export function isSparing() {
  const { connection } = /** @type {any} */ (navigator); // Chromium only
  return connection?.saveData || connection?.effectiveType?.includes('2g');
}
