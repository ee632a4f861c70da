package rules

import (
	"os"
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/store"
)

// clock is moved by hand.
type clock struct {
	mu sync.Mutex // guards at
	at time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) move(d time.Duration) { c.set(c.Now().Add(d)) }

// set never goes back.
func (c *clock) set(to time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if to.After(c.at) {
		c.at = to
	}
}

// openStore opens the database of a test. now may be nil.
func openStore(t *testing.T, path string, now func() time.Time, endpoints ...string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{DSN: path, Endpoints: endpoints, Now: now})
	fortest.OK(t, err)
	return db
}

// scratch returns a directory for a test's databases: in memory where the
// system offers that, since nothing here is about what a disk keeps.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "coinslot-torture-") //nolint:usetesting // t.TempDir is on a disk
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

var dawn = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
