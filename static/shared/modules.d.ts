// Imports that are no scripts: tools/bundle turns a stylesheet into a string.
declare module '*.css' {
  const text: string;
  export default text;
}

/** static/program.js, which comes with Go's loader. @param text the page's texts */
declare function coinslotListLanguages(text: string): void;

/** Go's loader, which the frame imports beside the program, defines it. */
declare class Go {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

interface Window {
  /** For app.wasm; see frame/presses.js. */
  coinslotPressed(): number;
  /** For app.wasm; see frame/webassembly.js. */
  coinslotTurn(): Promise<void>;
}
