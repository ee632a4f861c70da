// Package alert sends the owner of a shop what needs attention, without a monitoring system: by
// mail, or by a POST as ntfy and Slack take it.
//
// It compares what package attention finds with what was found before: State.next is the rule,
// which says what has begun and what is over. State, messages and the tries to deliver them are one
// document of the database. So a message survives a restart and kill -9, and of several instances
// one sends. A message is sent again if its answer was lost: better twice than never.
//
// Start at [New] and [Service.Run].
package alert

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"coinslot/bff/attention"
	"coinslot/bff/internal/background"
	"coinslot/bff/webhook"
)

// ErrConflict means that another instance has changed the state meanwhile.
var ErrConflict = errors.New("the alerts were changed by another instance")

// Store keeps the state. storetest has its contract. Errors: ErrConflict; the database's.
type Store interface {
	// LoadAlerts returns the state and its version; both are zero if there is none.
	LoadAlerts(ctx context.Context) (State, int64, error)
	// SaveAlerts stores the state in place of that version.
	SaveAlerts(ctx context.Context, s State, version int64) error
}

// Config is what a [Service] is made of.
type Config struct {
	Store Store // required
	// Find returns what needs attention. Errors: the database's.
	Find func(ctx context.Context, now time.Time) ([]attention.Condition, error)
	// Orders returns the orders that were opened in from <= t < to.
	Orders  func(ctx context.Context, from, to time.Time) (Orders, error)
	Targets []Target
	Mail    MailServer // for targets that are e-mail addresses
	// AllowPrivate lets URLs lead to this machine and its network.
	AllowPrivate bool
	Origin       string // of the checkout, for links
	Daily        TimeOfDay
	Zone         *time.Location // nil = UTC
	// Shared says that other instances may use the store.
	Shared bool
	// Count counts tries: "delivered", "failed", and "dropped" for messages that were given up. Nil
	// = not counted.
	Count func(result string)
	Now   func() time.Time // nil = time.Now
	Log   *slog.Logger     // nil = silent
}

// Service finds and delivers alerts. Its methods may be called by many goroutines, Run once.
type Service struct {
	Config
	client *http.Client
	holder string // how the state calls this instance
	writer writer

	// outage is what is known while the database does not answer. Only Run uses it.
	outage    State
	downSince time.Time // zero = the database answers
}

// New returns a service that does nothing before [Service.Run].
func New(c Config) *Service {
	if c.Count == nil {
		c.Count = func(string) {}
	}
	c.Zone = cmp.Or(c.Zone, time.UTC)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Now == nil {
		c.Now = time.Now
	}

	s := &Service{
		Config: c,
		client: webhook.NewClient(c.AllowPrivate),
		writer: writer{origin: c.Origin, zone: c.Zone},
	}
	if c.Shared { // else a restart goes on at once
		s.holder = rand.Text()
	}
	return s
}

const (
	// every is how often conditions are looked for.
	every = 30 * time.Second
	// lease is for how long an instance holds the state. It outlasts a pass in which no target
	// answers.
	lease = 5 * time.Minute
	// sendTimeout bounds one try.
	sendTimeout = 20 * time.Second
)

// Run finds and delivers until ctx ends; it logs errors and returns nil.
func (s *Service) Run(ctx context.Context) error {
	defer s.client.CloseIdleConnections()
	for {
		err := s.pass(ctx)
		if ctx.Err() != nil {
			return nil
		}
		s.noteDatabase(ctx, err)
		if !background.Sleep(ctx, every) {
			return nil
		}
	}
}

