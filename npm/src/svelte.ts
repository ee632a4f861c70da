// <CoinslotCheckout> for Svelte 5.
export { default as CoinslotCheckout } from './CoinslotCheckout.svelte';
