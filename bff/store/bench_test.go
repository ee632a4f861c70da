package store

import (
	"fmt"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/store/pgtest"

	"github.com/shopspring/decimal"
)

// filled is a session as it is while money is awaited.
func filled(n int) payment.Session {
	s := sample(n)
	s.Order.AmountUSD = decimal.New(2500, -2)
	s.Order.Title, s.Order.Description = "A title", "A description of what is sold"
	for _, what := range []string{"session.created", "attempt.intended", "attempt.pending"} {
		s.Timeline = append(s.Timeline,
			payment.TimelineEntry{At: s.CreatedAt, By: "coinslot", What: what})
	}
	return s
}

// onBoth runs a benchmark on each database.
func onBoth(b *testing.B, run func(b *testing.B, db *DB), endpoints ...string) {
	b.Run(
		"SQLite",
		func(b *testing.B) {
			run(b, opened(b, filepath.Join(b.TempDir(), "coinslot.db"), endpoints...))
		},
	)
	b.Run("PostgreSQL", func(b *testing.B) { run(b, opened(b, pgtest.DSN(b), endpoints...)) })
}

func BenchmarkInsert(b *testing.B) { onBoth(b, benchmarkInsert) }

func benchmarkInsert(b *testing.B, db *DB) {
	n := 0
	for b.Loop() {
		n++
		fortest.Must(db.Insert(b.Context(), filled(n)))(b)
	}
}

// BenchmarkUpdate changes an attempt and notifies one endpoint.
func BenchmarkUpdate(b *testing.B) { onBoth(b, benchmarkUpdate, "https://a.example/") }

func benchmarkUpdate(b *testing.B, db *DB) {
	s := fortest.Must(db.Insert(b.Context(), filled(1)))(b)
	n := 0
	for b.Loop() {
		n++
		marker := time.Duration(n).String()
		_, err := db.Update(b.Context(), s.ID, 0, func(s *payment.Session) ([]payment.Event, error) {
			s.Attempts = []payment.Attempt{
				{Number: 1, State: payment.Waiting, Marker: marker, TrackingCode: "T" + marker},
			}
			return []payment.Event{
				{ID: "evt_" + marker, Session: s.ID, At: s.CreatedAt, Body: []byte("{}")},
			}, nil
		})
		fortest.OK(b, err)
	}
}

// BenchmarkUpdates is BenchmarkUpdate by 64 at once, each of a session of its own.
func BenchmarkUpdates(b *testing.B) { onBoth(b, benchmarkUpdates, "https://a.example/") }

func benchmarkUpdates(b *testing.B, db *DB) {
	var sessions, events atomic.Int64
	b.SetParallelism(64 / runtime.GOMAXPROCS(0))
	b.RunParallel(func(loop *testing.PB) {
		s, err := db.Insert(b.Context(), filled(int(sessions.Add(1))))
		if err != nil {
			b.Error(err)
		}
		for loop.Next() {
			marker := time.Duration(events.Add(1)).String()
			_, err := db.Update(b.Context(), s.ID, 0, func(s *payment.Session) ([]payment.Event, error) {
				s.Attempts = []payment.Attempt{
					{Number: 1, State: payment.Waiting, Marker: marker, TrackingCode: "T" + marker},
				}
				return []payment.Event{
					{ID: "evt_" + marker, Session: s.ID, At: s.CreatedAt, Body: []byte("{}")},
				}, nil
			})
			if err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkErase deletes a session that was never paid, with two events.
func BenchmarkErase(b *testing.B) { onBoth(b, benchmarkErase) }

func benchmarkErase(b *testing.B, db *DB) {
	n := 0
	for b.Loop() {
		b.StopTimer()
		n++
		s := fortest.Must(db.Insert(b.Context(), filled(n)))(b)
		for i := range 2 {
			_, err := db.Update(b.Context(), s.ID, 0, func(s *payment.Session) ([]payment.Event, error) {
				s.Status = wire.Expired
				return []payment.Event{
					{
						ID:      fmt.Sprintf("evt_%d_%d", n, i),
						Session: s.ID,
						At:      s.CreatedAt,
						Body:    make([]byte, 2000),
					},
				}, nil
			})
			fortest.OK(b, err)
		}
		b.StartTimer()
		fortest.Must(db.Erase(b.Context(), s.ID, s.CreatedAt,
			func(payment.Session, bool) payment.Erasure { return payment.EraseAll }))(b)
	}
}
