// With React 19 it is known through React's own.
import type {} from 'react';

const good = <coinslot-checkout session="cs_1" open oncoinslot-complete={({ detail }) => detail.receipt.length} />;
// React's own attributes are there, too, and a ref is the element.
declare const ref: { current: CoinslotCheckoutElement | null };
const own = <coinslot-checkout session="cs_1" hidden title="Pay" className="pay" ref={ref} onClick={({ currentTarget }) => currentTarget.show()} />;
declare const link: { current: HTMLAnchorElement | null };
// @ts-expect-error a ref of another element
const other = <coinslot-checkout session="cs_1" ref={link} />;
// @ts-expect-error no such mode
const bad = <coinslot-checkout session="cs_1" mode="popup" />;
export { good, own, other, bad };
