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

	"coinslot/bff/limiter"
	"coinslot/bff/payment"
)

// usher admits everything, or refuses everything with err, and keeps what it
// is asked and told.
type usher struct {
	err     error
	effects []bool
	told    []error
}

func (u *usher) Admit(ctx context.Context, effect bool) (func(error), error) {
	u.effects = append(u.effects, effect)
	if _, ok := ctx.Deadline(); !ok {
		return nil, errors.New("no deadline for the turn")
	}
	return func(err error) { u.told = append(u.told, err) }, u.err
}

func admitted(u *usher) func(*Config) { return func(c *Config) { c.Admission = u } }

// TestAdmissionIsAskedAndTold: once per call, before it and after it.
func TestAdmissionIsAskedAndTold(t *testing.T) {
	u := new(usher)
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, admitted(u))
	for name, f := range everyCall() {
		u.effects, u.told = nil, nil
		err := f(t.Context(), c)
		effect := slices.Contains([]string{"create", "cancel", "recheck"}, name)
		if !slices.Equal(u.effects, []bool{effect}) || len(u.told) != 1 || !errors.Is(err, u.told[0]) {
			t.Errorf("%s: asked for effects %v, told %v; want [%t] and %v", name, u.effects, u.told, effect, err)
		}
	}
}

// TestWhatTheAdmissionIsTold: it is about the gateway, not about one record.
func TestWhatTheAdmissionIsTold(t *testing.T) {
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
		u := new(usher)
		_, _ = serve(t, tt.h, admitted(u)).Status(t.Context(), "TRK1")
		if len(u.told) != 1 || outcome(t, u.told[0]) != tt.want {
			t.Errorf("%s: told %v; want %s", name, u.told, tt.want)
		}
	}
}

// TestFirewallIsNotTheGateway: a 403 page in answer to one create is no failure
// of the gateway; in answer to reads, which have no free text, it is.
func TestFirewallIsNotTheGateway(t *testing.T) {
	u := new(usher)
	c := serve(t, answering(403, "<html>Request blocked"), admitted(u))
	_, err := c.Create(t.Context(), goodCreate())
	if outcome(t, err) != "unknown" || !strings.Contains(err.Error(), "firewall") {
		t.Errorf("Create = %v; want unknown, because of a firewall", err)
	}
	_, _ = c.Status(t.Context(), "TRK1")
	var unknown *payment.UnknownError
	if len(u.told) != 2 || errors.As(u.told[0], &unknown) || outcome(t, u.told[1]) != "unknown" {
		t.Errorf("told %v; want nothing of the create, and an unknown outcome of the read", u.told)
	}
}

func answering(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// TestCallerWhoLeavesSaysNothing about the gateway, wherever the call was.
func TestCallerWhoLeavesSaysNothing(t *testing.T) {
	for name, begin := range map[string]string{
		"before the answer": "", "in the headers": "HTTP/1.1 200 OK\r\nX-", "in the body": "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{",
	} {
		u, arrived := new(usher), make(chan struct{})
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				panic(err)
			}
			defer conn.Close()
			io.WriteString(conn, begin)
			close(arrived)
			io.Copy(io.Discard, conn)
		}, admitted(u))
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { <-arrived; cancel(io.EOF) }()
		_, err := c.Status(ctx, "TRK1")
		if got := outcome(t, err); got != "unknown" || len(u.told) != 1 || u.told[0] != context.Canceled {
			t.Errorf("%s: %s, told %v; want unknown, told of the caller", name, got, u.told)
		}
	}
}

// TestPanicIsTold: an admission that is not told would wait for a probe for ever.
func TestPanicIsTold(t *testing.T) {
	u := new(usher)
	c := newClientFor(t, "https://gateway.example", admitted(u), func(c *Config) {
		c.Transport = roundTrip(func(*http.Request) (*http.Response, error) { panic("made up") })
	})
	func() {
		defer func() { _ = recover() }()
		_, _ = c.Status(t.Context(), "TRK1")
	}()
	if len(u.told) != 1 || u.told[0] != errCut {
		t.Errorf("told %v; want %v", u.told, errCut)
	}
}

// TestRefusedAdmission: its reason and time are passed on, nothing is sent, and
// nothing is logged above debugging.
func TestRefusedAdmission(t *testing.T) {
	for _, reason := range []payment.Reason{payment.ReasonUnsent, payment.ReasonBusy} {
		book := new(logBook)
		u := &usher{err: &payment.RefusedError{Reason: reason, Message: "no", RetryAfter: 7 * time.Second}}
		c := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") }, admitted(u), logTo(book))
		for name, f := range everyCall() {
			e, ok := errors.AsType[*payment.RefusedError](f(t.Context(), c))
			if !ok || e.Reason != reason || e.RetryAfter != 7*time.Second || e.Status != 0 {
				t.Errorf("%s = %#v; want %s for 7s", name, e, reason)
			}
		}
		if len(u.told) != 0 {
			t.Errorf("told %v of calls that it refused", u.told)
		}
		if log := book.String(); strings.Contains(log, "level=INFO") || !strings.Contains(log, `outcome="refused: `+string(reason)) {
			t.Errorf("log = %s", log)
		}
	}
}

// TestWithBudget puts the real budget in front of the real client: an outage
// opens its breaker, creates are refused without being sent, and the first one
// after it goes through by itself, behind a read.
func TestWithBudget(t *testing.T) {
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
	b := limiter.New(limiter.Config{Rate: 1000, Probe: func(ctx context.Context) error {
		_, err := c.Currencies(ctx)
		return err
	}})
	c = serve(t, handler, func(c *Config) { c.Admission = b })
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
		t.Errorf("Create after it = %v; %d creates, %d reads; want 1 and 6", err, creates.Load(), reads.Load())
	}
}
