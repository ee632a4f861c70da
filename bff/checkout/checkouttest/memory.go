package checkouttest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// Memory is a Store that keeps rows as JSON, as a database would.
type Memory struct {
	updateHook func() (before, after error) // see Store.FailUpdates

	Mu           sync.Mutex // guards the fields below
	rows         map[string][]byte
	epochs       map[string]int64
	leases       map[string]time.Time
	watchedUntil map[string]time.Time // WatchedUntil
	due          map[string]time.Time // by id, so that a claim need not read every row
	late         map[string]bool      // by id: DueForLateCheck
	order        []string             // ids, oldest first
	events       []payment.Event
	read         map[string]payment.Session // of rows, by id, for every
}

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{
		rows: map[string][]byte{}, epochs: map[string]int64{}, leases: map[string]time.Time{},
		watchedUntil: map[string]time.Time{}, due: map[string]time.Time{}, late: map[string]bool{},
		read: map[string]payment.Session{},
	}
}

func (m *Memory) load(id string) (payment.Session, error) {
	var s payment.Session
	row, ok := m.rows[id]
	if !ok {
		return s, payment.ErrNotFound
	}
	err := json.Unmarshal(row, &s)
	s.Epoch, s.WatchedUntil = m.epochs[id], m.watchedUntil[id]
	return s, err
}

func (m *Memory) save(s payment.Session) {
	row, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	m.rows[s.ID], m.due[s.ID], m.late[s.ID] = row, s.DueAt, s.DueForLateCheck()
	delete(m.read, s.ID)
}

// Every calls f with each session until f returns false. Sessions passed to f are shared: load
// them to keep them. m.Mu is held.
func (m *Memory) Every(f func(payment.Session) bool) {
	for _, id := range m.order {
		if _, ok := m.read[id]; !ok {
			m.read[id], _ = m.load(id) // what is in order is in rows
		}
		s := m.read[id]
		s.Epoch, s.WatchedUntil = m.epochs[id], m.watchedUntil[id]
		if !f(s) {
			return
		}
	}
}

// loadAll is load of several.
func (m *Memory) loadAll(ids []string) (list []payment.Session, err error) {
	for _, id := range ids {
		s, err := m.load(id)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// Insert implements checkout.Store.
func (m *Memory) Insert(_ context.Context, s payment.Session) (payment.Session, error) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	have := ""
	m.Every(func(o payment.Session) bool {
		byKey := s.IdempotencyKey != "" && o.IdempotencyKey == s.IdempotencyKey
		if byKey || have == "" && s.Order.Ref != "" && o.Order.Ref == s.Order.Ref {
			have = o.ID
		}
		return !byKey
	})
	if have != "" {
		old, err := m.load(have)
		return old, cmp.Or(err, payment.ErrExists)
	}
	s.Version = 1
	m.order = append(m.order, s.ID)
	m.save(s)
	return m.load(s.ID)
}

// Session implements checkout.Store.
func (m *Memory) Session(_ context.Context, id string) (payment.Session, error) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	return m.load(id)
}

// Update implements checkout.Store.
func (m *Memory) Update(
	_ context.Context, id string, change func(*payment.Session) ([]payment.Event, error),
) (payment.Session, error) {
	var before, after error
	if m.updateHook != nil {
		before, after = m.updateHook()
	}
	m.Mu.Lock()
	defer m.Mu.Unlock()
	s, err := m.load(id)
	if err != nil {
		return s, err
	}
	old, _ := m.load(id)
	events, err := change(&s)
	switch {
	case errors.Is(err, payment.ErrUnchanged):
		return old, nil
	case err != nil:
		return old, err
	case before != nil:
		return old, before
	}
	if err := m.unique(s); err != nil {
		return old, err
	}
	s.Version++
	m.save(s)
	m.append(events)
	if after != nil {
		return payment.Session{}, after
	}
	return m.load(id)
}

// unique returns an error if something of s belongs to another attempt or session.
func (m *Memory) unique(s payment.Session) (err error) {
	m.Every(func(o payment.Session) bool {
		if o.ID == s.ID {
			return true
		}
		for _, a := range s.Attempts {
			for _, b := range o.Attempts {
				err = cmp.Or(err, clash(a, b))
			}
		}
		return err == nil
	})
	return err
}

func clash(a, b payment.Attempt) error {
	switch {
	case a.Drawn && b.Drawn && a.Live() && b.Live() && a.OrderID == b.OrderID:
		return payment.ErrTaken
	case a.State == payment.Confirmed && b.State == payment.Confirmed && a.TxID != "" &&
		a.TxID == b.TxID:
		return payment.ErrTxUsed
	case a.TrackingCode != "" && a.TrackingCode == b.TrackingCode:
		return payment.ErrTrackingUsed
	}
	return nil
}

func (m *Memory) append(events []payment.Event) {
	for _, e := range events {
		if !slices.ContainsFunc(m.events, func(o payment.Event) bool { return o.ID == e.ID }) {
			m.events = append(m.events, e)
		}
	}
}

// Touch implements checkout.Store.
func (m *Memory) Touch(_ context.Context, old payment.Session, checkedAt, dueAt time.Time) error {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	s, err := m.load(old.ID)
	if err != nil || s.Version != old.Version || old.Claimed && m.epochs[s.ID] != old.Epoch {
		return nil
	}
	if old.Claimed {
		delete(m.leases, s.ID)
	}
	s.CheckedAt, s.DueAt = checkedAt, dueAt
	m.save(s)
	return nil
}

// Claim implements poll.Store.
func (m *Memory) Claim(
	ctx context.Context, now time.Time, lease time.Duration, limit int,
) ([]payment.Session, error) {
	return m.ClaimOf(ctx, m.lane(false), now, lease, limit)
}

