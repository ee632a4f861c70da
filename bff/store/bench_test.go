package store

import (
	"path/filepath"
	"testing"
	"time"

	"coinslot/bff/checkout"

	"github.com/shopspring/decimal"
)

// filled is a session as it is while money is awaited.
func filled(n int) checkout.Session {
	s := sample(n)
	s.Order.AmountUSD = decimal.New(2500, -2)
	s.Order.Title, s.Order.Description = "A title", "A description of what is sold"
	for _, what := range []string{"session.created", "attempt.intended", "attempt.pending"} {
		s.Trail = append(s.Trail, checkout.Entry{At: s.CreatedAt, By: "coinslot", What: what})
	}
	return s
}

func BenchmarkInsert(b *testing.B) {
	db := opened(b, filepath.Join(b.TempDir(), "coinslot.db"))
	n := 0
	for b.Loop() {
		n++
		if _, err := db.Insert(b.Context(), filled(n)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkUpdate changes an attempt and tells of it to one endpoint.
func BenchmarkUpdate(b *testing.B) {
	db := opened(b, filepath.Join(b.TempDir(), "coinslot.db"), "https://a.example/")
	s, err := db.Insert(b.Context(), filled(1))
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		n++
		marker := time.Duration(n).String()
		_, err := db.Update(b.Context(), s.ID, func(s *checkout.Session) ([]checkout.Event, error) {
			s.Attempts = []checkout.Attempt{{Number: 1, State: checkout.Waiting, Marker: marker, TrackingCode: "T" + marker}}
			return []checkout.Event{{ID: "evt_" + marker, Session: s.ID, At: s.CreatedAt, Body: []byte("{}")}}, nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkClaim claims 20 of 10,000 due sessions at a time.
func BenchmarkClaim(b *testing.B) {
	db := opened(b, filepath.Join(b.TempDir(), "coinslot.db"))
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := range 10_000 {
		s := filled(n)
		s.DueAt = now.Add(time.Duration(n) * time.Microsecond)
		if _, err := db.Insert(b.Context(), s); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		now = now.Add(time.Hour) // past every lease
		claimed, err := db.Claim(b.Context(), now, time.Minute, 20)
		if err != nil || len(claimed) != 20 {
			b.Fatalf("Claim = %d sessions, %v", len(claimed), err)
		}
	}
}

// BenchmarkSession reads one session of 10,000.
func BenchmarkSession(b *testing.B) {
	db := opened(b, filepath.Join(b.TempDir(), "coinslot.db"))
	for n := range 10_000 {
		if _, err := db.Insert(b.Context(), filled(n)); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := db.Session(b.Context(), "cs_7777"); err != nil {
			b.Fatal(err)
		}
	}
}
