'use client';
import { StrictMode, useRef, useState } from 'react';
import type { CoinslotCheckoutElement } from '@coinslot/checkout';
import { CoinslotCheckout } from '@coinslot/checkout/react';

// Never rendered: what the types take of the plain element, and what they refuse.
export const typed = [
  () => <coinslot-checkout session="cs_1" hidden title="Pay" className="pay" oncoinslot-complete={({ detail }) => detail.receipt.length}
    onClick={({ currentTarget }) => currentTarget.show()} />,
  // @ts-expect-error no such mode
  () => <CoinslotCheckout mode="popup" />,
  // @ts-expect-error no such theme
  () => <coinslot-checkout theme="blue" />,
];

export function Pay({ session }: { session: string }) {
  const [paid, setPaid] = useState('');
  const element = useRef<CoinslotCheckoutElement>(null);
  return (
    <StrictMode>
      <CoinslotCheckout ref={element} url="http://localhost:8080" origin="http://localhost:3000" session={session} lang="en" title="Pay"
        onComplete={({ detail }) => setPaid(`${detail.session} ${element.current?.status}`)} />
      <p role="status">{paid}</p>
    </StrictMode>
  );
}
