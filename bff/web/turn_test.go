package web

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
)

// slow is a session whose actions take a while each. It records what was run.
type slow struct {
	server *Server
	takes  time.Duration
	fails  error // nil = actions succeed
	shares bool  // actions that succeed do for those that wait, too

	mu     sync.Mutex // guards the fields below
	ran    []string
	acting int
}

func newSlow(takes time.Duration) *slow {
	return &slow{server: &Server{}, takes: takes}
}

// ask asks for an action until ctx ends.
func (s *slow) ask(ctx context.Context, key string, merchant bool) error {
	r := httptest.NewRequestWithContext(ctx, "POST", "/", nil)
	ctx, turn, err := s.server.TakeTurn(r, Action{Session: "cs_1", Key: key, Merchant: merchant})
	if err != nil {
		return err
	}
	defer turn.End()
	if turn.AlreadyDone() {
		return nil
	}

	s.begin(fmt.Sprint(key, merchant))
	err = s.fails
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.end()
	if err != nil {
		return turn.Fail(err)
	}
	if s.shares {
		turn.Done()
	}
	turn.End()
	return nil
}

func (s *slow) begin(action string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ran = append(s.ran, action)
	s.acting++
	if s.acting > 1 {
		panic("two actions at a time")
	}
}

func (s *slow) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acting--
}

// Twelve cancellations of one session and then the merchant's, at a gateway that refuses them, make
// three exchanges, the merchant's as soon as the first has ended.
func TestEqualActionsFailTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlow(4 * time.Second)
		s.fails = Refuse(wire.CodePaymentInProgress, "")
		refused := func(ctx context.Context, merchant bool) {
			if err := s.ask(ctx, "cancel", merchant); !errors.Is(err, s.fails) {
				t.Errorf("%v; want %v", err, s.fails)
			}
		}
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() { refused(t.Context(), false) })
			synctest.Wait()
		}
		began := time.Now()
		refused(t.Context(), true)
		fortest.Equal(t, time.Since(began), 8*time.Second, "the merchant waited")
		all.Wait()
		fortest.Equal(t, time.Since(began), 12*time.Second, "the shoppers waited")
		want := []string{"cancelfalse", "canceltrue", "cancelfalse"}
		if !slices.Equal(s.ran, want) {
			t.Errorf("ran %q; want %q", s.ran, want)
		}
	})
}

// Actions that succeed run one at a time, and so do different ones that fail.
func TestActionsTakeTurns(t *testing.T) {
	for name, c := range map[string]struct {
		keys  []string
		fails error
	}{
		"succeed": {[]string{"cancel", "cancel", "cancel"}, nil},
		"fail":    {[]string{"cancel", "recheck", "extend 1"}, Refuse(wire.CodeInvalid, "")},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newSlow(time.Second)
			s.fails = c.fails
			began := time.Now()
			var all sync.WaitGroup
			for _, key := range c.keys {
				all.Go(func() {
					if err := s.ask(t.Context(), key, false); !errors.Is(err, c.fails) {
						t.Errorf("%s: %v; want %v", name, err, c.fails)
					}
				})
			}
			all.Wait()
			fortest.Equal(t, len(s.ran), 3, "%s: runs", name)
			fortest.Equal(t, time.Since(began), 3*time.Second, "%s: took", name)
		})
	}
}

// What is done for all that wait runs once in a burst.
func TestEqualActionsAreDoneTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlow(time.Second)
		s.shares = true
		began := time.Now()
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() { fortest.OK(t, s.ask(t.Context(), "choose", false)) })
			synctest.Wait()
		}
		all.Wait()
		fortest.Equal(t, len(s.ran), 1, "runs")
		fortest.Equal(t, time.Since(began), time.Second, "took")
	})
}

