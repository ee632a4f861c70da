package gateway

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrFull means that the next free slot of a [Bucket] is further away than the caller's patience.
var ErrFull = errors.New("rate limit exceeded")

// Bucket gives out the slots in which requests may be sent: a rate per second, with bursts of
// up to one second's worth. All users of a merchant's key share one. It is safe for concurrent
// use; buckettest.Run tests this contract.
type Bucket interface {
	// Take reserves the next free slot and returns how long to wait for it; zero = send now. A
	// reserved slot cannot be returned.
	//
	// Errors: ErrFull if the wait is longer than patience, with that wait; then nothing is
	// reserved. After any other error, nothing may be sent.
	Take(ctx context.Context, patience time.Duration) (wait time.Duration, err error)
	// Pause delays the next free slot until d from now; those after it are free one by one,
	// without a burst. It never shortens a longer pause, and does not affect reserved slots.
	// d <= 0 does nothing.
	Pause(ctx context.Context, d time.Duration) error
}

// localBucket is a Bucket of this process: the generic cell rate algorithm, which stores when the
// bucket will be full again. Source: ITU-T I.371, "virtual scheduling".
type localBucket struct {
	interval time.Duration // between slots
	slack    time.Duration // how far next may be ahead of a slot: burst-1 intervals
	now      func() time.Time

	mu   sync.Mutex // guards the field below
	next time.Time
}

// LocalBucket returns a bucket of rps slots per second for this process alone; rps below 1 counts as
// 1. now is the clock; nil = time.Now.
func LocalBucket(rps int, now func() time.Time) Bucket {
	if now == nil {
		now = time.Now
	}
	rps = max(rps, 1)
	interval := time.Second / time.Duration(rps)
	return &localBucket{interval: interval, slack: time.Duration(rps-1) * interval, now: now}
}

func (l *localBucket) Take(ctx context.Context, patience time.Duration) (time.Duration, error) {
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

// Free returns how many slots could be taken without waiting now.
func (l *localBucket) Free(context.Context) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	return max(0, int((l.slack+l.interval-laterOf(l.next, now).Sub(now))/l.interval)), nil
}

func (l *localBucket) Pause(_ context.Context, d time.Duration) error {
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
