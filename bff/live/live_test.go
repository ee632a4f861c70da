package live

import (
	"io"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
)

// screen is a Show that counts.
type screen struct {
	text  []byte
	made  atomic.Int64
	shown atomic.Uint64 // the latest publication
	left  atomic.Int64
	err   error
}

func (s *screen) Message(news uint64) (Message, error) {
	s.made.Add(1)
	s.shown.Store(news)
	return Text(s.text), s.err
}
func (s *screen) Leave() { s.left.Add(1) }

// page is the other side of a socket.
type page struct {
	*Socket
	screen *screen
	conn   net.Conn
	kinds  [16]atomic.Int64 // of frames that have come
}

// newPage opens a socket; nobody reads what it says.
func newPage(a *Sockets) *page {
	server, client := net.Pipe()
	p := &page{screen: &screen{text: []byte("view")}, conn: client}
	p.Socket = a.New(p.screen)
	p.open(server)
	return p
}

// read takes what comes until the end, and answers pings.
func (p *page) read() {
	head := make([]byte, 2)
	for {
		if _, err := io.ReadFull(p.conn, head); err != nil {
			return
		}
		if _, err := io.CopyN(io.Discard, p.conn, int64(head[1])); err != nil {
			return
		}
		p.kinds[head[0]&15].Add(1)
		if head[0]&15 == websocket.PingMessage {
			go io.WriteString(p.conn, masked(0x8a, ""))
		}
	}
}

// TestStuckClients: clients that do not read hold up nobody: a few writers are
// replaced after a moment each. The stuck ones are cut when their time is over.
func TestStuckClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := New()
		a.crew.most = 4
		var stuck, quick []*page
		for range 50 {
			stuck = append(stuck, newPage(a))
		}
		for range 200 {
			p := newPage(a)
			go p.read()
			quick = append(quick, p)
		}
		time.Sleep((50/4 + 2) * patience)
		synctest.Wait()
		if !all(quick, func(p *page) bool { return p.kinds[websocket.TextMessage].Load() > 0 }) {
			t.Fatal("others have to wait for those who do not read")
		}
		for _, p := range quick {
			p.Tell(1)
		}
		synctest.Wait() // without any time going by
		if !all(quick, func(p *page) bool { return p.screen.shown.Load() == 1 }) {
			t.Error("while some are stuck, news have to wait")
		}
		time.Sleep(2*writeWithin + time.Second)
		if !all(stuck, func(p *page) bool { return p.screen.left.Load() == 1 }) {
			t.Error("those who do not read are still there")
		}
		end(t, a, quick)
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

// end closes pages and checks that nothing of them is left.
func end(t *testing.T, a *Sockets, list []*page) {
	t.Helper()
	for _, p := range list {
		p.conn.Close()
	}
	synctest.Wait()
	if !all(list, func(p *page) bool { return p.screen.left.Load() == 1 }) {
		t.Error("not every socket has left once")
	}
	time.Sleep(a.wheel.every)
	synctest.Wait()
	a.wheel.mu.Lock()
	defer a.wheel.mu.Unlock()
	a.crew.mu.Lock()
	defer a.crew.mu.Unlock()
	if a.wheel.winds || a.wheel.count != 0 || a.crew.working != 0 {
		t.Errorf("timer %v, %d on the wheel, %d writers; want none", a.wheel.winds, a.wheel.count, a.crew.working)
	}
}

// TestPings: each socket is pinged once in its time, with a message, and not all
// at once; one that answers lives on.
func TestPings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := New()
		var list []*page
		for range 100 {
			p := newPage(a)
			go p.read()
			list = append(list, p)
		}
		pings := func() (n int64) {
			for _, p := range list {
				n += p.kinds[websocket.PingMessage].Load()
			}
			return n
		}
		for second := range 200 {
			time.Sleep(pingEvery / spokes)
			synctest.Wait()
			if got, want := pings(), int64(4*(second+1)); got != want {
				t.Fatalf("%d pings after %d turns; want %d", got, second+1, want)
			}
		}
		if !all(list, func(p *page) bool { return p.kinds[websocket.PingMessage].Load() == 8 && p.screen.made.Load() == 9 }) {
			t.Error("not every socket was pinged 8 times, with a message each")
		}
		end(t, a, list)
	})
}

// TestSilentClients: who answers no ping is cut.
func TestSilentClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := New()
		p := newPage(a)
		go io.Copy(io.Discard, p.conn)
		time.Sleep(pongWithin + time.Second)
		if p.screen.left.Load() != 1 {
			t.Error("a client that answers no ping is still there")
		}
		time.Sleep(pingEvery)
	})
}

// TestGoodbye: a Show ends its socket with the code it names.
func TestGoodbye(t *testing.T) {
	for err, want := range map[error]int{&End{Code: 1012, Why: "restarting"}: 1012, io.ErrUnexpectedEOF: 1013} {
		a := New()
		server, client := net.Pipe()
		s := &screen{err: err}
		socket := a.New(s)
		socket.Tell(7) // before it is open
		socket.open(server)
		frame := make([]byte, 4)
		if _, err := io.ReadFull(client, frame); err != nil {
			t.Fatal(err)
		}
		if got := int(frame[2])<<8 | int(frame[3]); frame[0] != 0x88 || got != want || s.shown.Load() != 7 {
			t.Errorf("%v: frame % x; want a close frame of code %d", err, frame, want)
		}
		go io.Copy(io.Discard, client)
		for deadline := time.Now().Add(10 * time.Second); s.left.Load() == 0; <-time.After(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the socket does not leave")
			}
		}
	}
}

// TestNoNewsAreLost: whatever the timing, the last publication is shown, and a
// burst of them makes few messages.
func TestNoNewsAreLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := New()
		var list []*page
		for range 20 {
			p := newPage(a)
			go p.read()
			list = append(list, p)
		}
		const last = 500
		for _, p := range list {
			for w := range 4 {
				go func() {
					for n := w; n <= last; n += 4 {
						p.Tell(uint64(n))
					}
				}()
			}
		}
		synctest.Wait()
		if !all(list, func(p *page) bool { return p.screen.shown.Load() == last }) {
			t.Error("a socket does not show the last publication")
		}
		end(t, a, list)
	})
}
