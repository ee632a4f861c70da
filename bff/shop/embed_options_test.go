package shop

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
)

// loadOrigins loads COINSLOT_ORIGINS.
func loadOrigins(t testing.TB, origins string) ([]string, error) {
	t.Helper()
	c, err := config.Load([]string{
		"COINSLOT_GATEWAY_URL=https://gateway.example", "COINSLOT_GATEWAY_KEY=k",
		"COINSLOT_SECRET_KEY=" + strings.Repeat("s", 32), "COINSLOT_ORIGINS=" + origins,
	}, nil)
	return c.Origins, err
}

// Origins are kept as browsers write them, because they are compared as text.
func TestOriginsAreNormalized(t *testing.T) {
	for given, want := range map[string]string{
		"https://shop.example":          "https://shop.example",
		"HTTPS://Shop.Example/":         "https://shop.example",
		"https://shop.example:443":      "https://shop.example",
		"http://shop.example:80":        "http://shop.example",
		"http://shop.example:443":       "http://shop.example:443",
		"https://shop.example:8443":     "https://shop.example:8443",
		"http://127.0.0.1:3000":         "http://127.0.0.1:3000",
		"http://[::1]:3000":             "http://[::1]:3000",
		"https://xn--bcher-kva.example": "https://xn--bcher-kva.example",
	} {
		got, err := loadOrigins(t, given)
		if err != nil || !slices.Equal(got, []string{want}) {
			t.Errorf("COINSLOT_ORIGINS=%s = %v, %v; want %s", given, got, err, want)
		}
	}
}

// Origins that no browser sends, or that are ambiguous in a policy, are rejected.
func TestInvalidOrigins(t *testing.T) {
	for _, bad := range []string{
		"*", "null", "https://*", "https://*.example", "https://shop.example/path",
		"https://shop.example?x", "https://shop.example#x", "https://a@shop.example",
		"ftp://shop.example", "//shop.example", "shop.example", "https://", "https://:443",
		"https://shop.example:", "https://shop.example:0", "https://shop.example:65536",
		"https://shop.example:0443", "https://shop.example:x", "https://shop.example;script-src",
		"https://shop.example 'self'", "https://shop.example\r\nX: y", "https://shop.example<b>",
		"'self'", "'unsafe-inline'", "https:", "https://shop.example,*", ",",
		"https://shop.example\x00", "https://bücher.example", "https://shop%2eexample",
		"https://shop.example%20x", "https://[::1", "https://[fe80::1%25eth0]",
		"https://shop.example//", "data:x", "blob:https://shop.example",
	} {
		if got, err := loadOrigins(t, bad); err == nil {
			t.Errorf("COINSLOT_ORIGINS=%q = %v; want a refusal", bad, got)
		}
	}
}

func TestParseEmbed(t *testing.T) {
	h := hosts{publicURL: "https://pay.example", origins: []string{"https://shop.example"}}
	for query, want := range map[string]embedOptions{
		"":                                   {},
		"embed=inline":                       {embed: "inline"},
		"embed=Inline&theme=DARK&lang=../en": {},
		"theme=dark&lang=de-CH":              {theme: "dark", lang: "de-CH"},
		"theme=red%3bbackground:url(//evil)": {},
		"lang=" + strings.Repeat("aa-", 40):  {},
		"embed=modal&embed=inline":           {embed: "modal"},
		"origin=https://shop.example": {
			origin:    "https://shop.example",
			requested: "https://shop.example",
		},
		"origin=HTTPS://SHOP.example:443/": {
			origin:    "https://shop.example",
			requested: "https://shop.example",
		},
		"origin=https://pay.example": {
			origin:    "https://pay.example",
			requested: "https://pay.example",
		},
		"origin=https://shop.example.evil": {
			requested: "https://shop.example.evil",
		},
		"origin=https://evilshop.example": {
			requested: "https://evilshop.example",
		},
		"origin=http://shop.example": {
			requested: "http://shop.example",
		},
		"origin=https://shop.example:8443": {
			requested: "https://shop.example:8443",
		},
		"origin=null":                          {},
		"origin=*":                             {},
		"origin=https://shop.example%0d%0aX:y": {},
		"origin=https://shop.example/%22%3E":   {},
		"origin=https://evil@shop.example":     {},
		"origin=https://evil.example&origin=https://shop.example": {
			requested: "https://evil.example",
		},
	} {
		values, err := url.ParseQuery(query)
		fortest.OK(t, err)
		if got := h.parse(values); got != want {
			t.Errorf("parse(%s) = %+v; want %+v", query, got, want)
		}
	}
}

// TestEmbedOfReferrer checks that a frame without an origin has that of a listed host page.
func TestEmbedOfReferrer(t *testing.T) {
	h := hosts{publicURL: "https://pay.example", origins: []string{"https://shop.example"}}
	for _, c := range []struct{ query, referrer, want string }{
		{"embed=inline", "https://shop.example/cart?x=1", "https://shop.example"},
		{"embed=inline", "https://evil.example/https://shop.example", ""},
		{"embed=inline", "https://pay.example/checkout/cs_1", ""}, // a link within the frame
		{"embed=inline", "", ""},
		{"embed=inline&origin=https://evil.example", "https://shop.example/", ""},
		{"", "https://shop.example/", ""},
	} {
		r := httptest.NewRequest(http.MethodGet, "/checkout/cs_1?"+c.query, nil)
		r.Header.Set("Referer", c.referrer)
		fortest.Equal(t, h.read(r, r.URL.Query()).origin, c.want, "origin of %+v", c)
	}
}

// TestPhone tells phones and tablets from desktops by their requests.
func TestPhone(t *testing.T) {
	const (
		iPhone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 " +
			"(KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1"
		pixel = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) " +
			"Chrome/142.0.0.0 Mobile Safari/537.36"
		firefox  = "Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0"
		tablet   = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36"
		mac      = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15"
		windows  = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36"
		telegram = iPhone + " Telegram-iOS/12.1"
	)
	for _, c := range []struct {
		agent, mobile string
		want          bool
	}{
		{iPhone, "", true}, {pixel, "?1", true}, {firefox, "", true}, {telegram, "", true},
		{tablet, "?0", true}, {windows, "?1", true},
		{mac, "", false}, {windows, "?0", false}, {windows, "", false}, {"", "", false},
	} {
		r := httptest.NewRequest(http.MethodGet, "/checkout/cs_1", nil)
		r.Header.Set("User-Agent", c.agent)
		r.Header.Set("Sec-CH-UA-Mobile", c.mobile)
		got := hosts{}.read(r, nil).phone
		fortest.Equal(t, got, c.want, "%q, mobile %q: a phone", c.agent, c.mobile)
	}
}

// TestEmbedOptionsAreKept checks that a redirect keeps what forms and links carry.
func TestEmbedOptionsAreKept(t *testing.T) {
	const query = "?embed=modal&lang=de&origin=https%3A%2F%2Fshop.example&theme=dark"
	h := hosts{origins: []string{"https://shop.example"}}
	values, err := url.ParseQuery(query[1:] + "&change=1&order=x")
	fortest.OK(t, err)
	fortest.Equal(t, h.parse(values).query(), query, "a redirect has the query")
}
