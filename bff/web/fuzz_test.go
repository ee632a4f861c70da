package web

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/order"
)

// What must never happen here: a header that anybody can send decides who a
// client is, what opens the merchant's API, or which page may frame ours.

// FuzzClient: behind trusted proxies only what the last of them has added
// counts; elsewhere nothing that is forwarded does.
func FuzzClient(f *testing.F) {
	for _, s := range [][2]string{
		{"10.0.0.1:1", "203.0.113.9, 10.0.0.2"}, {"[fd00::1]:1", "::ffff:1.2.3.4,%"}, {"203.0.113.9:1", "10.0.0.1"}, {"pipe", "10.0.0.1"}, {"10.0.0.1:1", "fe80::1%<b>"},
		{"[::ffff:10.0.0.1]:1", ",,,"}, {"10.0.0.1", "1.2.3.4"}, {"10.0.0.1:1", "0x7f.1, 127.1"},
	} {
		f.Add(s[0], s[1])
	}
	s := proxied()
	ask := func(remote string, forwarded ...string) string {
		return s.client(&http.Request{RemoteAddr: remote, Header: http.Header{"X-Forwarded-For": forwarded}})
	}
	f.Fuzz(func(t *testing.T, remote, forwarded string) {
		got, alone := ask(remote, forwarded), ask(remote)
		if _, _, err := net.SplitHostPort(remote); err != nil {
			if got != remote {
				t.Fatalf("client(%q, %q) = %q; want the connection's own address", remote, forwarded, got)
			}
			return
		}
		if !s.trusted(alone) && got != alone {
			t.Fatalf("client(%q, %q) = %q; want the connection's own address", remote, forwarded, got)
		}
		if addr, err := netip.ParseAddr(got); got != alone && (err != nil || addr.Zone() != "" || addr.Is4In6()) {
			t.Fatalf("client(%q, %q) = %q", remote, forwarded, got)
		}
		for _, visitor := range []string{"203.0.113.9", "2001:db8::9"} {
			if got := ask(remote, forwarded, visitor); s.trusted(alone) && got != visitor {
				t.Fatalf("client(%q, %q) = %q; the last proxy has seen %s", remote, forwarded, got, visitor)
			}
		}
		if s.trusted(alone) && ask("10.9.9.9:1", forwarded) != ask("10.9.9.8:1", forwarded) && ask("10.9.9.9:1", forwarded) != "10.9.9.9" {
			t.Fatalf("client(%q) depends on which proxy it comes through", forwarded)
		}
		if key := bucket(got); key != got && !strings.HasSuffix(key, "/64") {
			t.Fatalf("bucket(%q) = %q", got, key)
		}
	})
}

// FuzzAuthorized: only the key itself opens the merchant's API, and no key
// opens it while none is set.
func FuzzAuthorized(f *testing.F) {
	const secret = "sk-0123456789abcdef0123456789abcdef"
	for _, s := range []string{"Bearer " + secret, "bearer   " + secret + " ", "Basic " + secret, secret, "Bearer", "Bearer " + secret[:34], "Bearer " + secret + secret, "Bearer \u212a"} {
		f.Add(s)
	}
	open := func(http.ResponseWriter, *http.Request) error { return nil }
	set, unset := proxied(), proxied()
	unset.SecretKeys = []string{""}
	set.SecretKeys = []string{"sk-new-456789abcdef0123456789abcdef", secret}
	guarded, closed := set.authorized(open), unset.authorized(open)
	f.Fuzz(func(t *testing.T, header string) {
		r := &http.Request{Header: http.Header{"Authorization": {header}}}
		if closed(nil, r) == nil {
			t.Fatalf("%q opens what has no key", header)
		}
		if scheme, key, _ := strings.Cut(header, " "); guarded(nil, r) == nil && (strings.TrimSpace(key) != secret || len(scheme) != len("Bearer")) {
			t.Fatalf("%q opens", header)
		}
		r.Header["Authorization"] = []string{header, "Bearer " + secret}
		if guarded(nil, r) == nil {
			t.Fatal("two keys open")
		}
	})
}

// FuzzAccepts: nothing is sent in a form that the client has not named, or has
// refused.
func FuzzAccepts(f *testing.F) {
	for _, s := range []string{"", "br", "br;q=0", "*;q=0.5", ";;;,=", "gzip;q=1e400", "br;q=0,*", "gzip;q=-1,*", "br;q=nan", "*;q=0", "BR ; Q=0.000"} {
		f.Add(s)
	}
	file := &asset{forms: map[string][]byte{"br": {}, "gzip": {}}}
	f.Fuzz(func(t *testing.T, header string) {
		coding := file.coding(header)
		if named := strings.ToLower(header); coding != "identity" && !strings.Contains(named, coding) && !strings.Contains(named, "*") {
			t.Fatalf("coding(%q) = %q", header, coding)
		}
		if accepts(header+",br;q=0", "br") || accepts(header+",br;q=0", "br") != accepts(header+", BR ; q=0.0", "br") {
			t.Fatalf("%q with br;q=0 accepts br", header)
		}
		if !accepts(header+",br", "br") {
			t.Fatalf("%q with br does not accept it", header)
		}
	})
}