// pass looks for conditions once, stores what is new, and delivers what is due. Errors: the
// database's.
func (s *Service) pass(ctx context.Context) error {
	now := s.Now()
	state, version, err := s.Store.LoadAlerts(ctx)
	if err != nil || state.held(s.holder, now) {
		return err
	}
	found, err := s.Find(ctx, now)
	if err != nil {
		return err
	}

	state.Holder = s.holder
	state.Until = now.Add(lease)
	state, due := state.next(found, now)
	if !due.isEmpty() {
		state = s.add(ctx, state, s.writer.write(due), now)
	}
	state, err = s.summarize(ctx, state, found, now)
	if err != nil {
		return err
	}

	saving := saver{store: s.Store, version: version}
	err = saving.save(ctx, state)
	if err == nil {
		err = s.deliver(ctx, &state, saving.save)
	}
	if errors.Is(err, ErrConflict) { // another instance goes on
		return nil
	}
	return err
}

// saver stores one version of the state after the other.
type saver struct {
	store   Store
	version int64
}

func (s *saver) save(ctx context.Context, state State) error {
	err := s.store.SaveAlerts(ctx, state, s.version)
	if err == nil {
		s.version++
	}
	return err
}

// add puts a message into the outbox.
func (s *Service) add(ctx context.Context, state State, m Message, now time.Time) State {
	m.ID = rand.Text()
	m.At = now
	state, dropped := state.send(m, s.Targets, now)
	for _, old := range dropped {
		s.drop(ctx, old, "too many wait")
	}
	return state
}

func (s *Service) drop(ctx context.Context, m Message, why string) {
	s.Count("dropped")
	s.Log.ErrorContext(ctx, "alert given up", "alert", m.Title, "written", m.At, "reason", why)
}

// summarize writes the daily message if it is due.
func (s *Service) summarize(
	ctx context.Context, state State, found []attention.Condition, now time.Time,
) (State, error) {
	state, day, isDue := state.summaryOf(s.Daily, s.Zone, now)
	if !isDue {
		return state, nil
	}
	orders, err := s.Orders(ctx, day, day.AddDate(0, 0, 1))
	if err != nil {
		return state, err
	}
	return s.add(ctx, state, s.writer.summarize(day, orders, found), now), nil
}

// deliver tries what is due, the oldest message first, and saves each result at once. A target that
// does not accept a message gets no other before the next pass: that bounds how long this takes.
// Errors: of save.
func (s *Service) deliver(
	ctx context.Context, state *State, save func(context.Context, State) error,
) error {
	failed := map[string]bool{}
	for _, m := range slices.Clone(state.Messages) {
		for _, d := range slices.Clone(m.Deliveries) {
			if d.NextAt.After(s.Now()) || failed[d.Target] || ctx.Err() != nil {
				continue
			}
			left := s.try(ctx, m, d)
			failed[d.Target] = left != nil
			state.record(m.ID, d.Target, left)
			// what was accepted has to be written down, also at the end of the process
			if err := save(context.WithoutCancel(ctx), *state); err != nil {
				return err
			}
		}
	}
	return nil
}

// record replaces the delivery of a message to a target; left nil, there is nothing left to do.
func (s *State) record(message, target string, left *Delivery) {
	messages := slices.Clone(s.Messages)
	for i := range messages {
		if messages[i].ID != message {
			continue
		}
		var deliveries []Delivery
		for _, d := range messages[i].Deliveries {
			switch {
			case d.Target != target:
				deliveries = append(deliveries, d)
			case left != nil:
				deliveries = append(deliveries, *left)
			}
		}
		messages[i].Deliveries = deliveries
	}
	s.Messages = slices.DeleteFunc(messages, func(m Message) bool { return len(m.Deliveries) == 0 })
}

