package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// recorder admits everything, or refuses everything with err, and keeps what it
// is asked, and what is reported to it.
type recorder struct {
	err      error
	effects  []bool
	reported []error
}

func (u *recorder) Acquire(ctx context.Context, effect bool) (func(error), error) {
	u.effects = append(u.effects, effect)
	if _, ok := ctx.Deadline(); !ok {
		return nil, errors.New("no deadline for the permit")
	}
	return func(err error) { u.reported = append(u.reported, err) }, u.err
}

func limitedBy(u *recorder) func(*Config) { return func(c *Config) { c.Limiter = u } }

// TestLimiterIsAskedAndNotified: once per call, before it and after it.
func TestLimiterIsAskedAndNotified(t *testing.T) {
	u := new(recorder)
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, limitedBy(u))
	for name, f := range everyCall() {
		u.effects, u.reported = nil, nil
		err := f(t.Context(), c)
		effect := slices.Contains([]string{"create", "cancel", "recheck"}, name)
		if !slices.Equal(u.effects, []bool{effect}) || len(u.reported) != 1 ||
			!errors.Is(err, u.reported[0]) {
			t.Errorf("%s: asked for effects %v, reported %v; want [%t] and %v", name, u.effects,
				u.reported, effect, err)
		}
	}
}

// TestOutcomesReportedToTheLimiter: it is about the gateway, not about one record.
func TestOutcomesReportedToTheLimiter(t *testing.T) {
	for name, tt := range map[string]struct {
		h    http.HandlerFunc
		want string
	}{
		"a record":            {answering(200, done(recordJSON)), "done"},
		"an unreadable one":   {answering(200, done(`{"status":[]}`)), "done"},
		"a no":                {answering(200, `{"status":404}`), "absent"},
		"an error":            {answering(503, ""), "unknown"},
		"a page":              {answering(200, "<html>"), "unknown"},
		"too many":            {answering(429, ""), "busy"},
		"a broken connection": {raw("HTTP/1.1 2"), "unknown"},
	} {
		u := new(recorder)
		_, _ = serve(t, tt.h, limitedBy(u)).Status(t.Context(), "TRK1")
		if len(u.reported) != 1 || outcome(t, u.reported[0]) != tt.want {
			t.Errorf("%s: reported %v; want %s", name, u.reported, tt.want)
		}
	}
}

// TestFirewallIsNotTheGateway: a 403 page in answer to one create is no failure
// of the gateway; in answer to reads, which have no free text, it is.
func TestFirewallIsNotTheGateway(t *testing.T) {
	u := new(recorder)
	c := serve(t, answering(403, "<html>Request blocked"), limitedBy(u))
	_, err := c.Create(t.Context(), goodCreate())
	if outcome(t, err) != "unknown" || !strings.Contains(err.Error(), "firewall") {
		t.Errorf("Create = %v; want unknown, because of a firewall", err)
	}
	_, _ = c.Status(t.Context(), "TRK1")
	var unknown *payment.UnknownError
	if len(u.reported) != 2 || errors.As(u.reported[0], &unknown) ||
		outcome(t, u.reported[1]) != "unknown" {
		t.Errorf("reported %v; want nothing of the create, and an unknown outcome of the read",
			u.reported)
	}
}

func answering(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// TestCanceledCallProvesNothing about the gateway, wherever the call was.
func TestCanceledCallProvesNothing(t *testing.T) {
	for name, begin := range map[string]string{
		"before the answer": "",
		"in the headers":    "HTTP/1.1 200 OK\r\nX-",
		"in the body":       "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{",
	} {
		u, arrived := new(recorder), make(chan struct{})
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				panic(err)
			}
			defer conn.Close()
			io.WriteString(conn, begin)
			close(arrived)
			io.Copy(io.Discard, conn)
		}, limitedBy(u))
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { <-arrived; cancel(io.EOF) }()
		_, err := c.Status(ctx, "TRK1")
		got := outcome(t, err)
		if got != "unknown" || len(u.reported) != 1 || u.reported[0] != context.Canceled {
			t.Errorf("%s: %s, reported %v; want unknown, told of the caller", name, got, u.reported)
		}
	}
}

