package checkout

import (
	"context"
	"maps"
	"sync"
	"time"

	"coinslot/bff/payment"
)

// Nudge makes a session that is not settled due now, or when a watched one is due
// again if it was checked a moment ago: somebody has opened its page. It believes
// and changes nothing. Errors: the store's.
func (c *Service) Nudge(ctx context.Context, s payment.Session) error {
	return c.checkSooner(ctx, s, s.EarliestCheck(c.Schedule))
}

// hintInterval is how soon after one look a hint can make for another.
const hintInterval = 10 * time.Second

// Hint is Nudge for what anybody can say as often as they like: somebody has come
// back from the gateway's page, or says that something happened there. It makes
// for one look in ten seconds at most. Errors: the store's.
func (c *Service) Hint(ctx context.Context, s payment.Session) error {
	now := c.Now()
	if at := s.LastChecked().Add(hintInterval); now.Before(at) {
		if hintInterval < payment.SlightlyBefore(c.Schedule.Interval(c.watched(s))) {
			return c.checkSooner(ctx, s, at)
		}
		// the list may check it so often that ten seconds are never over
		if !c.hints.allow(s.ID, now) {
			return nil
		}
	}
	return c.checkSooner(ctx, s, s.EarliestCheck(c.Schedule))
}

// checkSooner makes a session due at that time, if it would be later and there is
// something to look at.
func (c *Service) checkSooner(ctx context.Context, s payment.Session, at time.Time) error {
	if !s.Status.Waiting() || !at.Before(s.DueAt) {
		return nil
	}
	if a := s.Current(); a == nil || a.State == payment.Creating || a.State == payment.Unknown {
		return nil
	}
	return c.Store.Touch(ctx, s, s.CheckedAt, at)
}

// hints remembers whose hints have made for a look of late. It knows those of this
// process only. The zero value is ready.
type hints struct {
	mu        sync.Mutex           // guards the fields below
	next      map[string]time.Time // by session: when another may
	cleanedAt time.Time            // when those that are over were last dropped
}

// allow reports whether a hint of that session may make for a look now, and if so
// lets no other do for a while.
func (h *hints) allow(id string, now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	// else the clock was set back
	waits := func(at time.Time) bool { return now.Before(at) && !now.Add(hintInterval).Before(at) }
	if waits(h.next[id]) {
		return false
	}
	if h.next == nil {
		h.next = map[string]time.Time{}
	}
	if now.Before(h.cleanedAt) || now.Sub(h.cleanedAt) > hintInterval {
		maps.DeleteFunc(h.next, func(_ string, at time.Time) bool { return !waits(at) })
		h.cleanedAt = now
	}
	h.next[id] = now.Add(hintInterval)
	return true
}
