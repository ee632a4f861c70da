package webhook

import (
	"encoding/base64"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"coinslot/bff/fortest"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// What must never happen here: a message that was not signed with our key
// counts as signed, an endpoint inside of our own network is accepted, or a
// secret is taken that receivers would read differently.

// FuzzCheckEndpoint: what is accepted is https at a public host, without user
// name, and means the same after it was parsed and printed.
func FuzzCheckEndpoint(f *testing.F) {
	for _, raw := range []string{
		"https://shop.example/hook", "https://127.0.0.1:8443/", "https://[::ffff:10.0.0.1]/",
		"https://0x7f.1/", "https://user@shop.example/", "https://shop.example:443/?a=b#c",
		`https://a\b`, "https://①.example/", "https://[fe80::1%25a]/", "https://169.254.169.254/",
		"https://good.example#@evil.example/",
	} {
		f.Add(raw, false)
		f.Add(raw, true)
	}
	f.Fuzz(func(t *testing.T, raw string, private bool) {
		if err := CheckEndpoint(raw, private); err != nil {
			if len(raw) > 40 && strings.Contains(err.Error(), raw) {
				t.Fatalf("the error of %q holds the value", raw)
			}
			return
		}
		u, err := url.Parse(raw)
		if err != nil || u.Host == "" || u.User != nil || u.Opaque != "" || u.Fragment != "" ||
			len(raw) > 2000 || strings.Contains(u.Host, "@") {
			t.Fatalf("CheckEndpoint(%q) = nil, but it reads as %#v, %v", raw, u, err)
		}
		printed := u.String()
		again, err := url.Parse(printed)
		if err != nil || again.Host != u.Host || again.Scheme != u.Scheme || again.Path != u.Path ||
			again.RawQuery != u.RawQuery {
			t.Fatalf("%q is %q when printed, %v", raw, printed, err)
		}
		if err := CheckEndpoint(printed, private); err != nil && len(printed) <= maxEndpointBytes {
			t.Fatalf("%q is accepted, but not %q: %v", raw, printed, err)
		}
		if private {
			return
		}
		checkPublic(t, u)
		fortest.OK(t, CheckEndpoint(raw, true))
	})
}

// checkPublic fails for a URL that could lead into our own network by its
// spelling. It knows nothing of the code under test.
func checkPublic(t *testing.T, u *url.URL) {
	t.Helper()
	if port := u.Port(); u.Scheme != "https" || port != "" && port != "443" && port != "8443" {
		t.Fatalf("scheme or port of %q", u)
	}
	host := strings.ToLower(u.Hostname())
	if ip, err := netip.ParseAddr(host); err == nil {
		if inside(ip) {
			t.Fatalf("%v is not public", ip)
		}
		return
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	_, number := strconv.ParseUint(strings.TrimPrefix(last, "0x"), 16, 64)
	switch {
	case !strings.Contains(
		host,
		".",
	), strings.Trim(host,
		"abcdefghijklmnopqrstuvwxyz0123456789.-_") != "", strings.HasSuffix(host, "."):
		t.Fatalf("%q is no full name", host)
	case last == "local", last == "localhost", last == "internal":
		t.Fatalf("%q is a local name", host)
	case number == nil && (strings.HasPrefix(last, "0x") || strings.Trim(last, "0123456789") == ""):
		t.Fatalf("%q is a number to some resolvers", host)
	}
}

// inside reports whether an address is, or stands for, one that is not on the
// public internet; from the RFCs, and not from the list under test.
func inside(a netip.Addr) bool {
	a = a.Unmap()
	if a.Is4() {
		b := a.As4()
		return a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsMulticast() ||
			b[0] == 0 || b[0] >= 240 ||
			b[0] == 100 && b[1]&0xc0 == 64 || b[0] == 192 && b[1] == 0 && b[2] == 0 ||
			b[0] == 198 && b[1]&0xfe == 18
	}
	b := a.As16()
	var inner [4]byte
	switch {
	case a.Zone() != "", !a.IsGlobalUnicast(), a.IsPrivate():
		return true
	case b[0] == 0x20 && b[1] == 0x02: // 6to4
		copy(inner[:], b[2:6])
	case strings.HasPrefix(a.StringExpanded(),
		"0064:ff9b:"), strings.HasPrefix(a.StringExpanded(), "0000:"): // NAT64, compatible
		copy(inner[:], b[12:])
	default:
		return false
	}
	return inside(netip.AddrFrom4(inner))
}

// FuzzPublic: the check at the moment of connecting, over all addresses.
func FuzzPublic(f *testing.F) {
	for _, s := range []string{
		"8.8.8.8", "127.0.0.1", "10.0.0.1", "100.64.0.1", "169.254.169.254", "::1",
		"::ffff:7f00:1", "64:ff9b::a00:1", "2002:7f00:1::", "fd00::1", "fe80::1",
		"2606:4700:4700::1111", "2001:db8::1",
	} {
		f.Add(netip.MustParseAddr(s).AsSlice())
	}
	g := newGuard()
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, ok := netip.AddrFromSlice(raw)
		if !ok {
			return
		}
		if g.public(a) && inside(a) {
			t.Fatalf("%v is public", a)
		}
		if a.Is6() && g.public(a.WithZone("eth0")) {
			t.Fatalf("%v is public with a zone", a)
		}
		if a.Is4() && g.public(a) != g.public(netip.AddrFrom16(a.As16())) {
			t.Fatalf("%v is another one inside of IPv6", a)
		}
	})
}

