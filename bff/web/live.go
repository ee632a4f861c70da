package web

import (
	"net/http"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/live"
	"coinslot/bff/logs"
	"coinslot/bff/payment"

	"github.com/gorilla/websocket"
)

// live is GET /checkout/{session}/live: a websocket on which every message is a
// whole view. It sends one at once, then after each change, and of the checks
// that have found none what a page has to know; see hush.
func (s *server) live(w http.ResponseWriter, r *http.Request) error {
	if err := s.asksSocket(r); err != nil {
		return err
	}
	session, err := s.found(r)
	if err != nil {
		return err
	}
	l := &line{server: s, session: session.ID, lang: s.language(s.framedOf(r, r.URL.Query()), session)}
	socket := s.lines.New(l)
	if !l.join(r, func() { socket.Tell(s.Hub.Published()) }) {
		return refuse(wire.CodeRateLimited, "")
	}
	conn, err := s.openSocket(w, r)
	if err != nil {
		l.Leave()
		return err
	}
	socket.Open(conn)
	s.nudge(r, session)
	return nil
}

// Sockets come by the thousand when a server is started again. Were all their
// sessions looked for at once, some would wait in vain.
const (
	findAtOnce = 8
	findWithin = 15 * time.Second
)

// found is the session of a socket that is to be opened, when it is its turn:
// those who have come first go first.
func (s *server) found(r *http.Request) (payment.Session, error) {
	late := time.NewTimer(findWithin)
	defer late.Stop()
	select {
	case s.finding <- struct{}{}:
		defer func() { <-s.finding }()
	case <-late.C:
		return payment.Session{}, refuse(wire.CodeRateLimited, "")
	case <-r.Context().Done():
		return payment.Session{}, refuse(wire.CodeRateLimited, "") // nobody reads it
	}
	return s.shopperSession(r.Context(), r.PathValue("session"))
}

// asksSocket refuses what is no upgrade to a websocket by a page of ours.
func (s *server) asksSocket(r *http.Request) error {
	origin, err := once(r, "Origin", wire.CodeForbidden)
	if err != nil {
		return err
	}
	if !payment.SameName(origin, s.PublicURL) {
		return refuse(wire.CodeForbidden, "Origin")
	}
	if !websocket.IsWebSocketUpgrade(r) || !r.ProtoAtLeast(1, 1) { // RFC 6455, 4.1
		return refuse(wire.CodeUpgradeRequired, "Upgrade")
	}
	return nil
}

// openSocket answers what asksSocket has let through. Errors: it is no upgrade
// after all; nothing was answered then.
func (s *server) openSocket(w http.ResponseWriter, r *http.Request) (*websocket.Conn, error) {
	conn, err := s.lines.Upgrade(w, r, http.Header{"X-Request-Id": {logs.Request(r.Context())}})
	if err != nil {
		return nil, refuse(wire.CodeUpgradeRequired, "Upgrade")
	}
	return conn, nil
}

// line is what one socket shows: a session, in a language. There is one for each
// open page, so it holds little.
type line struct {
	*server
	session, lang string
	client        string // the address whose place it has
	notify        func() // has it asked for a message
	unsubscribe   func()
	hush          hush
}

// join subscribes to the session's news for the client of r, who has only so many
// places in all. It reports whether there is one left, for the client and for the
// session. What was published before is news, too: notify is called at once.
func (l *line) join(r *http.Request, notify func()) (ok bool) {
	l.client = l.server.client(r)
	if !l.sockets.enter(l.client, l.places(r)) {
		l.hidden(r)
		return false
	}
	l.notify = notify
	if l.unsubscribe, ok = l.Hub.Subscribe(l.session, notify); !ok {
		l.sockets.leave(l.client)
		return false
	}
	notify()
	return true
}

// Leave implements live.Show.
func (l *line) Leave() {
	l.unsubscribe()
	l.sockets.leave(l.client)
}

// Message implements live.Show.
func (l *line) Message(news uint64) (live.Message, error) {
	if l.Hub.Closed() {
		return live.Message{}, &live.End{Code: websocket.CloseServiceRestart, Why: "restarting"}
	}
	v, err := l.views.message(viewKey{l.session, l.lang}, news)
	if err != nil || !l.hush.lets(v, l.notify) {
		return live.Message{}, err
	}
	return v.Message, nil
}
