package wire

// Code names an error for programs. Codes are stable; sentences are not.
type Code string

// Codes of the checkout page and its endpoints, see docs/api.md.
const (
	CodeSessionUnknown     Code = "session_unknown"
	CodeSessionExpired     Code = "session_expired"
	CodeSessionPaid        Code = "session_paid"
	CodeOrderInvalid       Code = "order_invalid"
	CodeItemUnknown        Code = "item_unknown"
	CodeGatewayUnavailable Code = "gateway_unavailable"
	CodeOriginRefused      Code = "origin_refused"
	CodeNetworkUnsupported Code = "network_unsupported"
	CodeNetworkRequired    Code = "network_required"
	CodeAmountBelowMinimum Code = "amount_below_minimum"
	CodeAmountAboveMaximum Code = "amount_above_maximum"
	CodePaymentInProgress  Code = "payment_in_progress"
	CodePaymentRefused     Code = "payment_refused"
	CodeTooManyAttempts    Code = "too_many_attempts"
	CodeNotPossible        Code = "not_possible"
)

// Codes of the merchant's API and of HTTP itself.
const (
	CodeUnauthorized        Code = "unauthorized"
	CodeAmountRequired      Code = "amount_required"
	CodeAmountType          Code = "amount_type"
	CodeAmountInvalid       Code = "amount_invalid"
	CodeCurrencyUnsupported Code = "currency_unsupported"
	CodeRateUnavailable     Code = "rate_unavailable"
	CodeInvalid             Code = "invalid"
	CodeUnknownField        Code = "unknown_field"
	CodeDuplicateField      Code = "duplicate_field"
	CodeBadJSON             Code = "bad_json"
	CodeOrderConflict       Code = "order_conflict"
	CodeIdempotency         Code = "idempotency_conflict"
	CodeReviewChanged       Code = "review_changed"
	CodeRefundConflict      Code = "refund_conflict"
	CodeRefundExceeds       Code = "refund_exceeds"
	CodeWebhookUnset        Code = "webhook_unset"
	CodeCursorGone          Code = "cursor_gone"
	CodeTooLarge            Code = "too_large"
	CodeMediaType           Code = "unsupported_media_type"
	CodeMethod              Code = "method_not_allowed"
	CodeUpgradeRequired     Code = "upgrade_required"
	CodeNotFound            Code = "not_found"
	CodeForbidden           Code = "cross_site_refused"
	CodeRateLimited         Code = "rate_limited"
	CodeStorageUnavailable  Code = "storage_unavailable"
	CodeInternal            Code = "internal"
)

// Error is an error response, as application/problem+json (RFC 9457).
type Error struct {
	// Documentation of the code, "/docs/errors#session_unknown".
	Type      string `json:"type,omitempty"`
	Status    int    `json:"status"`
	Title     string `json:"title"`
	Detail    string `json:"detail"`
	Code      Code   `json:"code"`
	Param     string `json:"param,omitempty"`      // the member, field or header that is wrong
	RequestID string `json:"request_id,omitempty"` // to quote to the operator
}

// Error returns Detail.
func (e *Error) Error() string { return e.Detail }

// Is reports whether target is an *Error of the same Code, for errors.Is.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}
