package store

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// clock is the database's, so that all instances agree on what is due and whose lease has
// ended. Between two readings, this machine's clock counts on.
type clock struct {
	fixed func() time.Time // replaces the clock in tests; nil = no replacement

	mu   sync.Mutex // guards the fields below
	here time.Time  // when the database was asked, with a monotonic reading; zero = not asked
	base time.Time  // what the database's clock said then
	last time.Time  // latest answer of now
}

const (
	// clockPeriod is how often the database's clock is read.
	clockPeriod = 30 * time.Second
	// clockJitter is how far off the answer may be because of the network; time does not
	// go back by less.
	clockJitter = time.Second
)

// Now returns the database's time: on PostgreSQL that of its server, to within
// the time of a round trip; on SQLite, this machine's. It does not block, and does
// not go back unless the server's clock was set back by more than a second.
func (db *DB) Now() time.Time { return db.clock.now() }

func (c *clock) now() time.Time {
	if c.fixed != nil {
		return c.fixed()
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	if c.here.IsZero() {
		return time.Now()
	}

	now := c.base.Add(time.Since(c.here))
	back := c.last.Sub(now)
	if back > 0 && back < clockJitter {
		return c.last
	}

	c.last = now
	return now
}

func (c *clock) set(here, base time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.here = here
	c.base = base
}

// readClock sets the clock. The answer counts for the middle of the round trip.
func (db *DB) readClock(ctx context.Context) error {
	var micros int64
	var before time.Time
	var took time.Duration
	err := db.View(ctx, func(ctx context.Context, q queryer) error {
		before = time.Now()
		err := q.QueryRowContext(ctx, `SELECT `+db.dialect.Clock).Scan(&micros)
		took = time.Since(before)
		return err
	})
	if err != nil {
		return fmt.Errorf("reading the database's clock: %w", err)
	}

	db.clock.set(before.Add(took/2), time.UnixMicro(micros).UTC())
	return nil
}

func (db *DB) keepClock(ctx context.Context) {
	tick := time.NewTicker(clockPeriod)
	defer tick.Stop()
	defer db.clockBeat.Stop()
	for {
		db.clockBeat.Beat(clockPeriod)
		select {
		case <-tick.C:
			err := db.readClock(ctx)
			if err != nil && ctx.Err() == nil {
				db.log.Warn("reading the database's clock failed", "error", err)
			}
		case <-ctx.Done():
			return
		}
	}
}
