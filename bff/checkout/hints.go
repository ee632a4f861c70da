package checkout

import (
	"maps"
	"sync"
	"time"
)

// hints remembers whose hints have made for a look of late. It knows those of this
// process only. The zero value is ready.
type hints struct {
	mu    sync.Mutex           // guards the fields below
	next  map[string]time.Time // by session: when another may
	swept time.Time            // when those that are over were last dropped
}

// take reports whether a hint of that session may make for a look now, and if so
// lets no other do for a while.
func (h *hints) take(id string, now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	waits := func(at time.Time) bool { return now.Before(at) && !now.Add(hintPace).Before(at) } // else the clock was set back
	if waits(h.next[id]) {
		return false
	}
	if h.next == nil {
		h.next = map[string]time.Time{}
	}
	if now.Before(h.swept) || now.Sub(h.swept) > hintPace {
		maps.DeleteFunc(h.next, func(_ string, at time.Time) bool { return !waits(at) })
		h.swept = now
	}
	h.next[id] = now.Add(hintPace)
	return true
}
