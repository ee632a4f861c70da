package store

import (
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

// A turn is one's until it ends; a name has turns of its own.
func TestLease(t *testing.T) {
	for name, dsn := range databases(t) {
		t.Run(name, func(t *testing.T) {
			db := opened(t, dsn)
			taking := func(turn *Lease, d time.Duration) bool {
				return fortest.Must(turn.Acquire(t.Context(), d))(t)
			}
			take := func(name string, d time.Duration) bool { return taking(db.Lease(name), d) } // each time by another instance
			var all sync.WaitGroup
			var mu sync.Mutex
			taken := 0
			for range 16 {
				all.Go(func() {
					if take("sweep", time.Hour) {
						mu.Lock()
						taken++
						mu.Unlock()
					}
				})
			}
			all.Wait()
			fortest.Equal(t, taken, 1, "have the turn")
			if !take("other", -time.Second) || !take("other", time.Hour) || take("other", time.Hour) {
				t.Error("a lease that has ended is still held, or one that has not is free")
			}
			one, other := db.Lease("kept"), db.Lease("kept")
			if !taking(one, time.Hour) || !taking(one, 2*time.Hour) || taking(other, time.Hour) {
				t.Error("a turn cannot be kept, or another can take it")
			}
			if !taking(one, -time.Second) || !taking(one, -2*time.Second) || !taking(other, time.Hour) || taking(one, time.Hour) {
				t.Error("a lease that has ended cannot be extended while it is free, or can when another instance holds it")
			}
		})
	}
}
