package web

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

// What must never happen here: a header that anybody can send decides who a client is.

// FuzzClient: behind trusted proxies only the last proxy's addition counts; elsewhere no forwarded
// header does.
func FuzzClient(f *testing.F) {
	for _, s := range [][2]string{
		{"10.0.0.1:1", "203.0.113.9, 10.0.0.2"},
		{"[fd00::1]:1", "::ffff:1.2.3.4,%"},
		{"203.0.113.9:1", "10.0.0.1"},
		{"pipe", "10.0.0.1"},
		{"10.0.0.1:1", "fe80::1%<b>"},
		{"[::ffff:10.0.0.1]:1", ",,,"}, {"10.0.0.1", "1.2.3.4"}, {"10.0.0.1:1", "0x7f.1, 127.1"},
	} {
		f.Add(s[0], s[1])
	}
	s := proxied()
	ask := func(remote string, forwarded ...string) string {
		return s.Client(&http.Request{
			RemoteAddr: remote,
			Header:     http.Header{"X-Forwarded-For": forwarded},
		})
	}
	f.Fuzz(func(t *testing.T, remote, forwarded string) {
		got, alone := ask(remote, forwarded), ask(remote)
		if _, _, err := net.SplitHostPort(remote); err != nil {
			if got != remote {
				t.Fatalf("client(%q, %q) = %q; want the connection's own address", remote,
					forwarded, got)
			}
			return
		}
		if !s.IsTrustedProxy(alone) && got != alone {
			t.Fatalf("client(%q, %q) = %q; want the connection's own address", remote, forwarded,
				got)
		}
		if addr, err := netip.ParseAddr(got); got != alone &&
			(err != nil || addr.Zone() != "" || addr.Is4In6()) {
			t.Fatalf("client(%q, %q) = %q", remote, forwarded, got)
		}
		for _, visitor := range []string{"203.0.113.9", "2001:db8::9"} {
			if got := ask(remote, forwarded, visitor); s.IsTrustedProxy(alone) && got != visitor {
				t.Fatalf("client(%q, %q) = %q; the last proxy has seen %s", remote, forwarded, got,
					visitor)
			}
		}
		if s.IsTrustedProxy(alone) &&
			ask("10.9.9.9:1", forwarded) != ask("10.9.9.8:1", forwarded) &&
			ask("10.9.9.9:1", forwarded) != "10.9.9.9" {
			t.Fatalf("client(%q) depends on which proxy it comes through", forwarded)
		}
		if key := clientKey(got); key != got && !strings.HasSuffix(key, "/64") {
			t.Fatalf("bucket(%q) = %q", got, key)
		}
	})
}

// FuzzAccepts: nothing is sent in a form that the client has not named, or has excluded.
func FuzzAccepts(f *testing.F) {
	for _, s := range []string{
		"", "br", "br;q=0", "*;q=0.5", ";;;,=", "gzip;q=1e400", "br;q=0,*", "gzip;q=-1,*",
		"br;q=nan", "*;q=0", "BR ; Q=0.000",
	} {
		f.Add(s)
	}
	file := &Asset{forms: map[string][]byte{"br": {}, "gzip": {}}}
	f.Fuzz(func(t *testing.T, header string) {
		coding := file.coding(header)
		named := strings.ToLower(header)
		if coding != "identity" && !strings.Contains(named, coding) &&
			!strings.Contains(named, "*") {
			t.Fatalf("coding(%q) = %q", header, coding)
		}
		if accepts(header+",br;q=0", "br") ||
			accepts(header+",br;q=0", "br") != accepts(header+", BR ; q=0.0", "br") {
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
		if matchesTag(header, `"a1"`) && !strings.Contains(header, `"a1"`) &&
			!strings.Contains(header, "*") {
			t.Fatalf("matchesTag(%q)", header)
		}
		if !matchesTag(header+`, "a1"`, `"a1"`) {
			t.Fatalf("matchesTag(%q) with the tag at its end = false", header)
		}
	})
}

// FuzzMediaType: only declared JSON is read as JSON; another origin can post text/plain without
// preflight.
func FuzzMediaType(f *testing.F) {
	for _, s := range []string{
		"application/json", "Application/JSON; charset=utf-8", "text/plain; a=application/json",
		"text/plain, application/json", "application/json, text/plain", "application/jsonp",
		"application/json;;", " application/json",
		"multipart/form-data; boundary=application/json",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		got := MediaType(header)
		plain, _, _ := strings.Cut(header, ";")
		if got != "" && got != strings.ToLower(strings.TrimSpace(plain)) {
			t.Fatalf("MediaType(%q) = %q", header, got)
		}
	})
}
