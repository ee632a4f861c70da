package shop

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
	"coinslot/bff/realtime"
	"coinslot/bff/web"

	"github.com/gorilla/websocket"
)

const (
	// shareTime is the maximum age of a view when it is sent: its times count from sending.
	shareTime = 250 * time.Millisecond
	// maxShared and maxSharedBytes bound the views that are kept.
	maxShared      = 1 << 10
	maxSharedBytes = 16 << 20
)

type viewKey struct{ session, lang string }

// views encodes the views for sockets. A session with several sockets is read and encoded once per
// publication.
type views struct {
	hub    *realtime.Hub
	encode func(viewKey) (encodedView, error) // as it is now
	keep   time.Duration

	mu     sync.Mutex // guards the fields below, and bytes of each rendering
	recent map[viewKey]*rendering
	bytes  int // of all in recent
}

type encodedView struct {
	text []byte        // JSON; read-only
	hash uint64        // of the view without its times; differs between processes
	age  time.Duration // of the gateway's last answer; negative = there was none
}

// rendering is a view for several sockets.
type rendering struct {
	holds uint64        // the last publication that it includes
	bytes int           // that it counts in views.bytes
	done  chan struct{} // closed when the fields below are set

	view encodedView
	err  error
}

// message returns the encoded view that includes a publication. It waits while another goroutine
// encodes it. Errors: those of encode.
func (v *views) message(key viewKey, published uint64) (encodedView, error) {
	if v.hub.Watchers(key.session) < 2 {
		return v.encode(key)
	}
	r, found := v.find(key, published)
	if found {
		<-r.done
		return r.view, r.err
	}
	defer close(r.done)
	r.view, r.err = v.encode(key)
	if r.err != nil || !v.count(key, r) {
		v.drop(key, r) // the next socket tries again
	}
	return r.view, r.err
}

// count counts the bytes of r, and reports whether r may be kept.
func (v *views) count(key viewKey, r *rendering) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.recent[key] != r {
		return true // replaced, or not kept
	}
	r.bytes = len(r.view.text)
	v.bytes += r.bytes
	return v.bytes <= maxSharedBytes
}

// find returns a rendering that is new enough, or a new one that the caller has to fill in.
func (v *views) find(key viewKey, published uint64) (r *rendering, found bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if r = v.recent[key]; r != nil && r.holds >= published {
		return r, true
	}
	r = &rendering{holds: v.hub.Published(), done: make(chan struct{})}
	if old := v.recent[key]; old != nil || len(v.recent) < maxShared {
		if old != nil {
			v.bytes -= old.bytes
		}
		v.recent[key] = r
		time.AfterFunc(v.keep, func() { v.drop(key, r) })
	}
	return r, false
}

// drop removes r unless it was replaced.
func (v *views) drop(key viewKey, r *rendering) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.recent[key] == r {
		v.bytes -= r.bytes
		delete(v.recent, key)
	}
}

// encodedView is a session's current view; it waits its turn among lookups. Errors:
// *realtime.CloseError if it is unknown.
func (s *server) encodedView(key viewKey) (encodedView, error) {
	_ = s.lookups.Acquire(context.Background(), 1) // it never ends
	defer s.lookups.Release(1)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	session, err := s.shopperSession(ctx, key.session)
	if errors.Is(err, web.Refuse(wire.CodeSessionUnknown, "")) {
		return encodedView{}, &realtime.CloseError{
			Code: websocket.ClosePolicyViolation, Reason: string(wire.CodeSessionUnknown),
		}
	}
	if err != nil {
		return encodedView{}, err
	}
	show := s.viewContext(ctx, key.lang)
	p := widget.Page{Lang: key.lang, View: checkout.View(&session, show)}
	s.explainEmpty(&p, show)
	return encode(p.View)
}

var hashSeed = maphash.MakeSeed()

func encode(v wire.View) (encodedView, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return encodedView{}, err
	}
	timeless, err := json.Marshal(v.Timeless())
	return encodedView{
		text: text, hash: maphash.Bytes(hashSeed, timeless),
		age: time.Duration(v.CheckedMsAgo) * time.Millisecond,
	}, err
}
