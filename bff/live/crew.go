package live

import (
	"sync"
	"time"
)

// patience is how long a writer may be at one socket before it is held to be
// waiting for a slow reader.
const patience = 10 * time.Millisecond

// crew are the goroutines that write. They come when there is something to write
// and go when there is nothing. Few are at work at a time; one that has to wait
// for a slow reader is replaced, so that nobody else waits for it.
type crew struct {
	most     int // at work at a time, without those that wait
	patience time.Duration

	mu          sync.Mutex // guards the fields below, those of writers, and after of sockets
	first, last *Socket    // in the queue; nil = it is empty
	working     int        // without those that wait
}

// put has s served, after all that were put before.
func (c *crew) put(s *Socket) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first == nil {
		c.first = s
	} else {
		c.last.after = s
	}
	c.last = s
	c.call()
}

// call starts a writer if there is work for one more. mu is held.
func (c *crew) call() {
	if c.working < c.most && c.first != nil {
		c.working++
		go c.work()
	}
}

// work serves sockets until there are none.
func (c *crew) work() {
	w := &writer{crew: c, counts: true}
	w.watch = time.AfterFunc(time.Hour, w.late)
	defer w.watch.Stop()
	for s := c.next(w); s != nil; s = c.next(w) {
		s.serve()
	}
}

// next returns what w is to serve now; nil if it is not needed any more.
func (c *crew) next(w *writer) *Socket {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !w.counts && c.working < c.most {
		w.counts = true
		c.working++
	}
	if !w.counts {
		return nil
	}
	s := c.pop()
	if s == nil {
		w.counts = false
		c.working--
		return nil
	}
	w.since = time.Now()
	w.watch.Reset(c.patience)
	return s
}

// pop takes the first socket from the queue; nil if it is empty. mu is held.
func (c *crew) pop() *Socket {
	s := c.first
	if s != nil {
		c.first, s.after = s.after, nil
	}
	return s
}

// writer is one goroutine of a crew.
type writer struct {
	crew   *crew
	watch  *time.Timer
	since  time.Time // when its present socket was begun
	counts bool      // among those at work
}

// late gives the place of a writer that waits to another one.
func (w *writer) late() {
	c := w.crew
	c.mu.Lock()
	defer c.mu.Unlock()
	if !w.counts || time.Since(w.since) < c.patience {
		return // it has gone on in the meantime
	}
	w.counts = false
	c.working--
	c.call()
}
