package limiter

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/fortest"
)

// noFree is a bucket without Free.
type noFree struct{ Bucket }

// unreachableBucket is a bucket whose database does not answer.
type unreachableBucket struct{ Bucket }

func (unreachableBucket) Free(context.Context) (int, error) { return 0, errors.New("away") }

// Free slots grow with time, and a pause takes all of them.
func TestFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		check := func(when string, want int) {
			t.Helper()
			if n, ok := w.Free(t.Context()); n != want || !ok {
				t.Errorf("%s: Free = %d, %t; want %d", when, n, ok, want)
			}
		}
		check("at first", 10)
		for range 7 {
			fortest.OK(t, w.call(t.Context(), false))
		}
		check("after seven", 3)
		time.Sleep(250 * time.Millisecond) // of the bubble's clock
		check("a quarter of a second later", 5)
		fortest.OK(t, w.Bucket.Pause(t.Context(), time.Minute))
		check("in a pause", 0)
	})
	for name, bucket := range map[string]Bucket{"no count": noFree{Local(10, nil)}, "no database": unreachableBucket{Local(10, nil)}} {
		w := newWorld(func(c *Config) { c.Bucket = bucket })
		if n, ok := w.Free(t.Context()); ok {
			t.Errorf("%s: Free = %d", name, n)
		}
	}
}

// Waiting calls are counted by priority.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		fortest.OK(t, w.Bucket.Pause(t.Context(), time.Second))
		done := make(chan error)
		calls := []context.Context{t.Context(), t.Context(), WithPriority(t.Context(), Watched), WithPriority(t.Context(), Single), WithPriority(t.Context(), Single), WithPriority(t.Context(), Single)}
		for _, ctx := range calls {
			go func() { done <- w.call(ctx, false) }()
		}
		synctest.Wait()
		got := w.State()
		if want := [priorities]int{Shopper: 2, Watched: 1, Single: 3}; got.Waiting != want {
			t.Errorf("Waiting = %v; want %v", got.Waiting, want)
		}
		for range calls {
			<-done
		}
		if got := w.State(); got.Waiting != [priorities]int{} {
			t.Errorf("State afterwards = %+v", got)
		}
	})
}
