package server

import (
	"fmt"
	"net/http"
	"slices"

	"coinslot/bff/api"
	"coinslot/bff/config"
	"coinslot/bff/order"
	"coinslot/bff/receipt"
	"coinslot/bff/shop"
	"coinslot/bff/token"
	"coinslot/bff/web"
	"coinslot/bff/webhook"
)

// handler answers shoppers, merchants and operators. Errors: invalid assets or texts.
func (s *Server) handler(
	c config.Config, o Options, catalog *order.Catalog, tokens *token.Registry,
	receipts *receipt.Signer,
) (http.Handler, error) {
	site, err := web.New(web.Config{
		Static:         o.Static,
		PublicURL:      c.PublicURL,
		Origins:        c.Origins,
		TrustedProxies: c.TrustedProxies,
		Limits:         o.Limits,
		Began:          s.request,
		Now:            s.store.Now,
		Log:            o.Log,
	})
	if err != nil {
		return nil, err
	}

	shoppers, err := shop.Routes(site, shop.Config{
		Checkout:  s.checkout,
		Catalog:   catalog,
		Hub:       s.hub,
		Refusals:  s.refusals,
		OrderKey:  c.OrderKey.Reveal(),
		HookToken: c.HookToken.Reveal(),
		API:       len(c.SecretKeys) > 0,
		PagesFor:  c.PagesFor,
		ShopName:  c.ShopName,
		Support:   c.Support,
		Unpaid:    &s.unpaid,
		Kick:      s.poller.Kick,
		Simulate:  o.Simulate,
		Kinds:     o.Kinds,
		Logo:      s.logo,
		AddOrigin: o.AddOrigin,
	})
	if err != nil {
		return nil, err
	}

	merchants := api.Routes(site, api.Config{
		Checkout:     s.checkout,
		Rates:        s.exchange,
		Records:      s.records,
		Events:       &webhook.Replayer{Log: s.store, Kick: s.sender.Kick, Now: s.store.Now},
		TestWebhooks: s.sender.Test,
		SecretKeys:   config.Reveal(c.SecretKeys),
		KeySet:       receipts.KeySet(),
	})
	operators := s.consoleRoutes(c, o, tokens, site)
	handler := site.Handler(slices.Concat(shoppers, merchants, operators))
	s.routes = site.Routes
	return handler, nil
}

// newLogo returns the logo of a path; nil for an empty one.
func newLogo(path string) (*web.Asset, error) {
	content, extension, err := config.ReadLogo(path)
	if err != nil {
		return nil, fmt.Errorf("COINSLOT_LOGO: %w", err)
	}
	if content == nil {
		return nil, nil
	}
	return web.NewLogo(extension, content), nil
}
