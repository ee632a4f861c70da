package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/webhook"

	"github.com/google/go-cmp/cmp"
)

// TestStats: what is the case, as both databases tell it.
func TestStats(t *testing.T) {
	for name, dsn := range databases(t) {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)
			db := fortest.Must(Open(t.Context(), Config{
				DSN:       dsn,
				Endpoints: []string{"https://a.example/"},
				Now:       func() time.Time { return now },
			}))(t)
			defer db.Close()
			empty, err := db.Stats(t.Context())
			if err != nil || len(empty.Waiting)+empty.Undelivered != 0 ||
				!empty.Unchecked.IsZero() || !empty.OldestUndelivered.IsZero() ||
				!empty.Due.IsZero() {
				t.Fatalf("of nothing: %+v, %v", empty, err)
			}
			for i, s := range []payment.Session{
				{
					Status:    wire.Pending,
					CheckedAt: now.Add(-time.Minute),
					DueAt:     now.Add(time.Minute),
				},
				{Status: wire.Pending, DueAt: now.Add(-3 * time.Second)}, // never checked
				{Status: wire.Review},
				{Status: wire.Preparing},
				{Status: wire.Open},
				{Status: wire.Confirmed},
			} {
				s.ID, s.CreatedAt = fmt.Sprintf("cs_%026d", i), now.Add(-time.Hour)
				fortest.Must(db.Insert(t.Context(), s))(t)
			}
			for i, age := range []time.Duration{time.Minute, 20 * time.Minute, time.Second} {
				fortest.Must(db.Update(t.Context(), fmt.Sprintf("cs_%026d",
					i), 0, func(s *payment.Session) ([]payment.Event, error) {
					return []payment.Event{
						{
							ID:      fmt.Sprint("evt_", i),
							Session: s.ID,
							Type:    payment.EventPending,
							At:      now.Add(-age),
							Body:    []byte("{}"),
						},
					}, nil
				}))(t)
			}
			// The oldest is replayed now, and one of the others is delivered.
			fortest.Must(db.Replay(t.Context(),
				webhook.Range{From: now.Add(-time.Hour), To: now.Add(-10 * time.Minute)}, now))(t)
			fortest.OK(
				t,
				db.RecordResult(t.Context(), webhook.Delivery{
					EventID:  "evt_2",
					Endpoint: "https://a.example/",
				}, webhook.DeliveryResult{Delivered: true}),
			)
			got := fortest.Must(db.Stats(t.Context()))(t)
			onDisk := got.Size > 10_000 && got.Free > 0
			if onDisk == db.Shared() {
				t.Errorf("size %d, free %d", got.Size, got.Free)
			}
			got.Size, got.Free = 0, 0
			want := Stats{
				Waiting: map[wire.Status]int{
					wire.Preparing: 1,
					wire.Pending:   2,
					wire.Review:    1,
				},
				Unchecked:         now.Add(-time.Hour),
				Due:               now.Add(-3 * time.Second),
				Undelivered:       2,
				OldestUndelivered: now.Add(-time.Minute),
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if n, err := db.Bucket("stats", 10).Free(t.Context()); n != 10 || err != nil {
				t.Errorf("Free of a new bucket = %d, %v; want 10", n, err)
			}
			bucket := db.Bucket("stats", 10)
			for range 4 {
				fortest.Must(bucket.Take(t.Context(), time.Second))(t)
			}
			if n, err := bucket.Free(t.Context()); n < 6 || n > 9 ||
				err != nil { // some may have grown back
				t.Errorf("Free after 4 = %d, %v; want 6", n, err)
			}
		})
	}
}

