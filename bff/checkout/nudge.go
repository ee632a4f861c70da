package checkout

import (
	"context"
	"maps"
	"sync"
	"time"

	"coinslot/bff/payment"
)

// Nudge schedules an immediate check of an unfinished session whose page was opened; one that
// was just checked keeps its pace. It changes nothing else. Errors: the store's.
func (c *Service) Nudge(ctx context.Context, s payment.Session) error {
	return c.checkSooner(ctx, s, s.EarliestCheck(c.Schedule))
}

// hintInterval is the least time between a check and the next one that a hint causes.
const hintInterval = 10 * time.Second

// Hint is Nudge for requests that anyone can repeat at will: a return from the gateway's page, or a
// call of the gateway's hook. It causes at most one check in ten seconds. Errors: the store's.
func (c *Service) Hint(ctx context.Context, s payment.Session) error {
	now := c.Now()
	if at := s.LastChecked().Add(hintInterval); now.Before(at) {
		stored, err := c.Store.Load(ctx, s.ID)
		if err != nil {
			return err
		}
		watched := c.IsWatched(s.ID, stored.WatchedUntil)
		if hintInterval < payment.SlightlyBefore(c.Schedule.Interval(watched)) {
			return c.checkSooner(ctx, s, at)
		}
		// With list polls, LastChecked may never be ten seconds ago.
		if !c.hints.allow(s.ID, now) {
			return nil
		}
	}
	return c.checkSooner(ctx, s, s.EarliestCheck(c.Schedule))
}

// checkSooner schedules the check of a payable session for at, if that is sooner.
func (c *Service) checkSooner(ctx context.Context, s payment.Session, at time.Time) error {
	if !s.Status.Waiting() || !at.Before(s.DueAt) {
		return nil
	}
	a := s.Current()
	if a == nil || a.State == payment.Creating || a.State == payment.Unknown {
		return nil
	}
	return c.Store.Touch(ctx, StoredSession{Session: s}, s.CheckedAt, at)
}

// maxHints bounds the sessions that are remembered.
const maxHints = 10_000

// hints rate-limits the hints of this process. The zero value is ready.
type hints struct {
	mu        sync.Mutex           // guards the fields below
	next      map[string]time.Time // by session: when the next hint may be given
	cleanedAt time.Time            // last removal of expired entries
}

// allow reports whether a hint of the session may cause a check now, and if so blocks others
// for hintInterval.
func (h *hints) allow(id string, now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()

	// A time that is further away than the interval is from before the clock was set back.
	waits := func(at time.Time) bool {
		return now.Before(at) && !at.After(now.Add(hintInterval))
	}
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

	if len(h.next) >= maxHints {
		return false // it is checked as scheduled
	}
	h.next[id] = now.Add(hintInterval)
	return true
}
