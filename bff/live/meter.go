package live

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"time"
)

var errTalker = errors.New("too much talk")

// tally counts what is heard. It is for one goroutine.
type tally struct {
	most, count int // in a minute
	since       time.Time
}

// more counts n more. Errors: that is more than there may be in a minute.
func (t *tally) more(n int) error {
	if now := time.Now(); now.Sub(t.since) > time.Minute {
		t.since, t.count = now, 0
	}
	if t.count += n; t.count > t.most {
		return errTalker
	}
	return nil
}

// metered hands over a connection that ends when too many bytes come in: the
// library passes over the parts of a message, even empty ones, without a word.
type metered struct{ http.ResponseWriter }

// Hijack implements http.Hijacker.
func (m metered) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(m.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	return &meter{Conn: conn, heard: tally{most: maxTalk}}, buffered, nil
}

// meter is a connection whose reader may hear so much in a minute.
type meter struct {
	net.Conn
	heard tally
}

// Read implements net.Conn.
func (m *meter) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	if err == nil {
		err = m.heard.more(n)
	}
	return n, err
}
