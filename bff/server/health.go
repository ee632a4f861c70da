package server

import (
	"context"
	"maps"
	"slices"
	"time"
)

// stuckAfter is how long a heartbeat may be overdue. An unresponsive gateway or database delays one
// by at most a minute, and a failing outbox is checked every half minute.
const stuckAfter = 2 * time.Minute

// loops returns the last, or the next scheduled, heartbeat of each running main loop, by name.
//
// A main loop is needed for payments, webhooks or open pages, and each of its iterations is
// bounded. Not among them: refused origins, traces, the console's reconciliation,
// sockets, and single creates.
func (s *Server) loops() map[string]time.Time {
	lastBeat := map[string]time.Time{
		"poller":  s.poller.Stats().LastBeat,
		"sender":  s.sender.Stats().LastBeat,
		"sweeper": s.listPoller.LastBeat(),
		"probe":   s.limiter.State().Probing,
	}
	if s.fanout != nil {
		lastBeat["fanout"] = s.fanout.heartbeat.Last()
	}

	maps.Copy(lastBeat, s.checkout.LastBeats())
	maps.Copy(lastBeat, s.store.LastBeats())
	maps.DeleteFunc(lastBeat, func(_ string, at time.Time) bool { return at.IsZero() })
	return lastBeat
}

// stuckLoops returns the main loops that are stuck: a restart helps against these only.
func (s *Server) stuckLoops() (stuck []string) {
	for name, lastBeat := range s.loops() {
		if time.Since(lastBeat) > stuckAfter {
			stuck = append(stuck, name)
		}
	}
	slices.Sort(stuck)
	return stuck
}

// missing returns why requests should go to another instance. The gateway is not a reason: it is
// unavailable to all instances.
func (s *Server) missing(ctx context.Context) (missing []string) {
	if s.leaving.Load() {
		missing = append(missing, "shutdown")
	}
	if s.store.Ready(ctx) != nil {
		missing = append(missing, "database")
	}
	return missing
}

// warned returns what is at risk while requests are served. An error of the database is a matter of
// missing.
func (s *Server) warned(ctx context.Context) (list []string) {
	n, err := s.store.AsyncReplicas(ctx)
	if err == nil && n > 0 {
		list = append(list,
			"a failover of the database loses commits: set synchronous_standby_names")
	}
	if s.certificate != nil {
		warning := s.certificate().Warning()
		if warning != "" {
			list = append(list, warning)
		}
	}
	if s.refresher == nil {
		return list
	}
	health, err := s.refresher.Health(ctx)
	if err != nil {
		return list
	}
	warning := health.Warning(s.refresher.Source.Name(), s.store.Now())
	if warning != "" {
		list = append(list, warning)
	}
	return list
}

// Leave makes /readyz fail for good, so that load balancers stop sending requests; those that come
// are still answered.
func (s *Server) Leave() { s.leaving.Store(true) }
