import { createSignal } from 'solid-js';
import { render } from 'solid-js/web';
import type { CoinslotCheckoutElement } from '@coinslot/checkout';
import { CoinslotCheckout } from '@coinslot/checkout/solid';

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
