package limiter_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/limiter"
	"coinslot/bff/limiter/limitertest"
)

func TestLocal(t *testing.T) {
	limitertest.Run(t, func(_ *testing.T, rps int) limiter.Bucket { return limiter.Local(rps, nil) })
	limitertest.RunShared(t, func(_ *testing.T, rps int) (one, other limiter.Bucket) {
		b := limiter.Local(rps, nil)
		return b, b
	})
}

// A hundred goroutines send for an hour, pause for another, and resume: no window of a second
// exceeds rate and burst, and no slot is wasted.
func TestLocalNeverExceedsItsRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rps = 10
		b := limiter.Local(rps, nil)
		var mu sync.Mutex
		var sent []time.Time
		flood := func(d time.Duration) {
			end := time.Now().Add(d)
			var group sync.WaitGroup
			for range 100 {
				group.Go(func() {
					for time.Now().Before(end) {
						wait, err := b.Take(t.Context(), time.Hour)
						if err != nil {
							t.Error(err)
							return
						}
						if wait > 0 {
							<-time.After(wait)
						}
						mu.Lock()
						sent = append(sent, time.Now())
						mu.Unlock()
					}
				})
			}
			group.Wait()
		}
		flood(time.Hour)
		if most := rps*3600 + rps + 100; len(sent) < rps*3600 || len(sent) > most {
			t.Errorf("%d requests in an hour; want %d to %d", len(sent), rps*3600, most)
		}
		<-time.After(time.Hour)
		flood(time.Minute)
		for i, from := 0, 0; i < len(sent); i++ {
			for !sent[from].After(sent[i].Add(-time.Second)) {
				from++
			}
			if n := i - from + 1; n > 2*rps {
				t.Fatalf("%d requests within a second", n)
			}
		}
	})
}
