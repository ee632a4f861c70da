// As much of React 19's types as the test needs.
export namespace JSX {
  interface Element {}
  interface IntrinsicElements {}
}
