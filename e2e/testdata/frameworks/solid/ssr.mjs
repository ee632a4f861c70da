// Rendered on a server: the link of a modal, and the frame of an inline checkout.
import assert from 'node:assert';
import { createComponent, renderToString } from 'solid-js/web';
import { CoinslotCheckout } from '@coinslot/checkout/solid';

const render = (props) => renderToString(() => createComponent(CoinslotCheckout, { url: 'https://pay.shop.example', session: 'cs_1', ...props }));
assert.match(render({ mode: 'modal', returnUrl: '/thanks' }), /session="cs_1" mode="modal" return-url="\/thanks" ><a [^>]*href="https:..pay.shop.example.checkout.cs_1"/);
assert.match(render({ origin: 'https://shop.example' }), /<iframe [^>]*src="https:..pay.shop.example.checkout.cs_1\?embed=inline&amp;origin=https%3A%2F%2Fshop.example"/);
