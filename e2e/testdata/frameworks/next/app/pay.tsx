'use client';
import { StrictMode, useRef, useState } from 'react';
import type { CoinslotCheckoutElement } from '@coinslot/checkout';
import { CoinslotCheckout } from '@coinslot/checkout/react';

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
