package link

import (
	"slices"
	"sync"
	"time"
)

// Connection is one that went over a link, of whatever protocol.
type Connection struct {
	To          string    // the address that the browser knows
	Dialled     time.Time // when it was asked for
	First, Last time.Time // when bytes came to the browser; zero = none have
	Bytes       int       // that came to the browser
}

// arrival is a packet that came to the browser.
type arrival struct {
	at    time.Time
	bytes int
}

// diary is what went over a link.
type diary struct {
	mu       sync.Mutex // guards the fields below, and all connections
	dialled  []*Connection
	arrivals []arrival
}

// Connections returns those dialled since, in the order in which they were.
func (d *diary) Connections(since time.Time) (list []Connection) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.dialled {
		if !c.Dialled.Before(since) {
			list = append(list, *c)
		}
	}
	slices.SortStableFunc(list, func(a, b Connection) int { return a.Dialled.Compare(b.Dialled) })
	return list
}

// BytesReceived returns how many bytes came to the browser from since until until.
func (d *diary) BytesReceived(since, until time.Time) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	sum := 0
	for _, a := range d.arrivals {
		if !a.at.Before(since) && !a.at.After(until) {
			sum += a.bytes
		}
	}
	return sum
}

// record keeps a connection, and returns what tells of n bytes that come over it.
func (d *diary) record(c *Connection) (received func(n int)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dialled = append(d.dialled, c)
	return func(n int) {
		d.mu.Lock()
		defer d.mu.Unlock()
		c.Last = time.Now()
		if c.First.IsZero() {
			c.First = c.Last
		}
		c.Bytes += n
		d.arrivals = append(d.arrivals, arrival{c.Last, n})
	}
}
