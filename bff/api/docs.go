package api

import (
	"net/http"
	"strconv"
	"strings"
	"sync"

	"coinslot/app/wire"
	"coinslot/bff/web"
)

// docsOrigin is the origin of the checkout in the documentation. Its readers see the server's own.
const docsOrigin = "https://pay.shop.example"

// docRoutes are the API's description as JSON and HTML, and the page of errors, which tools/assets
// has rendered from docs/openapi.yaml and docs/errors.md.
func (s *server) docRoutes() []web.Route {
	const html = "text/html; charset=utf-8"
	return []web.Route{
		s.docRoute("/openapi.json", web.KindPublished, "openapi", ".json", "application/json"),
		s.docRoute("/docs/api", web.KindManual, "api", ".html", html),
		s.docRoute("/docs/errors", web.KindManual, "errors", ".html", html),
	}
}

func (s *server) docRoute(path string, k web.Kind, stem, extension, mime string) web.Route {
	// On first use: most processes never need it.
	page := sync.OnceValue(func() *web.Asset {
		built := s.Assets.Text(stem + extension)
		if built == "" {
			return nil
		}
		own := strings.ReplaceAll(built, docsOrigin, s.PublicURL)
		return web.NewAsset(stem, extension, mime, []byte(own))
	})
	serve := func(w http.ResponseWriter, r *http.Request) error {
		if page() == nil {
			return web.Refuse(wire.CodeNotFound, "") // not built
		}
		s.Assets.Serve(w, r, page(), k)
		return nil
	}
	return web.Route{Pattern: "GET " + path, Kind: k, Handle: serve}
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
