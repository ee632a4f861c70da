package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// Config says where traces go.
type Config struct {
	URL     string        // of the collector's traces, "http://127.0.0.1:4318/v1/traces"
	Version string        // of this program
	Queue   int           // spans that may wait to be sent; zero = 4,096
	Every   time.Duration // the longest that one waits; zero = 1 s
	Log     *slog.Logger  // nil = silent
}

// mostAtOnce is how many spans are sent in one request.
const mostAtOnce = 512

// queue is where spans that have ended wait to be sent. Whoever ends one never
// waits: if the queue is full, the span is dropped.
type queue struct {
	Config
	client *http.Client
	spans  chan sdk.ReadOnlySpan // never closed
	stop   context.CancelFunc
	ended  chan struct{} // closed when run has returned
	once   sync.Once

	exported, failed, dropped atomic.Uint64
	failing                   bool // of run alone: the last request failed
}

func newQueue(c Config) *queue {
	if c.Queue == 0 {
		c.Queue = 4096
	}
	if c.Every == 0 {
		c.Every = time.Second
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	ctx, stop := context.WithCancel(context.Background())
	q := &queue{
		Config: c, spans: make(chan sdk.ReadOnlySpan, c.Queue), stop: stop,
		ended: make(chan struct{}),
		client: &http.Client{
			Timeout: 10 * time.Second,
			// no proxy, not even from the environment
			Transport: &http.Transport{MaxIdleConns: 1, IdleConnTimeout: time.Minute},
			CheckRedirect: func(
				*http.Request, []*http.Request,
			) error {
				return http.ErrUseLastResponse
			},
		},
	}
	go q.run(ctx)
	return q
}

// OnStart implements sdk.SpanProcessor.
func (q *queue) OnStart(context.Context, sdk.ReadWriteSpan) {}

// OnEnd implements sdk.SpanProcessor.
func (q *queue) OnEnd(s sdk.ReadOnlySpan) {
	if !s.SpanContext().IsSampled() {
		return
	}
	select {
	case q.spans <- s:
	default:
		q.dropped.Add(1)
	}
}

// ForceFlush implements sdk.SpanProcessor. Nobody needs it.
func (q *queue) ForceFlush(context.Context) error { return nil }

// Shutdown implements sdk.SpanProcessor: it sends what waits, until ctx ends.
func (q *queue) Shutdown(ctx context.Context) error {
	q.once.Do(q.stop)
	select {
	case <-q.ended:
	case <-ctx.Done():
		return ctx.Err()
	}
	for len(q.spans) > 0 {
		q.send(ctx, q.waiting())
	}
	q.client.CloseIdleConnections()
	return nil
}

// run sends what waits, again and again until ctx ends.
func (q *queue) run(ctx context.Context) {
	defer close(q.ended)
	tick := time.NewTicker(q.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for len(q.spans) > 0 && ctx.Err() == nil {
			q.send(ctx, q.waiting())
		}
	}
}

// waiting takes spans that wait, as many as go into a request.
func (q *queue) waiting() (batch []sdk.ReadOnlySpan) {
	for len(batch) < mostAtOnce {
		select {
		case s := <-q.spans:
			batch = append(batch, s)
		default:
			return batch
		}
	}
	return batch
}

// send makes one request. What the collector does not take is lost: a trace is
// not worth the memory of an outage.
func (q *queue) send(ctx context.Context, batch []sdk.ReadOnlySpan) {
	err := q.post(ctx, batch)
	n := uint64(len(batch))
	if err == nil {
		q.exported.Add(n)
	} else {
		q.failed.Add(n)
	}
	if failing := err != nil; failing != q.failing {
		q.failing = failing
		if failing {
			q.Log.Warn("traces are not taken", "error", err)
		} else {
			q.Log.Info("traces are taken again")
		}
	}
}

func (q *queue) post(ctx context.Context, batch []sdk.ReadOnlySpan) error {
	body, err := json.Marshal(encode(batch, q.Version))
	if err != nil {
		return fmt.Errorf("encoding spans: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, q.URL, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("building the request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "coinslot")
	res, err := q.client.Do(req)
	if err != nil {
		return fmt.Errorf("sending %d spans: %w", len(batch), err)
	}
	defer res.Body.Close()
	// Read to its end, so that the connection can be used again.
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10))
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("sending %d spans: HTTP status %d", len(batch), res.StatusCode)
	}
	return nil
}
