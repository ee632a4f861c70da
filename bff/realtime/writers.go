package realtime

import (
	"sync"
	"time"
)

// slowAfter is how long a writer may be at one socket before it is held to be
// waiting for a client that does not read.
const slowAfter = 10 * time.Millisecond

// writerPool are the goroutines that write. They start when there is something to
// write and end when there is nothing. Few are active at a time; one that has to wait
// for a slow client is replaced, so that other sockets do not wait for it.
type writerPool struct {
	limit int // of active writers, without those that wait for slow clients

	mu          sync.Mutex // guards the fields below, those of writers, and next of sockets
	first, last *Socket    // of the queue; nil = it is empty
	active      int        // without those that wait for slow clients
}

// enqueue schedules s for writing, in FIFO order. It does not block.
func (p *writerPool) enqueue(s *Socket) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.first == nil {
		p.first = s
	} else {
		p.last.next = s
	}
	p.last = s
	p.startOne()
}

// startOne starts a writer if there is work for one more. mu is held.
func (p *writerPool) startOne() {
	if p.active < p.limit && p.first != nil {
		p.active++
		go p.write()
	}
}

func (p *writerPool) write() {
	w := &writer{pool: p, active: true}
	w.watch = time.AfterFunc(time.Hour, w.late)
	defer w.watch.Stop()
	for s := p.dequeue(w); s != nil; s = p.dequeue(w) {
		s.serve()
	}
}

// dequeue returns the socket that w is to serve now; nil if w is not needed any more.
func (p *writerPool) dequeue(w *writer) *Socket {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !w.active && p.active < p.limit {
		w.active = true
		p.active++
	}
	if !w.active {
		return nil
	}
	s := p.first
	if s == nil {
		w.active = false
		p.active--
		return nil
	}
	p.first, s.next = s.next, nil
	w.since = time.Now()
	w.watch.Reset(slowAfter)
	return s
}

type writer struct {
	pool   *writerPool
	watch  *time.Timer
	since  time.Time // when it began with its present socket
	active bool      // counted by the pool
}

// late gives the place of a writer that waits for a slow client to another one.
func (w *writer) late() {
	p := w.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if !w.active || time.Since(w.since) < slowAfter {
		return // it has gone on in the meantime
	}
	w.active = false
	p.active--
	p.startOne()
}
