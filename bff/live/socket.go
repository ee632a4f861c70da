package live

import (
	"errors"
	"net"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// Show decides what a socket says.
type Show interface {
	// Message returns what is to be sent now: after the opening, after news and
	// with each ping. It holds the publication of that number and all before. The
	// zero Message says nothing.
	// It is called by one goroutine at a time. Errors: *End with how to say
	// goodbye; any other is told as "try again later".
	Message(news uint64) (Message, error)
	// Leave is called once, when the socket has ended and its goodbye was said.
	Leave()
}

// Where a socket stands with the crew.
const (
	busy    uint32 = iota // somebody writes, or nobody may yet, or any more
	newsful               // busy, and there are news since
	idle                  // nothing to do
	queued                // waits for a writer
)

// Socket is one client. One goroutine reads, and whoever of the crew has taken it
// from the queue is the only one who writes messages.
type Socket struct {
	all   *Sockets
	show  Show
	mouth // its connection is set by Open

	news  atomic.Uint64 // the latest publication it was told of
	state atomic.Uint32
	due   atomic.Bool // a ping
	gone  atomic.Bool // the client, or its connection
	heard tally
	ear   ear
	in    [64]byte // what is being heard

	after *Socket // in the crew's queue
	place         // on the wheel
}

// New returns a socket that can be told of news already, and says nothing before
// it is opened.
func (a *Sockets) New(show Show) *Socket {
	return &Socket{all: a, show: show, heard: tally{most: maxMessages}}
}

// Tell says that there is the publication of that number. It does not block.
func (s *Socket) Tell(news uint64) {
	for old := s.news.Load(); old < news && !s.news.CompareAndSwap(old, news); {
		old = s.news.Load()
	}
	s.wake()
}

// wake has the socket written to, once, however often it is called before that.
func (s *Socket) wake() {
	for {
		switch s.state.Load() {
		case newsful, queued:
			return
		case busy:
			if s.state.CompareAndSwap(busy, newsful) {
				return
			}
		case idle:
			if s.state.CompareAndSwap(idle, queued) {
				s.all.crew.put(s)
				return
			}
		}
	}
}

// Open starts the socket on a connection that Upgrade has returned. Its first
// message is sent at once.
func (s *Socket) Open(conn *websocket.Conn) { s.open(conn.NetConn()) }

func (s *Socket) open(conn net.Conn) {
	s.conn = conn
	_ = s.alive() // the reader will see what is wrong
	s.all.wheel.add(s)
	go s.read()
	s.state.Store(queued)
	s.all.crew.put(s)
}

// read waits for what the client says; nothing of it is used but pongs and the
// end. It goes on in a goroutine of its own: the stack that was needed to hear
// would stay with the one that waits, and be more than all the rest of a socket.
func (s *Socket) read() {
	n, err := s.conn.Read(s.in[:])
	if err == nil {
		err = s.ear.hear(s.in[:n], s)
	}
	if err == nil {
		go s.read()
		return
	}
	s.leave(err)
}

// leave ends the socket for the reader.
func (s *Socket) leave(err error) {
	defer s.show.Leave()
	defer s.all.wheel.remove(s)
	defer s.conn.Close()
	s.gone.Store(true)
	s.goodbye(err, websocket.ClosePolicyViolation)
}

// alive gives the client another while to answer a ping.
func (s *Socket) alive() error { return s.conn.SetReadDeadline(time.Now().Add(pongWithin)) }

// spoken implements hearer.
func (s *Socket) spoken() error { return s.heard.more(1) }

// ponged implements hearer.
func (s *Socket) ponged() error { return errors.Join(s.alive(), s.heard.more(1)) }

// pinged implements hearer.
func (s *Socket) pinged(text []byte) error {
	if err := s.heard.more(1); err != nil {
		return err
	}
	return s.say(framed(websocket.PongMessage, text))
}

// ping has the socket pinged. A page cannot see pings; a message goes with each,
// unless there was one a moment ago, and tells it that the line is alive.
func (s *Socket) ping() {
	s.due.Store(true)
	s.wake()
}

// serve sends what there is to send, for the crew. A socket that cannot be
// written to is closed, and stays busy: nobody comes back to it.
func (s *Socket) serve() {
	s.state.Store(busy)
	if s.gone.Load() {
		return
	}
	if err := s.send(); err != nil {
		s.conn.Close()
		return
	}
	if !s.state.CompareAndSwap(busy, idle) {
		s.state.Store(queued)
		s.all.crew.put(s)
	}
}

// send writes the ping that is due and the present message.
func (s *Socket) send() error {
	if s.due.Swap(false) {
		if err := s.say(framed(websocket.PingMessage, nil)); err != nil {
			return err
		}
	}
	message, err := s.show.Message(s.news.Load())
	if err != nil {
		s.goodbye(err, websocket.CloseTryAgainLater)
		return err
	}
	if message.frame == nil {
		return nil
	}
	return s.say(message.frame)
}

// goodbye sends a close frame: as err says, else with that code. A client that is
// gone already does not mind.
func (s *Socket) goodbye(err error, code int) {
	end, ok := errors.AsType[*End](err)
	if !ok {
		end = &End{Code: code}
	}
	_ = s.say(framed(websocket.CloseMessage, websocket.FormatCloseMessage(end.Code, end.Why)))
}
