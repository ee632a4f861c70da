// Imports that are no scripts: tools/bundle turns a stylesheet into a string.
declare module '*.css' {
  const text: string;
  export default text;
}

/** Go's loader, which the frame imports beside the program, defines it. */
declare class Go {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

interface Window {
  /** For app.wasm; see frame/presses.js. */
  coinslotPressed(): number;
}
