package payment

import (
	"errors"
	"fmt"

	"coinslot/app/wire"
)

// NewError returns an error with only its code; bff/web knows the HTTP status and sentence of each.
func NewError(code wire.Code, param string) *wire.Error {
	return &wire.Error{Code: code, Param: param, Detail: string(code)}
}

// Errors of a Store.
var (
	ErrNotFound     = errors.New("session not found")
	ErrExists       = errors.New("order exists already")
	ErrTaken        = errors.New("order number is taken")
	ErrTxUsed       = errors.New("transaction id belongs to another session")
	ErrTrackingUsed = errors.New("tracking code belongs to another session")
	ErrUnchanged    = errors.New("nothing to change")
	// ErrFenced means that the session was claimed again: results obtained under the old
	// lease must not be written.
	ErrFenced = errors.New("session was claimed by another process")
	// ErrUnreadable means that the stored session cannot be decoded. It is set aside until an
	// operator repairs it.
	ErrUnreadable error = NewError(wire.CodeInternal, "")
)

// GatewayUnavailable wraps a failed gateway call: clients see only CodeGatewayUnavailable. The
// chain keeps the cause and its Retry-After.
func GatewayUnavailable(doing string, err error) error {
	return fmt.Errorf("%s: %w: %w", doing, NewError(wire.CodeGatewayUnavailable, ""), err)
}
