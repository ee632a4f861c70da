package store

import (
	"log/slog"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/store/pgtest"
	"coinslot/bff/store/storetest"
)

func TestUnreadable(t *testing.T) { runUnreadable(t, migrated) }

func TestUnreadableOnPostgres(t *testing.T) { runUnreadable(t, pgtest.DSN) }

func runUnreadable(t *testing.T, dsn func(testing.TB) string) {
	storetest.RunUnreadable(t, func(t *testing.T, endpoints []string) storetest.Damaged {
		var log fortest.Log
		db := openedAs(t, Config{
			DSN: dsn(t), Endpoints: endpoints, CheckEvent: storetest.CheckEvent,
			Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
		})
		return storetest.Damaged{
			Backend: db, Execute: db.Execute, Restore: db.restore, Log: &log,
		}
	})
}

// Statistics leave it out.
func TestUnreadableInStats(t *testing.T) {
	for name, dsn := range databases(t) {
		db := opened(t, dsn)
		for n := range 3 {
			s := sample(n)
			s.Status = "pending"
			fortest.Must(db.Insert(t.Context(), s))(t)
		}
		run(t, db.Writer, `UPDATE sessions SET doc = '{bad json' WHERE id = 'cs_1'`)
		fortest.Must(db.List(t.Context(), payment.Filter{}))(t)
		stats := fortest.Must(db.Stats(t.Context()))(t)
		fortest.Equal(t, stats.UnreadableSessions, 1, "%s: unreadable", name)
		fortest.Equal(t, stats.Waiting["pending"], 2, "%s: pending", name)
	}
}
