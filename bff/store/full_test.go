package store

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/checkout"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// failingStore cannot claim until works is set.
type failingStore struct {
	checkout.DueStore
	works  atomic.Bool
	claims atomic.Int64
}

func (f *failingStore) Claim(
	context.Context, time.Time, time.Duration, int, bool,
) ([]checkout.StoredSession, error) {
	f.claims.Add(1)
	if f.works.Load() {
		return nil, nil
	}
	return nil, payment.ErrUnreadable
}

// While claims fail, they are made less and less often, and the log has one line.
func TestClaimsBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log fortest.Log
		f := &failingStore{}
		p := checkout.NewPoller(checkout.PollerConfig{
			Store: f,
			Log:   slog.New(slog.NewTextHandler(&log, nil)),
		})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- p.Run(ctx) }()
		time.Sleep(time.Minute)
		synctest.Wait()
		if claims := f.claims.Load(); claims > 100 { // two lanes
			t.Errorf("%d claims in a minute", claims)
		}
		f.works.Store(true)
		time.Sleep(6 * time.Second)
		synctest.Wait()
		before := f.claims.Load()
		time.Sleep(time.Second)
		synctest.Wait()
		if claims := f.claims.Load() - before; claims < 10 {
			t.Errorf("%d claims in a second after it works again", claims)
		}
		stop()
		fortest.OK(t, <-done)
		fortest.Equal(t, strings.Count(log.String(), "\n"), 2, "log lines: %s", &log)
	})
}
