package web

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"

	"github.com/gorilla/websocket"
)

// Times and sizes of a socket. Nothing that a client sends is used, so little
// of it is read; compression stays off, because the read limit of the library
// counts compressed bytes.
const (
	pingEvery    = 25 * time.Second
	pongWithin   = 60 * time.Second
	writeWithin  = 5 * time.Second
	maxMessage   = 1 << 10  // bytes, from the client
	maxMessages  = 30       // from the client, in a connection's minute; pings and pongs count
	maxTalk      = 16 << 10 // bytes from the client in that minute, with all that frames add
	socketBuffer = 1 << 10
)

// live is GET /checkout/{session}/live: a websocket on which every message is a
// whole view. It sends one at once, then after each change and each check.
func (s *server) live(w http.ResponseWriter, r *http.Request) error {
	if err := s.asksSocket(r); err != nil {
		return err
	}
	session, err := s.Checkout.Session(r.Context(), r.PathValue("session"))
	if err != nil {
		return stored(err)
	}
	news := make(chan struct{}, 1) // full = there is something to send
	leave, ok := s.joined(r, session.ID, func() { poke(news) })
	if !ok {
		return refuse(wire.CodeRateLimited, "")
	}
	conn, err := openSocket(w, r)
	if err != nil {
		leave()
		return err
	}
	poke(news)
	l := &line{server: s, conn: conn, session: session.ID, frame: s.framedOf(r, r.URL.Query()), news: news, gone: make(chan struct{})}
	go l.read()
	go l.write(leave)
	s.nudge(r.Context(), session)
	return nil
}

// joined subscribes to a session's news for a client, who has only so many places
// in all. ok is false if there is none left, for the client or for the session.
func (s *server) joined(r *http.Request, session string, notify func()) (leave func(), ok bool) {
	out, ok := s.sockets.enter(bucket(s.client(r)), s.places(r))
	if !ok {
		s.hidden(r)
		return nil, false
	}
	unsubscribe, ok := s.Hub.Subscribe(session, notify)
	if !ok {
		out()
		return nil, false
	}
	return func() { unsubscribe(); out() }, true
}

// asksSocket refuses what is no upgrade to a websocket by a page of ours.
func (s *server) asksSocket(r *http.Request) error {
	origin, err := once(r, "Origin", wire.CodeForbidden)
	if err != nil {
		return err
	}
	if !checkout.SameName(origin, s.PublicURL) {
		return refuse(wire.CodeForbidden, "Origin")
	}
	if !websocket.IsWebSocketUpgrade(r) || !r.ProtoAtLeast(1, 1) { // RFC 6455, 4.1
		return refuse(wire.CodeInvalid, "Upgrade")
	}
	return nil
}

// openSocket answers what asksSocket has let through. Errors: it is no upgrade
// after all; nothing was answered then.
func openSocket(w http.ResponseWriter, r *http.Request) (*websocket.Conn, error) {
	up := websocket.Upgrader{
		ReadBufferSize: socketBuffer, WriteBufferSize: socketBuffer,
		CheckOrigin: func(*http.Request) bool { return true }, // asksSocket does, exactly
		Error:       func(http.ResponseWriter, *http.Request, int, error) {},
	}
	conn, err := up.Upgrade(metered{w}, r, http.Header{"X-Request-Id": {requestID(r.Context())}})
	if err != nil {
		return nil, refuse(wire.CodeInvalid, "Upgrade")
	}
	return conn, nil
}

func poke(news chan<- struct{}) {
	select {
	case news <- struct{}{}:
	default:
	}
}

// line is one open socket: read and write each run on a goroutine of their own
// and are the only reader and the only writer.
type line struct {
	server  *server
	conn    *websocket.Conn
	session string
	frame   framed
	news    <-chan struct{}
	gone    chan struct{} // closed by read when the other side has left
}

// read notices that the client has left, or talks too much. What it says is
// dropped.
func (l *line) read() {
	defer close(l.gone)
	l.conn.SetReadLimit(maxMessage)
	heard := counter(maxMessages)
	alive := func() error { return l.conn.SetReadDeadline(time.Now().Add(pongWithin)) }
	l.conn.SetPongHandler(func(string) error { return errors.Join(alive(), heard(1)) })
	l.conn.SetPingHandler(func(text string) error {
		if err := heard(1); err != nil {
			return err
		}
		return l.conn.WriteControl(websocket.PongMessage, []byte(text), time.Now().Add(writeWithin))
	})
	if alive() != nil {
		return
	}
	for {
		_, message, err := l.conn.NextReader()
		if err != nil || heard(1) != nil {
			return
		}
		// Only what is read counts against the limit of a message in parts.
		if _, err := io.Copy(io.Discard, message); err != nil {
			return
		}
	}
}

var errTalker = errors.New("too much talk")

// counter returns what a reader calls for what it has heard; it says when that
// is more than limit in a minute. It is for one goroutine.
func counter(limit int) func(n int) error {
	since, count := time.Now(), 0
	return func(n int) error {
		if time.Since(since) > time.Minute {
			since, count = time.Now(), 0
		}
		if count += n; count > limit {
			return errTalker
		}
		return nil
	}
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
	return &meter{Conn: conn, heard: counter(maxTalk)}, buffered, nil
}

// meter is a connection whose reader may hear so much in a minute.
type meter struct {
	net.Conn
	heard func(n int) error
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	if err == nil {
		err = m.heard(n)
	}
	return n, err
}

// write sends the latest view whenever there is news, until the client leaves,
// the hub closes or a write takes too long.
func (l *line) write(leave func()) {
	defer l.conn.Close()
	defer leave()
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		select {
		case <-l.gone:
			l.goodbye(websocket.ClosePolicyViolation, "")
			return
		case <-ping.C:
			// A page cannot see pings; a view tells it that the line is alive.
			if l.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeWithin)) != nil || l.send() != nil {
				return
			}
		case <-l.news:
			if l.server.Hub.Closed() {
				l.goodbye(websocket.CloseServiceRestart, "restarting")
				return
			}
			if err := l.send(); err != nil {
				return
			}
		}
	}
}

// send writes the session's view as it is now.
func (l *line) send() error {
	view, err := l.server.latest(l.session, l.frame)
	if errors.Is(err, refuse(wire.CodeSessionUnknown, "")) {
		l.goodbye(websocket.ClosePolicyViolation, string(wire.CodeSessionUnknown))
		return err
	}
	if err != nil {
		l.goodbye(websocket.CloseTryAgainLater, "")
		return err
	}
	message, err := json.Marshal(view)
	if err != nil {
		return err
	}
	if err := l.conn.SetWriteDeadline(time.Now().Add(writeWithin)); err != nil {
		return err
	}
	return l.conn.WriteMessage(websocket.TextMessage, message)
}

// goodbye sends a close frame; a client that is gone already does not mind.
func (l *line) goodbye(code int, why string) {
	message := websocket.FormatCloseMessage(code, why)
	if err := l.conn.WriteControl(websocket.CloseMessage, message, time.Now().Add(writeWithin)); err != nil {
		l.server.Log.Debug("closing a socket", "session", l.session, "error", err)
	}
}
