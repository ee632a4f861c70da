// With React 18 the element is known through the global JSX namespace.
const good = <coinslot-checkout session="cs_1" mode="modal" return-url="/thanks"><a href="/pay">Pay</a></coinslot-checkout>;
// @ts-expect-error no such theme
const bad = <coinslot-checkout session="cs_1" theme="blue" />;
export { good, bad };

declare global {
  namespace JSX {
    interface IntrinsicElements { a: { href: string; children?: any } }
  }
}
