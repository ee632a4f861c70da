import { JSX as Own } from './index';
export namespace JSX {
  interface Element extends Own.Element {}
  interface IntrinsicElements extends Own.IntrinsicElements {}
}
export const jsx: any, jsxs: any;
