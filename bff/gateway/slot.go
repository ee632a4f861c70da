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
func (b *Limiter) waitForSlot(ctx context.Context) error {
	end := time.Now().Add(b.Patience)
	if at, ok := ctx.Deadline(); ok && at.Before(end) {
		end = at
	}
	if left := time.Until(end); left <= 0 || left < b.pauseLeft() {
		return b.slotError(max(b.pauseLeft(), 0), ErrFull)
	}
	p := priorityOf(ctx)
	w, serve := b.queue.join(p, callerOf(ctx).Network, end)
	switch {
	case serve:
		go b.serve()
	case p == Shopper:
		b.wake()
	}
	timer := time.NewTimer(time.Until(end))
	defer timer.Stop()
	select {
	case err := <-w.answer:
		return err
	case <-timer.C:
	case <-ctx.Done():
	}
	left := b.queue.leave(w)
	b.wake()
	if !left && ctx.Err() == nil {
		return <-w.answer
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return b.slotError(minPause, ErrFull)
}

// serve takes slots and grants them until the queue is empty. Each goes to the caller that is first
// when it comes, not when it is reserved.
func (b *Limiter) serve() {
	var slot time.Time // reserved; zero = none
	for {
		shoppers, ok := b.queue.poll()
		if !ok {
			return
		}
		left := b.pauseLeft()
		switch {
		case left > 0: // all slots are after the pause
			slot = time.Time{}
			b.reject(left, ErrFull)
		case slot.IsZero():
			slot, left = b.reserve(shoppers)
		default:
			left = time.Until(slot)
		}
		switch {
		case left > 0:
			select {
			case <-time.After(left):
			case <-b.changed:
			}
		case !slot.IsZero():
			b.queue.grant()
			slot = time.Time{}
		}
	}
}

// reserve takes the next slot of the bucket for a waiting call, unless it is too far away: then
// slot is zero, and left how long to wait before retrying.
func (b *Limiter) reserve(shoppers bool) (slot time.Time, left time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), b.Patience)
	defer cancel()
	patience := b.Patience
	if !shoppers {
		patience = lookahead
	}
	wait, err := b.Bucket.Take(ctx, patience)
	switch {
	case errors.Is(err, ErrFull):
		b.reject(wait, err)
		return time.Time{}, max(wait-lookahead, 5*time.Millisecond)
	case err != nil:
		b.reject(2*b.Patience, err) // all
		return time.Time{}, 0
	}
	return time.Now().Add(wait), wait
}

// reject refuses the calls that cannot wait that long.
func (b *Limiter) reject(wait time.Duration, err error) {
	n := b.queue.reject(time.Now().Add(wait), func() error { return b.slotError(wait, err) })
	if n > 0 {
		b.wake()
	}
}

// wake makes serve look at the queue again. It never blocks.
func (b *Limiter) wake() {
	select {
	case b.changed <- struct{}{}:
	default:
	}
}

func (b *Limiter) slotError(wait time.Duration, err error) error {
	if !errors.Is(err, ErrFull) {
		return fmt.Errorf("taking a slot: %w", err)
	}
	b.full.Add(1)
	return &payment.RefusedError{
		Reason:     payment.ReasonBusy,
		Message:    "not sent: " + ErrFull.Error(),
		RetryAfter: max(wait, minPause),
		Err:        ErrFull,
	}
}

func (b *Limiter) pauseLeft() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Until(b.paused)
}
