package url_test

import (
	standard "net/url"
	"testing"

	"coinslot/tools/assets/slim/url"
)

// TestAsTheStandardLibrary: addresses as a browser writes them have the same parts.
func TestAsTheStandardLibrary(t *testing.T) {
	for _, address := range []string{
		"https://shop.example:8443/checkout/cs_1?lang=de&x=a%20b#coinslot", "http://[::1]:80/checkout", "http://[::1]/", "https://shop.example", "https://shop.example?a#b",
		"/checkout?next=https://shop.example/#x", "/", "about:blank", "",
	} {
		want, err := standard.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		got, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got.Scheme != want.Scheme || got.Host != want.Host || got.Hostname() != want.Hostname() ||
			got.Path != want.Path+want.Opaque || got.RawQuery != want.RawQuery || got.Fragment != want.Fragment {
			t.Errorf("Parse(%q) = %+v; want %+v", address, got, want)
		}
		if got.String() != address {
			t.Errorf("%q became %q", address, got)
		}
	}
}
