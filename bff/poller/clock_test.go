package poller

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/payment"
)

// Due times are capped at start, until it succeeds, and when the clock went back.
func TestDueTimesAreCapped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls, offset atomic.Int64
		p := New(Config{
			Store:   &rows{due: map[string]time.Time{}},
			Process: func(context.Context, payment.Session) error { return nil },
			Now:     func() time.Time { return time.Now().Add(time.Duration(offset.Load())) },
			CapDue: func(context.Context, time.Time) (int, error) {
				if calls.Add(1) == 1 {
					return 0, errors.New("database is away")
				}
				return 0, nil
			},
		})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- p.Run(ctx) }()
		for _, c := range []struct {
			name string
			back time.Duration
			want int64
		}{
			{"start", 0, 2}, {"steady clock", 0, 2}, {"a little back", time.Second, 2},
			{"back", time.Hour, 3}, {"forward", -time.Hour, 3},
		} {
			offset.Add(-int64(c.back))
			time.Sleep(time.Second)
			synctest.Wait()
			if got := calls.Load(); got != c.want {
				t.Errorf("%s: due times were capped %d times; want %d", c.name, got, c.want)
			}
		}
		stop()
		<-ended
	})
}