// FuzzCheckSecret: what we take, the reference library takes, with the same key.
func FuzzCheckSecret(f *testing.F) {
	for _, s := range []string{
		secretOne,
		"whsec_",
		"whsec_AAAA",
		secretOne + "\n",
		secretOne[6:],
		"whsec_" + strings.Repeat("A", 42) + "B=",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if err := CheckSecret(raw); err != nil {
			if len(raw) > 12 && strings.Contains(err.Error(), raw[6:]) {
				t.Fatal("the error shows the secret")
			}
			return
		}
		hook := fortest.Must(standardwebhooks.NewWebhook(raw))(t)
		theirs, _ := hook.Sign("evt_1", time.Unix(1, 0), []byte("{}"))
		if ours, err := parse(t, raw).Sign("evt_1", time.Unix(1, 0),
			[]byte("{}")); err != nil || ours != theirs {
			t.Fatalf("Sign = %q, %v; want %q", ours, err, theirs)
		}
	})
}

// FuzzVerify: what is taken for ours carries the signature that the standard
// library computes with our key, over these bytes, within five minutes.
func FuzzVerify(f *testing.F) {
	f.Add(vectorID, strconv.Itoa(vectorSeconds), vectorSignature, []byte(vectorBody))
	f.Add(vectorID, strconv.Itoa(vectorSeconds), "v1,AAAA "+vectorSignature, []byte(vectorBody))
	f.Add(vectorID, strconv.Itoa(vectorSeconds+301), vectorSignature, []byte(vectorBody))
	f.Add("a", "-1", "v1, v1 ,, v1,=", []byte{})
	keys := fortest.Must(ParseKeys([]string{secretOne}))(f)
	at := time.Unix(vectorSeconds, 0)
	f.Fuzz(func(t *testing.T, id, stamp, signature string, body []byte) {
		h := http.Header{
			"Webhook-Id":        {id},
			"Webhook-Timestamp": {stamp},
			"Webhook-Signature": {signature},
		}
		if keys.Verify(h, body, at) != nil {
			return
		}
		seconds, err := strconv.ParseInt(stamp, 10, 64)
		if err != nil || seconds < vectorSeconds-300 || seconds > vectorSeconds+300 ||
			strings.Contains(id, ".") {
			t.Fatalf("Verify accepts id %q with the timestamp %q", id, stamp)
		}
		if !strings.Contains(signature, independent(secretOne, id, seconds, body)) {
			t.Fatalf("Verify accepts %q for %q", signature, body)
		}
		if (Keys{}).Verify(h, body, at) == nil {
			t.Fatal("Verify accepts it without a key")
		}
	})
}

// FuzzSign: what we sign, the reference library verifies, and rejects after one changed byte.
func FuzzSign(f *testing.F) {
	f.Add("evt_1", int64(vectorSeconds), []byte(vectorBody), uint16(3))
	f.Add("evt.1", int64(-1), []byte{}, uint16(0))
	keys := fortest.Must(ParseKeys([]string{secretOne}))(f)
	f.Fuzz(func(t *testing.T, id string, seconds int64, body []byte, at uint16) {
		when := time.Unix(seconds, 0)
		signature, err := keys.Sign(id, when, body)
		if err != nil || seconds < -1<<40 || seconds > 1<<40 {
			return
		}
		if want := independent(secretOne, id, seconds, body); signature != want {
			t.Fatalf("Sign = %q; want %q", signature, want)
		}
		h := http.Header{
			"Webhook-Id":        {id},
			"Webhook-Timestamp": {strconv.FormatInt(seconds, 10)},
			"Webhook-Signature": {signature},
		}
		fortest.OK(t, keys.Verify(h, body, when))
		for _, clock := range []time.Time{
			when.Add(-301 * time.Second), when.Add(301 * time.Second),
		} {
			if keys.Verify(h, body, clock) == nil {
				t.Fatalf("Verify accepts what was signed at %v, at %v", when, clock)
			}
		}
		raw := fortest.Must(base64.StdEncoding.DecodeString(signature[len("v1,"):]))(t)
		raw[int(at)%len(raw)] ^= 1 << (at >> 8 & 7)
		h["Webhook-Signature"] = []string{"v1," + base64.StdEncoding.EncodeToString(raw)}
		if keys.Verify(h, body, when) == nil {
			t.Fatal("Verify accepts a changed signature")
		}
	})
}

// FuzzClean: what an endpoint answers is kept short and on one line.
func FuzzClean(f *testing.F) {
	for _, s := range []string{
		"a\x00\xff\u202e", "two\r\nlines", strings.Repeat("é", 600), "\x1b[31mred", "",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := clean(text)
		if len(got) > 1024 || !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\r\n\x1b") {
			t.Fatalf("clean(%q) = %q", text, got)
		}
		if again := clean(got); again != got {
			t.Fatalf("clean(%q) = %q, and of that %q", text, got, again)
		}
	})
}
