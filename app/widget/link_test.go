package widget

import (
	"net/url"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// FuzzQueryEscape: the standard library escapes the same way.
func FuzzQueryEscape(f *testing.F) {
	for _, s := range []string{"", "a b+c", "é😀\xff\x00", "-_.~!*'()%", "origin=https://shop.example:8443/?a&b#c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		fortest.Equal(t, queryEscape(s), url.QueryEscape(s), "escaped(%q)", s)
	})
}

// FuzzHost: of every address that a merchant may set, the standard library finds the same host.
func FuzzHost(f *testing.F) {
	for _, s := range []string{
		"", "/checkout", "/checkout?x=https://shop.example", "shop.example", "https://shop.example", "https://shop.example:8443/a?b#c", "http://a@b:1?x=//y", "https://[::1]:80/", "https://u:p@h/@x",
		"https://shop.example?next=https://evil.example", "https://shop.example#@evil.example", "https://a@b@c/", "HTTPS://Shop.Example/",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := url.Parse(s)
		web := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && !strings.ContainsAny(s, "\\ %")
		if !web && (err != nil || strings.Contains(s, "://")) {
			return // the BFF takes none such
		}
		want := ""
		if web {
			want = u.Host
		}
		fortest.Equal(t, Host(s), want, "hostOf(%q)", s)
	})
}
