package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/alert"
	"coinslot/bff/attention"
	"coinslot/bff/checkout"
	"coinslot/bff/console"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
	"coinslot/bff/rates"
	"coinslot/bff/statement"
	"coinslot/bff/store/storetest"
	"coinslot/bff/webhook"
)

// memory is a database without a disk. The contract suite holds for what it implements; what it
// embeds is nil.
type memory struct {
	webhook.Log
	webhook.Rerouting
	console.Records
	rates.Store
	gatewaylist.Runs
	checkout.Eraser
	attention.Money
	attention.Damage
	alertStore
	statement.Sessions

	endpoints []string
	// committed is called with each change of a session, under the lock. Nil = no callback.
	committed func(before, after payment.Session, events []payment.Event)

	defect string // see TestDefectsAreFound

	mu         sync.Mutex // guards the fields below
	rows       []*row     // oldest first
	events     map[string]bool
	deliveries []*delivery // in the order of their events
}

type alertStore = alert.Store // another name than that of rates.Store

// row is a session. What its slices hold is never changed in place.
type row struct {
	payment.Session
	watchedUntil time.Time
	epoch        int64     // counts the claims
	leased       time.Time // until then
}

type delivery struct {
	webhook.Delivery
	next, leased time.Time
	urgent, done bool
}

func TestMemoryIsAStore(t *testing.T) {
	storetest.RunSessions(t, func(_ *testing.T, endpoints []string) storetest.Backend {
		return &memory{endpoints: endpoints}
	})
}

// micros is t as databases keep it.
func micros(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return time.UnixMicro(t.UnixMicro()).UTC()
}

// read returns a copy of the session.
func (r *row) read() payment.Session {
	s := r.Snapshot()
	s.Timeline = slices.Clip(s.Timeline)
	s.Order.Metadata = maps.Clone(s.Order.Metadata)
	return s
}

// stored returns a copy of the session with what is stored beside it.
func (r *row) stored(epoch int64) checkout.StoredSession {
	return checkout.StoredSession{Session: r.read(), WatchedUntil: r.watchedUntil, Epoch: epoch}
}

// write stores s, except for what only claims and watchers set.
func (r *row) write(s payment.Session) {
	s.CheckedAt, s.DueAt = micros(s.CheckedAt), micros(s.DueAt)
	s.Attempts, s.Order.Metadata = slices.Clone(s.Attempts), maps.Clone(s.Order.Metadata)
	r.Session = s
}

// find returns the first row for which is reports true, or nil.
func (m *memory) find(is func(r *row) bool) *row {
	if i := slices.IndexFunc(m.rows, is); i >= 0 {
		return m.rows[i]
	}
	return nil
}

func (m *memory) byID(id string) *row {
	return m.find(func(r *row) bool { return r.ID == id })
}

func (m *memory) Insert(_ context.Context, s payment.Session) (payment.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, same := range []func(r *row) bool{
		func(r *row) bool { return s.IdempotencyKey != "" && r.IdempotencyKey == s.IdempotencyKey },
		func(r *row) bool { return s.Order.Ref != "" && r.Order.Ref == s.Order.Ref },
	} {
		if r := m.find(same); r != nil && r.ID != s.ID {
			return r.read(), payment.ErrExists
		}
	}
	if m.byID(s.ID) != nil {
		return payment.Session{}, errors.New("the id is taken")
	}
	s.Version = 1
	r := &row{}
	r.write(s)
	m.rows = append(m.rows, r)
	if m.committed != nil {
		m.committed(payment.Session{}, r.Session, nil)
	}
	return r.read(), nil
}

func (m *memory) Load(_ context.Context, id string) (checkout.StoredSession, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.byID(id); r != nil {
		return r.stored(0), nil
	}
	return checkout.StoredSession{}, payment.ErrNotFound
}

func (m *memory) Session(ctx context.Context, id string) (payment.Session, error) {
	s, err := m.Load(ctx, id)
	return s.Session, err
}

func (m *memory) Update(
	_ context.Context, id string, epoch int64,
	change func(*payment.Session) ([]payment.Event, error),
) (payment.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.byID(id)
	switch {
	case r == nil:
		return payment.Session{}, payment.ErrNotFound
	case epoch != 0 && epoch != r.epoch:
		return r.read(), payment.ErrFenced
	}
	s := r.read()
	events, err := change(&s)
	if errors.Is(err, payment.ErrUnchanged) {
		return r.read(), nil
	}
	if s.ID, s.Version = r.ID, r.Version+1; err == nil {
		err = m.conflict(s)
	}
	if err != nil {
		return r.read(), err
	}
	before := r.Session
	r.write(s)
	if m.committed != nil {
		m.committed(before, r.Session, events)
	}
	m.append(events)
	return r.read(), nil
}

