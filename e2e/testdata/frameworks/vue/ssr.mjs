// Rendered on a server: the link of a modal, and the frame of an inline checkout.
import assert from 'node:assert';
import { createSSRApp, h } from 'vue';
import { renderToString } from 'vue/server-renderer';
import { CoinslotCheckout } from '@coinslot/checkout/vue';

const render = (props) => renderToString(createSSRApp({ render: () => h(CoinslotCheckout, { url: 'https://pay.shop.example', session: 'cs_1', ...props }) }));
assert.equal(await render({ mode: 'modal', returnUrl: '/thanks', class: 'pay' }),
  '<coinslot-checkout session="cs_1" mode="modal" return-url="/thanks" class="pay"><a href="https://pay.shop.example/checkout/cs_1">Pay with crypto</a></coinslot-checkout>');
assert.match(await render({ origin: 'https://shop.example' }), /<iframe src="https:..pay.shop.example.checkout.cs_1\?embed=inline&amp;origin=https%3A%2F%2Fshop.example"/);
