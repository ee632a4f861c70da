package link

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Exchange is one HTTP/1 request that went over a link, and its answer.
type Exchange struct {
	To      string    // the address that the browser knows
	Line    string    // method and path
	Dialled time.Time // when the connection was asked for; zero = it was open already
	Asked   time.Time // when the request left
	First   time.Time // when the first and …
	Last    time.Time // … the last byte of the answer came; zero = none has
	Bytes   int       // of the answer with its headers
}

// Connection is one that a browser opened, of whatever protocol.
type Connection struct {
	To          string
	Dialled     time.Time
	First, Last time.Time // bytes from the server; zero = none
	Bytes       int       // from the server
}

// arrival is a packet that came to the browser.
type arrival struct {
	at    time.Time
	bytes int
}

// exchangeLog is what went over a link.
type exchangeLog struct {
	mu        sync.Mutex // guards the fields below, and all exchanges
	exchanges []*Exchange
	opened    []*Connection
	arrivals  []arrival
}

// Exchanges returns what was asked since, in the order in which it was.
func (d *exchangeLog) Exchanges(since time.Time) []Exchange {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []Exchange
	for _, e := range d.exchanges {
		if !e.Asked.Before(since) {
			list = append(list, *e)
		}
	}
	slices.SortStableFunc(list, func(a, b Exchange) int { return a.Asked.Compare(b.Asked) })
	return list
}

// Connections returns those dialled since, in the order in which they were.
func (d *exchangeLog) Connections(since time.Time) (list []Connection) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.opened {
		if !c.Dialled.Before(since) {
			list = append(list, *c)
		}
	}
	slices.SortStableFunc(list, func(a, b Connection) int { return a.Dialled.Compare(b.Dialled) })
	return list
}

// BytesReceived returns how many bytes came to the browser from since until until.
func (d *exchangeLog) BytesReceived(since, until time.Time) int {
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

// connection is the page of the diary for one connection.
type connection struct {
	*exchangeLog
	whole   *Connection
	dialled time.Time // zero once a request has used it
	current *Exchange // nil before the first request
}

func (d *exchangeLog) connection(to string, dialled time.Time) *connection {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := &Connection{To: to, Dialled: dialled}
	d.opened = append(d.opened, c)
	return &connection{exchangeLog: d, whole: c, dialled: dialled}
}

// request is how one begins. Browsers do not send the next before the answer, so
// it is where a packet begins.
var request = regexp.MustCompile(`^(?:GET|HEAD|POST|OPTIONS) \S+ HTTP/1\.1\r\n`)

// recordRequest records a packet of the browser.
func (c *connection) recordRequest(said []byte) {
	line := request.Find(said)
	if line == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current = &Exchange{
		To: c.whole.To, Line: strings.TrimSuffix(string(line), " HTTP/1.1\r\n"), Dialled: c.dialled, Asked: time.Now(),
	}
	c.dialled = time.Time{}
	c.exchanges = append(c.exchanges, c.current)
}

// recordAnswer records a packet of n bytes to the browser.
func (c *connection) recordAnswer(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.arrivals = append(c.arrivals, arrival{now, n})
	if c.whole.First.IsZero() {
		c.whole.First = now
	}
	c.whole.Last = now
	c.whole.Bytes += n
	if c.current == nil {
		return
	}
	if c.current.First.IsZero() {
		c.current.First = now
	}
	c.current.Last = now
	c.current.Bytes += n
}
