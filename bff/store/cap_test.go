package store

import (
	"path/filepath"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/store/pgtest"
)

// TestCapDue: due times of payments that are watched are capped, and no others.
func TestCapDue(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for name, dsn := range map[string]func(*testing.T) string{
		"sqlite":   func(t *testing.T) string { return filepath.Join(t.TempDir(), "coinslot.db") },
		"postgres": func(t *testing.T) string { return pgtest.DSN(t) },
	} {
		t.Run(name, func(t *testing.T) {
			db := opened(t, dsn(t))
			for _, c := range []struct {
				status wire.Status
				due    time.Duration // from now
				want   time.Duration
			}{
				{wire.Pending, 2 * time.Hour, time.Minute}, {wire.Preparing, 48 * time.Hour, time.Minute},
				{wire.Review, 2 * time.Hour, time.Minute}, {wire.Pending, 15 * time.Second, 15 * time.Second},
				{wire.Pending, -time.Hour, -time.Hour}, {wire.Cancelled, 49 * time.Hour, time.Minute},
				{wire.Expired, 48 * time.Hour, 48 * time.Hour},
				{wire.Open, 24 * time.Hour, 24 * time.Hour}, {wire.Confirmed, 72 * time.Hour, 72 * time.Hour},
			} {
				s := payment.Session{
					ID: payment.NewSessionID(), Status: c.status, CreatedAt: now, ExpiresAt: now, DueAt: now.Add(c.due),
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
					t.Errorf("%s due in %v: capped to %v, %v; want %v", c.status, c.due, got.DueAt.Sub(now), err, c.want)
				}
			}
			if n, err := db.CapDue(t.Context(), now, time.Minute); n != 0 || err != nil {
				t.Errorf("CapDue again = %d, %v; want nothing to do", n, err)
			}
			due, err := db.Claim(t.Context(), now.Add(time.Minute), time.Second, 10)
			if err != nil || len(due) != 6 {
				t.Errorf("Claim after a minute = %d sessions, %v; want 6", len(due), err)
			}
		})
	}
}
