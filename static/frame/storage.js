// Browsers may block the storage of a third-party frame: its getter throws, which would end go-app
// at its start. Such storage is replaced by one in memory.

for (const name of /** @type {const} */ (['localStorage', 'sessionStorage'])) {
  try {
    window[name].length;
  } catch {
    /** @type {Map<string, string>} */
    const items = new Map();
    /** @type {Storage} */
    const value = {
      getItem: (key) => items.get(String(key)) ?? null,
      setItem: (key, text) => void items.set(String(key), String(text)),
      removeItem: (key) => void items.delete(String(key)),
      clear: () => items.clear(),
      key: (index) => [...items.keys()][index] ?? null,
      get length() { return items.size; },
    };
    Object.defineProperty(window, name, { value, configurable: true });
  }
}
