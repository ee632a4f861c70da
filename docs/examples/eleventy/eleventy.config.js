const CHECKOUT = 'http://localhost:8080'; // your checkout's COINSLOT_PUBLIC_URL

/**
 * A checkout for an item of the catalog, as in {% coinslot item="notebook" %}.
 *
 * amount is for items with an open amount; without it, the checkout asks. lang is the page's.
 */
function coinslot({ item, amount, lang = 'en' }) {
  const sale = new URLSearchParams({ item, ...(amount && { amount }) });
  return `<coinslot-checkout item="${item}" ${amount ? `amount="${amount}"` : ''} lang="${lang}">
  <iframe src="${CHECKOUT}/checkout?${sale}&embed=inline&lang=${lang}" referrerpolicy="strict-origin"
    name="coinslot-checkout" title="Checkout" allow="clipboard-write"
    sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox"
    width="100%" height="420" frameborder="0"></iframe>
</coinslot-checkout>`;
}

export default function (config) {
  config.addGlobalData('checkout', CHECKOUT);
  config.addShortcode('coinslot', coinslot);
  return { markdownTemplateEngine: 'njk' }; // whose shortcodes have named arguments
}
