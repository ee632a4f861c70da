package check

import (
	"net/url"
	"testing"

	"coinslot/bff/fortest"
)

// at reads a URL of a test.
func at(t *testing.T, text string) *url.URL {
	t.Helper()
	return fortest.Must(url.Parse(text))(t)
}

// The table follows CSP3, 6.7.2.8 to 6.7.2.12, except for IP addresses, which browsers allow.
func TestSourceMatches(t *testing.T) {
	const script = "https://pay.example/checkout.js"
	for _, c := range []struct {
		source, target, page string
		want                 bool
	}{
		{"https://pay.example", script, "https://shop.example", true},
		{"HTTPS://Pay.Example", script, "https://shop.example", true},
		{"pay.example", script, "https://shop.example", true},
		{"pay.example", "http://pay.example/", "https://shop.example", false},
		{"pay.example", script, "http://shop.example", true},
		{"http://pay.example", script, "http://shop.example", true},
		{"https://pay.example", "http://pay.example/", "http://shop.example", false},
		{"ws://pay.example", script, "https://shop.example", true},
		{"*", script, "https://shop.example", true},
		{"*", "data:x", "https://shop.example", false},
		{"https:", script, "https://shop.example", true},
		{"http:", script, "https://shop.example", true},
		{"https:", "http://pay.example/", "https://shop.example", false},
		{"data:", script, "https://shop.example", false},
		{"http:", "data:x", "http://shop.example", false},
		{"https://*", script, "https://shop.example", true},
		{"*.example", script, "https://shop.example", true},
		{"*.pay.example", script, "https://shop.example", false},
		{"https://*.example", "https://a.b.example/", "https://shop.example", true},
		{"*pay.example", script, "https://shop.example", false},
		{"*.0.0.1", "http://127.0.0.1:8080/", "http://shop.example", false},
		{
			"http://127.0.0.1:8080",
			"http://127.0.0.1:8080/checkout.js",
			"http://127.0.0.1:3000",
			true,
		},
		{"http://[::1]:8080", "http://[::1]:8080/x", "http://shop.example", true},
		{"https://pay.example:443", script, "https://shop.example", true},
		{"https://pay.example:0443", script, "https://shop.example", true},
		{"https://pay.example:8443", script, "https://shop.example", false},
		{"https://pay.example", "https://pay.example:8443/", "https://shop.example", false},
		{"https://pay.example:*", "https://pay.example:8443/", "https://shop.example", true},
		{"http://pay.example:80", script, "http://shop.example", true},
		{"http://pay.example:81", script, "http://shop.example", false},
		{"https://pay.example:", script, "https://shop.example", true},
		{"https://pay.example:x", script, "https://shop.example", false},
		{"https://pay.example/", script, "https://shop.example", true},
		{"https://pay.example/checkout.js", script, "https://shop.example", true},
		{"https://pay.example/%63heckout.js", script, "https://shop.example", true},
		{"https://pay.example/Checkout.js", script, "https://shop.example", false},
		{"https://pay.example/checkout", script, "https://shop.example", false},
		{
			"https://pay.example/checkout/",
			"https://pay.example/checkout/cs_1",
			"https://shop.example",
			true,
		},
		{
			"https://pay.example/checkout/",
			"https://pay.example/checkout",
			"https://shop.example",
			false,
		},
		{"https://pay.example/a/", "https://pay.example/a", "https://shop.example", false},
		{"https://pay.example/a/b/c/", "https://pay.example/a", "https://shop.example", false},
		{"'self'", script, "https://shop.example", false},
		{"'self'", script, "https://pay.example", true},
		{"'SELF'", script, "http://pay.example", true},
		{"'self'", "https://pay.example:8443/", "http://pay.example", false},
		{"'self'", "http://pay.example/", "https://pay.example", false},
		{"'none'", script, "https://shop.example", false},
		{"'unsafe-inline'", script, "https://shop.example", false},
		{"self", script, "https://shop.example", false},
		{"https://evil.example/https://pay.example", script, "https://shop.example", false},
	} {
		fortest.Equal(t, sourceMatches(c.source, at(t, c.target), at(t, c.page)), c.want,
			"sourceMatches(%q, %q, %q)", c.source, c.target, c.page)
	}
}

func TestParsePolicies(t *testing.T) {
	got := parsePolicies([]string{
		"Script-Src 'self';;script-src x; ; frame-src\ty ", ", img-src z", "",
	})
	if len(got) != 2 {
		t.Fatalf("%d policies: %v; want 2", len(got), got)
	}
	if d, _ := got[0].first("script-src"); len(d.values) != 1 || d.values[0] != "'self'" {
		t.Errorf("script-src = %v; want the first of two", d.values)
	}
	if d, found := got[0].first("child-src",
		"frame-src"); !found || d.name != "frame-src" || d.values[0] != "y" {
		t.Errorf("frame-src = %v, %t", d, found)
	}
	if _, found := got[1].first("script-src", "default-src"); found {
		t.Error("the second policy says nothing about scripts")
	}
}
