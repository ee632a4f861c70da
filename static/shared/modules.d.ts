// What the modules import that is no script: tools/bundle makes a string of a style sheet.
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