// TestReadyTables: tables of a newer release are ready, older ones are not.
func TestReadyTables(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "ready.db"))
	fortest.OK(t, db.Ready(t.Context()))
	change := func(query string) { fortest.OK(t, db.Execute(t.Context(), query)) }
	change(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)`)
	fortest.OK(t, db.Ready(t.Context()))
	change(`DELETE FROM goose_db_version WHERE version_id > 0`)
	fortest.Fails(t, db.Ready(t.Context()), "older tables are ready")
}

// TestTrouble: what is reported as the database's fault, and what is not.
func TestTrouble(t *testing.T) {
	var mu sync.Mutex
	var reported []string
	db := fortest.Must(Open(t.Context(), Config{
		DSN: filepath.Join(t.TempDir(), "trouble.db"),
		Began: func(ctx context.Context, operation string) (context.Context, func(error)) {
			return ctx, func(err error) {
				mu.Lock()
				defer mu.Unlock()
				reported = append(reported, fmt.Sprint(operation, " ", err != nil))
			}
		}}))(t)
	<-db.rerouted
	defer db.Close()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name string
		do   func() error
		want []string
	}{
		{"read", func() error { return db.Ping(t.Context()) }, []string{"read false"}},
		{
			"not there",
			func() error { _, err := db.Session(t.Context(), "cs_none"); return err },
			[]string{"read false"},
		},
		{
			"a caller's decision",
			func() error {
				return db.Write(t.Context(), func(*sql.Tx) error { return errors.New("no") })
			},
			[]string{"write false"},
		},
		{"a caller who left", func() error { return db.Ping(cancelled) }, []string{"read false"}},
		{"taken", func() error {
			return db.Write(t.Context(), func(tx *sql.Tx) error {
				_, err := tx.Exec(`INSERT INTO buckets (name, next_at) VALUES ('a', 1), ('a', 2)`)
				return err
			})
		}, []string{"write false"}},
		{
			"a broken statement",
			func() error { return db.Execute(t.Context(), `SELECT nothing FROM nowhere`) },
			[]string{"write true"},
		},
		{
			"closed",
			func() error { _ = db.Close(); return db.Ping(t.Context()) },
			[]string{"read true"},
		},
	} {
		mu.Lock()
		reported = nil
		mu.Unlock()
		err := c.do()
		mu.Lock()
		fortest.Diff(t, reported, c.want, "%s (%v): reported", c.name, err)
		mu.Unlock()
	}
}

// TestCapDue: due times of payments that are watched are capped, and no others.
func TestCapDue(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for name, dsn := range databases(t) {
		t.Run(name, func(t *testing.T) {
			db := opened(t, dsn)
			for _, c := range []struct {
				status wire.Status
				due    time.Duration // from now
				want   time.Duration
			}{
				{wire.Pending, 2 * time.Hour, time.Minute},
				{wire.Preparing, 48 * time.Hour, time.Minute},
				{wire.Review, 2 * time.Hour, time.Minute},
				{wire.Pending, 15 * time.Second, 15 * time.Second},
				{wire.Pending, -time.Hour, -time.Hour},
				{wire.Cancelled, 49 * time.Hour, time.Minute},
				{wire.Expired, 48 * time.Hour, 48 * time.Hour},
				{wire.Open, 24 * time.Hour, 24 * time.Hour},
				{wire.Confirmed, 72 * time.Hour, 72 * time.Hour},
			} {
				s := payment.Session{
					ID:        payment.NewSessionID(),
					Status:    c.status,
					CreatedAt: now,
					ExpiresAt: now,
					DueAt:     now.Add(c.due),
				}
				ahead := now.Add(48 * time.Hour)
				if c.status == wire.Cancelled { // checked by a clock that was ahead
					s.CheckedAt = ahead
				}
				fortest.Must(db.Insert(t.Context(), s))(t)
				if c.due > time.Minute { // the lease of a clock that was ahead
					fortest.Must(db.Hold(t.Context(), s.ID, ahead, 30*time.Second))(t)
				}
				fortest.Must(db.CapDue(t.Context(), now, time.Minute))(t)
				got, err := db.Session(t.Context(), s.ID)
				if err != nil || !got.DueAt.Equal(now.Add(c.want)) {
					t.Errorf("%s due in %v: capped to %v, %v; want %v", c.status, c.due,
						got.DueAt.Sub(now), err, c.want)
				}
			}
			if n, err := db.CapDue(t.Context(), now, time.Minute); n != 0 || err != nil {
				t.Errorf("CapDue again = %d, %v; want nothing to do", n, err)
			}
			due, err := db.Claim(t.Context(), now.Add(time.Minute), time.Second, 10, false)
			if err != nil || len(due) != 6 {
				t.Errorf("Claim after a minute = %d sessions, %v; want 6", len(due), err)
			}
		})
	}
}
