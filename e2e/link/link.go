// Package link is a phone's connection between a browser and servers of this
// machine: the same line for all of them, slow and far away.
//
//	l := link.New(link.SlowPhone)
//	defer l.Close()
//	shop, err := l.Front(func() string { return "127.0.0.1:8080" }) // "127.0.0.1:41234", for the browser
//
// Each Front is a TCP proxy. A connection takes one round trip to open; what is sent waits its turn
// on the line, then half a round trip. A browser's own emulation does not do: it leaves out frames
// of other sites. There is no loss, and a header of TCP or IP weighs nothing.
package link

import (
	"errors"
	"net"
	"sync"
	"time"
)

// Shape is how slow a link is. The zero value is as fast as the machine.
type Shape struct {
	RTT      time.Duration // there and back
	Down, Up int           // bytes per second towards the browser and from it; 0 = without limit
}

// SlowPhone is what the browsers' own tools call slow 4G: 150 ms, 1.6 and 0.75 Mbit/s.
var SlowPhone = Shape{RTT: 150 * time.Millisecond, Down: 1_600_000 / 8, Up: 750_000 / 8}

// Link is one line. Its methods may be called at once.
type Link struct {
	// SlowStart limits what a server may send at once, as TCP does. It is set before the first Front.
	SlowStart bool

	down, up line
	diary

	mu        sync.Mutex // guards the fields below
	rtt       time.Duration
	listeners []net.Listener
	open      map[net.Conn]bool
}

// New returns a link of that shape with nothing on it.
func New(s Shape) *Link {
	l := &Link{open: map[net.Conn]bool{}}
	l.Set(s)
	return l
}

// Set changes the shape, also for connections that are open. What is under way
// already continues as it was.
func (l *Link) Set(s Shape) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rtt = s.RTT
	l.down.set(s.Down, s.RTT/2)
	l.up.set(s.Up, s.RTT/2)
}

// Front returns the address of a way over the link to the address that target
// tells, which is asked for each connection.
//
// Errors: there is no port.
func (l *Link) Front(target func() string) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}

	l.mu.Lock()
	l.listeners = append(l.listeners, listener)
	l.mu.Unlock()
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			go l.connect(near, target)
		}
	}()
	return listener.Addr().String(), nil
}

// Close ends all ways and connections.
//
// Errors: a port could not be given back.
func (l *Link) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var errs []error
	for _, listener := range l.listeners {
		errs = append(errs, listener.Close())
	}
	for conn := range l.open {
		_ = conn.Close() // it may have ended by itself
	}
	return errors.Join(errs...)
}

// connect carries one connection until both sides have ended it.
func (l *Link) connect(near net.Conn, target func() string) {
	dialled := time.Now()
	far, err := net.Dial("tcp", target())
	if err != nil {
		_ = near.Close()
		return
	}

	l.mu.Lock()
	rtt := l.rtt
	l.open[near] = true
	l.open[far] = true
	l.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() {
		sleepUntil(dialled.Add(rtt))
		forward(far, near, &l.up, hooks{})
	})
	down := hooks{onArrival: l.record(&Connection{To: near.LocalAddr().String(), Dialled: dialled})}
	if l.SlowStart {
		down.window = &slowStart{}
	}

	both.Go(func() { forward(near, far, &l.down, down) })
	both.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range []net.Conn{near, far} {
		_ = conn.Close()
		delete(l.open, conn)
	}
}
