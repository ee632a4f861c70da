package live

import (
	"encoding/binary"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Message is a text for any number of sockets, framed. The zero Message says nothing.
type Message struct{ frame []byte }

// Text returns the message with that text, which is UTF-8.
func Text(text []byte) Message { return Message{framed(websocket.TextMessage, text)} }

// framed returns a whole frame of a server, which has no mask.
//
// Source: RFC 6455, 5.2.
func framed(kind int, payload []byte) []byte {
	f := make([]byte, 0, 10+len(payload))
	f = append(f, 0x80|byte(kind))
	switch n := len(payload); {
	case n < 126:
		f = append(f, byte(n))
	case n < 1<<16:
		f = binary.BigEndian.AppendUint16(append(f, 126), uint16(n))
	default:
		f = binary.BigEndian.AppendUint64(append(f, 127), uint64(n))
	}
	return append(f, payload...)
}

// mouth writes frames to a connection, one after another.
type mouth struct {
	conn net.Conn

	mu     sync.Mutex // held while a frame is written
	closed bool       // a close frame was sent, or a frame in part
}

var errClosed = errors.New("nothing can be said any more")

// say writes a frame, for as long as it may take. Nothing can follow one that was
// not written whole. Errors: errClosed; those of the connection.
func (m *mouth) say(frame []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return errClosed
	}
	err := m.conn.SetWriteDeadline(time.Now().Add(writeWithin))
	if err == nil {
		_, err = m.conn.Write(frame)
	}
	m.closed = err != nil || frame[0]&0xf == websocket.CloseMessage
	return err
}

// Text returns what m says.
func (m Message) Text() string {
	if m.frame == nil {
		return ""
	}
	switch m.frame[1] {
	case 126:
		return string(m.frame[4:])
	case 127:
		return string(m.frame[10:])
	}
	return string(m.frame[2:])
}