// FuzzMatchesTag: a file counts as known to the client only if its tag is named.
func FuzzMatchesTag(f *testing.F) {
	for _, s := range []string{"", `"a1"`, `W/"a1"`, "*", `"x", "a1"`, `"a1`, `W/W/"a1"`, "a1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if matchesTag(header, `"a1"`) && !strings.Contains(header, `"a1"`) && !strings.Contains(header, "*") {
			t.Fatalf("matchesTag(%q)", header)
		}
		if !matchesTag(header+`, "a1"`, `"a1"`) {
			t.Fatalf("matchesTag(%q) with the tag at its end = false", header)
		}
	})
}

// FuzzFramedFrom: whatever a query says, only a listed origin is ever written
// into a page, and what is written into a link is of the protocol.
func FuzzFramedFrom(f *testing.F) {
	for _, s := range []string{
		"embed=modal&origin=https://shop.example&theme=dark&lang=de", "origin=https://shop.example:443/&embed=inline", "origin=https://evil@shop.example",
		"origin=https://shop.example%0d%0aX:y", "lang=../../x&theme=%00", "origin=https://evil.example&origin=https://shop.example", "%zz&;=&embed=modal;x",
	} {
		f.Add(s)
	}
	s := &server{Config: Config{PublicURL: "https://pay.example", Origins: []string{"https://shop.example"}}}
	f.Fuzz(func(t *testing.T, query string) {
		values, _ := url.ParseQuery(query)
		got := s.framedFrom(values)
		if !slices.Contains([]string{"", "https://shop.example", "https://pay.example"}, got.origin) {
			t.Fatalf("framedFrom(%q) lets in %q", query, got.origin)
		}
		if strings.ContainsAny(got.wanted+got.lang+got.theme+got.embed, "\r\n\"'<>; ,*") {
			t.Fatalf("framedFrom(%q) = %+v", query, got)
		}
		again, err := url.ParseQuery(strings.TrimPrefix(got.query(), "?"))
		if err != nil {
			t.Fatal(err)
		}
		back := s.framedFrom(again)
		if back.wanted = got.wanted; back != got {
			t.Fatalf("framedFrom(%q) = %+v, but after a link %+v", query, got, back)
		}
	})
}

// FuzzShopperBody: what a shopper posts can name a coin and no price; every
// member that could is refused, in every spelling.
func FuzzShopperBody(f *testing.F) {
	for _, s := range []string{
		`{"currency_symbol":"USDT","network_code":"trc20","email":"a@b.example"}`, `{"item":"tip","amount":"5","key":"k","currency_symbol":"USDT","network_code":"trc20"}`,
		`{"order":"x.y.z","Order":"a"}`, `{"amount_usd":"0.01"}`, `{"status":"confirmed"}`, `{"amount":5}`, `[]`, `{}{}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var body struct {
			offer
			choice
			hosted
		}
		if order.Strict(raw, &body) != nil {
			return
		}
		var again = body
		if order.Strict(raw, &again) != nil || again != body {
			t.Fatalf("%q reads as %+v, then as %+v", raw, body, again)
		}
		end := strings.LastIndexByte(string(raw), '}')
		for _, more := range []string{`"amount_usd":"0.01"`, `"price":"1"`, `"status":"confirmed"`, `"wallet_address":"T"`, `"Item":"x"`, `"ITEM":"x"`, `"item":"a","item":"b"`} {
			for _, comma := range []string{"", ","} {
				if order.Strict([]byte(string(raw[:end])+comma+more+"}"), &again) == nil {
					t.Fatalf("%q is taken with %s", raw, more)
				}
			}
		}
	})
}

// FuzzHint: out of a hint of any shape comes nothing but what a tracking code
// can be, and it is in the hint.
func FuzzHint(f *testing.F) {
	for _, s := range []string{`{"tracking_code":"TRK1"}`, "tracking_code=TRK1&x", "tracking_code TRK1'; DROP", "tracking_code\": \"\u0000", strings.Repeat("tracking_code ", 20), "tracking_code:" + strings.Repeat("a", 200)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, hint []byte) {
		found := codeInBody.FindSubmatch(hint)
		if found != nil && (!plausibleCode.Match(found[1]) || !strings.Contains(string(hint), "tracking_code")) {
			t.Fatalf("%q hints at %q", hint, found[1])
		}
	})
}

// FuzzMediaType: only what says so is read as JSON; a page of another origin
// can post text/plain without asking.
func FuzzMediaType(f *testing.F) {
	for _, s := range []string{"application/json", "Application/JSON; charset=utf-8", "text/plain; a=application/json", "text/plain, application/json", "application/json, text/plain", "application/jsonp", "application/json;;", " application/json", "multipart/form-data; boundary=application/json"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		got := mediaType(header)
		if plain, _, _ := strings.Cut(header, ";"); got != "" && got != strings.ToLower(strings.TrimSpace(plain)) {
			t.Fatalf("mediaType(%q) = %q", header, got)
		}
	})
}