// An action whose time is over says nothing about those that have waited less.
func TestTimeOfOneActionIsNotThatOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlow(9 * time.Second)
		var all sync.WaitGroup
		all.Go(func() { fortest.OK(t, s.ask(t.Context(), "change", false)) })
		synctest.Wait()
		s.takes = 8 * time.Second
		all.Go(func() { // has 7 seconds when its turn comes
			if s.ask(t.Context(), "recheck", false) == nil {
				t.Error("an action of 8 s was done in 7 s")
			}
		})
		time.Sleep(8900 * time.Millisecond)
		all.Go(func() { fortest.OK(t, s.ask(t.Context(), "recheck", false)) })
		all.Wait()
		fortest.Equal(t, len(s.ran), 3, "runs")
	})
}

// An action that had too little time left does not begin: it might cancel a payment, and not start
// the one that the shopper wants.
func TestActionsDoNotBeginLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlow(11 * time.Second)
		var all sync.WaitGroup
		all.Go(func() { fortest.OK(t, s.ask(t.Context(), "recheck", false)) })
		synctest.Wait()
		all.Go(func() {
			if s.ask(t.Context(), "change", false) == nil {
				t.Error("an action was done in 5 s")
			}
		})
		all.Wait()
		fortest.Equal(t, len(s.ran), 1, "runs")
	})
}

// Every request is answered before the server must not write any more, and what no request
// waits for is not begun.
func TestActionsHaveADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlow(ActionTime)
		began := time.Now()
		var all sync.WaitGroup
		for _, key := range []string{"cancel", "recheck"} {
			all.Go(func() {
				if err := s.ask(t.Context(), key, false); err == nil {
					t.Errorf("%s: no error", key)
				}
			})
			synctest.Wait()
		}
		all.Wait()
		fortest.Equal(t, time.Since(began), ActionTime-finishTime, "answered after")
		time.Sleep(time.Minute)
		fortest.Equal(t, len(s.ran), 1, "runs")
	})
}

// A client that goes away frees its place.
func TestActionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlow(5 * time.Second)
		ctx, leave := context.WithCancel(t.Context())
		for i := range 1 + maxWaiting {
			go s.ask(ctx, fmt.Sprint("choose ", i), false)
			synctest.Wait()
		}
		for range 100 { // equal ones take one place
			go s.ask(ctx, "choose 8", false)
		}
		synctest.Wait()
		unavailable := Refuse(wire.CodeGatewayUnavailable, "")
		if err := s.ask(t.Context(), "one too many", false); !errors.Is(err, unavailable) {
			t.Errorf("one too many: %v; want %v", err, unavailable)
		}
		fortest.OK(t, s.ask(t.Context(), "cancel", true))
		leave()
		synctest.Wait()
		fortest.OK(t, s.ask(t.Context(), "recheck", false))
		synctest.Wait()
		fortest.Equal(t, len(s.server.turns.queues), 0, "queues left")
	})
}

// A client that goes away during its action does not make an equal one fail.
func TestActionOfAClientThatLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlow(5 * time.Second)
		ctx, leave := context.WithCancel(t.Context())
		go s.ask(t.Context(), "recheck", false)
		synctest.Wait()
		go s.ask(ctx, "choose", false)
		synctest.Wait()
		var all sync.WaitGroup
		all.Go(func() { fortest.OK(t, s.ask(t.Context(), "choose", false)) })
		time.Sleep(6 * time.Second) // the second acts
		leave()
		all.Wait()
		want := []string{"recheckfalse", "choosefalse", "choosefalse"}
		if !slices.Equal(s.ran, want) {
			t.Errorf("ran %q; want %q", s.ran, want)
		}
	})
}

// A panic fails one action, and not those that wait.
func TestActionPanics(t *testing.T) {
	s := &Server{}
	for range 2 {
		func() {
			defer func() { recover() }()
			r := httptest.NewRequest("POST", "/", nil)
			_, turn, err := s.TakeTurn(r, Action{Session: "cs_1", Key: "cancel"})
			fortest.OK(t, err)
			defer turn.End()
			panic("no attempt")
		}()
	}
	fortest.Equal(t, len(s.turns.queues), 0, "queues left")
}
