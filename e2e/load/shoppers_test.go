package load

import (
	"bufio"
	"bytes"
	"coinslot/bff/fortest"
	big "encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// link is the client's side of a websocket, as small as can be: there are
// thousands of them, on the cores that the server runs on.
type link struct {
	net.Conn
	in *bufio.Reader
}

// dial opens the websocket at path of the server at base.
func dial(base, path string) (*link, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	conn, err := net.DialTimeout("tcp", u.Host, 10*time.Second)
	if err != nil {
		return nil, err
	}
	l := &link{conn, bufio.NewReaderSize(conn, 512)}
	if err := l.greet(u.Host, base, path); err != nil {
		conn.Close()
		return nil, err
	}
	return l, nil
}

// greet is the opening handshake.
func (l *link) greet(host, origin, path string) error {
	if err := l.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		return err
	}
	fmt.Fprintf(l, "GET %s HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nAccept-Language: en\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n", path, host, origin)
	answer, err := http.ReadResponse(l.in, nil)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusSwitchingProtocols {
		return fmt.Errorf("opening %s: %s", path, answer.Status)
	}
	return l.SetDeadline(time.Time{})
}

// Kinds of frames. Source: RFC 6455, 5.2.
const (
	textFrame  = 1
	closeFrame = 8
	pingFrame  = 9
	pongFrame  = 10
)

// frame reads the head of the next frame.
func (l *link) frame() (kind byte, size int, err error) {
	head, err := l.take(2)
	if err != nil {
		return 0, 0, err
	}
	kind, size = head[0]&15, int(head[1]&127)
	if lengthBytes := map[int]int{126: 2, 127: 8}[size]; lengthBytes > 0 {
		var long []byte
		if long, err = l.take(lengthBytes); err == nil {
			size = int(big.BigEndian.Uint64(append(make([]byte, 8-lengthBytes), long...)))
		}
	}
	return kind, size, err
}

// take reads n bytes, which are valid until the next read.
func (l *link) take(n int) ([]byte, error) {
	p, err := l.in.Peek(n)
	if err != nil {
		return nil, err
	}
	_, err = l.in.Discard(n)
	return p, err
}

// nextView returns the version that the next view has, and its size. Pings are
// answered and counted.
func (l *link) nextView(pings *atomic.Int32) (version int64, size int, err error) {
	for {
		kind, size, err := l.frame()
		if err != nil {
			return 0, 0, err
		}
		switch kind {
		case pingFrame:
			pings.Add(1)
			if _, err := l.Write([]byte{0x80 | pongFrame, 0x80, 0, 0, 0, 0}); err != nil {
				return 0, 0, err
			}
		case closeFrame:
			return 0, 0, io.EOF
		case textFrame:
			version, err := l.version(size)
			return version, size, err
		}
		if _, err := l.in.Discard(size); err != nil {
			return 0, 0, err
		}
	}
}

// version reads a view of that size, whose first member it is.
func (l *link) version(size int) (int64, error) {
	head, err := l.in.Peek(min(size, 32))
	if err != nil {
		return 0, err
	}
	digits, ok := bytes.CutPrefix(head, []byte(`{"version":`))
	digits, _, more := bytes.Cut(digits, []byte(","))
	if !ok || !more {
		return 0, fmt.Errorf("%q is no view", head)
	}
	version, err := strconv.ParseInt(string(digits), 10, 64)
	_, discardErr := l.in.Discard(size)
	return version, errors.Join(err, discardErr)
}

// shopper watches a session.
type shopper struct {
	session string
	version atomic.Int64 // the newest that was seen
	size    atomic.Int32 // of the last view, in bytes
	pings   atomic.Int32
	cut     atomic.Bool
}

// listen passes on what the socket says until it ends.
func (s *shopper) listen(l *link) {
	defer s.cut.Store(true)
	defer l.Close()
	for {
		version, size, err := l.nextView(&s.pings)
		if err != nil {
			return
		}
		s.size.Store(int32(size))
		s.version.Store(version)
	}
}

// openSockets opens a socket for each of the sessions at the server at base, where path
// makes a path of a session, and waits until each has seen a view.
func openSockets(
	tb testing.TB, base string, sessions []string, path func(session string) string,
) []*shopper {
	tb.Helper()
	list := make([]*shopper, len(sessions))
	var links sync.Map
	tb.Cleanup(func() { links.Range(func(l, _ any) bool { l.(*link).Close(); return true }) })
	parallel(tb, len(sessions), 32, func(i int) error {
		l, err := dial(base, path(sessions[i]))
		if err != nil {
			return err
		}
		links.Store(l, true)
		list[i] = &shopper{session: sessions[i]}
		go list[i].listen(l)
		return nil
	})
	return list
}

// livePath is where the socket of a session is.
func livePath(session string) string { return "/checkout/" + session + "/live" }

// awaitAll waits until ok is true of all shoppers.
func awaitAll(tb testing.TB, what string, list []*shopper, ok func(s *shopper) bool) {
	tb.Helper()
	next := 0
	fortest.Within(tb, time.Minute, what, func() bool {
		for next < len(list) && ok(list[next]) {
			next++
		}
		return next == len(list)
	})
}

// parallel calls fn for 0 to n-1, so many at a time.
func parallel(tb testing.TB, n, at int, fn func(i int) error) {
	tb.Helper()
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var workers sync.WaitGroup
	for range at {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && failed.Load() == nil; i = int(next.Add(1)) - 1 {
				if err := fn(i); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	workers.Wait()
	if err := failed.Load(); err != nil {
		tb.Fatal(*err)
	}
}

// sessions opens that many.
func (w *world) sessions(n int) []string {
	w.tb.Helper()
	ids := make([]string, n)
	parallel(w.tb, n, 16, func(i int) error {
		ids[i] = w.session(map[string]any{
			"amount_usd": "25.00",
			"order_ref":  fmt.Sprint("order-", i),
		})
		return nil
	})
	return ids
}

// repeatEach repeats every one of a list that often.
func repeatEach(list []string, often int) (all []string) {
	for _, text := range list {
		for range often {
			all = append(all, text)
		}
	}
	return all
}
