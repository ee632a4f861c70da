package gateway

import (
	"context"
	"errors"
	"fmt"

	"coinslot/bff/payment"
)

// Admission decides whether and when a request leaves, and learns what came of
// it.
type Admission interface {
	// Admit blocks until one more request may be sent, ctx's deadline at most.
	// effect says that the request does something at the gateway. An error has
	// it not sent; of a *checkout.RefusedError, Reason and RetryAfter are
	// passed on.
	//
	// told is called once for each nil error: with nil, a
	// *checkout.RefusedError or a *checkout.UnknownError, as the answer was
	// judged; with another error if the caller went away first, or a firewall
	// answered a request that does something, which says nothing about the gateway.
	// An answer that cannot be read further than its envelope is reported as done:
	// it came from the gateway.
	Admit(ctx context.Context, effect bool) (told func(error), err error)
}

// unlimited admits everything: a Config without an Admission.
type unlimited struct{}

func (unlimited) Admit(ctx context.Context, _ bool) (func(error), error) {
	return func(error) {}, ctx.Err()
}

// errCut is told of a call that ended in a panic.
var errCut = errors.New("call was cut short")

// admit waits for the call's turn, for at most half of its time: a request
// sent with no time left to hear the answer would only make unknowns.
func (c *Client) admit(ctx context.Context, k call) (told func(error), err error) {
	turn, cancel := context.WithTimeout(ctx, c.timeout/2)
	defer cancel()
	told, err = c.gate.Admit(turn, k.effect)
	if err != nil {
		return nil, fmt.Errorf("waiting for a turn: %w", err)
	}
	if err := ctx.Err(); err != nil {
		told(err)
		return nil, err
	}
	return told, nil
}

// ask sends k, judges the answer and tells the admission. caller is the
// context that the client's own deadline is not part of.
func (c *Client) ask(
	ctx, caller context.Context, k call, told func(error),
) (a answer, data any, err error) {
	outcome := errCut
	defer func() { told(outcome) }()
	if a, err = c.send(ctx, k); err == nil {
		data, err = c.judge(k, a)
	}
	outcome = err
	switch {
	case caller.Err() != nil && !said(err):
		outcome = caller.Err()
	case k.effect && errors.Is(err, errFirewall):
		outcome = errFirewall // of this request; reads find out whether all are blocked
	}
	return a, data, err
}

// said reports whether err, which may be nil, is an answer that can be relied
// on.
func said(err error) bool {
	refused, ok := errors.AsType[*payment.RefusedError](err)
	return err == nil || ok && refused.Status != 0
}

// unsent is the refusal of a request that never left.
func (c *Client) unsent(k call, cause error) error {
	err := c.cause(k, cause)
	e := &payment.RefusedError{Reason: payment.ReasonUnsent, Message: err.Error(), Err: err}
	if refused, ok := errors.AsType[*payment.RefusedError](cause); ok {
		e.Reason, e.RetryAfter = refused.Reason, refused.RetryAfter
	}
	return e
}

// held reports whether e is the refusal of a request by the admission.
func held(e *payment.RefusedError) bool {
	_, ok := errors.AsType[*payment.RefusedError](e.Err)
	return ok
}
