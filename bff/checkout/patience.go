package checkout

import (
	"context"
	"errors"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/payment"
)

const (
	// actionTime is how long an action of a shopper or the merchant waits for a busy gateway.
	// With recordTime and createPatience, it stays below the 30 seconds in which the server has
	// to answer, and below holdLease.
	actionTime = 16 * time.Second
	// recordTime is how long the status is read after a cancellation was sent.
	recordTime = 5 * time.Second
	// answerTime is the part of a wait reserved for the answer to a retry.
	answerTime = time.Second
	// busyPause is the least time between two requests to a busy gateway.
	busyPause = time.Second
	// unsentPause is the pause before a request that was never sent is repeated the first time; it
	// grows by as much each time.
	unsentPause = 200 * time.Millisecond
	// createPoll is how often an action looks whether a create in flight has its answer.
	createPoll = 200 * time.Millisecond
)

// patient is the gateway of an action: it repeats what was definitely not done, as long as the
// gateway's Retry-After fits into the time of the context. The poller must not wait that long.
type patient struct{ Gateway }

func (p patient) Status(ctx context.Context, trackingCode string) (payment.Record, error) {
	return repeat(ctx, func() (payment.Record, error) {
		return p.Gateway.Status(ctx, trackingCode)
	})
}

func (p patient) Recheck(ctx context.Context, trackingCode string) error {
	_, err := repeat(ctx, func() (struct{}, error) {
		return struct{}{}, p.Gateway.Recheck(ctx, trackingCode)
	})
	return err
}

func (p patient) Cancel(ctx context.Context, trackingCode string) error {
	_, err := repeat(ctx, func() (struct{}, error) {
		return struct{}{}, p.Gateway.Cancel(ctx, trackingCode)
	})
	return err
}

// repeat calls the gateway again while it is busy. Without a deadline it does not.
func repeat[T any](ctx context.Context, call func() (T, error)) (T, error) {
	for try := 1; ; try++ {
		result, err := call()
		wait, again := retryWait(err, try)
		deadline, limited := ctx.Deadline()
		if !again || !limited || time.Until(deadline) < wait+answerTime {
			return result, err
		}
		if !background.Sleep(ctx, wait) {
			return result, err
		}
	}
}

// retryWait returns how long to wait before a call is repeated that was definitely not done: after
// a refusal because of load, and a few times if no connection was made.
func retryWait(err error, try int) (wait time.Duration, again bool) {
	refused, ok := errors.AsType[*payment.RefusedError](err)
	if !ok {
		return 0, false
	}
	switch {
	case refused.Reason == payment.ReasonBusy:
		return max(refused.RetryAfter, busyPause), true
	case refused.Reason == payment.ReasonUnsent && try < maxCreateTries:
		return time.Duration(try) * unsentPause, true
	}
	return 0, false
}

// detach returns ctx without the client's cancellation, but with its deadline.
func detach(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, _ := ctx.Deadline()
	return context.WithDeadline(context.WithoutCancel(ctx), deadline)
}

// awaitCreate returns the session once the create in flight has its answer, or when the time of
// ctx is nearly over. Errors: as for Session.
func (c *Service) awaitCreate(ctx context.Context, s StoredSession) (StoredSession, error) {
	for {
		a := s.Current()
		inFlight := a != nil && a.State == payment.Creating && !a.Postponed()
		deadline, _ := ctx.Deadline()
		if !inFlight || time.Until(deadline) < answerTime {
			return s, nil
		}
		if !background.Sleep(ctx, createPoll) {
			return s, nil
		}

		var err error
		s, err = c.load(ctx, s.ID)
		if err != nil {
			return s, err
		}
	}
}
