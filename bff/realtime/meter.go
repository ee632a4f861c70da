package realtime

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"time"
)

var errTooMuch = errors.New("the client sent too much in a minute")

// counter bounds what a client sends in a minute. It is for one goroutine.
type counter struct {
	limit, received int32 // in a minute
	since           int64 // Unix seconds, when the minute began
}

func (c *counter) count(n int) error {
	if now := time.Now().Unix(); now-c.since > 60 {
		c.since, c.received = now, 0
	}
	if c.received += int32(n); c.received > c.limit {
		return errTooMuch
	}
	return nil
}

// meteredWriter hands over a connection that fails when too many bytes come in:
// the library skips the parts of a message, even empty ones, without a call.
type meteredWriter struct{ http.ResponseWriter }

// Hijack implements http.Hijacker.
func (m meteredWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(m.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	return &meteredConn{Conn: conn, received: counter{limit: maxReceived}}, buffered, nil
}

type meteredConn struct {
	net.Conn
	received counter
}

// Read implements net.Conn.
func (m *meteredConn) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	if err == nil {
		err = m.received.count(n)
	}
	return n, err
}
