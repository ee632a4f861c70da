package webhook

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// queue is an Outbox in memory.
type queue struct {
	mu      sync.Mutex // guards the fields below
	rows    []*row
	err     error         // of the next calls; nil = none
	changed chan struct{} // closed and replaced by every settlement
}

type row struct {
	Delivery
	due      time.Time
	done     bool
	recorded []DeliveryResult
}

func newQueue() *queue { return &queue{changed: make(chan struct{})} }

func (q *queue) add(d Delivery) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.rows = append(q.rows, &row{Delivery: d, due: d.CreatedAt})
}

func (q *queue) ClaimDeliveries(
	ctx context.Context, now time.Time, lease time.Duration, limit int, endpoints []string,
) ([]Delivery, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := cmp.Or(ctx.Err(), q.err); err != nil {
		return nil, err
	}
	var due []*row
	for _, r := range q.rows {
		if !r.done && !r.due.After(now) && slices.Contains(endpoints, r.Endpoint) {
			due = append(due, r)
		}
	}
	slices.SortStableFunc(due, func(a, b *row) int { return a.due.Compare(b.due) })
	var claimed []Delivery
	for _, r := range due[:min(limit, len(due))] {
		r.due = now.Add(lease)
		claimed = append(claimed, r.Delivery)
	}
	return claimed, nil
}

func (q *queue) RecordResult(ctx context.Context, d Delivery, result DeliveryResult) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := cmp.Or(ctx.Err(), q.err); err != nil {
		return err
	}
	r := q.find(d.EventID, d.Endpoint)
	r.Tries++
	r.recorded = append(r.recorded, result)
	r.done = result.Delivered || result.Abandoned
	r.due = result.NextAt
	close(q.changed)
	q.changed = make(chan struct{})
	return nil
}

func (q *queue) find(id, endpoint string) *row {
	for _, r := range q.rows {
		if r.EventID == id && r.Endpoint == endpoint {
			return r
		}
	}
	panic("no such delivery: " + id)
}

// results returns how the tries of a delivery ended.
func (q *queue) results(id, endpoint string) []DeliveryResult {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.find(id, endpoint).recorded)
}

// last is the latest of them; it fails the test if there is none.
func (q *queue) last(t *testing.T, id, endpoint string) DeliveryResult {
	t.Helper()
	results := q.results(id, endpoint)
	if len(results) == 0 {
		t.Fatalf("event %s to %s was never recorded", id, endpoint)
	}
	return results[len(results)-1]
}

// next is the earliest time that something is due at; false if nothing ever is.
func (q *queue) next() (time.Time, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var at time.Time
	for _, r := range q.rows {
		if !r.done && (at.IsZero() || r.due.Before(at)) {
			at = r.due
		}
	}
	return at, !at.IsZero()
}

func (q *queue) fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.err = err
}

// wait returns once that many deliveries to endpoint are recorded for good.
func (q *queue) wait(t *testing.T, endpoint string, want int) {
	t.Helper()
	for {
		q.mu.Lock()
		done, changed := 0, q.changed
		for _, r := range q.rows {
			if r.done && r.Endpoint == endpoint {
				done++
			}
		}
		q.mu.Unlock()
		if done >= want {
			return
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatalf("%d of %d deliveries to %s are recorded", done, want, endpoint)
		}
	}
}

// event is the nth event for endpoint, created at.
func event(n int, endpoint string, at time.Time) Delivery {
	return Delivery{
		EventID:   fmt.Sprintf("evt_%05d", n),
		Endpoint:  endpoint,
		Type:      payment.EventConfirmed,
		Session:   "cs_secretsession",
		Body:      fmt.Appendf(nil, `{"type":"checkout.confirmed","data":{"n":%d}}`, n),
		CreatedAt: at,
	}
}

// network is one in memory: what each host answers. It obeys deadlines.
type network map[string]func(*http.Request) (*http.Response, error) // by host

func (n network) RoundTrip(r *http.Request) (*http.Response, error) { return n[r.URL.Host](r) }

// answering returns a host that answers everything with status.
func answering(status int) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: status,
			Header:     http.Header{},
			Body:       http.NoBody,
			Request:    r,
		}, nil
	}
}

// hanging is a host that never answers.
func hanging(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

const (
	secretOne = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	secretTwo = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfgaw3Q7cM="
)

// sender makes a Sender whose jitter is none; change may be nil.
func sender(t *testing.T, q *queue, change func(*Config), endpoints ...string) *Sender {
	t.Helper()
	c := Config{
		Outbox:       q,
		Endpoints:    endpoints,
		Secrets:      []string{secretOne},
		AllowPrivate: true,
		Random:       func() float64 { return 0.5 },
	}
	if change != nil {
		change(&c)
	}
	return fortest.Must(New(c))(t)
}
