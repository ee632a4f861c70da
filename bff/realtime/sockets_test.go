package realtime

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"coinslot/bff/fortest"
)

// counting is a Source that counts.
type counting struct {
	text      []byte
	made      atomic.Int64 // messages
	published atomic.Int64 // what the next message holds
	sent      atomic.Int64 // what the last message held
	left      atomic.Int64
	err       error
}

func (c *counting) Message() ([]byte, error) {
	c.made.Add(1)
	c.sent.Store(c.published.Load())
	return c.text, c.err
}
func (c *counting) Leave() { c.left.Add(1) }

// page is the other side of a socket.
type page struct {
	*Socket
	source       *counting
	client       *websocket.Conn
	texts, pings atomic.Int64 // that have come
}

// newPage opens a socket; nothing reads what it sends.
func newPage(t *testing.T, source *counting) *page {
	t.Helper()
	server, client := connected(t)
	p := &page{Socket: NewSocket(source), source: source, client: client}
	client.SetPingHandler(func(string) error {
		p.pings.Add(1)
		return client.WriteControl(websocket.PongMessage, nil, time.Time{})
	})
	p.Open(server)
	return p
}

// hijacked is a ResponseWriter that hands over conn.
type hijacked struct {
	http.ResponseWriter
	conn net.Conn
}

// Hijack implements http.Hijacker.
func (h hijacked) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return h.conn, bufio.NewReadWriter(bufio.NewReader(h.conn), bufio.NewWriter(h.conn)), nil
}

// connected returns both sides of a websocket.
func connected(t *testing.T) (server, client *websocket.Conn) {
	t.Helper()
	inner, outer := net.Pipe()
	upgraded := make(chan error, 1)
	go func() {
		r, err := http.ReadRequest(bufio.NewReader(inner))
		if err == nil {
			server, err = Upgrade(hijacked{conn: inner}, r, nil)
		}
		upgraded <- err
	}()
	dialer := websocket.Dialer{
		NetDialContext: func(context.Context, string, string) (net.Conn, error) {
			return outer, nil
		},
	}
	client, answer, err := dialer.DialContext(t.Context(), "ws://test", nil)
	if err == nil {
		err = answer.Body.Close()
	}
	fortest.OK(t, errors.Join(err, <-upgraded))
	return server, client
}

// read takes what comes until the end, and answers pings.
func (p *page) read() {
	for {
		if _, _, err := p.client.ReadMessage(); err != nil {
			return
		}
		p.texts.Add(1)
	}
}

// newPages opens that many sockets; what they send is read.
func newPages(t *testing.T, n int) (list []*page) {
	t.Helper()
	for range n {
		p := newPage(t, &counting{text: []byte("view")})
		go p.read()
		list = append(list, p)
	}
	return list
}

// TestStuckClients: clients that do not read delay no other. They are cut when their time is over.
func TestStuckClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stuck []*page
		for range 50 {
			stuck = append(stuck, newPage(t, &counting{text: []byte("view")}))
		}
		quick := newPages(t, 200)
		synctest.Wait() // without any time going by, also below
		if !all(quick, func(p *page) bool { return p.texts.Load() > 0 }) {
			t.Fatal("others have to wait for those who do not read")
		}
		for _, p := range quick {
			p.source.published.Store(1)
			p.Notify()
		}
		synctest.Wait()
		if !all(quick, func(p *page) bool { return p.source.sent.Load() == 1 }) {
			t.Error("while some are stuck, updates have to wait")
		}
		time.Sleep(2*writeWithin + time.Second)
		if !all(stuck, left) {
			t.Error("those who do not read are still there")
		}
		end(t, quick)
	})
}

func all(list []*page, ok func(*page) bool) bool {
	for _, p := range list {
		if !ok(p) {
			return false
		}
	}
	return true
}

func left(p *page) bool { return p.source.left.Load() == 1 }

// end closes pages and checks that nothing of them is left.
func end(t *testing.T, list []*page) {
	t.Helper()
	for _, p := range list {
		p.client.Close()
	}
	synctest.Wait()
	if !all(list, left) {
		t.Error("not every socket has left once")
	}
}

// TestPings: each socket is pinged once in its time, with a message, and not all
// at once; one that answers lives on.
func TestPings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := newPages(t, 100)
		pings := func() (n int64) {
			for _, p := range list {
				n += p.pings.Load()
			}
			return n
		}
		for range 200 {
			before := pings()
			time.Sleep(pingEvery / 25)
			synctest.Wait()
			if n := pings() - before; n > 25 {
				t.Fatalf("%d of 100 sockets are pinged in a second; want 4 or so", n)
			}
		}
		pinged := func(p *page) bool { return p.pings.Load() == 8 && p.source.made.Load() == 9 }
		if !all(list, pinged) {
			t.Error("not every socket was pinged 8 times, with a message each")
		}
		end(t, list)
	})
}

// TestSilentClients: a client that answers no ping is cut, one minute after it has
// connected or has answered the last one, and not sooner.
func TestSilentClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for pongs := range 3 {
			p, answered := newPage(t, &counting{text: []byte("view")}), time.Now()
			p.client.SetPingHandler(func(string) error {
				if p.pings.Add(1) > int64(pongs) {
					return nil
				}
				answered = time.Now()
				return p.client.WriteControl(websocket.PongMessage, nil, time.Time{})
			})
			go p.read()
			time.Sleep(time.Duration(pongs) * pingEvery)
			synctest.Wait()
			time.Sleep(time.Until(answered.Add(pongWithin - time.Millisecond)))
			if left(p) {
				t.Errorf("a client that has answered %d pings is cut too soon", pongs)
			}
			time.Sleep(time.Second)
			if !left(p) {
				t.Errorf("a client that has answered %d pings and no more is still there", pongs)
			}
		}
		time.Sleep(pingEvery)
	})
}

// TestCloseFrames: a Source ends its socket with the code it names.
func TestCloseFrames(t *testing.T) {
	for err, want := range map[error]int{
		&CloseError{Code: 1012, Reason: "restarting"}: 1012, io.ErrUnexpectedEOF: 1013,
	} {
		synctest.Test(t, func(t *testing.T) {
			source := &counting{err: err}
			server, client := connected(t)
			socket := NewSocket(source)
			socket.Notify() // before it is open
			socket.Open(server)
			_, _, got := client.ReadMessage()
			if !websocket.IsCloseError(got, want) {
				t.Errorf("%v: the client sees %v; want code %d", err, got, want)
			}
			synctest.Wait()
			fortest.Equal(t, source.left.Load(), 1, "the socket does not leave")
			time.Sleep(pingEvery)
		})
	}
}

// TestLongMessages: a message that is longer than the shared write buffer comes whole.
func TestLongMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPage(t, &counting{text: make([]byte, 3*writeBuffer)})
		_, text, err := p.client.ReadMessage()
		if err != nil || len(text) != 3*writeBuffer {
			t.Errorf("%d bytes, %v; want %d", len(text), err, 3*writeBuffer)
		}
		end(t, []*page{p})
	})
}

// TestNoUpdateIsLost: whatever the timing, the last publication is sent.
func TestNoUpdateIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := newPages(t, 20)
		const last = 500
		for _, p := range list {
			for range 4 {
				go func() {
					for range last / 4 {
						p.source.published.Add(1)
						p.Notify()
					}
				}()
			}
		}
		synctest.Wait()
		if !all(list, func(p *page) bool { return p.source.sent.Load() == last }) {
			t.Error("a socket does not send the last publication")
		}
		end(t, list)
	})
}
