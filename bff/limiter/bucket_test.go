package limiter_test

import (
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/fortest"
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

// After an idle hour a second's slots are free, and no more.
func TestLocalSavesOneSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rps = 10
		b := limiter.Local(rps, nil)
		for range 2 {
			for i := range 2 * rps {
				want := time.Duration(max(0, i+1-rps)) * time.Second / rps
				fortest.Equal(t, fortest.Must(b.Take(t.Context(), time.Hour))(t), want, "wait %d", i)
			}
			time.Sleep(time.Hour)
		}
	})
}
