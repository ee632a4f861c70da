// As much of React's types as the tests need.
export namespace JSX {
  interface Element {}
  interface IntrinsicElements {}
}
export interface HTMLAttributes<T> { title?: string; hidden?: boolean; className?: string; onClick?: (event: { currentTarget: T }) => void }
export type DetailedHTMLProps<E, T> = E & { key?: string; ref?: { current: T | null }; children?: unknown };