// TestPanicIsReported: a limiter that gets no report would wait for a probe forever.
func TestPanicIsReported(t *testing.T) {
	u := new(recorder)
	c := newClientFor(t, "https://gateway.example", limitedBy(u), func(c *Config) {
		c.Transport = roundTrip(func(*http.Request) (*http.Response, error) { panic("made up") })
	})
	func() {
		defer func() { _ = recover() }()
		_, _ = c.Status(t.Context(), "TRK1")
	}()
	if len(u.reported) != 1 || u.reported[0] != errCut {
		t.Errorf("reported %v; want %v", u.reported, errCut)
	}
}

// TestLimiterRefusal: its reason and time are passed on, nothing is sent, and
// nothing is logged above debugging.
func TestLimiterRefusal(t *testing.T) {
	for _, reason := range []payment.Reason{payment.ReasonUnsent, payment.ReasonBusy} {
		book := new(fortest.Log)
		u := &recorder{
			err: &payment.RefusedError{Reason: reason, Message: "no", RetryAfter: 7 * time.Second},
		}
		c := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") },
			limitedBy(u), logTo(book))
		for name, f := range everyCall() {
			e, ok := errors.AsType[*payment.RefusedError](f(t.Context(), c))
			if !ok || e.Reason != reason || e.RetryAfter != 7*time.Second || e.Status != 0 {
				t.Errorf("%s = %#v; want %s for 7s", name, e, reason)
			}
		}
		if len(u.reported) != 0 {
			t.Errorf("reported %v of calls that it refused", u.reported)
		}
		log := book.String()
		if strings.Contains(log, "level=INFO") ||
			!strings.Contains(log, `outcome="refused: `+string(reason)) {
			t.Errorf("log = %s", log)
		}
	}
}

// TestWithLimiter puts the real limiter in front of the real client: an outage
// opens its breaker, creates are refused without being sent, and the first one
// after it goes through by itself, behind a read.
func TestWithLimiter(t *testing.T) {
	var down atomic.Bool
	var reads, creates atomic.Int32
	handler := func(w http.ResponseWriter, r *http.Request) {
		create := strings.HasSuffix(r.URL.Path, "/create")
		switch {
		case create:
			creates.Add(1)
		default:
			reads.Add(1)
		}
		switch {
		case down.Load():
			w.WriteHeader(502)
		case create:
			io.WriteString(w, done(createdJSON))
		default:
			io.WriteString(w, done("[]"))
		}
	}
	var c *Client
	b := NewLimiter(LimiterConfig{Rate: 1000, Probe: func(ctx context.Context) error {
		_, err := c.Currencies(ctx)
		return err
	}})
	c = serve(t, handler, func(c *Config) { c.Limiter = b })
	down.Store(true)
	for range 5 {
		_, err := c.Currencies(t.Context())
		if got := outcome(t, err); got != "unknown" {
			t.Fatalf("Currencies = %s; want unknown", got)
		}
	}
	_, err := c.Create(t.Context(), goodCreate())
	if got := outcome(t, err); got != "unsent" || creates.Load() != 0 || !b.State().Open {
		t.Fatalf("Create in an outage = %s, %d sent; want unsent", got, creates.Load())
	}
	down.Store(false)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(30 * time.Second); err != nil && time.Now().Before(end); <-tick.C {
		_, err = c.Create(t.Context(), goodCreate())
	}
	if err != nil || creates.Load() != 1 || reads.Load() != 6 || b.State().Open {
		t.Errorf("Create after it = %v; %d creates, %d reads; want 1 and 6", err, creates.Load(),
			reads.Load())
	}
}
