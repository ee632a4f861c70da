// Package realtime keeps the websockets of shoppers' pages, by the ten thousand: the
// [Hub] knows which sockets watch a session and notifies them when something new is
// published about it; a [Socket] is read, written to and pinged. Frames are read and
// written by gorilla/websocket.
//
// Start from [NewHub] and [Hub.Subscribe], and from [NewSocket], [Upgrade] and
// [Socket.Open]. What a socket sends is decided by its [Source].
//
// # What an idle socket costs
//
// Its connection, the library's smallest read buffer, a timer for pings, and one goroutine,
// which reads. Another one writes while there is something to write; write buffers are
// shared. docs/performance.md has the figure, and BenchmarkSockets in e2e/load measures it.
//
// # Why a function and not a channel
//
// The one goroutine of a socket has to wait in its read: nothing else would notice
// that the client has closed the connection or has answered a ping. A goroutine that
// reads cannot wait for a channel as well, so a 1-slot channel would need a second
// goroutine for each socket. A function needs none: it marks the socket as updated
// and, if nothing writes to it, starts a goroutine that does.
//
// # No lost updates
//
// The hub carries no views: a subscriber that is notified reads the latest one, so
// that several changes at once cost one message and the latest always wins. Subscribe
// first and read the first view after that: whatever is committed later is published
// to the new subscriber, whatever was before is in that view.
package realtime

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// HubConfig bounds a [Hub].
type HubConfig struct {
	PerSession int // subscribers of one session at most; zero = 20
	PerProcess int // subscribers in all at most; zero = 15,000
}

// Hub keeps the subscribers of each session. Its methods may be called by any
// goroutine, also from within a notify.
type Hub struct {
	perSession, perProcess int

	refused atomic.Uint64 // number of subscribers beyond the limits

	mu     sync.RWMutex             // guards the fields below
	byID   map[string][]*subscriber // by session id; a slice in it is never changed, only replaced
	count  int                      // how many subscribers all slices have
	closed bool
}

// subscriber has an identity, which a func lacks.
type subscriber struct{ notify func() }

// NewHub returns a Hub without subscribers.
func NewHub(c HubConfig) *Hub {
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

// Publish notifies each subscriber of the session that something is new. It does not
// block, and does nothing if there is none or the hub is closed.
func (h *Hub) Publish(session string) {
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

// Watched reports whether the session has a subscriber.
func (h *Hub) Watched(session string) bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.byID[session]) > 0
}

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

// HubStats are the figures of a [Hub] for the operator.
type HubStats struct {
	Subscribers, Sessions int    // now; sessions that have a subscriber
	Refused               uint64 // subscribers beyond the limits; only grows
}

// Stats returns the present figures.
func (h *Hub) Stats() HubStats {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return HubStats{Subscribers: h.count, Sessions: len(h.byID), Refused: h.refused.Load()}
}

// Close refuses new subscribers and notifies each present one a last time, so that it
// asks [Hub.Closed] and can end its connection. The subscribers stay, and are
// counted by Len, until they cancel: Len reaching zero means that all have left.
// A second Close does nothing.
func (h *Hub) Close() {
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

// Closed reports whether Close was called. A subscriber that is notified asks this
// before it reads a view.
func (h *Hub) Closed() bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.closed
}
