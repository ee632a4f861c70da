package sqldb

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"coinslot/bff/internal/background"

	"github.com/jackc/pgx/v5"
)

const hintChannel = "coinslot_changed"

const (
	// gatherFor is for how long ids are collected, so that each is sent once.
	gatherFor = 20 * time.Millisecond
	// maxID is the size of an id in bytes; PostgreSQL refuses notifications of 8000.
	maxID = 100
	// maxHints bounds the ids that wait if the database does not answer. Beyond it, the
	// other instances are asked to catch up.
	maxHints = 10_000
	// idleTimeout is how long the connection may be silent before it is checked.
	idleTimeout = 20 * time.Second
)

// hints notifies other instances of the sessions that have changed. A hint may be lost; it
// is sent outside the transactions, so that it does not slow them down.
type hints struct {
	from string // this instance
	wake chan struct{}

	mu      sync.Mutex      // guards the fields below
	waiting map[string]bool // ids
	all     bool            // too many to say
}

func newHints() *hints {
	return &hints{from: rand.Text()[:8], wake: make(chan struct{}, 1), waiting: map[string]bool{}}
}

// Announce notifies the other instances that the session has changed. It does not block. A
// hint may be lost, so listeners have to catch up now and then. On SQLite it does nothing.
func (db *DB) Announce(session string) {
	if db.hints == nil || session == "" || len(session) > maxID ||
		strings.ContainsAny(session, " \x00") {
		return // not a session id
	}
	h := db.hints
	h.mu.Lock()
	if len(h.waiting) < maxHints {
		h.waiting[session] = true
	} else {
		h.all = true
	}
	h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// drain returns what waits, as payloads, and empties the queue: each payload is the sender and an
// id, or the sender alone, which asks to catch up.
func (h *hints) drain() (payloads []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id := range h.waiting {
		payloads = append(payloads, h.from+" "+id)
	}
	if h.all {
		payloads = []string{h.from}
	}
	h.all = false
	clear(h.waiting)
	return payloads
}

// sendHints sends hints until ctx ends. What cannot be sent is lost.
func (db *DB) sendHints(ctx context.Context) {
	defer db.heartbeats.announcer.Stop()
	for {
		db.heartbeats.announcer.Stop()
		select {
		case <-db.hints.wake:
		case <-ctx.Done():
			return
		}
		db.heartbeats.announcer.Beat(gatherFor)
		if !background.Sleep(ctx, gatherFor) {
			return
		}
		db.heartbeats.announcer.Beat(0)
		if err := db.notify(ctx, db.hints.drain()); err != nil && ctx.Err() == nil {
			db.Log.Warn("notifying other instances failed", "error", err)
		}
	}
}

func (db *DB) notify(ctx context.Context, payloads []string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_, err := db.pool.Exec(ctx, `SELECT pg_notify($1, p) FROM unnest($2::text[]) AS p`,
		hintChannel, payloads)
	return err
}

// Listen calls notify, from one goroutine, with the id of every session that another
// instance announces, and with "" when some may have been missed: at the beginning, after
// each lost connection, and when there were too many. It has a connection of its own.
//
// It returns ctx's error when ctx ends. On SQLite, and after OpenReader, notify is never called.
func (db *DB) Listen(ctx context.Context, notify func(session string)) error {
	if db.hints == nil {
		<-ctx.Done()
		return ctx.Err()
	}
	defer db.heartbeats.listener.Stop()
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		db.heartbeats.listener.Beat(0)
		connected, err := db.listen(ctx, notify)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		db.Log.Warn("listening to other instances failed", "error", err)
		if connected {
			pause = 50 * time.Millisecond
		}
		if !background.Sleep(ctx, pause) {
			return ctx.Err()
		}
	}
}

// listen listens on one connection until it is lost; connected reports whether there was one.
func (db *DB) listen(ctx context.Context, notify func(string)) (connected bool, err error) {
	var conn *pgx.Conn
	if err := bounded(ctx, func(ctx context.Context) (err error) {
		conn, err = pgx.ConnectConfig(ctx, db.direct)
		return err
	}); err != nil {
		return false, err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(ctx)
	}()
	if err := bounded(ctx, func(ctx context.Context) error {
		_, err := conn.Exec(ctx, "LISTEN "+hintChannel)
		return err
	}); err != nil {
		return false, err
	}
	notify("")
	for {
		if err := db.waitForHint(ctx, conn, notify); err != nil {
			return true, err
		}
	}
}

// waitForHint waits for a notification and passes it on. After idleTimeout without one, it
// checks the connection.
func (db *DB) waitForHint(ctx context.Context, conn *pgx.Conn, notify func(string)) error {
	db.heartbeats.listener.Beat(idleTimeout)
	waiting, cancel := context.WithTimeout(ctx, idleTimeout)
	n, err := conn.WaitForNotification(waiting)
	cancel()
	if err != nil && ctx.Err() == nil && errors.Is(waiting.Err(), context.DeadlineExceeded) &&
		!conn.IsClosed() {
		return bounded(ctx, func(ctx context.Context) error {
			return db.validate(ctx, conn.PgConn())
		})
	}
	if err != nil {
		return fmt.Errorf("waiting for a hint: %w", err)
	}
	ids := strings.Fields(n.Payload) // an older release sends several
	if len(ids) == 0 || ids[0] == db.hints.from {
		return nil
	}
	if len(ids) == 1 {
		notify("")
	}
	for _, id := range ids[1:] {
		notify(id)
	}
	return nil
}

func bounded(ctx context.Context, fn func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	return fn(ctx)
}
