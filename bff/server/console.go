package server

import (
	"net/http"
	"strings"

	"coinslot/bff/config"
	"coinslot/bff/console"
	"coinslot/bff/console/auth"
	"coinslot/bff/token"
	"coinslot/bff/web"
)

// console returns the operator's pages; nil if no way to sign in is configured.
func (s *Server) console(
	c config.Config, o Options, tokens *token.Registry, site *web.Server,
) http.Handler {
	if c.AdminPassword.Reveal() == "" && c.AdminProxyHeader == "" {
		return nil
	}
	return console.New(console.Config{
		Checkout: s.checkout, Count: s.store.Count, Gateway: s.records, Records: s.store,
		Damage: s.store, Events: s.store, Rerouting: s.store, Eraser: s.store, Gone: s.sender.Gone,
		Origins: c.Origins, AddOrigin: o.AddOrigin, Deliver: s.sender.Kick,
		TestWebhooks: s.sender.Test, Test: o.test(c), Tokens: tokens, Now: s.store.Now, Log: o.Log,
		CSS: site.Assets.URL("console.css"),
		Auth: auth.Config{
			Hash: c.AdminPassword.Reveal(), Header: c.AdminProxyHeader,
			Secret: config.Reveal(c.SecretKeys)[0],
			Secure: strings.HasPrefix(c.PublicURL, "https:"),
			Server: auth.Server{
				Address: site.Client, Proxied: site.FromProxy, SameOrigin: site.SameOrigin,
				Client: func(r *http.Request) string {
					client, _ := web.ClientKeys(site.Client(r))
					return client
				},
			},
		},
	})
}
