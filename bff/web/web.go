// Package web is the HTTP side: the shopper's pages and endpoints, the
// merchant's API, the socket, one route list, one error table, headers and
// limits. It decides status codes and wording; what happens to a session is
// decided in package checkout.
package web

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/order"
	"coinslot/bff/outbox"
	"coinslot/bff/payment"
	"coinslot/bff/realtime"
	"coinslot/bff/reconcile"
)

// Sessions finds sessions; storetest.Run is the contract.
type Sessions interface {
	// List returns sessions, newest first.
	List(ctx context.Context, f payment.Filter) (payment.Page, error)
	// Lookup returns the session that has an attempt of that tracking code or
	// marker, or payment.ErrNotFound.
	Lookup(ctx context.Context, trackingCodeOrMarker string) (payment.Session, error)
}

// Config is what a handler is made of.
type Config struct {
	Checkout *checkout.Service
	Sessions Sessions
	Records  *reconcile.Service // the gateway's records
	Events   outbox.Log         // what was told to the merchant
	Catalog  *order.Catalog     // nil = no items
	Hub      *realtime.Hub
	// Static is the built assets, texts and icons; see package static.
	Static fs.FS
	// PublicURL is the origin under which browsers reach the server.
	PublicURL string
	// Origins are the host pages that may frame the checkout.
	Origins []string
	// Refusals counts pages of other origins that wanted to show it; nil = nobody does.
	Refusals *Refusals
	// SecretKeys open /v1, each of them; none = closed. OrderKey verifies order
	// tokens; empty = refused. HookToken opens /hooks/gateway/{token}; empty = 404.
	SecretKeys          []string
	OrderKey, HookToken string
	// KeySet is the public keys of receipts, JSON; empty = a set without keys.
	KeySet         []byte
	TrustedProxies []netip.Prefix
	// PagesFor is how long shoppers can open a finished session; zero = for ever.
	PagesFor time.Duration
	// Support is where shoppers are answered, an https: or mailto: URL; empty = the
	// shop's own page only.
	Support string
	// Limits bound what one client may do; zero = the defaults.
	Limits Limits
	// Unpaid counts sessions for Limits.Unpaid; its Moved is to be called after each
	// change of one. Nil = only their time ends them.
	Unpaid *Unpaid
	// Kick makes the poller look for due sessions now; nil = it will anyway.
	Kick func()
	// Deliver makes the webhook sender look for due deliveries now; nil = it will
	// anyway.
	Deliver func()
	// TestWebhooks sends a message that tells of no payment to the merchant's
	// endpoints, as webhook.Sender does; nil = there are none.
	TestWebhooks func(ctx context.Context, key string) (outbox.Tested, error)
	// Simulate pretends a payment at a sandbox gateway; nil = real money, and
	// neither the bar nor its endpoint exists.
	Simulate func(ctx context.Context, trackingCode, kind string) error
	// Kinds are what Simulate takes, in the order of the bar.
	Kinds []string
	// Console makes the operator's pages; nil = /admin is not there.
	Console func(Within) http.Handler
	// Began is called when a request comes; it returns the context that it is
	// answered with, and what is called when it was. By then the request knows its
	// route: Pattern is "" if it has none, PathValue what is in the address. Status
	// is 101 of a socket, and zero if nothing was answered. Nil = nobody watches.
	Began func(r *http.Request) (ctx context.Context, ended func(r *http.Request, status int))
	Now   func() time.Time // nil = time.Now
	// Log gets a line for each request; see package logs. Nil = silent.
	Log *slog.Logger
}

// server is Config with what is derived from it.
type server struct {
	Config
	words    *words
	document *document
	assets   *assets
	manual   *manual
	turns    turns
	policies policies
	guesses  counter // of wrong keys
	hastened counter // of checks that pages have made due sooner
	sockets  crowd
	realtime *realtime.Sockets
	finding  chan struct{} // one for each socket whose session is looked for
	views    views
	hints    sync.Once // for a proxy that is not named, which is logged once
	unread   sync.Once // for a proxy that names nobody, which is logged once
}

