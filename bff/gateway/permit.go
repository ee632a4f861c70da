package gateway

import (
	"context"
	"errors"
	"fmt"

	"coinslot/bff/payment"

	"github.com/go-json-experiment/json/jsontext"
)

// RateLimiter decides when a request may be sent, and learns its outcome.
type RateLimiter interface {
	// Acquire blocks until one more request may be sent, or until ctx ends. effect says
	// that the request changes something at the gateway. After an error the request is not
	// sent; the Reason and RetryAfter of a *[payment.RefusedError] are passed on.
	//
	// After a nil error, report is called once: with nil, a *[payment.RefusedError] or a
	// *[payment.UnknownError] for what the answer means; with another error if the answer
	// says nothing about the gateway, because the caller went away first or a firewall
	// blocked a request that changes something. An answer whose envelope is readable and
	// whose content is not counts as nil: it came from the gateway.
	Acquire(ctx context.Context, effect bool) (report func(error), err error)
}

// unlimited is the RateLimiter of a Config without one.
type unlimited struct{}

func (unlimited) Acquire(ctx context.Context, _ bool) (func(error), error) {
	return func(error) {}, ctx.Err()
}

// errCut is the outcome of a call that panicked.
var errCut = errors.New("call was cut short")

// acquire waits for a permit, for at most half of the client's timeout: a request with no
// time left for its answer has an unknown outcome.
func (c *Client) acquire(ctx context.Context, k call) (report func(error), err error) {
	waiting, cancel := context.WithTimeout(ctx, c.timeout/2)
	defer cancel()
	report, err = c.limiter.Acquire(waiting, k.effect)
	if err != nil {
		return nil, fmt.Errorf("waiting for the rate limiter: %w", err)
	}
	if err := ctx.Err(); err != nil {
		report(err)
		return nil, err
	}
	return report, nil
}

// ask sends k, judges the answer and reports the outcome to the limiter. caller is the
// context without the client's own deadline.
func (c *Client) ask(
	ctx, caller context.Context, k call, report func(error),
) (a answer, data jsontext.Value, err error) {
	outcome := errCut
	defer func() { report(outcome) }()
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

// said reports whether err, which may be nil, is a reliable answer of the gateway.
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

// isLimited reports whether e is the refusal of a request by the limiter.
func isLimited(e *payment.RefusedError) bool {
	_, ok := errors.AsType[*payment.RefusedError](e.Err)
	return ok
}
