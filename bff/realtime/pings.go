package realtime

import (
	"slices"
	"sync"
	"time"
)

// slots is how many groups of sockets are pinged one after another.
const slots = 25

// pingWheel is a timer wheel: it pings each socket at the same interval, all of them
// by one timer, which runs while there are any.
type pingWheel struct {
	every time.Duration // between two pings of a socket

	mu      sync.Mutex // guards the fields below, and the places of sockets
	slots   [slots][]*Socket
	current int // the slot that was pinged last
	count   int
	running bool // the timer
}

type wheelPlace struct{ slot, index int32 }

// add puts s into the emptiest slot, so that many that connect at once are not
// pinged at once; of several, into the one whose turn is last.
func (w *pingWheel) add(s *Socket) {
	w.mu.Lock()
	defer w.mu.Unlock()
	best := w.current
	for back := range slots {
		if slot := (w.current + slots - back) % slots; len(w.slots[slot]) < len(w.slots[best]) {
			best = slot
		}
	}
	s.place = wheelPlace{int32(best), int32(len(w.slots[best]))}
	w.slots[best] = append(w.slots[best], s)
	w.count++
	if !w.running {
		w.schedule()
	}
}

func (w *pingWheel) schedule() {
	w.running = true
	time.AfterFunc(w.every/slots, w.tick)
}

func (w *pingWheel) remove(s *Socket) {
	w.mu.Lock()
	defer w.mu.Unlock()
	slot := w.slots[s.place.slot]
	last := len(slot) - 1
	slot[s.place.index] = slot[last]
	slot[s.place.index].place.index = s.place.index
	slot[last] = nil
	w.slots[s.place.slot] = slot[:last]
	w.count--
}

func (w *pingWheel) tick() {
	for _, s := range w.advance() {
		s.ping()
	}
}

// advance moves on by one slot and returns the sockets in it.
func (w *pingWheel) advance() []*Socket {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running = w.count > 0; !w.running {
		return nil
	}
	w.schedule()
	w.current = (w.current + 1) % slots
	return slices.Clone(w.slots[w.current])
}
