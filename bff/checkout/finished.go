package checkout

import (
	"strings"
	"time"

	"coinslot/app/wire"
)

// Finished reports whether s is confirmed, expired or canceled. A shopper may still
// retry an expired or canceled session, and late money may still confirm it.
func (s *Session) Finished() bool {
	return s.Status == wire.Confirmed || s.Status == wire.Expired || s.Status == wire.Cancelled
}

// FinishedAt returns when s finished, the zero time if it has not. What the gateway or
// an operator decides later counts as the end; a shopper's recheck does not.
func (s *Session) FinishedAt() time.Time {
	if !s.Finished() {
		return time.Time{}
	}
	var end time.Time
	for i := range s.Attempts {
		if at := s.Attempts[i].EndedAt; at.After(end) {
			end = at
		}
	}
	for _, e := range s.Trail {
		if strings.HasPrefix(e.What, "session.") && e.At.After(end) {
			end = e.At
		}
	}
	if end.IsZero() { // the trail was full
		end = s.ExpiresAt
	}
	return end
}

// FinishedFor reports whether s finished at least d before now. A d of zero or less
// means for ever: nothing has been finished that long.
func (s *Session) FinishedFor(d time.Duration, now time.Time) bool {
	end := s.FinishedAt()
	return d > 0 && !end.IsZero() && !now.Before(end.Add(d))
}
