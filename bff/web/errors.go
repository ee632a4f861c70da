package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"coinslot/app/wire"
	"coinslot/bff/logs"
)

// answer is how an error code leaves the server: the HTTP status, and a
// sentence for developers. The sentence for shoppers is a text key,
// "problem.<code>", in the page's language.
type answer struct {
	status int
	detail string
}

// answers is the one table of errors; a code that is not in it is answered as
// CodeInternal. docs/errors.md lists it, and a test compares the two.
var answers = map[wire.Code]answer{
	wire.CodeSessionUnknown: {404, "no such session"},
	wire.CodeSessionExpired: {
		410, "the session has ended without a choice, or was closed by the merchant",
	},
	wire.CodeSessionPaid: {409, "the session is paid already"},
	wire.CodeOrderInvalid: {
		422,
		"the order token is not valid: wrong key or algorithm, expired, or a claim is missing or " +
			"wrong",
	},
	wire.CodeItemUnknown: {404, "the catalogue has no such item"},
	wire.CodeGatewayUnavailable: {
		503, "the payment gateway cannot be reached or refuses requests now; try again in a moment",
	},
	wire.CodeOriginRefused: {
		403, "this page may not embed the checkout: add its origin to COINSLOT_ORIGINS",
	},
	wire.CodeNetworkUnsupported: {422, "no such currency and network, or not for this order"},
	wire.CodeNetworkRequired:    {422, "choose a currency and one of its networks"},
	wire.CodeAmountBelowMinimum: {422, "the amount is below the network's minimum"},
	wire.CodeAmountAboveMaximum: {422, "the amount is above the network's maximum"},
	wire.CodePaymentInProgress: {
		409, "a payment is being prepared or has begun; it cannot be changed or called off now",
	},
	wire.CodePaymentRefused:  {422, "the gateway refused this payment"},
	wire.CodeTooManyAttempts: {409, "this session was started too often; open another one"},
	wire.CodeNotPossible:     {409, "not possible in the session's present status"},
	wire.CodeUnauthorized:    {401, "send Authorization: Bearer with a key of COINSLOT_SECRET_KEY"},
	wire.CodeAmountRequired:  {422, "amount_usd is required: a decimal string like \"25.00\""},
	wire.CodeAmountType:      {422, "amount_usd must be a decimal string like \"25.00\", not a number"},
	wire.CodeAmountInvalid: {
		422,
		"the amount must be more than zero, with at most two fractional digits, and within the " +
			"item's limits",
	},
	wire.CodeInvalid:        {422, "the value is missing, malformed, too long or out of range"},
	wire.CodeUnknownField:   {422, "no such member; names are case-sensitive"},
	wire.CodeDuplicateField: {422, "the member is given twice"},
	wire.CodeBadJSON:        {400, "the body is not one JSON object in UTF-8"},
	wire.CodeOrderConflict:  {409, "order_ref belongs to another order already"},
	wire.CodeIdempotency:    {409, "the Idempotency-Key was used with another body"},
	wire.CodeReviewChanged: {
		409,
		"the review is not the one that was looked at: read review_reason again, then settle it",
	},
	wire.CodeWebhookUnset: {
		409, "there is nowhere to send it: set COINSLOT_WEBHOOK_URL and COINSLOT_WEBHOOK_SECRET",
	},
	wire.CodeCursorGone: {410,
		"the event at this cursor is gone, as after a restore of the database: " +
			"read the events again from the beginning"},
	wire.CodeTooLarge: {413, "the body is larger than 64 KiB"},
	wire.CodeMediaType: {
		415, "send application/json or, from a form, application/x-www-form-urlencoded",
	},
	wire.CodeMethod: {405, "the method is not allowed here"},
	wire.CodeUpgradeRequired: {
		426, "not the opening handshake of a websocket (RFC 6455, version 13)",
	},
	wire.CodeNotFound:           {404, "nothing is here"},
	wire.CodeForbidden:          {403, "requests from other origins are refused"},
	wire.CodeRateLimited:        {429, "too many requests; slow down"},
	wire.CodeStorageUnavailable: {503, "the database cannot be used now; nothing was changed"},
	wire.CodeInternal: {
		500, "something went wrong; quote the request id to whoever runs this server",
	},
}

// Refuse is an error for the outside.
func Refuse(code wire.Code, param string) error {
	return &wire.Error{Code: code, Param: param, Detail: string(code)}
}

// publicError turns any error into what the outside may read of it.
func publicError(err error) wire.Error {
	e := wire.Error{Code: wire.CodeInternal}
	own := ""
	var known *wire.Error
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &known):
		e.Code, e.Param = known.Code, known.Param
		own = ownDetail(known)
	case errors.As(err, &tooLarge):
		e.Code = wire.CodeTooLarge
	}
	a, ok := answers[e.Code]
	if !ok {
		e.Code, a = wire.CodeInternal, answers[wire.CodeInternal]
	}
	e.Type, e.Status, e.Title, e.Detail = errorDocs+
		string(e.Code), a.status, http.StatusText(a.status), a.detail
	if own != "" {
		e.Detail = own
	}
	return e
}

// ownDetail returns the sentence that an error about one value brings along,
// "" for the one of the table. Such sentences quote nothing of the request.
func ownDetail(e *wire.Error) string {
	general := e.Detail == string(e.Code)
	if general || e.Code != wire.CodeInvalid && e.Code != wire.CodeOrderInvalid {
		return ""
	}
	return e.Detail
}

// errorDocs is where a page tells what a code means; see docs/errors.md.
const errorDocs = "/docs/errors#"

// StorageError marks an error that came from the database as such; one that is for the outside, and
// nil, stay as they are.
func StorageError(err error) error {
	var known *wire.Error
	if err == nil || errors.As(err, &known) {
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
	setRetryAfter(h, e.Status)
	if e.Status == http.StatusUpgradeRequired { // RFC 9110, 15.5.22; RFC 6455, 4.4
		h.Set("Connection", "Upgrade")
		h.Set("Upgrade", "websocket")
		h.Set("Sec-WebSocket-Version", "13")
	}
	w.WriteHeader(e.Status)
	json.NewEncoder(w).Encode(e)
}

// Answer is how an error code leaves the server.
type Answer struct {
	Status        int    // HTTP's
	Title, Detail string // for developers
}

// Answers is the table of errors as it is documented, by code.
func Answers() map[string]Answer {
	list := map[string]Answer{}
	for code, a := range answers {
		list[string(code)] = Answer{
			Status: a.status, Title: http.StatusText(a.status), Detail: a.detail,
		}
	}
	return list
}

// logError records an error that is the server's own and returns its outside.
func (s *Server) logError(r *http.Request, err error) wire.Error {
	e := publicError(err)
	e.RequestID = logs.Request(r.Context())
	level := slog.LevelDebug
	if e.Status >= 500 && !errors.Is(err, context.Canceled) {
		level = slog.LevelError
	}
	s.Log.Log(
		r.Context(), level, "request refused", "code", e.Code, "route", routePath(r), "error", err,
	)
	return e
}
