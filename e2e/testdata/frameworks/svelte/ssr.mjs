// Rendered on a server: the link of a modal, and the frame of an inline checkout.
import assert from 'node:assert';
import { createServer } from 'vite';

const vite = await createServer({ server: { middlewareMode: true, hmr: false, ws: false }, appType: 'custom', logLevel: 'error' });
const { CoinslotCheckout } = await vite.ssrLoadModule('@coinslot/checkout/svelte');
const { render } = await vite.ssrLoadModule('svelte/server');
const html = (props) => render(CoinslotCheckout, { props: { url: 'https://pay.shop.example', session: 'cs_1', ...props } }).body;
assert.match(html({ mode: 'modal', returnUrl: '/thanks' }), /session="cs_1" mode="modal" return-url="\/thanks">.*<a href="https:..pay.shop.example.checkout.cs_1">/s);
assert.match(html({ origin: 'https://shop.example' }), /<iframe src="https:..pay.shop.example.checkout.cs_1\?embed=inline&amp;origin=https%3A%2F%2Fshop.example"/);
await vite.close();
