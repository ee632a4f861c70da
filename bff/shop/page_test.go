package shop

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/web"
)

// The server's logo is above the order, by an address that changes with it; opened on its own it
// runs and loads nothing.
func TestLogo(t *testing.T) {
	for extension, mime := range map[string]string{".svg": "image/svg+xml", ".png": "image/png"} {
		config := Config{Logo: web.NewLogo(extension, []byte("<svg/>"))}
		site, h := open(t, web.Config{}, config)
		pages, err := newPages(site, config)
		fortest.OK(t, err)
		p := pages.blank(embedOptions{}, "")
		p.View = wire.View{Order: wire.Order{AmountUSD: "1.00"}}
		if got, want := node.HTML(widget.OrderHead(p)), `<img class="order-logo" src="`+p.Logo+
			`" alt=""`; !strings.Contains(got, want) {
			t.Errorf("head = %s; want %s", got, want)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", p.Logo, nil))
		for name, want := range map[string]string{
			"Content-Type": mime, "Cache-Control": "immutable", "X-Content-Type-Options": "nosniff",
			"Content-Security-Policy": "default-src 'none'",
		} {
			if got := w.Header().Get(name); w.Code != 200 || !strings.Contains(got, want) {
				t.Errorf("%s = %d, %s: %q; want %q", p.Logo, w.Code, name, got, want)
			}
		}
	}
}

// A page with a temporary error reloads itself, unless it answers a post; its link leads to the
// requested page.
func TestRefresh(t *testing.T) {
	s, _ := open(t, web.Config{Origins: []string{}}, Config{})
	const id = "cs_aaaaaaaaaaaaaaaaaaaaaaaaaa"
	for name, c := range map[string]struct {
		method, path string
		code         wire.Code
		status       int
		refresh      bool
		link         string
	}{
		"session": {
			"GET", "/checkout/" + id + "?lang=de&item=x", wire.CodeRateLimited, 429, true,
			`href="/checkout/` + id + `?lang=de"`,
		},
		"receipt": {
			"GET", "/checkout/" + id + "/receipt", wire.CodeRateLimited, 429, true,
			`href="/checkout/` + id + `"`,
		},
		"item": {
			"GET", "/checkout?lang=de&item=tip&amount=7&quantity=2", wire.CodeRateLimited, 429,
			true, `href="/checkout?lang=de&amp;item=tip&amp;amount=7&amp;quantity=2"`,
		},
		"order": {
			"GET", "/checkout?order=a.b.c%22", wire.CodeRateLimited, 429, true,
			`href="/checkout?order=a.b.c%22"`,
		},
		"no storage": {"GET", "/return", wire.CodeStorageUnavailable, 503, true, ""},
		"no gateway": {"GET", "/return", wire.CodeGatewayUnavailable, 503, true, ""},
		"post": {
			"POST", "/checkout/" + id + "/cancel", wire.CodeRateLimited, 429, false,
			`href="/checkout/` + id + `"`,
		},
		"not there": {
			"GET", "/return?item=x", wire.CodeNotFound, 404, false, `href="/checkout"`,
		},
		"our own fault": {"GET", "/return", wire.CodeInternal, 500, false, ""},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest(c.method, c.path, nil)
		r.Header.Set("Accept", "text/html")
		path, _, _ := strings.Cut(c.path, "?")
		s.Handler([]web.Route{{
			Pattern: c.method + " " + strings.Replace(path, id, "{session}", 1), Pages: true,
			Handle: func(http.ResponseWriter, *http.Request) error {
				return web.Refuse(c.code, "")
			},
		}}).ServeHTTP(w, r)
		fortest.Answer(t, name, w, c.status, c.link)
		after, refresh := w.Header().Get("Retry-After"), w.Header().Get("Refresh")
		if (after != "") != (c.status == 429 || c.status == 503) || (refresh != "") != c.refresh ||
			c.refresh && refresh != after {
			t.Errorf("%s: Retry-After %q, Refresh %q; want a refresh %t, after the same time", name,
				after, refresh, c.refresh)
		}
	}
}