// New returns the handler of everything that shoppers and merchants reach.
// Errors: texts or assets that cannot be read.
func New(c Config) (http.Handler, error) {
	s := &server{
		Config: c, realtime: realtime.NewSockets(), finding: make(chan struct{}, findAtOnce),
	}
	s.views = views{
		hub: c.Hub, encode: s.encodedView, keep: sharedFor, recent: map[viewKey]*rendering{},
	}
	if s.Log == nil {
		s.Log = silent()
	}
	if s.Catalog == nil {
		s.Catalog = &order.Catalog{}
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	s.Limits = s.Limits.filled()
	s.guesses, s.hastened = perMinute(s.Limits.Guesses, wider), perMinute(maxHastened, 2)
	if s.Unpaid == nil {
		s.Unpaid = new(Unpaid)
	}
	if s.Kick == nil {
		s.Kick = func() {}
	}
	if s.Deliver == nil {
		s.Deliver = func() {}
	}
	if s.TestWebhooks == nil {
		s.TestWebhooks = func(context.Context, string) (outbox.Tested, error) {
			return outbox.Tested{}, refuse(wire.CodeWebhookUnset, "")
		}
	}
	if len(s.KeySet) == 0 {
		s.KeySet = []byte(`{"keys":[]}`)
	}
	var err error
	if s.words, err = readWords(c.Static, s.Log); err != nil {
		return nil, fmt.Errorf("reading texts: %w", err)
	}
	if s.assets, err = newAssets(c.Static); err != nil {
		return nil, fmt.Errorf("reading assets: %w", err)
	}
	s.assets.missing, s.assets.sentences = s.api(s.nothing), newSentences(s.words)
	s.document = newDocument(s.assets)
	s.policies = newPolicies(s.Origins, s.document.inlineSource())
	s.assets.policies = s.policies
	s.manual = newManual(s)
	return s.outermost(s.routes()), nil
}

// routes is every route there is.
func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	read, limit, charged := s.reads(), s.limited(s.Limits.Posts, wider), s.charged()
	fewer := s.limited(s.Limits.Calls/3, widerCalls)
	shopper := func(pattern string, h handler) { mux.Handle(pattern, read(s.page(h))) }
	post := func(pattern string, h handler) { mux.Handle(pattern, limit(s.page(s.posted(h)))) }
	action := func(pattern string, h handler) {
		mux.Handle(pattern, limit(charged(s.page(s.posted(h)))))
	}
	seldom := func(pattern string, h handler) {
		mux.Handle(pattern, limit(fewer(charged(s.page(s.posted(h))))))
	}
	data := func(pattern string, h handler) { mux.Handle(pattern, read(s.api(h))) }
	merchant := func(pattern string, h handler) { mux.Handle(pattern, s.api(s.authorized(h))) }

	shopper("GET /checkout", s.showOrder)
	shopper("GET /checkout/{session}", s.showSession)
	shopper("GET /checkout/{session}/receipt", s.receipt)
	action("POST /checkout", s.chooseOrder)
	action("POST /checkout/{session}/attempts", s.choose)
	action("POST /checkout/{session}/extend", s.extend)
	seldom("POST /checkout/{session}/cancel", s.cancel)
	seldom("POST /checkout/{session}/recheck", s.recheck)
	data("GET /checkout/{session}/view", s.view)
	data("GET /checkout/{session}/live", s.live)
	data("GET /checkout/{session}/qr.svg", s.qr)
	shopper("GET /return", s.returned)
	mux.Handle("POST /hooks/gateway/{token}", s.api(s.hook))
	if s.Simulate != nil {
		action("POST /checkout/{session}/simulate", s.simulate)
	}

	merchant("POST /v1/sessions", s.createSession)
	merchant("GET /v1/sessions", s.listSessions)
	merchant("GET /v1/sessions/{session}", s.readSession)
	merchant("POST /v1/sessions/{session}/cancel", s.cancelSession)
	merchant("POST /v1/sessions/{session}/recheck", s.recheckSession)
	merchant("POST /v1/sessions/{session}/resolve", s.resolveSession)
	merchant("GET /v1/currencies", s.listCurrencies)
	merchant("GET /v1/transactions", s.listTransactions)
	merchant("GET /v1/withdrawals", s.listWithdrawals)
	merchant("GET /v1/events", s.listEvents)
	merchant("POST /v1/events/replay", s.replayEvents)
	merchant("POST /v1/webhooks/test", s.testWebhooks)
	merchant("/v1/", s.nothing)

	// As little limited as checkout.js, which requests it.
	mux.Handle("GET /checkout/embed.js", s.api(s.embedding))
	data("GET /.well-known/jwks.json", s.keySet)
	shopper("GET /checkout/doctor", s.examine)
	post("POST /checkout/doctor", s.examine)
	data("GET /checkout/doctor/live", s.echo)
	s.manual.routes(mux, s)
	s.assets.routes(mux)
	if s.Console != nil {
		pages := s.operators(s.Console(s.within()))
		mux.Handle("GET /admin", read(pages))
		mux.Handle("GET /admin/", read(pages))
		mux.Handle("POST /admin/", limit(pages))
	}
	mux.Handle("/", read(s.elsewhere()))
	return methods(mux, s)
}
