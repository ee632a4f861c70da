package gateway_test

import (
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/gateway"
	"coinslot/bff/gateway/buckettest"
)

func TestLocal(t *testing.T) {
	buckettest.Run(t,
		func(_ *testing.T, rps int) gateway.Bucket { return gateway.LocalBucket(rps, nil) })
	buckettest.RunShared(t, func(_ *testing.T, rps int) (one, other gateway.Bucket) {
		b := gateway.LocalBucket(rps, nil)
		return b, b
	})
}

// After an idle hour a second's slots are free, and no more.
func TestLocalSavesOneSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rps = 10
		b := gateway.LocalBucket(rps, nil)
		for range 2 {
			for i := range 2 * rps {
				want := time.Duration(max(0, i+1-rps)) * time.Second / rps
				fortest.Equal(t, fortest.Must(b.Take(t.Context(), time.Hour))(t), want, "wait %d",
					i)
			}
			time.Sleep(time.Hour)
		}
	})
}
