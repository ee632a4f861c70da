// With React 19 it is known through React's own.
import type {} from 'react';

const good = <coinslot-checkout session="cs_1" open oncoinslot-complete={({ detail }) => detail.receipt.length} />;
// @ts-expect-error no such mode
const bad = <coinslot-checkout session="cs_1" mode="popup" />;
export { good, bad };
