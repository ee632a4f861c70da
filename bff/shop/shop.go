// Package shop is the shopper's side of HTTP: the checkout's pages, their posts, the websocket that
// updates them, and the return from the gateway. Package checkout decides about sessions.
package shop

import (
	"context"
	"fmt"
	"time"

	"coinslot/bff/checkout"
	"coinslot/bff/order"
	"coinslot/bff/realtime"
	"coinslot/bff/web"

	"golang.org/x/sync/semaphore"
)

// Config has what the shopper's pages need.
type Config struct {
	Checkout *checkout.Service
	Catalog  *order.Catalog // nil = no items
	Hub      *realtime.Hub
	// Refusals counts unlisted host pages; nil = they are not counted.
	Refusals *Refusals
	// OrderKey verifies order tokens; empty = refused. HookToken enables /hooks/gateway/{token};
	// empty = 404.
	OrderKey, HookToken string
	// API is true if merchants can open sessions; the doctor reports it.
	API bool
	// PagesFor is how long shoppers can open a finished session; zero = forever.
	PagesFor time.Duration
	// Logo is the shop's; nil = none.
	Logo *web.Asset
	// ShopName is the shop's name for orders without one of their own; empty = its page's host.
	ShopName string
	// Support is an https: or mailto: URL for shoppers; empty = the shop's page only.
	Support string
	// Unpaid counts sessions for web.Limits.Unpaid; call SessionChanged after each change. Nil =
	// they count until their time is over.
	Unpaid *Unpaid
	// Kick makes the poller check due sessions now; nil = at its next interval.
	Kick func()
	// Simulate simulates a payment at a sandbox gateway; nil = real money, without the bar and
	// its endpoint.
	Simulate func(ctx context.Context, trackingCode, kind string) error
	// Kinds are the values for Simulate, in the order of the bar.
	Kinds []string
	// AddOrigin and an origin are a line that allows that host page; empty = the setting.
	AddOrigin string
}

type server struct {
	*web.Server
	Config
	texts    *translations
	document *document
	lookups  *semaphore.Weighted
}

// Routes returns the shopper's pages and endpoints, and sets site.ErrorPage. Errors: invalid texts.
func Routes(site *web.Server, c Config) ([]web.Route, error) {
	s, err := newServer(site, c)
	if err != nil {
		return nil, err
	}
	site.ErrorPage = s.errorPage
	return s.routes(), nil
}

func (s *server) routes() []web.Route {
	routes := []web.Route{
		page("GET /checkout", web.KindPage, s.showOrder),
		page("GET /checkout/{session}", web.KindPage, s.showSession),
		page("GET /checkout/{session}/receipt", web.KindPage, s.receipt),
		page("GET /return", web.KindAlone, s.gatewayReturn),
		post("POST /checkout", web.LimitCalls, s.checkPost(s.chooseOrder)),
		post("POST /checkout/{session}/attempts", web.LimitCalls, s.sessionAction(s.choose)),
		post("POST /checkout/{session}/extend", web.LimitCalls, s.sessionAction(s.extend)),
		post("POST /checkout/{session}/cancel", web.LimitFewCalls, s.sessionAction(s.cancel)),
		post("POST /checkout/{session}/recheck", web.LimitFewCalls, s.sessionAction(s.recheck)),
		data("GET /checkout/{session}/view", web.KindData, s.view),
		data("GET /checkout/{session}/live", web.KindData, s.live),
		data("GET /checkout/{session}/qr.svg", web.KindPicture, s.qr),
		page("GET /checkout/doctor", web.KindDoctor, s.doctor),
		{Pattern: "POST /checkout/doctor", Kind: web.KindDoctor, Limit: web.LimitPosts, Pages: true,
			Handle: s.checkPost(s.doctor)},
		data("GET /checkout/doctor/live", web.KindData, s.echo),
		// As little limited as checkout.js, which requests it.
		{Pattern: "GET /checkout/embed.js", Kind: web.KindModule, Handle: s.embedding},
		{Pattern: "POST /hooks/gateway/{token}", Handle: s.gatewayHook},
	}
	if s.Simulate != nil {
		routes = append(routes,
			post("POST /checkout/{session}/simulate", web.LimitCalls, s.sessionAction(s.simulate)),
			page("GET /checkout/playground", web.KindDoctor, s.playground),
		)
	}
	return routes
}

// page is a route for browsers.
func page(pattern string, k web.Kind, h web.Handler) web.Route {
	return web.Route{Pattern: pattern, Kind: k, Limit: web.LimitReads, Pages: true, Handle: h}
}

// data is a route that pages load.
func data(pattern string, k web.Kind, h web.Handler) web.Route {
	return web.Route{Pattern: pattern, Kind: k, Limit: web.LimitReads, Handle: h}
}

// post is a route for forms and scripts.
func post(pattern string, limit web.Limit, h web.Handler) web.Route {
	return web.Route{Pattern: pattern, Limit: limit, Pages: true, Handle: h}
}

func newServer(site *web.Server, c Config) (*server, error) {
	s := &server{Server: site, Config: c, lookups: semaphore.NewWeighted(maxLookups)}
	if s.Catalog == nil {
		s.Catalog = &order.Catalog{}
	}
	if s.Unpaid == nil {
		s.Unpaid = new(Unpaid)
	}
	if s.Kick == nil {
		s.Kick = func() {}
	}
	var err error
	if s.texts, err = readTranslations(site.Static, site.Log); err != nil {
		return nil, fmt.Errorf("reading texts: %w", err)
	}
	texts := newTextFiles(s.texts)
	site.Assets.More = func(name string) *web.Asset {
		if c.Logo != nil && c.Logo.Name() == name {
			return c.Logo
		}
		return texts.find(name)
	}
	s.document = newDocument(site.Assets, texts)
	return s, nil
}
