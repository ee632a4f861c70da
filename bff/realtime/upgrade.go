package realtime

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Times and sizes of a socket. Nothing that a client sends is used, so little
// of it is read; compression stays off, because the read limit of the library
// counts compressed bytes.
const (
	pingEvery   = 25 * time.Second
	pongWithin  = 60 * time.Second
	writeWithin = 5 * time.Second
	maxMessage  = 1 << 10     // bytes, from the client
	maxMessages = 30          // from the client, in a connection's minute; pings and pongs count
	maxReceived = 16 << 10    // bytes from the client in that minute, with all that frames add
	maxUnread   = 128 << 10   // bytes that are read after the close frame, within lingers
	lingers     = time.Second // for the last bytes of a client that was sent a close frame
	writeBuffer = 8 << 10     // bytes, shared: a longer message takes a second system call
)

var upgrader = websocket.Upgrader{
	ReadBufferSize:  1, // the library makes it as small as a control frame may be
	WriteBufferSize: writeBuffer,
	WriteBufferPool: &sync.Pool{},
	CheckOrigin:     func(*http.Request) bool { return true }, // the caller has done it
	Error:           func(http.ResponseWriter, *http.Request, int, error) {},
}

// Upgrade answers a request by a websocket whose client may send little; header is
// added to the answer. Errors: it is no upgrade; nothing was answered then.
func Upgrade(w http.ResponseWriter, r *http.Request, header http.Header) (*websocket.Conn, error) {
	return upgrader.Upgrade(meteredWriter{w}, r, header)
}

// CloseError is the error of a [Source] that ends its socket with a close frame.
type CloseError struct {
	Code   int // RFC 6455, 7.4.1
	Reason string
}

// Error implements error.
func (e *CloseError) Error() string { return "closing a socket: " + e.Reason }

var errTooMuch = errors.New("the client sent too much in a minute")

// counter bounds what a client sends in a minute. It is for one goroutine.
type counter struct {
	limit, received int32 // messages a minute: allowed, received
	since           int64 // Unix seconds, when the minute began
}

func (c *counter) count(n int) error {
	if now := time.Now().Unix(); now-c.since > 60 {
		c.since = now
		c.received = 0
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
