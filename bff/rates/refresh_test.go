package rates

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/currency"
	"coinslot/bff/fortest"
)

// memory is a Store.
type memory struct {
	mu      sync.Mutex // guards the fields below
	state   State
	version int64
	failing error
	before  func() // runs once, before the next save
}

func (m *memory) LoadRates(context.Context) (s State, version int64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state, m.version, m.failing
}

func (m *memory) SaveRates(_ context.Context, s State, version int64) error {
	m.mu.Lock()
	before := m.before
	m.before = nil
	m.mu.Unlock()
	if before != nil {
		before()
	}

	m.mu.Lock()
	defer m.mu.Unlock()
	if version != m.version {
		return ErrConflict
	}
	m.state = s
	m.version++
	return nil
}

func (m *memory) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failing = err
}

func (m *memory) beforeNextSave(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.before = f
}

// scripted is a source that answers as a function says.
type scripted struct {
	name string

	mu     sync.Mutex // guards the fields below
	answer func(now time.Time) (Table, error)
	asked  []time.Time
}

func (s *scripted) Name() string { return s.name }
func (s *scripted) Host() string { return "rates.example" }

func (s *scripted) Fetch(ctx context.Context, now time.Time) (Table, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, time.Now())
	return s.answer(now)
}

func (s *scripted) set(answer func(now time.Time) (Table, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// times returns when the source was asked, and forgets it.
func (s *scripted) times() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// euros answers with a rate that is current.
func euros(number string) func(now time.Time) (Table, error) {
	return func(now time.Time) (Table, error) {
		return newTable(JSON, currency.USD, now, now.Add(jsonServes), units{"EUR": number})
	}
}

func fails(time.Time) (Table, error) { return Table{}, errors.New("no answer") }

// logged is where a test's log goes.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// start runs a refresher until the test ends.
func start(t *testing.T, source Source, store Store) *logged {
	log := &logged{}
	r := &Refresher{Source: source, Store: store, Now: time.Now, Log: slog.New(slog.NewTextHandler(log, nil))}
	go r.Run(t.Context())
	return log
}

func stateOf(t *testing.T, m *memory) State {
	t.Helper()
	synctest.Wait()
	s, _, err := m.LoadRates(t.Context())
	fortest.OK(t, err)
	return s
}

func TestRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, source := &memory{}, &scripted{name: JSON, answer: euros("0.9")}
		log := start(t, source, store)
		fortest.Equal(t, stateOf(t, store).Currencies["EUR"].Rate.Fraction, "1/0.9", "at once")

		time.Sleep(time.Hour)
		synctest.Wait()
		asked := source.times()
		fortest.Equal(t, len(asked), 7, "reads in an hour: every ten minutes")

		source.set(fails)
		time.Sleep(time.Hour)
		s := stateOf(t, store)
		asked = source.times()
		fortest.Equal(t, s.Schedule.Failures, len(asked), "failures")
		fortest.Equal(t, s.Schedule.Failure, "no answer", "the last failure")
		fortest.Equal(t, s.Currencies["EUR"].Rate.Fraction, "1/0.9", "the rates stay")
		if first := asked[1].Sub(asked[0]); first < 22*time.Second || first > 38*time.Second {
			t.Errorf("the first retry came after %s; want about 30 s", first)
		}
		for i := 2; i < len(asked); i++ {
			if wait := asked[i].Sub(asked[i-1]); wait > 10*time.Minute || wait < 45*time.Second {
				t.Errorf("retry %d came after %s", i, wait)
			}
		}
		if len(asked) < 8 || len(asked) > 14 {
			t.Errorf("%d reads in an hour of failures", len(asked))
		}

		source.set(euros("0.91"))
		time.Sleep(10 * time.Minute)
		s = stateOf(t, store)
		fortest.Equal(t, s.Schedule.Failures, 0, "failures after an answer")
		fortest.Equal(t, s.Currencies["EUR"].Rate.Fraction, "1/0.91", "the new rate")
		fortest.Has(t, "log", log.String(), `msg="reading exchange rates failed" source=json error="no answer" failures=1`)
	})
}

// One instance reads the source. If it dies, another one takes over within a minute.
func TestRefreshOneInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, source := &memory{}, &scripted{name: JSON, answer: euros("0.9")}
		for range 5 {
			start(t, source, store)
		}
		time.Sleep(24*time.Hour + 5*time.Minute)
		synctest.Wait()
		if n := len(source.times()); n < 140 || n > 145 {
			t.Errorf("5 instances read the source %d times in a day; want 145, every ten minutes", n)
		}
	})

	synctest.Test(t, func(t *testing.T) {
		store, source := &memory{}, &scripted{name: JSON, answer: euros("0.9")}
		dying, die := context.WithCancel(t.Context())
		stuck := &stuckSource{scripted: source, asked: make(chan bool)}
		r := &Refresher{Source: stuck, Store: store, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
		go r.Run(dying)
		<-stuck.asked
		die()
		start(t, source, store)
		time.Sleep(readLease - time.Second)
		fortest.Equal(t, len(stateOf(t, store).Currencies), 0, "while it may still read")
		time.Sleep(3 * time.Second)
		fortest.Equal(t, len(stateOf(t, store).Currencies), 1, "then")
	})
}