// conflict returns why s cannot be stored beside the others.
func (m *memory) conflict(s payment.Session) error {
	for _, r := range m.rows {
		if r.ID == s.ID {
			continue
		}
		if s.Order.Ref != "" && r.Order.Ref == s.Order.Ref {
			return errors.New("the reference is taken")
		}
		for _, a := range s.Attempts {
			for _, b := range r.Attempts {
				switch {
				case a.Drawn && a.Live() && b.Drawn && b.Live() && a.OrderID == b.OrderID:
					return payment.ErrTaken
				case shareTx(&a, &b) && m.defect != sharedTx:
					return payment.ErrTxUsed
				case a.TrackingCode != "" && a.TrackingCode == b.TrackingCode:
					return payment.ErrTrackingUsed
				}
			}
		}
	}
	return nil
}

// shareTx reports whether one transaction pays for both.
func shareTx(a, b *payment.Attempt) bool {
	return slices.ContainsFunc(a.HeldTxIDs(), func(id string) bool {
		return id != "" && slices.Contains(b.HeldTxIDs(), id)
	})
}

// append stores the events that are new, each with its deliveries.
func (m *memory) append(events []payment.Event) {
	if m.events == nil {
		m.events = map[string]bool{}
	}
	for _, e := range events {
		if m.events[e.ID] {
			continue
		}
		m.events[e.ID] = true
		for _, d := range m.deliveries {
			d.urgent = d.urgent || e.Type.Urgent() && d.Session == e.Session
		}
		for _, endpoint := range m.endpoints {
			m.deliveries = append(m.deliveries, &delivery{
				urgent: e.Type.Urgent(), next: e.At, Delivery: webhook.Delivery{
					EventID: e.ID, Endpoint: endpoint, Type: e.Type, Session: e.Session,
					Body: e.Body, CreatedAt: e.At,
				},
			})
		}
	}
}

func (m *memory) Touch(
	_ context.Context, s checkout.StoredSession, checkedAt, dueAt time.Time,
) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.byID(s.ID)
	if r == nil || r.Version != s.Version || s.Epoch != 0 && r.epoch != s.Epoch {
		return nil
	}
	r.CheckedAt, r.DueAt = micros(checkedAt), micros(dueAt)
	if s.Epoch != 0 {
		r.leased = time.Time{}
	}
	return nil
}

func (m *memory) TouchAll(_ context.Context, now time.Time, list []gatewaylist.Touched) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range list {
		r := m.byID(t.ID)
		if r != nil && r.Version == t.Version && !r.DueAt.IsZero() && r.DueAt.Equal(t.DueAt) &&
			!r.leased.After(now) {
			r.CheckedAt, r.DueAt = micros(t.At), micros(t.Due)
		}
	}
	return nil
}

// lease claims a row until then.
func (r *row) lease(until time.Time) checkout.StoredSession {
	r.epoch, r.leased = r.epoch+1, until
	return r.stored(r.epoch)
}

func (m *memory) claim(
	now time.Time, lease time.Duration, limit int, is func(r *row) bool,
) (claimed []checkout.StoredSession) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var due []*row
	for _, r := range m.rows {
		if payment.IsDue(r.DueAt, now) && !r.leased.After(now) && is(r) {
			due = append(due, r)
		}
	}
	slices.SortFunc(due, func(a, b *row) int {
		return cmp.Or(a.DueAt.Compare(b.DueAt), cmp.Compare(a.ID, b.ID))
	})
	for _, r := range due[:max(0, min(limit, len(due)))] {
		claimed = append(claimed, r.lease(now.Add(lease)))
	}
	return claimed
}

func (m *memory) Claim(
	_ context.Context, now time.Time, lease time.Duration, limit int, late bool,
) ([]checkout.StoredSession, error) {
	return m.claim(now, lease, limit, func(r *row) bool { return r.DueForLateCheck() == late }), nil
}

func (m *memory) ClaimOf(
	_ context.Context, ids []string, now time.Time, lease time.Duration, limit int,
) ([]checkout.StoredSession, error) {
	is := func(r *row) bool { return slices.Contains(ids, r.ID) }
	return m.claim(now, lease, limit, is), nil
}

func (m *memory) Hold(
	_ context.Context, id string, now time.Time, lease time.Duration,
) (checkout.StoredSession, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.byID(id); r != nil {
		return r.lease(now.Add(lease)), nil
	}
	return checkout.StoredSession{}, payment.ErrNotFound
}

func (m *memory) Release(
	_ context.Context, s checkout.StoredSession, dueAt time.Time,
) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.byID(s.ID)
	if r == nil || r.epoch != s.Epoch || r.leased.IsZero() {
		return nil
	}
	r.leased = time.Time{}
	if r.DueAt.Equal(s.DueAt) {
		r.DueAt = micros(dueAt)
	}
	return nil
}

