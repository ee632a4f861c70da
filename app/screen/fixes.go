package screen

import "coinslot/app/wire"

// fixes are what the host page's developer has to change, by error code: at most 200 ASCII
// characters. frame.js passes them on to the host page. The reason why an order token is invalid is
// left out, because it would help forgers.
var fixes = map[wire.Code]string{
	wire.CodeSessionUnknown: "the session attribute must be an id from POST /v1/sessions " +
		"of this server (COINSLOT_DATABASE)",
	wire.CodeSessionExpired: "the session attribute names an order that is over: " +
		"create one with POST /v1/sessions",
	wire.CodeSessionPaid: "the session attribute names an order that is paid: " +
		"create one with POST /v1/sessions",
	wire.CodeOrderInvalid: "the order attribute must be signed (HS256) with COINSLOT_ORDER_KEY " +
		"and have amount_usd, order_ref and an exp in the future",
	wire.CodeItemUnknown: "the item attribute must be in the file COINSLOT_CATALOG",
	wire.CodeGatewayUnavailable: "run coinslot check on the server: " +
		"COINSLOT_GATEWAY_URL, COINSLOT_GATEWAY_KEY",
	wire.CodeOriginRefused: "COINSLOT_ORIGINS must list the origin of the page around this frame",
}
