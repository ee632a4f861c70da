package webhook

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/fortest"
)

const (
	healthy = "https://healthy.example/hook"
	dead    = "https://dead.example/hook"
	slow    = "https://slow.example/hook"
)

// over puts a network in memory under s.
func (s *Sender) over(n network) *Sender {
	s.client.Transport = n
	return s
}

// start runs s until the test ends, and stop before that if it is called.
func start(t *testing.T, s *Sender) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Run(ctx) }()
	return func() {
		cancel()
		fortest.OK(t, <-done)
	}
}

func TestNewRefuses(t *testing.T) {
	many := make([]string, 21)
	for i := range many {
		many[i] = "https://shop.example/" + strings.Repeat("x", i)
	}
	tests := map[string]struct {
		c    Config
		want string // in the error
	}{
		"no outbox": {Config{}, "outbox"},
		"bad endpoint": {
			Config{
				Outbox:    newQueue(),
				Endpoints: []string{healthy, "ftp://sekrit"},
				Secrets:   []string{secretOne},
			},
			"endpoint 2",
		},
		"private": {
			Config{
				Outbox:    newQueue(),
				Endpoints: []string{"http://127.0.0.1/sekrit"},
				Secrets:   []string{secretOne},
			},
			"endpoint 1",
		},
		"twice": {
			Config{
				Outbox:    newQueue(),
				Endpoints: []string{healthy, healthy},
				Secrets:   []string{secretOne},
			},
			"endpoint 2",
		},
		"too many": {
			Config{Outbox: newQueue(), Endpoints: many, Secrets: []string{secretOne}},
			"at most 20",
		},
		"no secret": {Config{Outbox: newQueue(), Endpoints: []string{healthy}}, "secret"},
		"bad secret": {
			Config{
				Outbox:    newQueue(),
				Endpoints: []string{healthy},
				Secrets:   []string{secretOne, "sekrit"},
			},
			"secret 2",
		},
		"self": {
			Config{
				Outbox:    newQueue(),
				Endpoints: []string{"https://pay.example/x"},
				Secrets:   []string{secretOne},
				Self:      "https://pay.example",
			},
			"own public URL",
		},
		"self, port": {
			Config{
				Outbox:    newQueue(),
				Endpoints: []string{"https://PAY.example:443/x"},
				Secrets:   []string{secretOne},
				Self:      "https://pay.example/",
			},
			"own public URL",
		},
		"self, localhost": {
			Config{
				Outbox:       newQueue(),
				Endpoints:    []string{"http://localhost:8080/x"},
				Secrets:      []string{secretOne},
				Self:         "http://localhost:8080",
				AllowPrivate: true,
			},
			"own public URL",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := New(tc.c)
			if err == nil || !strings.Contains(err.Error(), tc.want) ||
				strings.Contains(err.Error(), "sekrit") {
				t.Errorf("New: %v; want an error about %q that holds no value", err, tc.want)
			}
		})
	}
	fortest.Must(New(Config{
		Outbox:       newQueue(),
		Endpoints:    []string{"http://localhost:9999/x"},
		Secrets:      []string{secretOne},
		Self:         "http://localhost:8080",
		AllowPrivate: true,
	}))(t)
}

func TestRunWithoutEndpointsWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fortest.Must(New(Config{Outbox: newQueue()}))(t)
		stop := start(t, s)
		s.Kick()
		synctest.Wait()
		if n, err := s.Pass(t.Context()); n != 0 || err != nil {
			t.Errorf("Pass = %d, %v; want 0, nil", n, err)
		}
		stop()
	})
}

// TestKick: what was committed goes out at once when the sender is kicked, and
// within a second when it is not.
func TestKick(t *testing.T) {
	for name, tc := range map[string]struct {
		kick bool
		most time.Duration
	}{"kicked": {true, 0}, "not kicked": {false, time.Second}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue()
				s := sender(t, q, nil, healthy).over(network{"healthy.example": answering(200)})
				stop := start(t, s)
				synctest.Wait()
				<-time.After(300 * time.Millisecond) // of the bubble's clock: between two looks
				began := time.Now()
				q.add(event(1, healthy, began))
				if tc.kick {
					s.Kick()
				}
				q.wait(t, healthy, 1)
				if took := time.Since(began); took > tc.most {
					t.Errorf("delivered after %v; want at most %v", took, tc.most)
				}
				stop()
			})
		})
	}
}

