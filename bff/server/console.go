package server

import (
	"coinslot/bff/config"
	"coinslot/bff/console"
	"coinslot/bff/console/auth"
	"coinslot/bff/statement"
	"coinslot/bff/token"
	"coinslot/bff/web"
)

// consoleRoutes returns the operator's pages; none if no way to sign in is configured.
func (s *Server) consoleRoutes(
	c config.Config, o Options, tokens *token.Registry, site *web.Server,
) []web.Route {
	if c.AdminPassword.Reveal() == "" && c.AdminProxyHeader == "" {
		return nil
	}

	return console.Routes(site, console.Config{
		Checkout:     s.checkout,
		Count:        s.store.Count,
		Gateway:      s.records,
		Records:      s.store,
		Attention:    s.attention.Find,
		Events:       s.store,
		Rerouting:    s.store,
		Eraser:       s.store,
		Gone:         s.sender.Gone,
		Exchange:     s.exchange,
		Alerts:       s.alerts,
		AddOrigin:    o.AddOrigin,
		Deliver:      s.sender.Kick,
		TestWebhooks: s.sender.Test,
		Test:         o.test(c),
		Tokens:       tokens,
		Zone:         c.Timezone,
		Statements: statement.Source{
			Sessions:   s.store,
			Gateway:    backgroundRecords{s.gateway},
			Currencies: s.checkout.Currencies,
			Coins:      tokens,
			Zone:       c.Timezone,
			Shop:       c.ShopName,
			Test:       o.test(c),
			Now:        s.store.Now,
		},
		Auth: auth.Config{
			Hash:   c.AdminPassword.Reveal(),
			Header: c.AdminProxyHeader,
			Secret: config.Reveal(c.SecretKeys)[0],
		},
	})
}
