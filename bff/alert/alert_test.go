package alert

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/attention"
	"coinslot/bff/fortest"
)

// shop is a database, what needs attention, and targets, without a network.
type shop struct {
	mu       sync.Mutex // guards the fields below
	state    State
	version  int64
	away     bool // the database
	found    []attention.Condition
	silent   map[string]bool // hosts of targets that do not answer
	received []string        // "host: title", without the name of the shop
	counts   map[string]int

	network http.RoundTripper // nil = the shop's own targets
}

var errAway = errors.New("the database is away")

func (s *shop) LoadAlerts(context.Context) (State, int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return State{}, 0, errAway
	}
	return s.state, s.version, nil
}

func (s *shop) SaveAlerts(_ context.Context, state State, version int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.away:
		return errAway
	case version != s.version:
		return ErrConflict
	}
	s.state = state
	s.version++
	return nil
}

func (s *shop) find(context.Context, time.Time) ([]attention.Condition, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.found, nil
}

// RoundTrip is the targets.
func (s *shop) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.silent[r.URL.Host] {
		return nil, errors.New("no answer")
	}
	title := strings.TrimPrefix(r.Header.Get("Title"), "pay.shop.example: ")
	s.received = append(s.received, r.URL.Host+": "+title)
	body := io.NopCloser(strings.NewReader(""))
	return &http.Response{StatusCode: http.StatusOK, Body: body}, nil
}

func (s *shop) count(result string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[result]++
}

// set changes the shop.
func (s *shop) set(change func(s *shop)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

// wants fails unless exactly this was received since the last call.
func (s *shop) wants(t *testing.T, want, when string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	fortest.Equal(t, strings.Join(s.received, "\n"), want, "received %s", when)
	s.received = nil
}

// instance runs alerts of the shop until ctx ends.
func (s *shop) instance(ctx context.Context, t *testing.T, targets string, shared bool) *Service {
	service := New(Config{
		Store:   s,
		Find:    s.find,
		Targets: fortest.Must(ParseTargets(targets))(t),
		Origin:  "https://pay.shop.example",
		Shared:  shared,
		Count:   s.count,
	})
	service.client.Transport = s
	if s.network != nil {
		service.client.Transport = s.network
	}
	go func() { fortest.OK(t, service.Run(ctx)) }()
	return service
}

// stored returns what the database has.
func (s *shop) stored() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// counted returns how often a result was counted.
func (s *shop) counted(result string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[result]
}

func newShop() *shop {
	return &shop{silent: map[string]bool{}, counts: map[string]int{}}
}

const review = "ntfy.example: A payment needs review"

// A condition is reported within half a minute; what comes next is reported a quarter of an hour
// later.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop()
		s.instance(t.Context(), t, "https://ntfy.example/shop", false)
		time.Sleep(time.Minute + time.Second) // between two passes
		s.wants(t, "", "in a calm minute")

		s.set(func(s *shop) { s.found = []attention.Condition{inReview("1")} })
		time.Sleep(every)
		s.wants(t, review, "then")

		s.set(func(s *shop) { s.found = []attention.Condition{inReview("1", "2")} })
		time.Sleep(quietFor - every)
		s.wants(t, "", "in a quarter of an hour")
		time.Sleep(2 * every)
		s.wants(t, review, "after it")

		s.set(func(s *shop) { s.found = nil })
		time.Sleep(time.Hour)
		s.wants(t, "ntfy.example: 2 things are over", "at the end")
	})
}

// A target that does not answer delays no other, and gets the message once it answers.
func TestSilentTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop()
		s.silent["ntfy.example"] = true
		targets := "https://ntfy.example/shop,https://other.example/shop"
		service := s.instance(t.Context(), t, targets, false)
		s.set(func(s *shop) { s.found = []attention.Condition{inReview("1")} })
		time.Sleep(time.Hour)
		s.wants(t, "other.example: A payment needs review", "then")
		failing := fortest.Must(service.Failing(t.Context()))(t)
		fortest.Equal(t, len(failing), 1, "targets that fail")
		fortest.Equal(t, failing[0].Endpoint, "ntfy.example", "the name of the one that fails")
		fortest.Has(t, "its error", failing[0].Error, "no answer")

		s.set(func(s *shop) { s.silent["ntfy.example"] = false })
		time.Sleep(time.Hour)
		s.wants(t, review, "once it answers")
		failing = fortest.Must(service.Failing(t.Context()))(t)
		fortest.Equal(t, len(failing), 0, "targets that fail once it answers")
		waiting := fortest.Must(service.Waiting(t.Context()))(t)
		fortest.Equal(t, waiting, 0, "messages that wait")
	})
}

// A message that no target takes for three days is given up, and counted.
func TestGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop()
		s.silent["ntfy.example"] = true
		s.instance(t.Context(), t, "https://ntfy.example/shop", false)
		s.set(func(s *shop) { s.found = []attention.Condition{inReview("1")} })
		time.Sleep(4 * 24 * time.Hour)
		fortest.Equal(t, s.counted("dropped"), 1, "messages given up")
		fortest.Equal(t, len(s.stored().Messages), 0, "messages that wait")
	})
}

