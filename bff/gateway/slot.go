package gateway

import (
	"context"
	"errors"
	"fmt"
	"time"

	"coinslot/bff/payment"
)

// lookahead is how far ahead a slot is reserved while only polls wait, and so the longest that
// shoppers of another instance wait for them.
const lookahead = 250 * time.Millisecond

// waitForSlot waits for a slot. Errors: as for Acquire.
func (l *Limiter) waitForSlot(ctx context.Context) error {
	end := time.Now().Add(l.Patience)
	if at, ok := ctx.Deadline(); ok && at.Before(end) {
		end = at
	}
	if left := time.Until(end); left <= 0 || left < l.pauseLeft() {
		return l.slotError(max(l.pauseLeft(), 0), ErrFull)
	}
	p := priorityOf(ctx)
	w, serve := l.queue.join(p, callerOf(ctx).Network, end)
	switch {
	case serve:
		go l.serve()
	case p == Shopper:
		l.wake()
	}
	timer := time.NewTimer(time.Until(end))
	defer timer.Stop()
	select {
	case err := <-w.answer:
		return err
	case <-timer.C:
	case <-ctx.Done():
	}
	left := l.queue.leave(w)
	l.wake()
	if !left && ctx.Err() == nil {
		return <-w.answer
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return l.slotError(minPause, ErrFull)
}

// serve takes slots and grants them until the queue is empty. Each goes to the caller that is first
// when it comes, not when it is reserved.
func (l *Limiter) serve() {
	var slot time.Time // reserved; zero = none
	for {
		shoppers, ok := l.queue.poll()
		if !ok {
			return
		}
		left := l.pauseLeft()
		switch {
		case left > 0: // all slots are after the pause
			slot = time.Time{}
			l.reject(left, ErrFull)
		case slot.IsZero():
			slot, left = l.reserve(shoppers)
		default:
			left = time.Until(slot)
		}
		switch {
		case left > 0:
			select {
			case <-time.After(left):
			case <-l.changed:
			}
		case !slot.IsZero():
			l.queue.grant()
			slot = time.Time{}
		}
	}
}

// reserve takes the next slot of the bucket for a waiting call, unless it is too far away: then
// slot is zero, and left how long to wait before retrying.
func (l *Limiter) reserve(shoppers bool) (slot time.Time, left time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), l.Patience)
	defer cancel()
	patience := l.Patience
	if !shoppers {
		patience = lookahead
	}
	wait, err := l.Bucket.Take(ctx, patience)
	switch {
	case errors.Is(err, ErrFull):
		l.reject(wait, err)
		return time.Time{}, max(wait-lookahead, 5*time.Millisecond)
	case err != nil:
		l.reject(2*l.Patience, err) // all
		return time.Time{}, 0
	}
	return time.Now().Add(wait), wait
}

// reject refuses the calls that cannot wait that long.
func (l *Limiter) reject(wait time.Duration, err error) {
	n := l.queue.reject(time.Now().Add(wait), func() error { return l.slotError(wait, err) })
	if n > 0 {
		l.wake()
	}
}

// wake makes serve look at the queue again. It never blocks.
func (l *Limiter) wake() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

func (l *Limiter) slotError(wait time.Duration, err error) error {
	if !errors.Is(err, ErrFull) {
		return fmt.Errorf("taking a slot: %w", err)
	}
	l.full.Add(1)
	return &payment.RefusedError{
		Reason:     payment.ReasonBusy,
		Message:    "not sent: " + ErrFull.Error(),
		RetryAfter: max(wait, minPause),
		Err:        ErrFull,
	}
}

func (l *Limiter) pauseLeft() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Until(l.paused)
}
