package server

import (
	"context"
	"slices"
	"time"
)

// stuckAfter is how long a main loop may go without a turn. A database that does
// not answer keeps one for half a minute, and an outbox in trouble is looked at
// every half minute.
const stuckAfter = 2 * time.Minute

// loops returns when each main loop last turned, by name; those that do not run are
// left out: before Run, after it, or for want of endpoints.
func (s *Server) loops() map[string]time.Time {
	turned := map[string]time.Time{"poller": s.poller.Stats().Turned, "sender": s.sender.Stats().Turned}
	for name, at := range turned {
		if at.IsZero() {
			delete(turned, name)
		}
	}
	return turned
}

// alive returns which main loops are stuck; none = the process lives. A restart
// helps against what it says, and against nothing that it does not say.
func (s *Server) alive() (stuck []string) {
	for name, turned := range s.loops() {
		if time.Since(turned) > stuckAfter {
			stuck = append(stuck, name)
		}
	}
	slices.Sort(stuck)
	return stuck
}

// ready returns why requests should go to another instance; nothing = they are
// welcome here. A gateway that is away is no reason: it is away for all of them.
func (s *Server) ready(ctx context.Context) (missing []string) {
	if s.leaving.Load() {
		missing = append(missing, "shutdown")
	}
	if s.store.Ready(ctx) != nil {
		missing = append(missing, "database")
	}
	return missing
}

// Leave makes /readyz fail, so that no further requests are sent here; those that
// come are answered as ever. There is no way back.
func (s *Server) Leave() { s.leaving.Store(true) }
