package storetest

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

var insertTests = cases{
	"insert sets version 1": on(func(t *testing.T, b Backend) {
		s := fresh(1)
		s.Version = 7
		got := inserted(t, b, s)
		s.Version = 1
		same(t, "Insert", got, s)
		check(t, b, s)
	}),
	"insert with taken ref or key": on(func(t *testing.T, b Backend) {
		taking := func(n int, ref, key string) payment.Session {
			s := fresh(n)
			s.Order.Ref, s.IdempotencyKey = ref, key
			return s
		}
		one, two := inserted(t, b, taking(1, "one", "key")), inserted(t, b, taking(2, "two", ""))
		wantHolder(t, b, taking(3, "two", ""), two)
		wantHolder(t, b, taking(4, "another", "key"), one)
		wantHolder(t, b, taking(5, "two", "key"), one) // both are taken: the key counts
	}),
	"insert with a taken id": on(func(t *testing.T, b Backend) {
		first := inserted(t, b, fresh(1))
		s := fresh(1)
		s.Order.Ref = "another"
		if _, err := b.Insert(t.Context(), s); err == nil || errors.Is(err, payment.ErrExists) {
			t.Errorf("Insert with a taken id = %v; want an error that is not ErrExists", err)
		}
		check(t, b, first)
	}),
	// Empty means "none", so any number of sessions may have it.
	"insert without reference or key": on(func(t *testing.T, b Backend) {
		for n := range 3 {
			s := fresh(n)
			s.Order.Ref = ""
			check(t, b, inserted(t, b, s))
		}
	}),
	"insert at the same time": on(func(t *testing.T, b Backend) {
		const n = 16
		type outcome struct {
			s   payment.Session
			err error
		}
		outcomes := make(chan outcome, n)
		for i := range n {
			go func() {
				s := fresh(i)
				s.Order.Ref = "the one"
				s, err := b.Insert(t.Context(), s)
				outcomes <- outcome{s, err}
			}()
		}
		winners, seen := 0, map[string]bool{}
		for range n {
			o := <-outcomes
			if o.err == nil {
				winners++
			} else if !errors.Is(o.err, payment.ErrExists) {
				t.Errorf("Insert = %v", o.err)
			}
			seen[o.s.ID] = true
		}
		if winners != 1 || len(seen) != 1 {
			t.Errorf("%d inserts won and %d sessions were returned; want 1 and 1", winners,
				len(seen))
		}
	}),
	"session of an unknown id": on(func(t *testing.T, b Backend) {
		inserted(t, b, fresh(1))
		for _, id := range []string{
			"", "cs_", fresh(2).ID, fresh(1).ID + "\x00", "a\x00b", "\xff\xfe", "\x01", "\x016162",
		} {
			if s, err := b.Load(t.Context(), id); !errors.Is(err, payment.ErrNotFound) {
				t.Errorf("Load(%q) = %v, %v; want ErrNotFound", id, s, err)
			}
		}
	}),
	"every field survives": on(func(t *testing.T, b Backend) {
		s := full()
		wantNoZero(t, "Session", reflect.ValueOf(s))
		check(t, b, inserted(t, b, s))
		s.Version = 1
		check(t, b, s)

		other := fresh(2)
		inserted(t, b, other)
		s.ID, s.Version = other.ID, 2
		s.Order.Ref, s.IdempotencyKey = other.Order.Ref, "another key"
		s.Attempts[0].Marker, s.Attempts[0].TrackingCode, s.Attempts[0].TxID = "m2", "TRK2", "tx2"
		s.Attempts[0].Txs = []payment.Tx{{ID: "tx2"}}
		got := updated(t, b, s.ID, func(stored *payment.Session) {
			version := stored.Version
			*stored = s
			stored.Version = version
		})
		same(t, "Update", got, s)
		check(t, b, s)
	}),
	"nil, empty and odd values survive": on(func(t *testing.T, b Backend) {
		cases := []struct {
			name string
			make func(s *payment.Session)
		}{
			{"nothing set", func(s *payment.Session) {
				*s = payment.Session{ID: s.ID, Status: wire.Open}
			}},
			{"negative amount", func(s *payment.Session) {
				s.Order.AmountUSD = decimal.New(-9,
					-21)
			}},
			{"large amount", func(s *payment.Session) { s.Order.AmountUSD = decimal.New(123, 60) }},
			{"before 1970", func(s *payment.Session) {
				s.CreatedAt = time.Date(1, 1, 2, 0, 0, 0, 1, time.UTC)
			}},
			{"1970", func(s *payment.Session) {
				s.DueAt, s.CheckedAt = time.Unix(0, 0).UTC(), time.Unix(-1, 0).UTC()
			}},
			{"far future", func(s *payment.Session) {
				s.ExpiresAt = time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
			}},
			{"another zone", func(s *payment.Session) {
				s.CreatedAt = s.CreatedAt.In(time.FixedZone("", 5*3600+1800))
			}},
			{"NUL in a title", func(s *payment.Session) { s.Order.Title = "a\x00b" }},
			{"many attempts", func(s *payment.Session) {
				for n := range 12 {
					s.Attempts = append(s.Attempts, attempt(n+1, payment.Refused, ""))
				}
			}},
		}
		for n, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				s := fresh(n)
				c.make(&s)
				s.Version = 1
				same(t, "Insert", inserted(t, b, s), s)
				check(t, b, s)
				s.Version = 2
				same(t, "Update", updated(t, b, s.ID, nothing), s)
				check(t, b, s)
			})
		}
	}),
}

