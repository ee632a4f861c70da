package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"coinslot/app/wire"
	"coinslot/bff/logs"
)

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
		"the amount must be more than zero, with at most two fractional digits, and within the " +
			"item's limits"},
	wire.CodeInvalid:        {422, "the value is missing, malformed, too long or out of range"},
	wire.CodeUnknownField:   {422, "unknown member; names are case-sensitive"},
	wire.CodeDuplicateField: {422, "the member is given twice"},
	wire.CodeBadJSON:        {400, "the body is not one JSON object in UTF-8"},
	wire.CodeOrderConflict:  {409, "order_ref belongs to another order already"},
	wire.CodeIdempotency:    {409, "the Idempotency-Key was used with another body"},
	wire.CodeReviewChanged: {409,
		"the review has changed since you read it: read review_reason again, then resolve it"},
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

// Refuse returns an error that clients may see.
func Refuse(code wire.Code, param string) error {
	return &wire.Error{Code: code, Param: param, Detail: string(code)}
}

// publicError is what clients may see of an error.
func publicError(err error) wire.Error {
	e := wire.Error{Code: wire.CodeInternal}
	own := ""
	if known, is := errors.AsType[*wire.Error](err); is {
		e.Code = known.Code
		e.Param = known.Param
		own = ownDetail(known)
	} else if _, is := errors.AsType[*http.MaxBytesError](err); is {
		e.Code = wire.CodeTooLarge
	}

	a, ok := Answers[e.Code]
	if !ok {
		e.Code = wire.CodeInternal
		a = Answers[e.Code]
	}

	e.Type = errorDocs + string(e.Code)
	e.Status = a.Status
	e.Title = http.StatusText(a.Status)
	e.Detail = cmp.Or(own, a.Detail)
	return e
}

// ownDetail returns the error's own sentence about a value, "" for that of the table. It quotes
// nothing of the request.
func ownDetail(e *wire.Error) string {
	if e.Detail == string(e.Code) {
		return ""
	}
	switch e.Code {
	case wire.CodeInvalid, wire.CodeOrderInvalid, wire.CodeBadJSON:
		return e.Detail
	}
	return ""
}

// errorDocs is the page that explains the codes, docs/errors.md.
const errorDocs = "/docs/errors#"

// StorageError marks an error of the database; it returns nil and a *wire.Error unchanged.
func StorageError(err error) error {
	_, known := errors.AsType[*wire.Error](err)
	if err == nil || known {
		return err
	}
	return fmt.Errorf("%w: %w", Refuse(wire.CodeStorageUnavailable, ""), err)
}

// writeProblem writes err as application/problem+json. Source: RFC 9457.
func (s *Server) writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	e := s.logError(r, err)
	s.SetKind(w, KindData)
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	if e.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="coinslot"`)
	}

	setRetryAfter(h, e.Status, err)
	if e.Status == http.StatusUpgradeRequired { // RFC 9110, 15.5.22; RFC 6455, 4.4
		h.Set("Connection", "Upgrade")
		h.Set("Upgrade", "websocket")
		h.Set("Sec-WebSocket-Version", "13")
	}

	w.WriteHeader(e.Status)
	json.NewEncoder(w).Encode(e)
}

// logError logs err, at level error if it is the server's fault, and returns its public form.
func (s *Server) logError(r *http.Request, err error) wire.Error {
	e := publicError(err)
	e.RequestID = logs.Request(r.Context())
	level := slog.LevelDebug
	if e.Status >= 500 && !errors.Is(err, context.Canceled) {
		level = slog.LevelError
	}
	s.Log.Log(r.Context(), level, "request refused", "code", e.Code, "route", routePath(r), "error",
		err)
	return e
}
