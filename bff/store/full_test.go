package store

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/poller"
)

// failingStore cannot claim.
type failingStore struct {
	poller.Store
	err    error
	claims int
}

func (f *failingStore) Claim(
	context.Context, time.Time, time.Duration, int, bool,
) ([]payment.Session, error) {
	f.claims++
	return nil, f.err
}

// While claims fail, they are made less and less often, and the log has one line.
func TestClaimsBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log fortest.Log
		f := &failingStore{err: payment.ErrUnreadable}
		p := poller.New(poller.Config{Store: f, Log: slog.New(slog.NewTextHandler(&log, nil))})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- p.Run(ctx) }()
		time.Sleep(time.Minute)
		synctest.Wait()
		if f.claims > 100 { // two lanes
			t.Errorf("%d claims in a minute", f.claims)
		}
		f.err = nil
		time.Sleep(6 * time.Second)
		synctest.Wait()
		before := f.claims
		time.Sleep(time.Second)
		synctest.Wait()
		if f.claims < before+10 {
			t.Errorf("%d claims in a second after it works again", f.claims-before)
		}
		stop()
		fortest.OK(t, <-done)
		fortest.Equal(t, strings.Count(log.String(), "\n"), 2, "log lines: %s", &log)
	})
}