// wantHolder fails unless inserting s returns holder and writes nothing.
func wantHolder(t *testing.T, b Backend, s, holder payment.Session) {
	t.Helper()
	got, err := b.Insert(t.Context(), s)
	if !errors.Is(err, payment.ErrExists) {
		t.Fatalf("Insert = %v; want ErrExists", err)
	}
	same(t, "the holder", got, holder)
	if _, err := b.Load(t.Context(), s.ID); !errors.Is(err, payment.ErrNotFound) {
		t.Errorf("Session of the refused one = %v; want ErrNotFound", err)
	}
}

// full is a session in which no field is zero.
func full() payment.Session {
	now := epoch()
	exact := now.Add(789 * time.Nanosecond)
	return payment.Session{
		ID:             "cs_full",
		Version:        1,
		Status:         wire.Confirmed,
		Digest:         "digest",
		IdempotencyKey: "key",
		Environment:    "production",
		Order: payment.Order{
			AmountUSD: decimal.RequireFromString("123456789012345678.000000000000000001"),
			Amount:    decimal.RequireFromString("987654321098765432.000000000000000001"),
			Currency:  "KWD",
			Rate: &wire.Rate{
				USDPerUnit:    "1.092060719",
				Exact:         "1/0.9157",
				Source:        "json",
				AsOf:          "2026-11-26T15:00:00Z",
				SpreadPercent: "0.5",
			},
			Ref:      "Bestellung №1 – 注文 🪙",
			OrderID:  123456,
			Item:     "coffee",
			ShopName: "Café & Söhne 🪙",
			Title:    "a\tb\"c'd\\e<&>\u2028", Description: "line\nline",
			Email:      "a@b.example",
			Metadata:   map[string]string{"k": "v", "": "'; DROP TABLE sessions; --"},
			Currencies: []string{"USDT", "USDT_trc20"},
			TTLMinutes: 45,
			ExpiresIn:  90*24*time.Hour + 1,
			SuccessURL: "https://s.example/?a=1&b=2",
			CancelURL:  "https://c.example/#x",
			Lang:       "de",
		},
		Test: true, ErasedAt: exact, Deleted: true, CreatedAt: exact,
		ExpiresAt: exact.Add(time.Hour), ClosedBy: payment.ClosedByShopper,
		CheckedAt: now.Add(time.Minute), DueAt: now.Add(time.Hour), LateFrom: now.Add(time.Minute),
		Attempts: []payment.Attempt{fullAttempt(exact)},
		Reopened: 2, Spent: 1,
		Refunds: []payment.Refund{{
			Amount:         decimal.RequireFromString("2.000000000000000001"),
			CurrencySymbol: "USDT",
			NetworkCode:    "trc20",
			TxID:           "0xfed",
			Reason:         "zu viel ✓",
			By:             "console:Jörg",
			RecordedAt:     exact.Add(13),
		}},
		Notice: payment.Notice{Code: wire.CodePaymentRefused},
		Timeline: []payment.TimelineEntry{
			{At: exact, By: "gateway", What: "attempt.pending", Detail: "ABC-1"},
		},
	}
}

func fullAttempt(at time.Time) payment.Attempt {
	return payment.Attempt{
		Regressions:    9,
		RegressedAt:    at.Add(10),
		Alert:          "alert",
		DoubtSettled:   true,
		Number:         1,
		State:          payment.Confirmed,
		Marker:         "cs1",
		OrderID:        999_999,
		Drawn:          true,
		CurrencySymbol: "USDT",
		CurrencyName:   "Tether",
		NetworkCode:    "trc20",
		NetworkName:    "Tron",
		AmountUSD:      decimal.RequireFromString("0.10"),
		TTLMinutes:     30,
		Email:          "x@y.example",
		Comment:        "für dich ✓",
		StartedAt:      at,
		Trace:          "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		TrackingCode:   "TRK1",
		Address:        "TXYZ",
		PayAmount:      decimal.RequireFromString("98765432109876543210.123456789012345678"),
		PayText:        "98765432109876543210.1234567890123456780",
		Tolerance:      decimal.RequireFromString("0.5"),
		PaymentURL:     "https://g.example/p",
		ExpiresAt:      at.Add(1),
		Paid:           decimal.RequireFromString("0.000000000000000000001"),
		TxID:           "0xabc",
		TxURL:          "https://scan.example/0xabc",
		Txs: []payment.Tx{
			{ID: "0x123", URL: "https://scan.example/0x123"},
			{ID: "0xabc", URL: "https://scan.example/0xabc"},
		},
		PaidAt: at.Add(2), MoneyAt: at.Add(13), Late: true, Reason: "late", EndedAt: at.Add(3), ReviewedAt: at.Add(4),
		ResolvedCount: 2, SharedTxID: "0xdef", ChecksDone: 5, RecheckAskedAt: at.Add(6),
		Settled:   decimal.NewFromInt(3),
		FollowUps: 3, Misses: 7,
		RetryAt: at.Add(11), Retries: 4, Absences: 5, AbsentAt: at.Add(12), Reappeared: 6,
		UnknownAt: epoch().Add(7 * time.Second), MissedAt: at.Add(8),
	}
}

// wantNoZero fails for every zero field in v, so that a field added to Session
// is added to full too.
func wantNoZero(t *testing.T, path string, v reflect.Value) {
	t.Helper()
	if v.IsZero() {
		t.Errorf("%s is zero: its round trip is not tested", path)
	}
	switch v.Interface().(type) {
	case time.Time, decimal.Decimal:
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			wantNoZero(t, path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			wantNoZero(t, path+"[]", v.Index(i))
		}
	}
}