// A message to a target that was removed from the settings is given up.
func TestRemovedTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop()
		s.silent["ntfy.example"] = true
		first, stop := context.WithCancel(t.Context())
		s.instance(first, t, "https://ntfy.example/shop", false)
		s.set(func(s *shop) { s.found = []attention.Condition{inReview("1")} })
		time.Sleep(time.Minute)
		stop()
		synctest.Wait()

		s.instance(t.Context(), t, "https://other.example/shop", false)
		time.Sleep(time.Hour)
		s.wants(t, "", "then")
		fortest.Equal(t, s.counted("dropped"), 1, "messages given up")
	})
}

// Of two instances one sends; the other goes on a few minutes after that one has died.
func TestInstances(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop()
		first, kill := context.WithCancel(t.Context())
		s.instance(first, t, "https://ntfy.example/shop", true)
		synctest.Wait()
		s.instance(t.Context(), t, "https://ntfy.example/shop", true)
		s.set(func(s *shop) { s.found = []attention.Condition{inReview("1")} })
		time.Sleep(time.Hour)
		s.wants(t, review, "from two instances")

		kill()
		s.set(func(s *shop) { s.found = []attention.Condition{inReview("1", "2")} })
		time.Sleep(lease + every)
		s.wants(t, review, "from the one that is left")
	})
}

// A database that is away for ten minutes is reported from memory, and that it is back.
func TestDatabaseAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop()
		s.instance(t.Context(), t, "https://ntfy.example/shop", false)
		synctest.Wait()
		s.set(func(s *shop) { s.away = true })
		time.Sleep(9 * time.Minute)
		s.wants(t, "", "after nine minutes")
		time.Sleep(2 * time.Minute)
		s.wants(t, "ntfy.example: The database does not answer", "then")

		s.set(func(s *shop) { s.away = false })
		time.Sleep(quietFor + every)
		s.wants(t, "ntfy.example: The database answers again", "after")
	})
}

// A process that ends while it sends does not count that as a failure: the next one sends it.
func TestStoppedWhileSending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop()
		s.set(func(s *shop) { s.found = []attention.Condition{inReview("1")} })
		first, stop := context.WithCancel(t.Context())
		s.network = hangs{}
		s.instance(first, t, "https://ntfy.example/shop", false)
		synctest.Wait()
		stop()
		synctest.Wait()
		fortest.Equal(t, s.stored().Messages[0].Deliveries[0].Tries, 0, "tries that count")

		s.network = nil
		s.instance(t.Context(), t, "https://ntfy.example/shop", false)
		time.Sleep(time.Minute)
		s.wants(t, review, "from the next process")
	})
}

// hangs is a network on which no target answers.
type hangs struct{}

func (hangs) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// The day's orders are reported at the time that is set.
func TestDailySummary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which begins at midnight UTC
		s := newShop()
		var from, to time.Time
		service := New(Config{
			Store:   s,
			Find:    s.find,
			Targets: fortest.Must(ParseTargets("https://ntfy.example/shop"))(t),
			Origin:  "https://pay.shop.example",
			Daily:   fortest.Must(ParseTimeOfDay("08:00"))(t),
			Orders: func(_ context.Context, a, b time.Time) (Orders, error) {
				from, to = a, b
				return Orders{Opened: 2, Paid: 1}, nil
			},
		})
		service.client.Transport = s
		go func() { fortest.OK(t, service.Run(t.Context())) }()
		time.Sleep(7*time.Hour + 59*time.Minute)
		s.wants(t, "", "before the time")

		time.Sleep(2 * time.Minute)
		s.wants(t, "ntfy.example: 1 order paid, $0.00", "then")
		today := time.Now().UTC().Truncate(24 * time.Hour)
		fortest.Equal(t, from, today.AddDate(0, 0, -1), "the begin of the day")
		fortest.Equal(t, to, today, "its end")
	})
}

// slow is a network on which each answer takes a while.
type slow struct{ next http.RoundTripper }

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(sendTimeout / 2)
	return s.next.RoundTrip(r)
}

// While one instance waits for a target, the other does not send the same message.
func TestInstancesWithASlowTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop()
		s.network = slow{s}
		s.set(func(s *shop) { s.found = []attention.Condition{inReview("1")} })
		s.instance(t.Context(), t, "https://ntfy.example/shop", true)
		time.Sleep(time.Second)
		s.instance(t.Context(), t, "https://ntfy.example/shop", true)
		time.Sleep(time.Hour)
		s.wants(t, review, "from two instances")
	})
}

// A target that does not answer is tried once in a pass, however many messages wait for it: the
// state is held for a limited time.
func TestPassIsBounded(t *testing.T) {
	s := newShop()
	s.silent["ntfy.example"] = true
	targets := fortest.Must(ParseTargets("https://ntfy.example/shop"))(t)
	service := New(Config{Store: s, Targets: targets, Count: s.count})
	service.client.Transport = s
	var state State
	for _, id := range []string{"1", "2", "3"} {
		state, _ = state.send(Message{ID: id}, targets, noon)
	}
	saving := saver{store: s}
	fortest.OK(t, service.deliver(t.Context(), &state, saving.save))
	fortest.Equal(t, s.counted("failed"), 1, "tries")
}
