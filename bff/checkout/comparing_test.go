package checkout_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"coinslot/app/wire"
)

// A comparison that is asked for while the process ends would keep it for ten
// minutes: none begins.
func TestNothingIsComparedAfterTheEnd(t *testing.T) {
	h := newShop(t)
	h.service.Close()
	day := h.clock.Now()
	if begun, err := h.service.StartComparing(t.Context(), day.Add(-24*time.Hour), day); begun || !errors.Is(err, &wire.Error{Code: wire.CodeGatewayUnavailable}) {
		t.Errorf("StartComparing after Close = %v, %v; want that it does not begin", begun, err)
	}
}

// Requests are answered while the process ends: what they begin does not disturb
// who waits for what was begun before.
func TestChoosingAtTheEnd(t *testing.T) {
	h := newShop(t)
	var shoppers sync.WaitGroup
	for range 4 {
		shoppers.Go(func() {
			for range 5 {
				h.choose(h.open("25").ID, usdt())
			}
		})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		shoppers.Wait()
	}()
	for ended := false; !ended; {
		h.service.Close()
		select {
		case <-done:
			ended = true
		default:
			runtime.Gosched()
		}
	}
}
