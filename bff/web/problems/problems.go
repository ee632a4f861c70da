// Package problems is the table of errors that HTTP answers with. It is apart from package web
// because the API's documentation is built from it.
package problems

import "coinslot/app/wire"

// Answer is the HTTP status of an error code, and a sentence for developers. The sentence for
// shoppers is the text "problem.<code>" in the page's language.
type Answer struct {
	Status int
	Detail string
}

// Answers is the table of errors; an unlisted code is answered as CodeInternal. A test compares
// it with docs/errors.md.
var Answers = map[wire.Code]Answer{
	wire.CodeSessionUnknown: {404, "no such session"},
	wire.CodeSessionExpired: {410,
		"the session has ended without a choice, or was closed by the merchant"},
	wire.CodeSessionPaid: {409, "the session is paid already"},
	wire.CodeOrderInvalid: {422,
		"the order token is invalid: wrong key or algorithm, expired, or a missing or wrong claim"},
	wire.CodeItemUnknown: {404, "the catalog has no such item"},
	wire.CodeGatewayUnavailable: {503,
		"the payment gateway is unreachable or refuses requests; try again in a moment"},
	wire.CodeOriginRefused: {403,
		"this page may not embed the checkout: add its origin to COINSLOT_ORIGINS"},
	wire.CodeNetworkUnsupported: {422,
		"unknown currency or network, or not allowed for this order"},
	wire.CodeNetworkRequired:    {422, "choose a currency and one of its networks"},
	wire.CodeAmountBelowMinimum: {422, "the amount is below the network's minimum"},
	wire.CodeAmountAboveMaximum: {422, "the amount is above the network's maximum"},
	wire.CodePaymentInProgress: {409,
		"a payment is being prepared or has begun; it cannot be changed or canceled now"},
	wire.CodePaymentRefused:  {422, "the gateway refused this payment"},
	wire.CodeTooManyAttempts: {409, "the session has used up its attempts; send its order to POST /v1/sessions again"},
	wire.CodeNotPossible:     {409, "not possible in the session's current status"},
	wire.CodeUnauthorized:    {401, "send Authorization: Bearer with a key of COINSLOT_SECRET_KEY"},
	wire.CodeAmountRequired:  {422, "amount_usd is required: a decimal string like \"25.00\""},
	wire.CodeAmountType: {422,
		`amount_usd must be a decimal string like "25.00", not a number`},
	wire.CodeAmountInvalid: {422,
		"the amount must be more than zero, with at most the fractional digits of its currency, and " +
			"within the item's limits"},
	wire.CodeCurrencyUnsupported: {400,
		"this checkout has no exchange rate for the currency; GET /v1/rates lists those it has"},
	wire.CodeRateUnavailable: {503,
		"no exchange rate of the currency can be trusted now; nothing was opened, try again later"},
	wire.CodeInvalid:        {422, "the value is missing, malformed, too long or out of range"},
	wire.CodeUnknownField:   {422, "unknown member; names are case-sensitive"},
	wire.CodeDuplicateField: {422, "the member is given twice"},
	wire.CodeBadJSON:        {400, "the body is not one JSON object in UTF-8"},
	wire.CodeOrderConflict:  {409, "order_ref belongs to another order already"},
	wire.CodeIdempotency:    {409, "the Idempotency-Key was used with another body"},
	wire.CodeReviewChanged: {409,
		"the review has changed since you read it: read review_reason again, then resolve it"},
	wire.CodeRefundConflict: {409,
		"tx_id belongs to another refund of the session, with another amount or coin"},
	wire.CodeRefundExceeds: {409,
		"more would have gone back than arrived in this coin: send confirm_excess if it did"},
	wire.CodeWebhookUnset: {409,
		"no endpoint is configured: set COINSLOT_WEBHOOK_URL and COINSLOT_WEBHOOK_SECRET"},
	wire.CodeCursorGone: {410,
		"the event at this cursor no longer exists, as after a database restore: " +
			"read the events again from the beginning"},
	wire.CodeTooLarge: {413, "the body is larger than 64 KiB"},
	wire.CodeMediaType: {415,
		"send application/json or, from a form, application/x-www-form-urlencoded"},
	wire.CodeMethod:             {405, "the method is not allowed here"},
	wire.CodeUpgradeRequired:    {426, "not a websocket handshake (RFC 6455, version 13)"},
	wire.CodeNotFound:           {404, "not found"},
	wire.CodeForbidden:          {403, "requests from other origins are refused"},
	wire.CodeRateLimited:        {429, "too many requests; slow down"},
	wire.CodeStorageUnavailable: {503, "the database is unavailable; nothing was changed"},
	wire.CodeInternal: {500,
		"something went wrong; give the request id to the server's operator"},
}