// try makes one try, and returns the next one; nil = there is none.
func (s *Service) try(ctx context.Context, m Message, d Delivery) *Delivery {
	i := slices.IndexFunc(s.Targets, func(t Target) bool { return t.key() == d.Target })
	if i < 0 {
		s.drop(ctx, m, "its target is not configured any more")
		return nil
	}

	target := s.Targets[i]
	err := s.send(ctx, target, m)
	if err == nil {
		s.Count("delivered")
		s.Log.InfoContext(ctx, "alert delivered", "target", target.Name(), "alert", m.Title)
		return nil
	}

	if errors.Is(ctx.Err(), context.Canceled) { // the process ends: it is tried again
		return &d
	}

	s.Count("failed")
	d.Tries++
	d.Error = cleaned(err.Error())
	wait, again := retryAfter(d.Tries)
	d.NextAt = s.Now().Add(wait)
	s.Log.WarnContext(ctx, "delivering an alert failed",
		"target", target.Name(), "alert", m.Title, "tries", d.Tries, "error", err)
	if !again {
		s.drop(ctx, m, "the target did not accept it for three days")
		return nil
	}
	return &d
}

// send hands a message to a target. Errors do not hold the target's secret.
func (s *Service) send(ctx context.Context, t Target, m Message) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	if t.form == byMail {
		return s.Mail.send(ctx, t.to, m, s.Now())
	}
	return s.post(ctx, t, m)
}

// noteDatabase reports that the database does not answer, and that it does again. This instance
// keeps that in memory: where several share a database, each reports it.
func (s *Service) noteDatabase(ctx context.Context, failure error) {
	now := s.Now()
	var found []attention.Condition
	if failure != nil {
		s.Log.ErrorContext(ctx, "looking for alerts failed", "error", failure)
		if s.downSince.IsZero() {
			s.downSince = now
		}
		found = []attention.Condition{{Kind: database, Grave: true, Since: s.downSince}}
	} else {
		s.downSince = time.Time{}
	}

	var due report
	s.outage, due = s.outage.next(found, now)
	if !due.isEmpty() {
		s.outage = s.add(ctx, s.outage, s.writer.write(due), now)
	}
	inMemory := func(context.Context, State) error { return nil }
	_ = s.deliver(ctx, &s.outage, inMemory) // which returns the errors of inMemory
}

// TestResult is what has come of a test message at one target.
type TestResult struct {
	Target string // its name
	Error  string // empty = it was accepted
}

// Test sends a test message to every target, and returns what has come of it. It blocks for at most
// 20 seconds.
func (s *Service) Test(ctx context.Context) []TestResult {
	m := s.writer.test()
	m.ID = rand.Text()
	results := make([]TestResult, len(s.Targets))
	var sending sync.WaitGroup
	for i, t := range s.Targets {
		sending.Go(func() {
			results[i].Target = t.Name()
			if err := s.send(ctx, t, m); err != nil {
				results[i].Error = cleaned(err.Error())
			}
		})
	}
	sending.Wait()
	return results
}

// Failing returns a condition for each target that does not accept alerts. Errors: the database's.
func (s *Service) Failing(ctx context.Context) (list []attention.Condition, err error) {
	state, _, err := s.Store.LoadAlerts(ctx)
	if err != nil {
		return nil, err
	}

	for _, t := range s.Targets {
		c := attention.Condition{Kind: attention.Alerts, Endpoint: t.Name()}
		for _, m := range state.Messages {
			i := slices.IndexFunc(m.Deliveries, func(d Delivery) bool {
				return d.Target == t.key() && d.Tries > 0
			})
			if i < 0 {
				continue
			}
			c.Count++
			c.Tried = max(c.Tried, m.Deliveries[i].Tries)
			c.Error = m.Deliveries[i].Error
			if c.Since.IsZero() {
				c.Since = m.At
			}
		}
		if c.Count > 0 {
			list = append(list, c)
		}
	}
	return list, nil
}

// Names returns the names of the targets.
func (s *Service) Names() []string {
	var names []string
	for _, t := range s.Targets {
		names = append(names, t.Name())
	}
	return names
}

// Waiting returns how many messages have not reached all targets. Errors: the database's.
func (s *Service) Waiting(ctx context.Context) (int, error) {
	state, _, err := s.Store.LoadAlerts(ctx)
	return len(state.Messages), err
}
