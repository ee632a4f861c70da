package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// slow is a session whose actions take a while each. It records what was run.
type slow struct {
	server *Server
	takes  time.Duration

	mu  sync.Mutex // guards the fields below
	ran []string
}

func newSlow(takes time.Duration) *slow {
	return &slow{server: &Server{}, takes: takes}
}

// ask asks for an action until ctx ends.
func (s *slow) ask(ctx context.Context, key string, merchant bool) error {
	r := httptest.NewRequestWithContext(ctx, "POST", "/", nil)
	_, err := s.server.Serialize(r, Action{
		Session: "cs_1", Key: key, Merchant: merchant,
		Do: func(ctx context.Context, _ string) (payment.Session, error) {
			s.mu.Lock()
			s.ran = append(s.ran, fmt.Sprint(key, merchant))
			s.mu.Unlock()
			select {
			case <-time.After(s.takes):
				return payment.Session{}, nil
			case <-ctx.Done():
				return payment.Session{}, ctx.Err()
			}
		},
	})
	return err
}

// Twelve cancellations of one session and then the merchant's make three exchanges, the merchant's
// as soon as the first has ended.
func TestActionsShareOneExchange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlow(5 * time.Second)
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() { fortest.OK(t, s.ask(t.Context(), "cancel", false)) })
			synctest.Wait()
		}
		began := time.Now()
		fortest.OK(t, s.ask(t.Context(), "cancel", true))
		fortest.Equal(t, time.Since(began), 10*time.Second, "the merchant waited")
		all.Wait()
		fortest.Equal(t, time.Since(began), 15*time.Second, "the shoppers waited")
		want := []string{"cancelfalse", "canceltrue", "cancelfalse"}
		if !slices.Equal(s.ran, want) {
			t.Errorf("ran %q; want %q", s.ran, want)
		}
	})
}

// Actions without a key, such as simulated payments, are each run.
func TestActionsWithoutAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlow(time.Second)
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() { fortest.OK(t, s.ask(t.Context(), "", false)) })
		}
		all.Wait()
		fortest.Equal(t, len(s.ran), 3, "runs")
	})
}

// Every request is answered before the server must not write any more, and what no request
// waits for is not begun.
func TestActionsHaveADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlow(ActionTime + time.Second)
		var all sync.WaitGroup
		unavailable := Refuse(wire.CodeGatewayUnavailable, "")
		for _, key := range []string{"cancel", "recheck"} {
			all.Go(func() {
				if err := s.ask(t.Context(), key, false); !errors.Is(err, unavailable) {
					t.Errorf("%s: %v; want %v", key, err, unavailable)
				}
			})
			synctest.Wait()
		}
		began := time.Now()
		all.Wait()
		fortest.Equal(t, time.Since(began), ActionTime, "answered after")
		time.Sleep(time.Minute)
		fortest.Equal(t, len(s.ran), 1, "runs")
	})
}

// A client that goes away frees its place.
func TestActionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlow(time.Second)
		ctx, leave := context.WithCancel(t.Context())
		for i := range 1 + maxWaiting {
			go s.ask(ctx, fmt.Sprint("choose ", i), false)
			synctest.Wait()
		}
		unavailable := Refuse(wire.CodeGatewayUnavailable, "")
		if err := s.ask(t.Context(), "one too many", false); !errors.Is(err, unavailable) {
			t.Errorf("one too many: %v; want %v", err, unavailable)
		}
		fortest.OK(t, s.ask(t.Context(), "cancel", true))
		leave()
		synctest.Wait()
		fortest.OK(t, s.ask(t.Context(), "recheck", false))
		synctest.Wait()
		fortest.Equal(t, len(s.server.actions.queues), 0, "queues left")
	})
}

// A panic fails one action, and not the process.
func TestActionPanics(t *testing.T) {
	s := &Server{Config: Config{Log: slog.New(slog.DiscardHandler)}}
	r := httptest.NewRequest("POST", "/", nil)
	for range 2 {
		_, err := s.Serialize(r, Action{
			Session: "cs_1",
			Do: func(context.Context, string) (payment.Session, error) {
				panic("no attempt")
			},
		})
		if err == nil {
			t.Error("no error")
		}
	}
}
