package realtime

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// Source decides what a socket sends.
type Source interface {
	// Message returns the text that is to be sent now: after the opening, after a
	// publication and with each ping. What it reads is the newest. An empty text sends
	// nothing; it is not changed afterwards.
	// It is called by one goroutine at a time. Errors: *CloseError ends the socket as
	// it says; any other with code 1013, "try again later".
	Message() ([]byte, error)
	// Leave is called once, when the socket has ended and its close frame was sent.
	Leave()
}

// What a socket does.
const (
	busy    uint32 = iota // it is being written to, or is not open yet or any more
	updated               // busy, and something was published since
	idle                  // nothing
)

// Socket is one client. One goroutine reads; another one writes while there is something to
// write, so that a client that does not read delays no other.
type Socket struct {
	source Source
	conn   *websocket.Conn // nil until it is opened

	state    atomic.Uint32
	pingDue  atomic.Bool
	ended    atomic.Bool // the client has gone, or its connection
	received counter     // messages, pings and pongs; for the reader
	pinger   *time.Timer // calls ping
}

// NewSocket returns a socket that can be notified already, and sends nothing before it is
// opened.
func NewSocket(source Source) *Socket {
	return &Socket{source: source, received: counter{limit: maxMessages}}
}

// Notify makes the socket send the present message, once, however often it is called before
// that message is read. It does not block.
func (s *Socket) Notify() {
	for {
		switch s.state.Load() {
		case updated:
			return
		case busy:
			if s.state.CompareAndSwap(busy, updated) {
				return
			}
		case idle:
			if s.state.CompareAndSwap(idle, busy) {
				go s.serve()
				return
			}
		}
	}
}

// Open starts the socket on a connection that Upgrade has returned. Its first
// message is sent at once. It does not block.
func (s *Socket) Open(conn *websocket.Conn) {
	s.conn = conn
	conn.SetReadLimit(maxMessage)
	conn.SetPongHandler(func(string) error { return s.ponged() })
	conn.SetPingHandler(s.pinged)
	_ = s.extend() // the reader will see what is wrong
	s.pinger = time.AfterFunc(pingEvery, s.ping)
	// those that connect at once are not pinged at once
	s.pinger.Reset(rand.N(pingEvery))
	go func() { // reads; a function of its own would need a larger stack
		for {
			_, message, err := conn.NextReader()
			if err == nil {
				err = s.discard(message)
			}
			if err != nil {
				s.leave(err)
				return
			}
		}
	}()
	go s.serve()
}

// discard reads a message to its end, since the library counts its parts only then.
func (s *Socket) discard(message io.Reader) error {
	if err := s.received.count(1); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, message)
	return err
}

// leave ends the socket for the reader.
func (s *Socket) leave(err error) {
	defer s.source.Leave()
	defer s.conn.Close()
	s.ended.Store(true)
	s.pinger.Stop()
	s.sendClose(err, websocket.ClosePolicyViolation)
	if _, failed := errors.AsType[net.Error](err); !failed {
		// a connection that is closed with unread bytes is reset, and the close frame may be lost
		_ = s.conn.SetReadDeadline(time.Now().Add(lingers))
		_, _ = io.CopyN(io.Discard, s.conn.NetConn(), maxUnread)
	}
}

func (s *Socket) extend() error { return s.conn.SetReadDeadline(time.Now().Add(pongWithin)) }

func (s *Socket) ponged() error {
	_ = s.extend() // the next read will see what is wrong
	return s.received.count(1)
}

func (s *Socket) pinged(text string) error {
	if err := s.received.count(1); err != nil {
		return err
	}
	return s.writeControl(websocket.PongMessage, []byte(text))
}

// ping has the socket pinged, now and at intervals. A page cannot see pings; a message goes with
// each, unless there was one a moment ago, and shows it that the connection is alive.
func (s *Socket) ping() {
	if s.ended.Load() {
		return
	}
	s.pinger.Reset(pingEvery)
	s.pingDue.Store(true)
	s.Notify()
}

// serve sends what there is to send. A socket that cannot be written to is closed, and stays
// busy: nothing is written to it any more.
func (s *Socket) serve() {
	for {
		s.state.Store(busy)
		if s.ended.Load() {
			return
		}
		if err := s.send(); err != nil {
			s.conn.Close()
			return
		}
		if s.state.CompareAndSwap(busy, idle) {
			return
		}
	}
}

// send writes the ping that is due and the present message. It blocks for at most
// writeWithin for each.
func (s *Socket) send() error {
	if s.pingDue.Swap(false) {
		if err := s.writeControl(websocket.PingMessage, nil); err != nil {
			return err
		}
	}
	message, err := s.source.Message()
	if err != nil {
		s.sendClose(err, websocket.CloseTryAgainLater)
		return err
	}
	if len(message) == 0 {
		return nil
	}
	if err := s.conn.SetWriteDeadline(time.Now().Add(writeWithin)); err != nil {
		return err
	}
	return s.conn.WriteMessage(websocket.TextMessage, message)
}

// sendClose sends a close frame: as err says, else with that code. A client that has
// gone, or whom the library has sent one, is sent none.
func (s *Socket) sendClose(err error, code int) {
	end, ok := errors.AsType[*CloseError](err)
	if !ok {
		end = &CloseError{Code: code}
	}
	_ = s.writeControl(websocket.CloseMessage, websocket.FormatCloseMessage(end.Code, end.Reason))
}

// writeControl sends a control frame, also while a message is being written by
// another goroutine. It blocks for at most writeWithin.
func (s *Socket) writeControl(kind int, payload []byte) error {
	return s.conn.WriteControl(kind, payload, time.Now().Add(writeWithin))
}
