package store

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/store/pgtest"

	"github.com/shopspring/decimal"
)

// dead is a session that ended unpaid after some attempts, with long texts.
func dead(n, attempts int) payment.Session {
	at := time.Date(2026, 11, 20, 12, 0, n, 0, time.UTC)
	s := payment.Session{
		ID:             payment.NewSessionID(),
		Status:         wire.Expired,
		Digest:         strings.Repeat("0123456789abcdef", 4),
		Environment:    "test",
		CreatedAt:      at,
		ExpiresAt:      at,
		IdempotencyKey: fmt.Sprintf("page_%026d", n), ClosedBy: payment.ClosedByTime,
		Order: payment.Order{
			AmountUSD:   decimal.RequireFromString("25.00"),
			Ref:         fmt.Sprintf("ORD-%d", n),
			Email:       fmt.Sprintf("ann%d@canary.example", n),
			Description: strings.Repeat("for canary ", 180),
			Metadata:    map[string]string{"who": "canary"}},
	}
	for i := range attempts {
		s.Attempts = append(s.Attempts, payment.Attempt{
			Number:         i + 1,
			State:          payment.Expired,
			Marker:         fmt.Sprintf("CS-%020d-%d", n, i),
			OrderID:        341256,
			Drawn:          true,
			TrackingCode:   fmt.Sprintf("T%011d%d", n, i),
			CurrencySymbol: "USDT",
			CurrencyName:   "Tether",
			NetworkCode:    "trc20",
			NetworkName:    "TRON",
			AmountUSD:      s.Order.AmountUSD,
			TTLMinutes:     30,
			Email:          s.Order.Email,
			Comment:        strings.Repeat("canary", 30),
			Address:        "TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf",
			StartedAt:      at,
			ExpiresAt:      at,
			EndedAt:        at,
			PayAmount:      decimal.RequireFromString("25.03"),
			PayText:        "25.03000000",
			Tolerance:      decimal.NewFromInt(1),
			ChecksDone:     4,
			RecheckAskedAt: at,
			PaymentURL:     "https://pay.gateway.example/" + strings.Repeat("x", 60),
		})
		s.Timeline = append(s.Timeline,
			payment.TimelineEntry{At: at, By: "gateway", What: "attempt.expired", Detail: "canary"})
	}
	return s
}

// expired stores n dead sessions with an event each and returns their ids.
func expired(t testing.TB, db *DB, n, attempts int) (ids []string) {
	t.Helper()
	for i := range n {
		s := fortest.Must(db.Insert(t.Context(), dead(i, attempts)))(t)
		fortest.Must(db.Update(t.Context(), s.ID, 0, func(s *payment.Session) ([]payment.Event, error) {
			return []payment.Event{
				{
					ID:      "evt_" + s.ID,
					Type:    payment.EventExpired,
					Session: s.ID,
					At:      s.CreatedAt,
					Body:    []byte(strings.Repeat("canary ", 600)),
				},
			}, nil
		}))(t)
		ids = append(ids, s.ID)
	}
	return ids
}

// buried is expired, and erases all of them.
func buried(t testing.TB, db *DB, n, attempts int) {
	t.Helper()
	for _, id := range expired(t, db, n, attempts) {
		fortest.Must(db.Erase(t.Context(), id, time.Now(),
			func(payment.Session, bool) payment.Erasure { return payment.EraseAll }))(t)
	}
}