// stuckSource does not answer.
type stuckSource struct {
	*scripted
	asked chan bool
}

func (s *stuckSource) Fetch(ctx context.Context, _ time.Time) (Table, error) {
	s.asked <- true
	<-ctx.Done()
	return Table{}, ctx.Err()
}

// What an operator accepts while the source is read is not lost, and the hold is reported once.
func TestRefreshKeepsAcceptedRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, source := &memory{}, &scripted{name: JSON, answer: euros("0.9")}
		log := start(t, source, store)
		synctest.Wait()
		source.set(euros("0.5"))
		time.Sleep(30 * time.Minute)
		s := stateOf(t, store)
		fortest.Equal(t, s.Currencies["EUR"].Held.Fraction, "1/0.5", "held")
		fortest.Equal(t, strings.Count(log.String(), `level=ERROR msg="exchange rate held"`), 1, "alerts")
		fortest.Has(t, "log", log.String(), "currency=EUR in_use=1.111111111 held=2")

		answer := euros("0.5")
		source.set(func(now time.Time) (Table, error) {
			store.beforeNextSave(func() {
				s, version, err := store.LoadRates(t.Context())
				fortest.OK(t, err)
				s, err = s.Accept("EUR", "1/0.5")
				fortest.OK(t, err)
				fortest.OK(t, store.SaveRates(t.Context(), s, version))
			})
			return answer(now)
		})
		time.Sleep(10 * time.Minute)
		s = stateOf(t, store)
		fortest.Equal(t, s.Currencies["EUR"].Rate.Fraction, "1/0.5", "accepted")
		fortest.Equal(t, s.Currencies["EUR"].Held, nil, "nothing is held")
		fortest.Equal(t, s.AsOf.Equal(time.Now()), true, "what was read is stored, too")
	})
}

func TestRefreshStoreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, source := &memory{failing: errors.New("no database")}, &scripted{name: JSON, answer: euros("0.9")}
		log := start(t, source, store)
		time.Sleep(time.Hour)
		synctest.Wait()
		fortest.Equal(t, len(source.times()), 0, "reads without a database")
		if n := strings.Count(log.String(), "storing exchange rates failed"); n < 90 || n > 160 {
			t.Errorf("%d tries in an hour; want one in about 30 s", n)
		}
		store.fail(nil)
		time.Sleep(time.Minute)
		fortest.Equal(t, len(stateOf(t, store).Currencies), 1, "afterwards")
	})
}

// What another source said serves no longer, even if the new one does not answer; a time that a
// wrong clock has stored keeps no source from being read.
func TestRefreshStartsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fixed := Table{Source: Fixed, Rates: map[string]Rate{"EUR": {Fraction: "1", Source: Fixed}}}
		store := &memory{}
		s := State{}.Apply(fixed)
		s.Schedule.Next = time.Now().AddDate(1, 0, 0)
		fortest.OK(t, store.SaveRates(t.Context(), s, 0))
		source := &scripted{name: JSON, answer: fails}
		start(t, source, store)
		s = stateOf(t, store)
		fortest.Equal(t, s.Source, JSON, "source")
		_, _, err := s.Quote(dec("1"), "EUR", dec("0"), time.Now())
		if _, ok := errors.AsType[*UnavailableError](err); !ok {
			t.Errorf("EUR after the change of source: %v", err)
		}

		source.set(euros("0.9"))
		time.Sleep(time.Minute)
		s, version, err := store.LoadRates(t.Context())
		fortest.OK(t, err)
		s.Schedule.Next = time.Now().AddDate(1, 0, 0)
		fortest.OK(t, store.SaveRates(t.Context(), s, version))
		time.Sleep(20 * time.Minute)
		source.times()
		time.Sleep(20 * time.Minute)
		fortest.Equal(t, len(source.times()), 2, "reads in twenty minutes, after a wrong clock")
	})
}

func TestPause(t *testing.T) {
	for failures := 1; failures < 100; failures++ {
		for range 100 {
			wait := pause(failures, 30*time.Minute)
			least := min(22*time.Second<<min(failures-1, 6), 20*time.Minute)
			if wait < least || wait > 30*time.Minute || failures == 1 && wait > 38*time.Second {
				t.Fatalf("%s after %d failures", wait, failures)
			}
		}
	}
}
