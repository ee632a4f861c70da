package api

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"coinslot/bff/reference"
	"coinslot/bff/web"
)

// pages has the API's description as JSON and HTML, and the page of errors.
type pages struct{ document, api, errors *web.Asset }

// lazyDocs returns a function that makes the pages on first use: most processes never need them.
func (s *server) lazyDocs() func() (*pages, error) {
	return sync.OnceValues(func() (*pages, error) {
		problems := map[string]reference.Problem{}
		for code, a := range web.Answers {
			problems[string(code)] = reference.Problem(a)
		}

		d, err := reference.Load(s.PublicURL, problems)
		if err != nil {
			return nil, fmt.Errorf("describing the API: %w", err)
		}

		style := s.Assets.URL("docs.css")
		api, err := d.Page(style)
		if err != nil {
			return nil, fmt.Errorf("writing the page of the API: %w", err)
		}

		codes, err := reference.Errors(style)
		if err != nil {
			return nil, fmt.Errorf("writing the page of errors: %w", err)
		}

		const html = "text/html; charset=utf-8"
		return &pages{
			document: web.NewAsset("openapi", ".json", "application/json", d.JSON()),
			api:      web.NewAsset("api", ".html", html, api),
			errors:   web.NewAsset("errors", ".html", html, codes),
		}, nil
	})
}

func (s *server) docRoutes() []web.Route {
	route := func(path string, k web.Kind, page func(*pages) *web.Asset) web.Route {
		serve := func(w http.ResponseWriter, r *http.Request) error {
			made, err := s.docs()
			if err == nil {
				s.Assets.Serve(w, r, page(made), k)
			}
			return err
		}
		return web.Route{Pattern: "GET " + path, Kind: k, Handle: serve}
	}
	return []web.Route{
		route("/openapi.json", web.KindPublished, func(p *pages) *web.Asset { return p.document }),
		route("/docs/api", web.KindManual, func(p *pages) *web.Asset { return p.api }),
		route("/docs/errors", web.KindManual, func(p *pages) *web.Asset { return p.errors }),
	}
}

// keySet is GET /.well-known/jwks.json: the public keys of receipts. Caches learn a new key within
// five minutes. Sources: RFC 7517, 8.5.1; RFC 8615.
func (s *server) keySet(w http.ResponseWriter, _ *http.Request) error {
	s.SetKind(w, web.KindPublished)
	w.Header().Set("Content-Type", "application/jwk-set+json")
	w.Header().Set("Content-Length", strconv.Itoa(len(s.KeySet)))
	w.WriteHeader(http.StatusOK)
	w.Write(s.KeySet) // a client that has gone is not our error
	return nil
}
