package server

import (
	"context"
	"maps"
	"slices"
	"time"
)

// stuckAfter is how long a main loop may go without a heartbeat that is due.
// A gateway or database that does not answer keeps one for a minute at most,
// and an outbox in trouble is looked at every half minute.
const stuckAfter = 2 * time.Minute

// loops returns when each main loop last beat, or is to if that is later, by name;
// those that do not run are left out: before Run, after it, for want of endpoints or
// other instances, or because there is nothing to do.
//
// A main loop is one without which payments, webhooks or open pages stand still or lag,
// and whose every turn is bounded, whatever is away. What only counts or shows for
// operators is none: refused origins, traces, the mending of old sessions, the console's
// comparison. Nor are sockets and single creates, which hold up nobody but themselves.
func (s *Server) loops() map[string]time.Time {
	lastBeat := map[string]time.Time{
		"poller": s.poller.Stats().LastBeat, "sender": s.sender.Stats().LastBeat,
		"sweeper": s.listPoller.LastBeat(), "probe": s.limiter.State().Probing,
	}
	if s.fanout != nil {
		lastBeat["fanout"] = s.fanout.heartbeat.Last()
	}
	maps.Copy(lastBeat, s.checkout.LastBeats())
	maps.Copy(lastBeat, s.store.LastBeats())
	maps.DeleteFunc(lastBeat, func(_ string, at time.Time) bool { return at.IsZero() })
	return lastBeat
}

// stuckLoops returns which main loops are stuck; none = the process lives. A restart
// helps against what it says, and against nothing that it does not say.
func (s *Server) stuckLoops() (stuck []string) {
	for name, lastBeat := range s.loops() {
		if time.Since(lastBeat) > stuckAfter {
			stuck = append(stuck, name)
		}
	}
	slices.Sort(stuck)
	return stuck
}

// missing returns why requests should go to another instance; nothing = they are
// welcome here. A gateway that is away is no reason: it is away for all of them.
func (s *Server) missing(ctx context.Context) (missing []string) {
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