// TestIsolation: an endpoint that hangs and one that fails, with thousands of
// events each, delay nothing of a healthy one.
func TestIsolation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const backlog, events = 10_000, 100
		q, began := newQueue(), time.Now()
		for n := range backlog {
			q.add(event(n, dead, began.Add(-time.Hour)))
			q.add(event(n, slow, began.Add(-time.Hour)))
		}
		s := sender(t, q, nil, dead, slow, healthy).over(network{
			"dead.example":    answering(500),
			"healthy.example": answering(200),
			"slow.example":    hanging,
		})
		for n := range events {
			q.add(event(n, healthy, began))
		}
		stop := start(t, s)
		q.wait(t, healthy, events)
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("the healthy endpoint waited for %v; want at most 2s", took)
		}
		stop()
	})
}

// TestInFlight: however often the line looks, and however much is due, no more
// than four tries are under way, and a slot that is free is used.
func TestInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		for n := range 100 {
			q.add(event(n, slow, time.Now()))
		}
		var hung atomic.Int32
		s := sender(t, q, nil,
			slow).over(network{"slow.example": func(r *http.Request) (*http.Response, error) {
			hung.Add(1)
			defer hung.Add(-1)
			return hanging(r)
		}})
		stop := start(t, s)
		for range 60 {
			s.Kick()
			<-time.After(900 * time.Millisecond) // of the bubble's clock
			if got := hung.Load(); got != 4 {
				t.Fatalf("%d tries in flight to one endpoint; want 4", got)
			}
		}
		stop()
	})
}

// TestHangingTriesLeaveSlots: three tries that hang do not stop the fourth.
func TestHangingTriesLeaveSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, began := newQueue(), time.Now()
		for n := range 20 {
			q.add(event(n, slow, began))
		}
		s := sender(t, q, nil,
			slow).over(network{"slow.example": func(r *http.Request) (*http.Response, error) {
			if id := r.Header.Get("webhook-id"); id < "evt_00003" {
				return hanging(r)
			}
			return answering(200)(r)
		}})
		stop := start(t, s)
		q.wait(t, slow, 17)
		if took := time.Since(began); took > time.Second {
			t.Errorf("17 of 20 took %v; want them done while three hang", took)
		}
		stop()
		for n := range 3 {
			got := q.last(t, event(n, slow, began).EventID, slow)
			if got.Delivered || got.Note != "no answer within 20s" {
				t.Errorf("result of a hanging try = %+v", got)
			}
		}
	})
}

// TestStopWaitsForTries: what was begun is ended and counted.
func TestStopWaitsForTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.add(event(1, slow, time.Now()))
		begun := make(chan struct{})
		s := sender(t, q, nil,
			slow).over(network{"slow.example": func(r *http.Request) (*http.Response, error) {
			close(begun)
			select {
			case <-time.After(10 * time.Second):
				return answering(204)(r)
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		}})
		stop := start(t, s)
		<-begun
		stop()
		if got := q.last(t, "evt_00001", slow); !got.Delivered {
			t.Errorf("result = %+v; want the try to have ended by itself", got)
		}
	})
}

