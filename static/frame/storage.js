// A third-party frame may be refused its storage: then the mere look at it throws. go-app looks
// when it starts, and a Go program does not survive a getter that throws, so storage that throws is
// replaced by one that forgets.

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
