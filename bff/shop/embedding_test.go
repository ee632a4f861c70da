package shop

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/web"

	"github.com/google/go-cmp/cmp"
)

// embedders is a server with two languages that lists one shop. One text contains "</script>".
func embedders(t *testing.T) http.Handler {
	t.Helper()
	files := fstest.MapFS{}
	for tag, failed := range map[string]string{
		"en": "</script>\u2028 & \\\"'",
		"de": "Nichts ist verloren",
	} {
		text, err := json.Marshal(map[string]string{
			"title.none":    "title " + tag,
			"close":         "close " + tag,
			"closed.again":  "again " + tag,
			"loader.failed": failed,
			"error.offline": "offline " + tag,
			"error.unknown": "unknown " + tag,
			"refused.link":  "link " + tag})
		fortest.OK(t, err)
		files["text/"+tag+".json"] = &fstest.MapFile{Data: text}
	}
	_, h := open(t, web.Config{Static: files}, Config{})
	return h
}

// The answer is always a module with all seven texts of one language, and only a listed page gets
// that it is.
func TestEmbedding(t *testing.T) {
	h := embedders(t)
	for _, c := range []struct {
		lang, accept, origin, want string
		listed                     bool
	}{
		{"", "", "", "en", false},
		{"de", "", "https://shop.example", "de", true},
		{"de-AT", "en", "HTTPS://Shop.Example:443/", "de", true},
		{"", "fr, de;q=0.5", "https://pay.example", "de", true},
		{"xx", "de", "http://shop.example", "de", false},
		{"../de", "", "null", "en", false},
		{"<b>", "de", "https://shop.example.evil", "de", false},
		{strings.Repeat("de-", 334), "", "https://shop.example\r\nX: y", "en", false},
		{
			strings.Repeat("a", 1000), strings.Repeat("de,", 5000),
			strings.Repeat("https://shop.example", 500), "de", false,
		},
		{"\x00\xff", "\xff", "https://evil@shop.example", "en", false},
		{"en", "de", "*", "en", false},
	} {
		r := httptest.NewRequest("GET",
			"/checkout/embed.js?"+url.Values{"lang": {c.lang}, "origin": {c.origin}}.Encode(), nil)
		r.Header.Set("Accept-Language", c.accept)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		body, ok := strings.CutPrefix(w.Body.String(), "export default {")
		if !ok || !strings.HasSuffix(body, "}\n") || strings.ContainsAny(body, "<>\u2028\u2029") {
			t.Errorf("%.40q: no safe module: %.200s", c.lang, w.Body)
		}
		var got embedding
		if err := json.Unmarshal([]byte("{"+body), &got); err != nil {
			t.Errorf("%.40q: %v", c.lang, err)
		}
		for _, fix := range []string{got.OriginRefused, got.FrameBlocked, got.Timeout} {
			if !regexp.MustCompile(`^[ -~]{20,200}$`).MatchString(fix) {
				t.Errorf("origin %.40q: the fix %q is not one line of ASCII", c.origin, fix)
			}
		}
		want := embedding{
			c.listed,
			got.Dir,
			"title " + c.want,
			"close " + c.want,
			"again " + c.want,
			got.Failed,
			"unknown " + c.want,
			"offline " + c.want,
			"link " + c.want,
			got.Hints,
			embedCSS,
			nil,
		}
		if !cmp.Equal(got, want) || got.Failed == "" {
			t.Errorf("lang %.40q, Accept-Language %.40q, origin %.40q: %+v; want %+v", c.lang,
				c.accept, c.origin, got, want)
		}
	}
}

func TestEmbeddingHeaders(t *testing.T) {
	h := embedders(t)
	for _, method := range []string{"GET", "HEAD"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, "/checkout/embed.js?lang=de", nil))
		for name, want := range map[string]string{
			"Content-Type":                 "text/javascript; charset=utf-8",
			"Access-Control-Allow-Origin":  "*",
			"Cross-Origin-Resource-Policy": "cross-origin",
			"X-Content-Type-Options":       "nosniff",
			"Cache-Control":                "public, max-age=60",
			"Vary":                         "Accept-Encoding, Accept-Language",
		} {
			if got := w.Header().Get(name); w.Code != 200 || got != want {
				t.Errorf("%s = %d with %s %q; want %q", method, w.Code, name, got, want)
			}
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/checkout/embed.js?lang=de&debug", nil))
	body := w.Body.String()
	if !strings.HasPrefix(body, "export default {explain, ...{") ||
		!strings.Contains(body, `"code":"frame_blocked"`) ||
		!strings.Contains(body, "function explain(") {
		t.Errorf("with debug: %.200s; want a module that has and explains the codes", body)
	}
	w = httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/checkout/embed.js?debug&origin=null", nil))
	fortest.Has(t, "to a page without an origin", w.Body.String(),
		`"origin_refused":"this page has no origin`, `"cause":"Your page has no origin`)

	w = httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "/checkout/embed.js", nil))
	fortest.Has(t, "POST", w.Body.String(), string(wire.CodeMethod))
}

// TestEmbeddingIgnoresReferrer: caches keep the module for all pages, so that no header decides
// what Vary does not name.
func TestEmbeddingIgnoresReferrer(t *testing.T) {
	h := embedders(t)
	answer := func(header, value string) string {
		r := httptest.NewRequest("GET", "/checkout/embed.js?embed=inline&lang=de", nil)
		if header != "" {
			r.Header.Set(header, value)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Body.String()
	}
	want := answer("", "")
	fortest.Has(t, "without an origin", want, `"listed":false`)
	for header, value := range map[string]string{
		"Referer": "https://shop.example/cart", "Origin": "https://shop.example",
		"Sec-Fetch-Site": "cross-site", "User-Agent": "other", "Cookie": "a=b", "Save-Data": "on",
	} {
		fortest.Equal(t, answer(header, value), want, "with %s", header)
	}
}
