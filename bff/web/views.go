package web

import (
	"context"
	"encoding/json"
	"errors"
	"hash/maphash"
	"sync"
	"time"

	"coinslot/app/widget"
	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/hub"
	"coinslot/bff/live"

	"github.com/gorilla/websocket"
)

const (
	// sharedFor is how old a view may be when it is sent: it says how much time
	// is left, counted from the sending.
	sharedFor = 250 * time.Millisecond
	// mostShared bounds how many views are kept for that long.
	mostShared = 1 << 10
)

// viewKey is all that the view of a socket depends on, besides what is stored.
type viewKey struct{ session, lang string }

// views makes what sockets are sent. A session that several of them watch is read
// and encoded once for all that are told of the same news.
type views struct {
	hub     *hub.Hub
	encoded func(viewKey) (shown, error) // as it is now
	keep    time.Duration

	mu     sync.Mutex // guards the fields below
	recent map[viewKey]*rendering
}

// shown is what a session shows, encoded.
type shown struct {
	live.Message
	words uint64        // a hash of it without its times, of this process
	age   time.Duration // of the gateway's last answer; negative = there was none
}

// rendering is a view that is sent to several sockets.
type rendering struct {
	holds uint64        // this publication and all before
	done  chan struct{} // closed when the fields below are set

	shown shown
	err   error
}

// message returns the view that holds the publication of that number, encoded.
// Errors: those of encoded.
func (v *views) message(key viewKey, news uint64) (shown, error) {
	if v.hub.Watchers(key.session) < 2 {
		return v.encoded(key)
	}
	r, found := v.find(key, news)
	if found {
		<-r.done
		return r.shown, r.err
	}
	defer close(r.done)
	r.shown, r.err = v.encoded(key)
	if r.err != nil {
		v.drop(key, r) // the next one may have more luck
	}
	return r.shown, r.err
}

// find returns a rendering that will do, or a new one for the caller to fill in.
func (v *views) find(key viewKey, news uint64) (r *rendering, found bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if r = v.recent[key]; r != nil && r.holds >= news {
		return r, true
	}
	r = &rendering{holds: v.hub.Published(), done: make(chan struct{})}
	if len(v.recent) < mostShared {
		v.recent[key] = r
		time.AfterFunc(v.keep, func() { v.drop(key, r) })
	}
	return r, false
}

// drop forgets r, unless there is a newer one.
func (v *views) drop(key viewKey, r *rendering) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.recent[key] == r {
		delete(v.recent, key)
	}
}

// encodedView is a session's view as it is now, for its sockets. Errors:
// *live.End if there is no such session.
func (s *server) encodedView(key viewKey) (shown, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	session, err := s.shopperSession(ctx, key.session)
	if errors.Is(err, refuse(wire.CodeSessionUnknown, "")) {
		return shown{}, &live.End{Code: websocket.ClosePolicyViolation, Why: string(wire.CodeSessionUnknown)}
	}
	if err != nil {
		return shown{}, err
	}
	show := s.showing(ctx, key.lang)
	p := widget.Page{Lang: key.lang, View: checkout.View(&session, show)}
	s.explain(&p, show)
	return encode(p.View)
}

// hashing is a seed for the words of this process's views.
var hashing = maphash.MakeSeed()

// encode is v for a socket.
func encode(v wire.View) (shown, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return shown{}, err
	}
	words, err := json.Marshal(v.Timeless())
	return shown{live.Text(text), maphash.Bytes(hashing, words), time.Duration(v.CheckedMsAgo) * time.Millisecond}, err
}