// TestDownForDays walks through the whole window by the times that
// the outbox stores: an endpoint that was down gets the event once it is back.
func TestDownForDays(t *testing.T) {
	for name, tc := range map[string]struct {
		down      time.Duration
		delivered bool
	}{
		"26 h":    {26 * time.Hour, true},
		"76 h":    {76 * time.Hour, true},
		"29 days": {29 * 24 * time.Hour, true},
		"31 days": {31 * 24 * time.Hour, false},
	} {
		for _, draw := range []float64{0, 0.5, 0.999} {
			t.Run(name, func(t *testing.T) {
				q := newQueue()
				began := time.Unix(1_800_000_000, 0)
				now := began
				var ids, stamps []string
				s := sender(t, q, func(c *Config) {
					c.Now = func() time.Time { return now }
					c.Random = func() float64 { return draw }
				}, healthy).over(network{"healthy.example": func(r *http.Request) (*http.Response, error) {
					body, _ := io.ReadAll(r.Body)
					ids, stamps = append(
						ids,
						r.Header.Get("webhook-id"),
					), append(stamps, r.Header.Get("webhook-timestamp"))
					fortest.OK(t, parse(t, secretOne).Verify(r.Header, body, now))
					if now.Sub(began) < tc.down {
						return answering(502)(r)
					}
					return answering(200)(r)
				}})
				q.add(event(1, healthy, began))
				for at, more := q.next(); more; at, more = q.next() {
					now = at
					if n, err := s.Pass(t.Context()); n != 1 || err != nil {
						t.Fatalf("Pass = %d, %v", n, err)
					}
				}
				got := q.last(t, "evt_00001", healthy)
				if got.Delivered != tc.delivered || got.Abandoned == tc.delivered {
					t.Errorf("last result = %+v; want delivered = %v", got, tc.delivered)
				}
				if late := now.Sub(began) - tc.down; tc.delivered && late > 14*time.Hour {
					t.Errorf("delivered %v after it was back", late)
				}
				if len(slices.Compact(ids)) != 1 ||
					len(slices.Compact(stamps)) != len(q.results("evt_00001", healthy)) {
					t.Errorf("ids %v, timestamps %v; want one id, a timestamp for each try", ids,
						stamps)
				}
			})
		}
	}
}

// TestRotationDuringRetries: a retry is signed with the keys of today.
func TestRotationDuringRetries(t *testing.T) {
	q := newQueue()
	now := time.Unix(1_800_000_000, 0)
	var accepts Keys
	merchant := network{"healthy.example": func(r *http.Request) (*http.Response, error) {
		body, _ := io.ReadAll(r.Body)
		if accepts.Verify(r.Header, body, now) != nil {
			return answering(401)(r)
		}
		return answering(200)(r)
	}}
	with := func(secrets ...string) *Sender {
		return sender(
			t,
			q,
			func(c *Config) { c.Secrets, c.Now = secrets, func() time.Time { return now } },
			healthy,
		).over(merchant)
	}
	steps := []struct {
		ours   []string
		theirs string
		want   bool
	}{
		{[]string{secretOne}, secretOne, true},
		{[]string{secretTwo, secretOne}, secretOne, true},
		{[]string{secretTwo, secretOne}, secretTwo, true},
		{[]string{secretTwo}, secretTwo, true},
		{[]string{secretTwo}, secretOne, false},
	}
	for n, step := range steps {
		accepts = parse(t, step.theirs)
		q.add(event(n, healthy, now))
		fortest.Must(with(step.ours...).Pass(t.Context()))(t)
		fortest.Equal(t, q.last(t, event(n, healthy, now).EventID, healthy).Delivered, step.want,
			"step %d: result", n)
	}
	// What the old secret could not deliver goes out once both sides agree.
	at, _ := q.next()
	now = at
	accepts = parse(t, secretOne)
	fortest.Must(with(secretTwo, secretOne).Pass(t.Context()))(t)
	if got := q.last(t, "evt_00004", healthy); !got.Delivered {
		t.Errorf("result after rotation = %+v; want delivered", got)
	}
}

// TestGone: 410 gives the event up and sends the endpoint nothing more; what
// waits for it stays in the outbox.
func TestGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, now := newQueue(), time.Now()
		var asked atomic.Int32
		s := sender(t, q, nil, dead, healthy).over(network{
			"dead.example": func(r *http.Request) (*http.Response, error) {
				asked.Add(1)
				return answering(410)(r)
			},
			"healthy.example": answering(200),
		})
		q.add(event(1, dead, now))
		stop := start(t, s)
		q.wait(t, dead, 1)
		if got := q.last(t, "evt_00001", dead); !got.Abandoned || got.Status != 410 {
			t.Errorf("result = %+v; want abandoned", got)
		}
		q.add(event(2, dead, now))
		q.add(event(2, healthy, now))
		s.Kick()
		q.wait(t, healthy, 1)
		<-time.After(time.Minute) // of the bubble's clock
		if n, err := s.Pass(t.Context()); n != 0 || err != nil {
			t.Errorf("Pass = %d, %v; want 0, nil", n, err)
		}
		if asked.Load() != 1 || len(q.results("evt_00002", dead)) != 0 {
			t.Errorf("the endpoint was asked %d times after 410; want once in all", asked.Load())
		}
		fortest.Diff(t, s.Gone(), []string{dead}, "Gone")
		stop()
	})
}

