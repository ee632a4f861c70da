/**
 * What the host page's developer has to change, by error code: at most 200 ASCII characters. The
 * reason why an order token is invalid is left out, because it would help forgers.
 * @type {Record<string, string>}
 */
export const FIXES = {
  session_unknown: 'the session attribute must be an id from POST /v1/sessions ' +
    'of this server (COINSLOT_DATABASE)',
  session_expired: 'the session attribute names an order that is over: ' +
    'create one with POST /v1/sessions',
  session_paid: 'the session attribute names an order that is paid: ' +
    'create one with POST /v1/sessions',
  order_invalid: 'the order attribute must be signed (HS256) with COINSLOT_ORDER_KEY ' +
    'and have amount_usd, order_ref and an exp in the future',
  item_unknown: 'the item attribute must be in the file COINSLOT_CATALOG',
  gateway_unavailable: 'run coinslot check on the server: ' +
    'COINSLOT_GATEWAY_URL, COINSLOT_GATEWAY_KEY',
  origin_refused: 'COINSLOT_ORIGINS must list the origin of the page around this frame',
};
