package live

import (
	"slices"
	"sync"
	"time"
)

// spokes is how many groups of sockets are pinged one after another.
const spokes = 25

// wheel pings each socket once in a while, all of them by one timer, which runs
// while there are any.
type wheel struct {
	every time.Duration // between two pings of a socket

	mu     sync.Mutex // guards the fields below, and the places
	spokes [spokes][]*Socket
	now    int // the spoke that was pinged last
	count  int
	winds  bool // the timer runs
}

// place is where a socket is on the wheel.
type place struct{ spoke, at int32 }

// add puts s on the emptiest spoke, so that many that come at once are not
// pinged at once; of several, on the one that comes last.
func (w *wheel) add(s *Socket) {
	w.mu.Lock()
	defer w.mu.Unlock()
	best := w.now
	for back := range spokes {
		if spoke := (w.now + spokes - back) % spokes; len(w.spokes[spoke]) < len(w.spokes[best]) {
			best = spoke
		}
	}
	s.place = place{int32(best), int32(len(w.spokes[best]))}
	w.spokes[best] = append(w.spokes[best], s)
	w.count++
	if !w.winds {
		w.wind()
	}
}

// wind has the next spoke pinged when it is time. mu is held.
func (w *wheel) wind() {
	w.winds = true
	time.AfterFunc(w.every/spokes, w.turn)
}

// remove takes s off, which is on.
func (w *wheel) remove(s *Socket) {
	w.mu.Lock()
	defer w.mu.Unlock()
	spoke := w.spokes[s.spoke]
	last := len(spoke) - 1
	spoke[s.at] = spoke[last]
	spoke[s.at].at = s.at
	spoke[last] = nil
	w.spokes[s.spoke] = spoke[:last]
	w.count--
}

// turn pings the next spoke.
func (w *wheel) turn() {
	for _, s := range w.next() {
		s.ping()
	}
}

// next moves on by one spoke and returns what is on it.
func (w *wheel) next() []*Socket {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.winds = w.count > 0; !w.winds {
		return nil
	}
	w.wind()
	w.now = (w.now + 1) % spokes
	return slices.Clone(w.spokes[w.now])
}
