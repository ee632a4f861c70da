// Package hub tells live connections that their session has something new to
// show. It carries no views: a subscriber that is told fetches the latest one
// itself, so that several changes at once cost one message and the latest
// always wins.
//
// Start from [New] and [Hub.Subscribe].
//
// # Why a function and not a channel
//
// A socket costs least with one goroutine, and that one has to sit in the
// socket's read: nobody else would notice that the other side has closed or
// has answered a ping. A goroutine that reads cannot wait for a channel as well,
// so a 1-slot channel would need a second goroutine for each socket. A function
// needs none: it marks the socket as having news and, if it was not marked
// already, puts it on the queue of a few writers that all sockets share (package
// live). An idle socket costs the hub less than 200 bytes, its session's id
// included (BenchmarkIdle).
//
// # No lost news
//
// Subscribe first and fetch the first view after that: whatever is committed
// later is published to the new subscriber, whatever was before is in that view.
//
// # The numbers of publications
//
// Publications are numbered, so that a view can be made once for many: who asks
// [Hub.Published] and reads the session after that holds that publication and all
// before it, and need not read again for a subscriber that was told of one of them.
package hub

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Config is what a [Hub] is made of.
type Config struct {
	PerSession int // subscribers of one session at most; zero = 20
	PerProcess int // subscribers in all at most; zero = 15,000
}

// Hub keeps the subscribers of each session. Its methods may be called by any
// goroutine, also from within a notify.
type Hub struct {
	perSession, perProcess int

	published atomic.Uint64 // publications there were
	refused   atomic.Uint64 // subscribers that found no place

	mu     sync.RWMutex             // guards the fields below
	byID   map[string][]*subscriber // by session id; a slice in it is never changed, only replaced
	count  int                      // of all slices
	closed bool
}

// subscriber has an identity, which a func has not.
type subscriber struct{ notify func() }

// New returns a Hub without subscribers.
func New(c Config) *Hub {
	h := &Hub{perSession: c.PerSession, perProcess: c.PerProcess, byID: map[string][]*subscriber{}}
	if h.perSession <= 0 {
		h.perSession = 20
	}
	if h.perProcess <= 0 {
		h.perProcess = 15_000
	}
	return h
}

// Subscribe has notify called each time that something new is published about
// the session, until cancel is called. ok is false, and cancel nil, when the
// session or the process has as many subscribers as it may have, or the hub is
// closed.
//
// notify is called on the publisher's goroutine, possibly by several at once:
// it must return at once and not block. It may call any method of the hub and
// cancel. It can be called once more while cancel runs or just after it.
// cancel may be called more than once.
func (h *Hub) Subscribe(session string, notify func()) (cancel func(), ok bool) {
	s := &subscriber{notify}
	h.mu.Lock()
	defer h.mu.Unlock()
	present := h.byID[session]
	if h.closed || h.count >= h.perProcess || len(present) >= h.perSession {
		h.refused.Add(1)
		return nil, false
	}
	h.count++
	// A full copy, since a publisher may be reading the old slice.
	h.byID[session] = append(slices.Clip(present), s)
	return func() { h.drop(session, s) }, true
}

// drop takes s out, if it is still in.
func (h *Hub) drop(session string, s *subscriber) {
	h.mu.Lock()
	defer h.mu.Unlock()
	present := h.byID[session]
	at := slices.Index(present, s)
	if at < 0 {
		return
	}
	h.count--
	if len(present) == 1 {
		delete(h.byID, session)
		return
	}
	h.byID[session] = slices.Concat(present[:at], present[at+1:])
}

// Publish tells each subscriber of the session that something is new. It waits
// for nobody, and does nothing if there is none or the hub is closed.
func (h *Hub) Publish(session string) {
	h.published.Add(1)
	h.mu.RLock()
	present := h.byID[session]
	if h.closed {
		present = nil
	}
	h.mu.RUnlock()
	for _, s := range present {
		s.notify()
	}
}

// Published returns the number of the latest publication, of whatever session;
// zero = there was none. What is read from the database after that holds it.
func (h *Hub) Published() uint64 { return h.published.Load() }

// Watchers returns how many subscribers the session has.
func (h *Hub) Watchers(session string) int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.byID[session])
}

// Watched reports whether the session has a subscriber.
func (h *Hub) Watched(session string) bool { return h.Watchers(session) > 0 }

// Sessions returns the sessions that have a subscriber, in no order.
func (h *Hub) Sessions() []string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return slices.Collect(maps.Keys(h.byID))
}

// Len returns the number of subscribers.
func (h *Hub) Len() int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.count
}

// Stats is what a [Hub] has to tell to its operator.
type Stats struct {
	Subscribers, Sessions int    // now; sessions that have a subscriber
	Refused               uint64 // subscribers that found no place; only grows
}

// Stats returns the present state.
func (h *Hub) Stats() Stats {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return Stats{Subscribers: h.count, Sessions: len(h.byID), Refused: h.refused.Load()}
}

// Close refuses new subscribers and tells each present one a last time, so
// that it asks [Hub.Closed] and can say goodbye. The subscribers stay, and are
// counted by Len, until they cancel: Len reaching zero means that all have left.
// A second Close does nothing.
func (h *Hub) Close() {
	h.published.Add(1)
	for _, s := range h.shut() {
		s.notify()
	}
}

// shut closes the hub and returns all subscribers, or none if it was closed.
func (h *Hub) shut() []*subscriber {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil
	}
	h.closed = true
	all := make([]*subscriber, 0, h.count)
	for _, present := range h.byID {
		all = append(all, present...)
	}
	return all
}

// Closed reports whether Close was called. A subscriber that is told asks this
// before it fetches a view.
func (h *Hub) Closed() bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.closed
}
