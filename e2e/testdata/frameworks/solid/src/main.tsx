import { createSignal } from 'solid-js';
import { render } from 'solid-js/web';
import type { CoinslotCheckoutElement } from '@coinslot/checkout';
import { CoinslotCheckout } from '@coinslot/checkout/solid';

// Never rendered: what the types take of the plain element, and what they refuse.
export const typed = [
  () => <coinslot-checkout session="cs_1" hidden title="Pay" class="pay" on:coinslot-complete={({ detail }) => detail.receipt.length} />,
  // @ts-expect-error no such mode
  () => <CoinslotCheckout mode="popup" />,
  // @ts-expect-error no such theme
  () => <coinslot-checkout theme="blue" />,
];

function App() {
  const [paid, setPaid] = createSignal('');
  let element: CoinslotCheckoutElement | undefined;
  return (
    <>
      <CoinslotCheckout ref={(el) => { element = el; }} url="http://localhost:8080" title="Pay"
        session={new URLSearchParams(location.search).get('session') ?? undefined}
        onComplete={({ detail }) => setPaid(`${detail.session} ${element?.status}`)} />
      <p role="status">{paid()}</p>
    </>
  );
}

render(() => <App />, document.querySelector('#app')!);
