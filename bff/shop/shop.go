// Package shop is the shopper's side of HTTP: the checkout's pages, their posts, the websocket that
// updates them, and the return from the gateway. Package checkout decides about sessions.
//
// A handler has a file of its own, named after it; [Routes] lists them. What they share is in
// page.go (pages), session.go (stored sessions), offer.go (orders that are not stored yet), post.go
// (what a post must be) and embed_options.go (the page around a frame).
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
	// OrderKey verifies order tokens; empty = refused.
	OrderKey string
	// HookToken enables /hooks/gateway/{token}; empty = 404.
	HookToken string
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

func (c *Config) setDefaults() {
	if c.Catalog == nil {
		c.Catalog = &order.Catalog{}
	}
	if c.Unpaid == nil {
		c.Unpaid = new(Unpaid)
	}
	if c.Kick == nil {
		c.Kick = func() {}
	}
}

// Routes returns the shopper's pages and endpoints. It sets site.ErrorPage and site.Assets.More.
// Errors: invalid texts.
func Routes(site *web.Server, c Config) ([]web.Route, error) {
	c.setDefaults()
	pages, err := newPages(site, c)
	if err != nil {
		return nil, err
	}

	sessions := &sessions{
		site:     site,
		checkout: c.Checkout,
		pagesFor: c.PagesFor,
	}
	limit := &unpaidLimit{
		site:     site,
		checkout: c.Checkout,
		unpaid:   c.Unpaid,
	}
	orders := &orders{
		site:     site,
		checkout: c.Checkout,
		pages:    pages,
		sessions: sessions,
		limit:    limit,
		catalog:  c.Catalog,
		orderKey: c.OrderKey,
		sandbox:  c.Simulate != nil,
		kick:     c.Kick,
	}
	reads := &sessionReads{
		checkout: c.Checkout,
		pages:    pages,
		sessions: sessions,
	}
	actions := &actions{
		site:            site,
		checkout:        c.Checkout,
		pages:           pages,
		sessions:        sessions,
		limit:           limit,
		simulatePayment: c.Simulate,
		kick:            c.Kick,
	}
	sockets := &liveSockets{
		site:     site,
		pages:    pages,
		sessions: sessions,
		hub:      c.Hub,
		lookups:  semaphore.NewWeighted(maxLookups),
	}
	gateway := &gatewayRequests{
		site:      site,
		checkout:  c.Checkout,
		pages:     pages,
		sessions:  sessions,
		hookToken: c.HookToken,
		kick:      c.Kick,
	}
	loader := &loader{
		site:      site,
		hosts:     pages.hosts,
		texts:     pages.texts,
		refusals:  c.Refusals,
		addOrigin: c.AddOrigin,
	}
	doctor := &doctor{site, c, pages.hosts}
	errorPages := &errorPages{
		site:     site,
		pages:    pages,
		sessions: sessions,
		orders:   orders,
	}
	site.ErrorPage = errorPages.show

	routes := []web.Route{
		pageRoute("GET /checkout", web.KindPage, orders.show),
		pageRoute("GET /checkout/{session}", web.KindPage, reads.show),
		pageRoute("GET /checkout/{session}/receipt", web.KindPage, reads.receipt),
		pageRoute("GET /return", web.KindAlone, gateway.returnShopper),
		postRoute("POST /checkout", web.LimitCalls, orders.choose),
		postRoute("POST /checkout/{session}/attempts", web.LimitCalls, actions.choose),
		postRoute("POST /checkout/{session}/extend", web.LimitCalls, actions.extend),
		postRoute("POST /checkout/{session}/cancel", web.LimitFewCalls, actions.cancel),
		postRoute("POST /checkout/{session}/recheck", web.LimitFewCalls, actions.recheck),
		dataRoute("GET /checkout/{session}/view", web.KindData, reads.view),
		dataRoute("GET /checkout/{session}/live", web.KindData, sockets.open),
		dataRoute("GET /checkout/{session}/qr.svg", web.KindPicture, reads.qr),
		pageRoute("GET /checkout/doctor", web.KindDoctor, doctor.show),
		{
			Pattern: "POST /checkout/doctor",
			Kind:    web.KindDoctor,
			Limit:   web.LimitPosts,
			Pages:   true,
			Handle:  doctor.show,
		},
		dataRoute("GET /checkout/doctor/live", web.KindData, doctor.echo),
		// As little limited as checkout.js, which requests it.
		{Pattern: "GET /checkout/embed.js", Kind: web.KindModule, Handle: loader.serve},
		{Pattern: "POST /hooks/gateway/{token}", Handle: gateway.hook},
	}
	if c.Simulate != nil {
		playground := &playground{site: site}
		wallets := &walletLinks{
			site:    site,
			tokens:  c.Checkout.Tokens,
			wallets: c.Checkout.Wallets,
		}
		routes = append(routes,
			postRoute("POST /checkout/{session}/simulate", web.LimitCalls, actions.simulate),
			pageRoute("GET /checkout/playground", web.KindDoctor, playground.show),
			pageRoute("GET /checkout/wallets", web.KindAlone, wallets.show),
		)
	}

	return routes, nil
}

// pageRoute is a route for browsers.
func pageRoute(pattern string, k web.Kind, h web.Handler) web.Route {
	return web.Route{
		Pattern: pattern,
		Kind:    k,
		Limit:   web.LimitReads,
		Pages:   true,
		Handle:  h,
	}
}

// dataRoute is a route that pages load.
func dataRoute(pattern string, k web.Kind, h web.Handler) web.Route {
	return web.Route{
		Pattern: pattern,
		Kind:    k,
		Limit:   web.LimitReads,
		Handle:  h,
	}
}

// postRoute is a route for forms and scripts.
func postRoute(pattern string, limit web.Limit, h web.Handler) web.Route {
	return web.Route{
		Pattern: pattern,
		Limit:   limit,
		Pages:   true,
		Handle:  h,
	}
}

// newPages reads the texts, and adds their files and the logo to the site's assets.
func newPages(site *web.Server, c Config) (*pages, error) {
	texts, err := readTranslations(site.Static, site.Log)
	if err != nil {
		return nil, fmt.Errorf("reading texts: %w", err)
	}

	files := newTextFiles(texts)
	site.Assets.More = func(name string) *web.Asset {
		if c.Logo != nil && c.Logo.Name() == name {
			return c.Logo
		}
		return files.find(name)
	}
	return &pages{
		site:      site,
		checkout:  c.Checkout,
		texts:     texts,
		document:  newDocument(site.Assets, files),
		hosts:     hosts{publicURL: site.PublicURL, origins: site.Origins},
		refusals:  c.Refusals,
		addOrigin: c.AddOrigin,
		logo:      c.Logo,
		shopName:  c.ShopName,
		support:   c.Support,
		kinds:     c.Kinds,
	}, nil
}