// ClaimLate implements poll.Store.
func (m *Memory) ClaimLate(
	ctx context.Context, now time.Time, lease time.Duration, limit int,
) ([]payment.Session, error) {
	return m.ClaimOf(ctx, m.lane(true), now, lease, limit)
}

// lane returns the ids of the sessions that are due for a late check, or for another.
func (m *Memory) lane(late bool) []string {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.order), func(id string) bool {
		return m.late[id] != late
	})
}

// ClaimOf implements poll.Store.
func (m *Memory) ClaimOf(
	_ context.Context, ids []string, now time.Time, lease time.Duration, limit int,
) ([]payment.Session, error) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	var due []payment.Session
	for _, id := range ids {
		if at := m.due[id]; at.IsZero() || at.After(now) || m.leases[id].After(now) {
			continue
		}
		s, err := m.load(id)
		if err != nil {
			return nil, err
		}
		due = append(due, s)
	}
	slices.SortFunc(due, func(a, b payment.Session) int { return a.DueAt.Compare(b.DueAt) })
	due = due[:min(limit, len(due))]
	for i := range due {
		due[i] = m.lease(due[i], now.Add(lease))
	}
	return due, nil
}

// lease gives s to a new holder. m.mu is held.
func (m *Memory) lease(s payment.Session, until time.Time) payment.Session {
	m.epochs[s.ID]++
	m.leases[s.ID] = until
	s.Epoch, s.Claimed = m.epochs[s.ID], true
	return s
}

// Hold implements checkout.Store.
func (m *Memory) Hold(
	_ context.Context, id string, now time.Time, lease time.Duration,
) (payment.Session, error) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	s, err := m.load(id)
	if err != nil {
		return s, err
	}
	return m.lease(s, now.Add(lease)), nil
}

// Release implements checkout.Store.
func (m *Memory) Release(_ context.Context, old payment.Session, dueAt time.Time) error {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	s, err := m.load(old.ID)
	if _, leased := m.leases[old.ID]; err != nil || !leased || m.epochs[old.ID] != old.Epoch {
		return nil
	}
	delete(m.leases, old.ID)
	if s.DueAt.Equal(old.DueAt) {
		s.DueAt = dueAt
		m.save(s)
	}
	return nil
}

// Watch notes until when sessions are watched.
func (m *Memory) Watch(_ context.Context, ids []string, until, dueBy time.Time) error {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	for _, id := range ids {
		s, err := m.load(id)
		if err != nil || !(s.Status.Waiting() && s.Status.Outcome() == wire.Payable) {
			continue
		}
		if m.watchedUntil[id].Before(until) {
			m.watchedUntil[id] = until
		}
		if s.DueAt.IsZero() || dueBy.Before(s.DueAt) {
			s.DueAt = dueBy
			m.save(s)
		}
	}
	return nil
}

// FindAttempts implements checkout.Store.
func (m *Memory) FindAttempts(_ context.Context, keys []string) ([]payment.AttemptRef, error) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	var list []payment.AttemptRef
	m.Every(func(s payment.Session) bool {
		for _, a := range s.Attempts {
			if slices.Contains(keys, a.Marker) || slices.Contains(keys, a.TrackingCode) {
				list = append(list, payment.AttemptRef{
					Session: s.ID, Number: a.Number, Marker: a.Marker, TrackingCode: a.TrackingCode,
				})
			}
		}
		return true
	})
	return list, nil
}

// Lookup returns the session of a tracking code or marker.
func (m *Memory) Lookup(_ context.Context, key string) (payment.Session, error) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	found := ""
	m.Every(func(s payment.Session) bool {
		for _, a := range s.Attempts {
			if key != "" && (a.TrackingCode == key || a.Marker == key) {
				found = s.ID
			}
		}
		return found == ""
	})
	return m.load(found)
}

// List implements checkout.Store.
func (m *Memory) List(_ context.Context, f payment.Filter) (payment.Page, error) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	var found []string
	m.Every(func(s payment.Session) bool {
		if (f.To.IsZero() || s.CreatedAt.Before(f.To)) &&
			(f.OrderRef == "" || s.Order.Ref == f.OrderRef) &&
			(f.IdempotencyKey == "" || s.IdempotencyKey == f.IdempotencyKey) {
			found = append(found, s.ID)
		}
		return true
	})
	list, err := m.loadAll(found)
	return payment.Page{Sessions: list}, err
}

// Outbox returns the events of a session, in order.
func (m *Memory) Outbox(id string) []payment.Event {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	var list []payment.Event
	for _, e := range m.events {
		if e.Session == id {
			list = append(list, e)
		}
	}
	return list
}

// TouchAll implements poll.ListStore.
func (m *Memory) TouchAll(_ context.Context, now time.Time, list []payment.Touched) error {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	for _, t := range list {
		s, err := m.load(t.ID)
		if err != nil || s.Version != t.Version || !s.DueAt.Equal(t.DueAt) ||
			m.leases[t.ID].After(now) {
			continue
		}
		s.CheckedAt, s.DueAt = t.At, t.Due
		m.save(s)
	}
	return nil
}

// Tracked implements poll.ListStore.
func (m *Memory) Tracked(_ context.Context, codes []string) ([]payment.Session, error) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	var found []string
	m.Every(func(s payment.Session) bool {
		if slices.ContainsFunc(
			s.Attempts,
			func(a payment.Attempt) bool { return slices.Contains(codes, a.TrackingCode) },
		) {
			found = append(found, s.ID)
		}
		return true
	})
	return m.loadAll(found)
}

// Count returns how many sessions have that status.
func (m *Memory) Count(_ context.Context, status string) (n int, err error) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	m.Every(func(s payment.Session) bool {
		if string(s.Status) == status {
			n++
		}
		return true
	})
	return n, nil
}
