package shop

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/order"
)

// FuzzParseEmbed: for any query, a page has only a listed origin, and links only have the
// protocol's parameters.
func FuzzParseEmbed(f *testing.F) {
	for _, s := range []string{
		"embed=modal&origin=https://shop.example&theme=dark&lang=de",
		"origin=https://shop.example:443/&embed=inline", "origin=https://evil@shop.example",
		"origin=https://shop.example%0d%0aX:y", "lang=../../x&theme=%00",
		"origin=https://evil.example&origin=https://shop.example", "%zz&;=&embed=modal;x",
	} {
		f.Add(s)
	}
	h := hosts{publicURL: "https://pay.example", origins: []string{"https://shop.example"}}
	f.Fuzz(func(t *testing.T, query string) {
		values, _ := url.ParseQuery(query)
		got := h.parse(values)
		if !slices.Contains([]string{"", "https://shop.example", "https://pay.example"},
			got.origin) {
			t.Fatalf("parse(%q) lets in %q", query, got.origin)
		}
		if strings.ContainsAny(got.requested+got.lang+got.theme+got.embed, "\r\n\"'<>; ,*") {
			t.Fatalf("parse(%q) = %+v", query, got)
		}
		again, err := url.ParseQuery(strings.TrimPrefix(got.query(), "?"))
		fortest.OK(t, err)
		back := h.parse(again)
		if back.requested = got.requested; back != got {
			t.Fatalf("parse(%q) = %+v, but after a link %+v", query, got, back)
		}
	})
}

// FuzzShopperBody: a shopper's post can name a coin and no price, in any spelling.
func FuzzShopperBody(f *testing.F) {
	for _, s := range []string{
		`{"currency_symbol":"USDT","network_code":"trc20","email":"a@b.example"}`,
		`{"item":"tip","amount":"5","key":"k","currency_symbol":"USDT","network_code":"trc20"}`,
		`{"order":"x.y.z","Order":"a"}`, `{"amount_usd":"0.01"}`, `{"status":"confirmed"}`,
		`{"amount":5}`, `[]`, `{}{}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var body struct {
			offer
			choice
			embedParams
		}
		if order.Strict(raw, &body) != nil {
			return
		}
		var again = body
		if order.Strict(raw, &again) != nil || again != body {
			t.Fatalf("%q reads as %+v, then as %+v", raw, body, again)
		}
		end := strings.LastIndexByte(string(raw), '}')
		for _, more := range []string{
			`"amount_usd":"0.01"`, `"price":"1"`, `"status":"confirmed"`, `"wallet_address":"T"`,
			`"Item":"x"`, `"ITEM":"x"`, `"item":"a","item":"b"`,
		} {
			for _, comma := range []string{"", ","} {
				if order.Strict([]byte(string(raw[:end])+comma+more+"}"), &again) == nil {
					t.Fatalf("%q is taken with %s", raw, more)
				}
			}
		}
	})
}

// FuzzHint: a hint of any shape yields only a valid tracking code that is in it.
func FuzzHint(f *testing.F) {
	for _, s := range []string{
		`{"tracking_code":"TRK1"}`, "tracking_code=TRK1&x", "tracking_code TRK1'; DROP",
		"tracking_code\": \"\u0000", strings.Repeat("tracking_code ", 20),
		"tracking_code:" + strings.Repeat("a", 200),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, hint []byte) {
		found := codeInBody.FindSubmatch(hint)
		if found != nil &&
			(!plausibleCode.Match(found[1]) || !strings.Contains(string(hint), "tracking_code")) {
			t.Fatalf("%q hints at %q", hint, found[1])
		}
	})
}
