package sqldb

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/store/pgtest"
)

// notificationLog records the notifications of a DB.
type notificationLog struct {
	mu    sync.Mutex     // guards the field below
	heard map[string]int // by session
}

// listening lets db listen until t ends, and waits until it does.
func listening(t *testing.T, db *DB) *notificationLog {
	t.Helper()
	e := &notificationLog{heard: map[string]int{}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- db.Listen(ctx, func(session string) {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.heard[session]++
		})
	}()
	t.Cleanup(func() {
		cancel()
		fortest.Is(t, <-ended, context.Canceled, "Listen")
	})
	e.wants(t, "", 1)
	return e
}

func (e *notificationLog) times(session string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.heard[session]
}

func (e *notificationLog) wants(t *testing.T, session string, times int) {
	t.Helper()
	fortest.Until(t, fmt.Sprintf("%q is heard %d times", session, times), func() bool { return e.times(session) >= times })
}

func TestHints(t *testing.T) {
	dsn := pgtest.DSN(t)
	testHints(t, opened(t, dsn), opened(t, dsn))
	pooled := Config{DSN: pgtest.Pooled(t, dsn, "transaction"), Direct: dsn}
	testHints(t, openedAs(t, pooled), openedAs(t, pooled))
}

func testHints(t *testing.T, one, other *DB) {
	own, others := listening(t, one), listening(t, other)
	for range 3 {
		for n := range 500 {
			one.Announce(fmt.Sprint("cs_", n))
		}
	}
	for n := range 500 {
		others.wants(t, fmt.Sprint("cs_", n), 1)
	}
	other.Announce("cs_back")
	own.wants(t, "cs_back", 1)
	if own.times("cs_1") != 0 || own.times("") != 1 || others.times("") != 1 {
		t.Error("an instance was notified of its own change, or had to catch up")
	}
	start := time.Now()
	one.Announce("cs_last")
	others.wants(t, "cs_last", 1)
	t.Logf("a hint took %v, of which %v are waited for more", time.Since(start), gatherFor)
}

// Lost connections are made again, and the listener is notified that it may have missed something.
func TestHintsAfterALostConnection(t *testing.T) {
	dsn := pgtest.DSN(t)
	one, other := opened(t, dsn), opened(t, dsn)
	e := listening(t, other)
	run(t, one.Writer, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND query LIKE 'LISTEN%'`)
	e.wants(t, "", 2)
	one.Announce("cs_1")
	e.wants(t, "cs_1", 1)
}

// More hints than fit: every instance has to catch up.
func TestTooManyHints(t *testing.T) {
	dsn := pgtest.DSN(t)
	one, other := opened(t, dsn), opened(t, dsn)
	e := listening(t, other)
	for n := range maxHints + 1 {
		one.hints.mu.Lock()
		one.hints.waiting[fmt.Sprint(n)] = true
		one.hints.mu.Unlock()
	}
	one.Announce("cs_1")
	e.wants(t, "", 2)
}

// What is no session's id is not sent, and spoils nothing that is.
func TestHintsOfNoSession(t *testing.T) {
	dsn := pgtest.DSN(t)
	one, other := opened(t, dsn), opened(t, dsn)
	e := listening(t, other)
	for _, id := range []string{"", "a b", "\x00", strings.Repeat("x", 9000), "cs_1"} {
		one.Announce(id)
	}
	e.wants(t, "cs_1", 1)
	if e.times("") != 1 || e.times("a") != 0 {
		t.Errorf("heard = %v", e.heard)
	}
}

func TestHintsOnSQLite(t *testing.T) {
	db := opened(t, t.TempDir()+"/x.db")
	db.Announce("cs_1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	fortest.Is(t, db.Listen(ctx, func(string) { t.Error("something was heard") }), context.Canceled,
		"Listen")
}
