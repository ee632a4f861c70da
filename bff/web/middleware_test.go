package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

func TestSameOrigin(t *testing.T) {
	for name, c := range map[string]struct {
		site, origin string
		ok           bool
	}{
		"a program":     {"", "", true},
		"own page":      {"same-origin", "https://pay.example", true},
		"old browser":   {"", "https://pay.example", true},
		"typed address": {"none", "", true},
		"hidden origin": {"same-origin", "null", true},
		"same site":     {"same-site", "https://shop.example", false},
		"cross site":    {"cross-site", "https://pay.example", false},
		"odd site":      {"Same-Origin", "", false},
		"null":          {"", "null", false},
		"look-alike":    {"", "https://pay.example.evil", false},
		"scheme":        {"", "http://pay.example", false},
		"rebound name":  {"same-origin", "https://evil.example", false},
		"port":          {"", "https://pay.example:443", false},
		"spaces":        {"", " https://pay.example", false},
		"long s":        {"", "http\u017f://pay.example", false},
	} {
		r := from("203.0.113.9:1")
		for header, value := range map[string]string{"Sec-Fetch-Site": c.site, "Origin": c.origin} {
			if value != "" {
				r.Header.Set(header, value)
			}
		}
		fortest.Equal(t, proxied().SameOrigin(r) == nil, c.ok, "%s: sameOrigin", name)
	}
}

// A significant header must occur once: which of two counts is ambiguous.
func TestRepeatedHeaders(t *testing.T) {
	s := proxied()
	for name, c := range map[string]struct {
		check func(r *http.Request) error
		value string
	}{
		"Sec-Fetch-Site": {s.SameOrigin, "same-origin"},
		"Origin":         {s.SameOrigin, "https://pay.example"},
		"Content-Type": {
			func(r *http.Request) error { _, err := ContentType(r); return err },
			"application/json",
		},
		"Content-Encoding": {
			func(r *http.Request) error { _, err := ContentType(r); return err },
			"",
		},
	} {
		r := from("203.0.113.9:1")
		r.Header.Set(name, c.value)
		if err := c.check(r); err != nil {
			t.Errorf("%s once: %v", name, err)
		}
		r.Header.Add(name, c.value)
		fortest.Fails(t, c.check(r), "%s twice is taken", name)
	}
}

// A panic is an answer like any other, and says nothing of its cause.
func TestPanic(t *testing.T) {
	s := proxied()
	h := s.outermost(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.SetKind(w, KindIcon)
		panic("canary of the cause")
	}))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, from("203.0.113.9:1"))
	if w.Code != 500 || strings.Contains(w.Body.String(), "canary") ||
		!strings.Contains(w.Body.String(), `"code":"internal"`) {
		t.Errorf("panic = %d %s", w.Code, w.Body)
	}
	if h := w.Header(); h.Get("Cache-Control") != "no-store" ||
		h.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("headers = %v; want those of data, whatever it was to be", h)
	}
}
