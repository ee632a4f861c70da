package payment

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"

	"github.com/shopspring/decimal"
)

func TestParseAmount(t *testing.T) {
	for text, want := range map[string]string{
		"25": "25", "25.0": "25", "25.00": "25", "0.01": "0.01", "19.99": "19.99", "999999999.99": "999999999.99",
	} {
		if got, err := ParseAmount(text); err != nil || !got.Equal(dec(want)) {
			t.Errorf("ParseAmount(%q) = %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{
		"abc", "NaN", "Infinity", "-1", "0", "-0", "0.00", "1e3", "+1", ".5", "1.", " 1", "1 ", "1\n", "1_000", "1,000.00", "1,00",
		"0x10", "\u22121", "\u0661", "\uff11", "00", "01", "1.000", "1.123456789", "1000000000000", strings.Repeat("9", 400),
		"1e5000000", "1.0.0", "\x00", "1\x00",
	} {
		_, err := ParseAmount(text)
		fortest.Is(t, err, &wire.Error{Code: wire.CodeAmountInvalid}, "ParseAmount(%q)", text)
	}
	if _, err := ParseAmount(""); !errors.Is(err, &wire.Error{Code: wire.CodeAmountRequired}) {
		t.Errorf("ParseAmount of nothing = %v; want %s", err, wire.CodeAmountRequired)
	}
}

func TestOrderValidate(t *testing.T) {
	many := func(n int) map[string]string {
		m := map[string]string{}
		for i := range n {
			m[fmt.Sprint("k", i)] = "v"
		}
		return m
	}
	for _, c := range []struct {
		param string // "" = valid
		set   func(*Order)
	}{
		{"", func(o *Order) {}},
		{"amount_usd", func(o *Order) { o.AmountUSD = decimal.Zero }},
		{"amount_usd", func(o *Order) { o.AmountUSD = dec("-1") }},
		{"amount_usd", func(o *Order) { o.AmountUSD = dec("25.001") }}, // three fractional digits
		{"amount_usd", func(o *Order) { o.AmountUSD = dec("1e12") }},
		{"", func(o *Order) { o.AmountUSD = dec("25.0000") }},
		{"amount_usd", func(o *Order) { o.Amount, o.Currency = dec("25"), "EUR" }}, // no rate
		{"", func(o *Order) { o.AmountUSD, o.Amount, o.Currency = decimal.Zero, dec("25"), "EUR" }},
		{"amount", func(o *Order) { o.AmountUSD, o.Currency = decimal.Zero, "EUR" }},
		{"", func(o *Order) { o.Amount, o.Currency, o.Rate = dec("25"), "EUR", &wire.Rate{} }},
		{"expires_in_minutes", func(o *Order) {
			o.AmountUSD, o.Amount, o.Currency = decimal.Zero, dec("25"), "EUR"
			o.ExpiresIn = 24*time.Hour + time.Minute
		}},
		{"", func(o *Order) { o.Ref = "1001 / \U0001f600 <script> ../ =cmd" }},
		{"", func(o *Order) { o.Ref = strings.Repeat("é", 128) }},
		{"order_ref", func(o *Order) { o.Ref = strings.Repeat("x", 129) }},
		{"order_ref", func(o *Order) { o.Ref = "a\nb" }},
		{"order_ref", func(o *Order) { o.Ref = "a\x00b" }},
		{"order_ref", func(o *Order) { o.Ref = "a\u202eb" }},
		{"order_ref", func(o *Order) { o.Ref = "a\xffb" }},
		{"", func(o *Order) { o.OrderID = 100_000 }},
		{"", func(o *Order) { o.OrderID = 999_999 }},
		{"order_id", func(o *Order) { o.OrderID = 99_999 }},
		{"order_id", func(o *Order) { o.OrderID = 1_000_000 }},
		{"order_id", func(o *Order) { o.OrderID = -123_456 }},
		{"shop_name", func(o *Order) { o.ShopName = "a\nb" }},
		{"shop_name", func(o *Order) { o.ShopName = strings.Repeat("é", 81) }},
		{"title", func(o *Order) { o.Title = "a\tb" }},
		{"", func(o *Order) { o.Title = "\u200eCafé\u200f \u061cقهوة" }},
		{"title", func(o *Order) { o.Title = "a\u202ab" }},
		{"title", func(o *Order) { o.Title = "a\u2066b" }},
		{"title", func(o *Order) { o.Title = strings.Repeat("x", 201) }},
		{"", func(o *Order) { o.Description = "two\nlines" }},
		{"description", func(o *Order) { o.Description = "a\x1bb" }},
		{"", func(o *Order) { o.Email = "a.b+c@shop.example" }},
		{"", func(o *Order) { o.Email = "taro..yamada@docomo.ne.jp" }},
		{"email", func(o *Order) { o.Email = "a@b\r\nBcc: c@d" }},
		{"email", func(o *Order) { o.Email = "A <a@b.example>" }},
		{"email", func(o *Order) { o.Email = "nobody" }},
		{"email", func(o *Order) { o.Email = strings.Repeat("a", 1000) + "@b.example" }},
		{"", func(o *Order) { o.Metadata = many(20) }},
		{"metadata", func(o *Order) { o.Metadata = many(21) }},
		{"metadata", func(o *Order) { o.Metadata = map[string]string{"": "v"} }},
		{"metadata", func(o *Order) { o.Metadata = map[string]string{"k": strings.Repeat("v", 501)} }},
		{"", func(o *Order) { o.Currencies = []string{"USDT", "usdt_trc20"} }},
		{"currencies", func(o *Order) { o.Currencies = []string{"USDT:trc20"} }},
		{"currencies", func(o *Order) { o.Currencies = make([]string, 51) }},
		{"ttl_minutes", func(o *Order) { o.TTLMinutes = -1 }},
		{"ttl_minutes", func(o *Order) { o.TTLMinutes = 7*24*60 + 1 }},
		{"expires_in_minutes", func(o *Order) { o.ExpiresIn = -time.Minute }},
		{"expires_in_minutes", func(o *Order) { o.ExpiresIn = 91 * 24 * time.Hour }},
		{"", func(o *Order) { o.SuccessURL = "https://shop.example/thanks?x=1#y" }},
		{"success_url", func(o *Order) { o.SuccessURL = "javascript:alert(1)" }},
		{"success_url", func(o *Order) { o.SuccessURL = "/thanks" }},
		{"success_url", func(o *Order) { o.SuccessURL = "https://shop.example@evil.example/" }},
		{"cancel_url", func(o *Order) { o.CancelURL = "https:\\\\evil.example" }},
		{"cancel_url", func(o *Order) { o.CancelURL = "https://" }},
		{"", func(o *Order) { o.Lang = "pt-BR" }},
		{"lang", func(o *Order) { o.Lang = "de\n" }},
	} {
		o := Order{AmountUSD: dec("25")}
		c.set(&o)
		var problem *wire.Error
		switch err := o.Validate(); {
		case c.param == "" && err != nil:
			t.Errorf("Validate(%+v) = %v for %v; want nil", o, err, err.(*wire.Error).Param)
		case c.param != "" && (!errors.As(err, &problem) || problem.Param != c.param || problem.Code != wire.CodeInvalid):
			t.Errorf("Validate(%+v) = %+v; want %s invalid", o, err, c.param)
		}
	}
}

func TestWebURL(t *testing.T) {
	for _, s := range []string{"", "https://shop.example", "http://localhost:3000/ok?a=b#c", "https://b\u00fccher.example/\u00fc", "https://xn--bcher-kva.example:65535/", "https://[::1]:8080/", "https://10.0.0.1/", "https://a_b.example/", "https://127.example/"} {
		if !validURL(s) {
			t.Errorf("webURL(%q) = false", s)
		}
	}
	for _, s := range []string{
		"https://shop.example:/", "https://shop.example:0/", "https://shop.example:080/", "https://shop.example:65536/", "https://shop.example./", "https://-a.example/", "https://a-.example/", "https://a..b/",
		"https://" + strings.Repeat("a", 64) + ".example/", "https://" + strings.Repeat("a.", 130) + "example/", "https://2130706433/", "https://127.1/", "https://0x7f.0.0.1/", "https://[fe80::1%25eth0]/", "https://[v1.x]/",
		"https://a;b/", "https://a\u3002b/", "https://shop.example/\u202egpj.exe", "https://shop.example/\u0085", "https://shop.example/a b", "https://shop.example/" + strings.Repeat("a", 2000),
	} {
		if validURL(s) {
			t.Errorf("webURL(%q) = true", s)
		}
	}
}

func TestDigest(t *testing.T) {
	base := Order{AmountUSD: dec("25"), Ref: "1001", Metadata: map[string]string{"a": "1", "b": "2"}}
	same := base
	same.AmountUSD, same.Metadata = dec("25.00"), map[string]string{"b": "2", "a": "1"}
	fortest.Equal(t, base.Digest(), same.Digest(), "two ways to write one order have two digests")
	for name, change := range map[string]func(*Order){
		"amount": func(o *Order) { o.AmountUSD = dec("25.01") }, "title": func(o *Order) { o.Title = "x" },
		"shop name": func(o *Order) { o.ShopName = "x" },
		"metadata":  func(o *Order) { o.Metadata = nil }, "url": func(o *Order) { o.SuccessURL = "https://x.example" },
		"expiry": func(o *Order) { o.ExpiresIn = time.Hour }, "currencies": func(o *Order) { o.Currencies = []string{"BNB"} },
		"currency": func(o *Order) { o.Amount, o.Currency = o.AmountUSD, "EUR" },
	} {
		other := base
		change(&other)
		if other.Digest() == base.Digest() {
			t.Errorf("an order with another %s has the same digest", name)
		}
	}
}

// TestDigestIgnoresRate: a price in another currency is what the merchant sent.
func TestDigestIgnoresRate(t *testing.T) {
	sent := Order{Amount: dec("25.5"), Currency: "EUR", Ref: "1001"}
	priced := sent
	priced.Amount = dec("25.50")
	priced.AmountUSD = dec("27.85")
	priced.Rate = &wire.Rate{USDPerUnit: "1.0921"}
	fortest.Equal(t, priced.Digest(), sent.Digest(), "a converted order has another digest")

	other := sent
	other.Amount = dec("25.51")
	if other.Digest() == sent.Digest() {
		t.Error("an order of another amount has the same digest")
	}
}

func FuzzParseAmount(f *testing.F) {
	for _, s := range []string{"25.00", "0.01", "1e3", "-0", "٣", "999999999.99"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseAmount(text)
		if err != nil {
			return
		}
		if !d.IsPositive() || d.Exponent() < -2 || !d.Equal(dec(d.StringFixed(2))) || len(text) > 12 {
			t.Errorf("ParseAmount(%q) = %s; want cents", text, d)
		}
	})
}

func FuzzOrderValidate(f *testing.F) {
	f.Add([]byte(`{"amount_usd":"25.00","order_ref":"1","email":"a@b.example","metadata":{"a":"b"},"success_url":"https://x.example"}`))
	f.Add([]byte(`{"amount_usd":"1e9999"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var o Order
		if json.Unmarshal(body, &o) != nil || o.Validate() != nil {
			return
		}
		if _, err := ParseAmount(o.AmountUSD.String()); err != nil {
			t.Errorf("Validate took amount %s", o.AmountUSD)
		}
		if strings.ContainsAny(o.Ref+o.Title+o.Email+o.SuccessURL+o.CancelURL+o.Lang, "\x00\r\n") {
			t.Errorf("Validate took a control character: %+v", o)
		}
		text, err := json.Marshal(o)
		var back Order
		if err != nil || json.Unmarshal(text, &back) != nil || back.Digest() != o.Digest() {
			t.Errorf("order does not survive its own JSON: %s", text)
		}
	})
}

func FuzzHosted(f *testing.F) {
	f.Add("https://pay.test/p/T1")
	f.Add("https://pay.test/p/%2e%2e/x")
	f.Fuzz(func(t *testing.T, raw string) {
		got := HostedURL(raw, "https://pay.test/p")
		if got == "" {
			return
		}
		if !strings.HasPrefix(got, "https://pay.test/p/") || strings.Contains(got, "/../") || strings.ContainsAny(got, "\r\n \"<>\\") {
			t.Errorf("hosted(%q) = %q; want nothing", raw, got)
		}
		fortest.Equal(t, HostedURL(got, "https://pay.test/p"), got,
			"hosted(%q) = %q, and of that", raw, got)
	})
}
