package payment

import (
	"errors"
	"fmt"

	"coinslot/app/wire"
)

// NewError is an error for the outside with nothing but its code: bff/web
// knows the HTTP status and the sentence of each.
func NewError(code wire.Code, param string) *wire.Error {
	return &wire.Error{Code: code, Param: param, Detail: string(code)}
}

// What a Store answers besides success.
var (
	ErrNotFound     = errors.New("session not found")
	ErrExists       = errors.New("order exists")
	ErrTaken        = errors.New("order number taken")
	ErrTxUsed       = errors.New("transaction id used by another session")
	ErrTrackingUsed = errors.New("tracking code used by another session")
	ErrUnchanged    = errors.New("nothing to change")
	// ErrFenced says that somebody else has claimed the session since: what was
	// found out under the old lease must not be written.
	ErrFenced = errors.New("claimed by another since")
)

// GatewayUnavailable is the error of a failed call of the gateway: the outside learns no
// more than CodeGatewayUnavailable. The cause stays in the chain, with how long the gateway
// asked to be left alone.
func GatewayUnavailable(doing string, err error) error {
	return fmt.Errorf("%s: %w: %w", doing, NewError(wire.CodeGatewayUnavailable, ""), err)
}
