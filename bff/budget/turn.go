package budget

import (
	"context"
	"errors"
	"fmt"
	"time"

	"coinslot/bff/checkout"
)

// lookahead is how far ahead a background call may reserve, and so the longest
// that an interactive one waits because of polls.
const lookahead = 250 * time.Millisecond

// turn waits for a slot. Errors: as for Admit.
func (b *Budget) turn(ctx context.Context) error {
	end := time.Now().Add(b.Patience)
	if at, ok := ctx.Deadline(); ok && at.Before(end) {
		end = at
	}
	take := b.interactive
	if rank, ok := ctx.Value(backgroundKey{}).(Rank); ok {
		take = func(ctx context.Context, end time.Time) error { return b.background(ctx, rank, end) }
	} else {
		b.shoppers.Add(1)
		defer b.shoppers.Add(-1)
	}
	for {
		if err := b.rest(ctx, end); err != nil {
			return err
		}
		// What was reserved before a pause is given up: the pause has moved
		// all slots behind it.
		if err := take(ctx, end); err != nil || b.pausing() <= 0 {
			return err
		}
	}
}

// rest sits out a pause, if that ends in time.
func (b *Budget) rest(ctx context.Context, end time.Time) error {
	left := b.pausing()
	if left > 0 && left > time.Until(end) {
		return b.noTurn(left, ErrFull)
	}
	return sleep(ctx, left)
}

// interactive waits for a slot of the shoppers' part, then for one of all. It
// keeps half of its time for the latter: in a flood of shoppers all would
// arrive there with none left, and lose to a poll.
func (b *Budget) interactive(ctx context.Context, end time.Time) error {
	if err := b.take(ctx, b.Shoppers, time.Until(end)/2); err != nil {
		return err
	}
	return b.take(ctx, b.Bucket, time.Until(end))
}

// take reserves a slot of bucket and waits for it.
func (b *Budget) take(ctx context.Context, bucket Bucket, patience time.Duration) error {
	wait, err := bucket.Take(ctx, patience)
	if err != nil {
		return b.noTurn(wait, err)
	}
	return sleep(ctx, wait)
}

// background waits in line with its like, then until a slot is near: the line
// is in this process, so that the shared bucket never holds more than a few
// polls for shoppers to wait behind.
func (b *Budget) background(ctx context.Context, rank Rank, end time.Time) error {
	if err := b.lineUp(ctx, rank, end); err != nil {
		return err
	}
	wait, err := b.near(ctx, end)
	b.line.next()
	if err != nil {
		return err
	}
	return sleep(ctx, wait)
}

// lineUp waits until it is the caller's turn. If it fails, somebody else has it.
func (b *Budget) lineUp(ctx context.Context, rank Rank, end time.Time) error {
	left := time.Until(end)
	if left <= 0 { // Go 1.26's race detector also dies of a timer that is over before it is waited for, in a synctest bubble
		return b.noTurn(minPause, ErrFull)
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	place := b.line.join(rank)
	select {
	case <-place:
		return nil
	case <-ctx.Done():
		b.line.quit(rank, place)
		return ctx.Err()
	case <-timer.C:
		b.line.quit(rank, place)
		return b.noTurn(minPause, ErrFull)
	}
}

// near reserves the next slot as soon as it is no further away than lookahead.
func (b *Budget) near(ctx context.Context, end time.Time) (time.Duration, error) {
	for {
		wait, err := b.Bucket.Take(ctx, lookahead)
		if err == nil {
			return wait, nil
		}
		if !errors.Is(err, ErrFull) || wait > time.Until(end) {
			return 0, b.noTurn(wait, err)
		}
		if err := sleep(ctx, max(wait-lookahead, 5*time.Millisecond)); err != nil {
			return 0, err
		}
	}
}

// noTurn is the error for a bucket's refusal.
func (b *Budget) noTurn(wait time.Duration, err error) error {
	if !errors.Is(err, ErrFull) {
		return fmt.Errorf("taking a slot: %w", err)
	}
	b.full.Add(1)
	return &checkout.RefusedError{
		Reason: checkout.ReasonBusy, Message: "not sent: " + ErrFull.Error(),
		RetryAfter: max(wait, minPause), Err: ErrFull,
	}
}

// pausing returns how much is left of the last pause.
func (b *Budget) pausing() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Until(b.paused)
}

// sleep waits for d. Errors: ctx.Err().
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
