package shop

import (
	"context"
	"encoding/json"
	"errors"
	"hash/maphash"
	"net/http"
	"time"

	"coinslot/app/widget"
	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/logs"
	"coinslot/bff/payment"
	"coinslot/bff/realtime"
	"coinslot/bff/web"

	"github.com/gorilla/websocket"
	"golang.org/x/sync/semaphore"
)

// liveSockets opens the websockets of open pages.
type liveSockets struct {
	site     *web.Server
	pages    *pages
	sessions *sessions
	hub      *realtime.Hub
	lookups  *semaphore.Weighted // bounds the sessions that are read at a time
}

// open is GET /checkout/{session}/live: a websocket whose messages are whole views: one at once, one
// after each change, and repeats as dedupe says.
func (s *liveSockets) open(w http.ResponseWriter, r *http.Request) error {
	if err := checkUpgrade(s.site, r); err != nil {
		return err
	}
	session, err := s.find(r)
	if err != nil {
		return err
	}

	f := s.pages.hosts.read(r, r.URL.Query())
	lang, _, _ := s.pages.texts.match(f.lang, session.Order.Lang, f.accept)
	source := &liveView{liveSockets: s, session: session.ID, lang: lang}
	socket := realtime.NewSocket(source)
	if !source.subscribe(r, socket.Notify) {
		return web.Refuse(wire.CodeRateLimited, "")
	}

	conn, err := upgrade(w, r)
	if err != nil {
		source.Leave()
		return err
	}

	socket.Open(conn)
	s.sessions.nudge(r, session)
	return nil
}

// Thousands of sockets reconnect after a restart. If all their sessions were read at once, and then
// all their views, some requests would time out.
const (
	maxLookups    = 8
	lookupTimeout = 15 * time.Second // how long a lookup waits for its turn
	readTimeout   = 10 * time.Second
)

// find returns the session of a new socket. It waits until fewer than maxLookups are being read, in
// FIFO order, for at most lookupTimeout.
func (s *liveSockets) find(r *http.Request) (payment.Session, error) {
	waiting, cancel := context.WithTimeout(r.Context(), lookupTimeout)
	defer cancel()
	if s.lookups.Acquire(waiting, 1) != nil { // or the client has disconnected
		return payment.Session{}, web.Refuse(wire.CodeRateLimited, "")
	}
	defer s.lookups.Release(1)

	return s.sessions.find(r.Context(), r.PathValue("session"))
}

// checkUpgrade refuses requests that are not websocket upgrades by our pages.
func checkUpgrade(site *web.Server, r *http.Request) error {
	origin, err := web.SingleHeader(r, "Origin", wire.CodeForbidden)
	if err != nil {
		return err
	}
	if !payment.SameName(origin, site.PublicURL) {
		return web.Refuse(wire.CodeForbidden, "Origin")
	}
	if !websocket.IsWebSocketUpgrade(r) || !r.ProtoAtLeast(1, 1) { // RFC 6455, 4.1
		return web.Refuse(wire.CodeUpgradeRequired, "Upgrade")
	}
	return nil
}

// upgrade upgrades a request that passed checkUpgrade. On an error nothing was answered.
func upgrade(w http.ResponseWriter, r *http.Request) (*websocket.Conn, error) {
	conn, err := realtime.Upgrade(w, r, http.Header{"X-Request-Id": {logs.Request(r.Context())}})
	if err != nil {
		return nil, web.Refuse(wire.CodeUpgradeRequired, "Upgrade")
	}
	return conn, nil
}

// liveView is the source of one socket: a session's view in a language. Each open page has one,
// so it is small.
type liveView struct {
	*liveSockets
	session     string
	lang        string
	client      string // the address that the socket is counted for
	notify      func() // makes the socket request a message
	unsubscribe func()
	dedupe      dedupe
}

// subscribe subscribes to the session's updates and calls notify once. ok is false if the client
// of r or the session has too many sockets.
func (l *liveView) subscribe(r *http.Request, notify func()) (ok bool) {
	l.client, ok = l.site.EnterSocket(r)
	if !ok {
		return false
	}

	l.notify = notify
	l.unsubscribe, ok = l.hub.Subscribe(l.session, notify)
	if !ok {
		l.site.LeaveSocket(l.client)
		return false
	}
	notify()
	return true
}

// Leave implements realtime.Source.
func (l *liveView) Leave() {
	l.unsubscribe()
	l.site.LeaveSocket(l.client)
}

// Message implements realtime.Source.
func (l *liveView) Message() ([]byte, error) {
	if l.hub.Closed() {
		return nil, &realtime.CloseError{Code: websocket.CloseServiceRestart, Reason: "restarting"}
	}

	v, err := l.read()
	if err != nil {
		return nil, err
	}
	if !l.dedupe.shouldSend(v, l.notify) {
		return nil, nil
	}
	return v.text, nil
}

// read returns the session's view as it is now. It waits until fewer than maxLookups sessions are
// being read. Errors: *realtime.CloseError if the session is unknown; the store's.
func (l *liveView) read() (encodedView, error) {
	_ = l.lookups.Acquire(context.Background(), 1) // it never ends
	defer l.lookups.Release(1)

	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	session, err := l.sessions.find(ctx, l.session)
	if errors.Is(err, web.Refuse(wire.CodeSessionUnknown, "")) {
		return encodedView{}, &realtime.CloseError{
			Code:   websocket.ClosePolicyViolation,
			Reason: string(wire.CodeSessionUnknown),
		}
	}
	if err != nil {
		return encodedView{}, err
	}

	options := l.pages.viewOptions(ctx, l.lang)
	page := widget.Page{Lang: l.lang, View: checkout.View(&session, options)}
	l.pages.explainEmpty(&page, options)
	return encode(page.View)
}

// encodedView is a view that can be sent.
type encodedView struct {
	text []byte        // JSON; read-only
	hash uint64        // of the view without its times; differs between processes
	age  time.Duration // time since the gateway's last answer; negative = there was none
}

var hashSeed = maphash.MakeSeed()

func encode(v wire.View) (encodedView, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return encodedView{}, err
	}

	timeless, err := json.Marshal(v.Timeless())
	if err != nil {
		return encodedView{}, err
	}

	return encodedView{
		text: text,
		hash: maphash.Bytes(hashSeed, timeless),
		age:  time.Duration(v.CheckedMsAgo) * time.Millisecond,
	}, nil
}