// TestRecordResultFails: a try that could not be settled comes back after the lease,
// with the same id.
func TestRecordResultFails(t *testing.T) {
	q := newQueue()
	now := time.Unix(1_800_000_000, 0)
	tries := 0
	down := errors.New("database is away")
	s := sender(t, q, func(c *Config) { c.Now = func() time.Time { return now } },
		healthy).over(network{
		"healthy.example": func(r *http.Request) (*http.Response, error) {
			tries++
			if tries == 1 {
				q.fail(down)
			}
			return answering(200)(r)
		},
	})
	q.add(event(1, healthy, now))
	if n, err := s.Pass(t.Context()); n != 1 || !errors.Is(err, down) {
		t.Fatalf("Pass = %d, %v; want 1 and the outbox's error", n, err)
	}
	if n, err := s.Pass(t.Context()); n != 0 || !errors.Is(err, down) {
		t.Fatalf("Pass while down = %d, %v; want 0 and the outbox's error", n, err)
	}
	q.fail(nil)
	if n, err := s.Pass(t.Context()); n != 0 || err != nil {
		t.Fatalf("Pass within the lease = %d, %v; want 0, nil", n, err)
	}
	now, _ = q.next()
	if n, err := s.Pass(t.Context()); n != 1 || err != nil || tries != 2 {
		t.Fatalf("Pass after the lease = %d, %v; want one try more", n, err)
	}
}

// TestOutboxDown: while claims fail the line asks less and less, and it
// delivers once they work again.
func TestOutboxDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.add(event(1, healthy, time.Now()))
		q.fail(errors.New("database is away"))
		var text bytes.Buffer
		s := sender(t, q, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&text, nil)) },
			healthy).over(network{"healthy.example": answering(200)})
		stop := start(t, s)
		<-time.After(time.Hour) // of the bubble's clock
		synctest.Wait()
		lines := strings.Count(text.String(), "\n")
		if lines == 0 || lines > 10 {
			t.Errorf("an hour without database gives %d log lines; want a few", lines)
		}
		q.fail(nil)
		q.wait(t, healthy, 1)
		stop()
	})
}

// TestLog: no secret, body, answer, session or URL is in any line.
func TestLog(t *testing.T) {
	q := newQueue()
	now := time.Unix(1_800_000_000, 0)
	var text bytes.Buffer
	endpoint := func(host string) string { return "https://" + host + "/hook?token=sekrit" }
	echo := func(status int) func(*http.Request) (*http.Response, error) {
		return func(r *http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: status,
				Header:     http.Header{},
				Body:       r.Body,
				Request:    r,
			}, nil
		}
	}
	hosts := network{
		"a.example": echo(200),
		"b.example": echo(500),
		"c.example": echo(410),
		"d.example": func(*http.Request) (*http.Response, error) {
			return nil, errors.New("connection reset")
		}}
	var endpoints []string
	for host := range hosts {
		endpoints = append(endpoints, endpoint(host))
		q.add(event(1, endpoint(host), now))
		old := event(2, endpoint(host), now.Add(-31*24*time.Hour))
		q.add(old)
	}
	s := sender(t, q, func(c *Config) {
		c.Now = func() time.Time { return now }
		c.Log = slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}, endpoints...).over(hosts)
	if n, err := s.Pass(t.Context()); n != 8 || err != nil {
		t.Fatalf("Pass = %d, %v; want 8, nil", n, err)
	}
	fortest.Lacks(t, "log", text.String(),
		"sekrit", "cs_secretsession", secretOne, secretOne[6:], `{\"type`, `"n":`, "/hook", "v1,")
	for _, good := range []string{
		"webhook delivered", "webhook delivery failed", "webhook abandoned", "endpoint is gone",
		"event=evt_00001", "host=a.example", "status=500", "reason=server_failed", "try=1",
	} {
		fortest.Has(t, "log", text.String(), good)
	}
}

var _ Outbox = (*queue)(nil)