// TestFullBytesOfADeadSession bounds what a deleted session costs on disk forever;
// docs/privacy.md says the figures.
func TestFullBytesOfADeadSession(t *testing.T) {
	for attempts, most := range map[int]int{0: 1280, 1: 2304, 12: 12288} {
		db := opened(t, filepath.Join(t.TempDir(), "coinslot.db"))
		const n = 200
		used := func() int {
			return count(
				t,
				db.Reader,
				`SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
			)
		}
		before := used()
		buried(t, db, n, attempts)
		each := (used() - before) / n
		t.Logf("%d attempts: %d bytes each", attempts, each)
		if each > most {
			t.Errorf("a deleted session of %d attempts takes %d bytes; want %d at most", attempts,
				each, most)
		}
	}
}

// TestErasedFromTheFile: what was erased is in no byte of the database's files.
func TestErasedFromTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coinslot.db")
	db := opened(t, path, "https://shop.example/hook")
	buried(t, db, 30, 2)
	fortest.OK(t, db.Truncate(t.Context()))
	for _, file := range []string{path, path + "-wal"} {
		raw := fortest.Must(os.ReadFile(file))(t)
		if n := bytes.Count(raw, []byte("canary")); n > 0 {
			t.Errorf("%s holds %d texts that were erased", filepath.Base(file), n)
		}
	}
}

// TestOpenBeside: another process erases while the server has the database open, and both
// go on; what is not there, or not ours, is refused.
func TestOpenBeside(t *testing.T) {
	for name, dsn := range map[string]string{
		"SQLite":     filepath.Join(t.TempDir(), "coinslot.db"),
		"PostgreSQL": pgtest.DSN(t),
	} {
		t.Run(name, func(t *testing.T) {
			server := opened(t, dsn)
			ids := []string{}
			for n := range 3 {
				s := fortest.Must(server.Insert(t.Context(), dead(n, 1)))(t)
				ids = append(ids, s.ID)
			}
			guest := fortest.Must(OpenBeside(t.Context(), Config{DSN: dsn}))(t)
			found, err := guest.SessionsWithEmail(t.Context(), "ann1@canary.example")
			if err != nil || len(found) != 1 || found[0] != ids[1] {
				t.Errorf("SessionsWithEmail = %v, %v; want %s", found, err, ids[1])
			}
			for i, db := range []*DB{guest, server, guest} {
				_, err := db.Erase(t.Context(), ids[i], time.Now(),
					func(payment.Session, bool) payment.Erasure { return payment.ErasePersonal })
				if err != nil {
					t.Errorf("Erase = %v", err)
				}
			}
			fortest.OK(t, guest.Truncate(t.Context()))
			fortest.OK(t, guest.Close())
			for _, id := range ids {
				s, err := server.Session(t.Context(), id)
				if err != nil || s.ErasedAt.IsZero() || s.Order.Email != "" {
					t.Errorf("Session = %+v, %v; want it erased", s, err)
				}
			}
			run(
				t,
				server.Writer,
				`UPDATE goose_db_version SET version_id = version_id + 100 WHERE id = (SELECT max(id) FROM goose_db_version)`,
			)
			if _, err := OpenBeside(t.Context(), Config{DSN: dsn}); err == nil {
				t.Error("tables of another release are written")
			}
		})
	}
	if _, err := OpenBeside(t.Context(),
		Config{DSN: filepath.Join(t.TempDir(), "none.db")}); err == nil {
		t.Error("a database that is not there is opened")
	}
}

// Another transaction adds a delivery to an event that is being deleted: the deletion
// waits, and takes that along.
func TestEraseBesideADelivery(t *testing.T) {
	db := opened(t, pgtest.DSN(t), "https://shop.example/hook")
	ids := expired(t, db, 2, 1)
	tx := fortest.Must(db.Writer.BeginTx(t.Context(), nil))(t)
	defer func() { _ = tx.Rollback() }()
	fortest.Must(tx.ExecContext(t.Context(), `INSERT INTO deliveries (event, endpoint, next_at)
		SELECT seq, 'https://new.example/hook', 1 FROM events WHERE session = $1`, ids[0]))(t)
	done := make(chan error, 1)
	go func() {
		_, err := db.Erase(context.WithoutCancel(t.Context()), ids[0], time.Now(),
			func(payment.Session, bool) payment.Erasure { return payment.EraseAll })
		done <- err
	}()
	fortest.Until(t, "the deletion waits for the lock", func() bool {
		return len(done) > 0 || count(t, db.Reader, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 0
	})
	fortest.OK(t, tx.Commit())
	fortest.OK(t, <-done)
	n := count(t, db.Reader,
		`SELECT count(*) FROM deliveries WHERE endpoint = 'https://new.example/hook'`)
	if n != 0 {
		t.Errorf("%d deliveries of a deleted event are left", n)
	}
}

// A reader that stays keeps what was erased in the write-ahead log: that is an error, and
// comes soon, since writers wait meanwhile.
func TestTruncateBesideAReader(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "coinslot.db"))
	fortest.Must(db.Insert(t.Context(), dead(1, 1)))(t)
	tx := fortest.Must(db.Reader.BeginTx(t.Context(), nil))(t)
	var n int
	fortest.OK(t, tx.QueryRowContext(t.Context(), `SELECT count(*) FROM sessions`).Scan(&n))
	fortest.Must(db.Insert(t.Context(), dead(2, 1)))(t)
	fortest.Fails(t, db.Truncate(t.Context()), "Truncate beside a reader")
	fortest.Equal(t, count(t, db.Writer, `PRAGMA busy_timeout`), 5000,
		"writers wait for ms from now on")
	fortest.OK(t, tx.Rollback())
	fortest.OK(t, db.Truncate(t.Context()))
}

// A session is found to be erased whatever its metadata are named and hold.
func TestErasableWithAnyMetadata(t *testing.T) {
	members := memberNames(reflect.TypeFor[payment.Session](), map[reflect.Type]bool{})
	if !slices.Contains(members, "erased_at") || len(members) < 50 {
		t.Fatalf("the members are %v", members)
	}
	for name, dsn := range databases(t) {
		db := opened(t, dsn)
		var want []string
		for n, member := range append(members, `x","erased_at":"x`) {
			s := dead(n, 1)
			s.Status, s.Attempts[0].State = wire.Confirmed, payment.Confirmed
			s.Attempts[0].TxID = s.ID
			s.Order.Metadata = map[string]string{"a": "1", member: "x", "z": `,"erased_at":"x`}
			want = append(want, fortest.Must(db.Insert(t.Context(), s))(t).ID)
		}
		erasable := func() (all []string) {
			for cursor, first := "", true; first || cursor != ""; first = false {
				ids, next, err := db.Erasable(t.Context(), time.Now(), cursor, 20)
				fortest.OK(t, err)
				all, cursor = append(all, ids...), next
			}
			return all
		}
		fortest.Diff(t, erasable(), want, "%s: erasable", name)
		for _, id := range want {
			fortest.Must(db.Erase(t.Context(), id, time.Now(),
				func(payment.Session, bool) payment.Erasure { return payment.ErasePersonal }))(t)
		}
		fortest.Diff(t, erasable(), nil, "%s: erasable after the erasure", name)
	}
}

// memberNames are the names of all JSON members of a type, at any depth.
func memberNames(of reflect.Type, seen map[reflect.Type]bool) (names []string) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || seen[of] {
		return nil
	}
	seen[of] = true
	for i := range of.NumField() {
		field := of.Field(i)
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
		names = append(names, memberNames(field.Type, seen)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Never-paid sessions of items go some days after their end, those of a merchant only as they are
// asked to.
func TestUnpaidItemsAreDeleted(t *testing.T) {
	for name, dsn := range databases(t) {
		db := opened(t, dsn)
		insert := func(n int, change func(*payment.Session)) string {
			s := dead(n, 1)
			s.Order.Item = "coffee"
			change(&s)
			return fortest.Must(db.Insert(t.Context(), s))(t).ID
		}
		gone := insert(1, func(*payment.Session) {})
		kept := []string{
			insert(2, func(s *payment.Session) { s.Order.Item = "" }),
			insert(3, func(s *payment.Session) { s.Attempts[0].Paid = decimal.NewFromInt(1) }),
			insert(4, func(s *payment.Session) { s.Status = wire.Open }),
			insert(5, func(s *payment.Session) { s.Attempts[0].EndedAt = time.Now() }),
		}
		damaged := insert(6, func(*payment.Session) {})
		run(t, db.Writer, `UPDATE sessions SET doc = '{bad json' WHERE id = '`+damaged+`'`)
		ctx, stop := context.WithCancel(t.Context())
		var log fortest.Log
		service := checkout.Retention{
			Eraser: db, Items: db, Keep: time.Hour, Now: time.Now,
			Log:     slog.New(slog.NewTextHandler(&log, nil)),
			Changed: func(string) {},
			Acquire: func(context.Context) (bool, error) { return true, nil },
			Hold: func(_ context.Context, d time.Duration) error {
				if d == 24*time.Hour {
					stop() // one pass is enough
				}
				return nil
			},
		}
		fortest.OK(t, service.Run(ctx))
		s := fortest.Must(db.Session(t.Context(), gone))(t)
		fortest.Equal(t, s.Tombstone(), true, "%s: a never-paid item was deleted\n%s", name, &log)
		for _, id := range kept {
			s := fortest.Must(db.Session(t.Context(), id))(t)
			fortest.Equal(t, s.ErasedAt.IsZero(), true, "%s: %s was kept", name, id)
		}
	}
}
