package checkouttest

import (
	"cmp"
	"context"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/store"
	"coinslot/bff/store/storetest"
	"coinslot/bff/webhook"
)

// Store is the real store, over SQLite, whose updates can be made to fail.
type Store struct {
	*store.DB
	t          testing.TB
	updateHook func() (before, after error)
}

// NewStore returns an empty store with that clock, without work in the background.
func NewStore(t testing.TB, now func() time.Time) *Store {
	t.Helper()
	db := fortest.Must(store.OpenBeside(t.Context(), store.Config{
		DSN: storetest.Migrated(t, CreateTables),
		Now: now,
	}))(t)
	t.Cleanup(func() { _ = db.Close() })
	return &Store{DB: db, t: t}
}

// CreateTables makes the tables of a database that is empty.
func CreateTables(dsn string) error {
	db, err := store.Open(context.Background(), store.Config{DSN: dsn})
	if err != nil {
		return err
	}
	return db.Close()
}

// FailUpdates sets a hook that runs in every Update: an error from before means that nothing
// was written, one from after that it was, although Update returns that error. Nil removes it.
func (s *Store) FailUpdates(hook func() (before, after error)) { s.updateHook = hook }

// Update implements checkout.Store.
func (s *Store) Update(
	ctx context.Context, id string, epoch int64,
	change func(*payment.Session) ([]payment.Event, error),
) (payment.Session, error) {
	var before, after error
	if s.updateHook != nil {
		before, after = s.updateHook()
	}

	stored, err := s.DB.Update(ctx, id, epoch, func(now *payment.Session) ([]payment.Event, error) {
		events, err := change(now)
		return events, cmp.Or(err, before)
	})
	if err == nil && after != nil {
		return payment.Session{}, after
	}

	return stored, err
}

// NextDue returns when the next session is due, claimed or not, and whether one is.
func (s *Store) NextDue() (at time.Time, found bool) {
	s.t.Helper()
	var due int64
	const query = `SELECT COALESCE(min(due_at), 0) FROM sessions WHERE unreadable_at IS NULL`
	fortest.OK(s.t, s.Reader.QueryRowContext(context.Background(), query).Scan(&due))
	return time.UnixMicro(due).UTC(), due != 0
}

// EventsOf returns the events of a session, oldest first.
func (s *Store) EventsOf(id string) []payment.Event {
	s.t.Helper()
	return fortest.Must(s.Events(context.Background(), webhook.EventQuery{Session: id}))(s.t).Events
}
