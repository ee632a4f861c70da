package webhook

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"coinslot/bff/internal/background"
)

const (
	// inFlight is how many tries to one endpoint are under way at most.
	inFlight = 4
	// pollEvery is the pause between two checks for due deliveries.
	pollEvery = time.Second
	// pollEveryMax is the same while the outbox returns errors.
	pollEveryMax = 30 * time.Second
	// storeTimeout bounds one claim, and the recording of one result.
	storeTimeout = 10 * time.Second
)

// worker delivers to one endpoint. It claims only what it can send at once: neither an
// endpoint that hangs nor one with a long queue delays the others.
type worker struct {
	s         *Sender
	endpoint  string
	host      string               // for the log: the URL's query can hold a secret
	kick      chan struct{}        // tells it to run; 1 slot, never closed
	gone      atomic.Bool          // the endpoint has answered 410
	heartbeat background.Heartbeat // beats when there is a place for another try
}

func newWorker(s *Sender, endpoint string) *worker {
	l := &worker{s: s, endpoint: endpoint, kick: make(chan struct{}, 1)}
	if u, err := url.Parse(endpoint); err == nil {
		l.host = u.Host
	}
	return l
}

// run delivers to the endpoint until ctx ends or it is gone, then waits for the tries under way.
func (w *worker) run(ctx context.Context) {
	var tries sync.WaitGroup
	defer tries.Wait()
	w.heartbeat.Beat(0)
	defer w.heartbeat.Stop()
	ended := make(chan struct{}, inFlight) // from tries, a slot for each, never closed
	busy := 0
	pause := pollEvery
	for ctx.Err() == nil && !w.gone.Load() {
		if busy < inFlight {
			w.heartbeat.Beat(0)
		}

		due, err := w.claimDue(ctx, inFlight-busy)
		pause = w.nextPause(ctx, pause, err)
		busy += len(due)
		for _, d := range due {
			tries.Go(func() {
				_ = w.deliver(ctx, d) // it has said so itself
				ended <- struct{}{}
			})
		}

		busy -= w.wait(ctx, ended, pause)
	}
}

// wait waits until there is a reason to check again and returns how many tries have ended.
func (w *worker) wait(ctx context.Context, ended <-chan struct{}, pause time.Duration) int {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-w.kick:
	case <-ended:
		n := 1
		for ; len(ended) > 0; n++ { // one claim for all slots that are free
			<-ended
		}
		return n
	}

	return 0
}

// nextPause returns the pause before the next check, which grows while claims fail. It logs the
// first failure, and the first success after it.
func (w *worker) nextPause(ctx context.Context, pause time.Duration, err error) time.Duration {
	if ctx.Err() != nil {
		return pollEvery
	}
	if err == nil {
		if pause > pollEvery {
			w.s.config.Log.InfoContext(ctx, "claiming webhooks works again", "host", w.host)
		}
		return pollEvery
	}
	if pause == pollEvery {
		w.s.config.Log.ErrorContext(ctx, "claiming webhooks failed", "host", w.host, "error", err)
	}

	return min(2*pause, pollEveryMax)
}

// claimDue claims up to free due deliveries. The lease outlasts a try and the recording of its
// result, so that another claim returns a delivery only if this process has stopped in between.
func (w *worker) claimDue(ctx context.Context, free int) ([]Delivery, error) {
	if free <= 0 {
		return nil, nil
	}

	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	lease := w.s.config.Timeout + 2*storeTimeout
	due, err := w.s.config.Outbox.ClaimDeliveries(ctx, w.s.config.Now(), lease, free,
		[]string{w.endpoint})
	if err != nil {
		return nil, fmt.Errorf("claiming deliveries to %s: %w", w.host, err)
	}

	return due, nil
}

// deliver makes one try of d and records its result, also after ctx has ended. If recording
// fails, d is tried again after its lease, with the same id.
func (w *worker) deliver(ctx context.Context, d Delivery) error {
	ctx, ended := w.s.config.Began(context.WithoutCancel(ctx), d)
	a := w.s.post(ctx, d)
	r := decide(d, a, w.s.config.Now(), w.s.config.Random())
	if a.status == http.StatusGone {
		w.gone.Store(true)
	}

	w.report(ctx, d, a.failure().Code, r)
	defer ended(r)
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if err := w.s.config.Outbox.RecordResult(ctx, d, r); err != nil {
		w.s.config.Log.ErrorContext(ctx, "recording a webhook result failed", "event", d.EventID,
			"host", w.host, "error", err)
		return fmt.Errorf("recording the result of event %q to %s: %w", d.EventID, w.host, err)
	}

	return nil
}

// report logs the end of a try, with the code of its failure; without the body, the answer
// and the URL.
func (w *worker) report(
	ctx context.Context, d Delivery, reason string, r DeliveryResult,
) {
	log := w.s.config.Log.With("event", d.EventID, "type", string(d.Type), "host", w.host,
		"status", r.Status, "try", d.Tries+1)
	if reason != "" {
		log = log.With("reason", reason)
	}

	switch {
	case r.Delivered:
		log.InfoContext(ctx, "webhook delivered")
	case w.gone.Load() && r.Status == http.StatusGone:
		log.ErrorContext(ctx,
			"webhook endpoint is gone; nothing more is sent to it until a restart")
	case r.Abandoned:
		log.ErrorContext(ctx, "webhook abandoned")
	default:
		log.WarnContext(ctx, "webhook delivery failed", "next", r.NextAt.UTC())
	}
}