func (m *memory) Watch(_ context.Context, ids []string, until, dueBy time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		r := m.byID(id)
		if r == nil || r.Status != wire.Pending && r.Status != wire.Preparing {
			continue
		}
		if until.After(r.watchedUntil) {
			r.watchedUntil = micros(until)
		}
		if r.DueAt.IsZero() || dueBy.Before(r.DueAt) {
			r.DueAt = micros(dueBy)
		}
	}
	return nil
}

func (m *memory) FindAttempts(
	_ context.Context, keys []string,
) (found []payment.AttemptRef, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	wanted := map[string]bool{}
	for _, k := range keys {
		wanted[k] = k != ""
	}
	for _, r := range m.rows {
		for _, a := range r.Attempts {
			if wanted[a.Marker] || wanted[a.TrackingCode] {
				found = append(found, payment.AttemptRef{
					Session: r.ID, Number: a.Number, Marker: a.Marker, TrackingCode: a.TrackingCode,
				})
			}
		}
	}
	return found, nil
}

func (m *memory) Tracked(
	ctx context.Context, codes []string,
) (found []gatewaylist.TrackedSession, err error) {
	refs, err := m.FindAttempts(ctx, codes)
	for _, ref := range refs {
		known := func(s gatewaylist.TrackedSession) bool { return s.ID == ref.Session }
		if !slices.Contains(codes, ref.TrackingCode) || ref.TrackingCode == "" ||
			slices.ContainsFunc(found, known) {
			continue
		}
		s, err := m.Load(ctx, ref.Session)
		if err != nil {
			return nil, err
		}
		found = append(found, gatewaylist.TrackedSession{
			Session: s.Session, WatchedUntil: s.WatchedUntil,
		})
	}
	return found, err
}

func (m *memory) Count(_ context.Context, status string) (n int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.rows {
		if string(r.Status) == status {
			n++
		}
	}
	return n, nil
}

func (m *memory) List(_ context.Context, f payment.Filter) (page payment.Page, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	// A cursor has a fixed length, so that cursors sort as what they stand for.
	cursor := func(r *row) string { return fmt.Sprintf("%020d.%s", r.CreatedAt.UnixMicro(), r.ID) }
	if f.Cursor != "" && (len(f.Cursor) < 21 || f.Cursor[20] != '.') ||
		strings.HasPrefix(f.Cursor, "9") {
		return page, errors.New("no cursor of a page")
	}
	sorted := slices.SortedFunc(slices.Values(m.rows), func(a, b *row) int {
		return cmp.Compare(cursor(b), cursor(a))
	})
	size := max(1, min(100, cmp.Or(f.Limit, 20)))
	for i, r := range sorted {
		if f.Status != "" && string(r.Status) != f.Status ||
			f.OrderRef != "" && r.Order.Ref != f.OrderRef ||
			f.IdempotencyKey != "" && r.IdempotencyKey != f.IdempotencyKey ||
			!f.To.IsZero() && !r.CreatedAt.Before(f.To) ||
			f.Cursor != "" && cursor(r) >= f.Cursor {
			continue
		}
		if len(page.Sessions) == size {
			page.Next = cursor(sorted[i-1])
			break
		}
		page.Sessions = append(page.Sessions, r.read())
	}
	return page, nil
}

// first is the due time that d is ordered by.
func (d *delivery) first() time.Time {
	if d.urgent {
		return d.next.Add(-webhook.HeadStart)
	}
	return d.next
}

func (m *memory) ClaimDeliveries(
	_ context.Context, now time.Time, lease time.Duration, limit int, endpoints []string,
) (claimed []webhook.Delivery, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var due []*delivery
	for _, d := range m.deliveries {
		if !d.done && !d.next.After(now) && !d.leased.After(now) &&
			slices.Contains(endpoints, d.Endpoint) {
			due = append(due, d)
		}
	}
	slices.SortStableFunc(due, func(a, b *delivery) int { return a.first().Compare(b.first()) })
	for _, d := range due[:max(0, min(limit, len(due)))] {
		d.leased = now.Add(lease)
		claimed = append(claimed, d.Delivery)
	}
	return claimed, nil
}

func (m *memory) RecordResult(
	_ context.Context, d webhook.Delivery, r webhook.DeliveryResult,
) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, known := range m.deliveries {
		if known.EventID == d.EventID && known.Endpoint == d.Endpoint {
			known.Tries++
			known.done = known.done || r.Delivered || r.Abandoned
			known.next, known.leased = r.NextAt, time.Time{}
			return nil
		}
	}
	return errors.New("no such delivery")
}
