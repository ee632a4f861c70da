package limiter

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrFull is the refusal of a [Bucket] whose next free slot is further away
// than the caller's patience.
var ErrFull = errors.New("budget of requests is used up")

// Bucket hands out the slots in which requests may be sent: a rate per second,
// and as many at once as fit into a second. All users of one merchant's key
// share one. It is safe for concurrent use; limitertest.Run is its contract.
type Bucket interface {
	// Take reserves the next free slot and returns how long to wait for it,
	// zero = send now. A reserved slot is never given back.
	//
	// Errors: ErrFull if the wait is longer than patience, with that wait; then
	// nothing is reserved. Any other error: nothing may be sent.
	Take(ctx context.Context, patience time.Duration) (wait time.Duration, err error)
	// Pause hands out no slot before d from now, and from then on one at a
	// time, without a burst. It never shortens a longer pause, and does not
	// touch slots that are reserved already. d <= 0 does nothing.
	Pause(ctx context.Context, d time.Duration) error
}

// local is a Bucket of this process. It keeps one number, as the generic cell
// rate algorithm does: when the bucket would be full of free slots again.
// Source: ITU-T I.371, "virtual scheduling".
type local struct {
	interval time.Duration // between slots
	slack    time.Duration // how far next may be ahead of a slot: burst-1 intervals
	now      func() time.Time

	mu   sync.Mutex // guards the field below
	next time.Time
}

// Local returns a bucket of rps slots per second for this process alone; rps
// below 1 counts as 1. now is the clock; nil = time.Now.
func Local(rps int, now func() time.Time) Bucket {
	if now == nil {
		now = time.Now
	}
	rps = max(rps, 1)
	interval := time.Second / time.Duration(rps)
	return &local{interval: interval, slack: time.Duration(rps-1) * interval, now: now}
}

func (l *local) Take(ctx context.Context, patience time.Duration) (time.Duration, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	next := laterOf(l.next, now)
	wait := max(0, next.Add(-l.slack).Sub(now))
	if wait > patience {
		return wait, ErrFull
	}
	l.next = next.Add(l.interval)
	return wait, nil
}

// Free returns how many slots could be taken without a wait now.
func (l *local) Free(context.Context) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	return max(0, int((l.slack+l.interval-laterOf(l.next, now).Sub(now))/l.interval)), nil
}

func (l *local) Pause(_ context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next = laterOf(l.next, l.now().Add(d+l.slack))
	return nil
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
