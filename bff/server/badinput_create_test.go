package server_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"coinslot/bff/fortest"
)

// badKeys: B1, what opens the merchant's API but is not the key.
func badKeys(t *testing.T, b *inputRig) {
	id := b.Open(`{"amount_usd":"25.00"}`)
	list := []input{}
	for name, headers := range map[string][]string{
		"none": nil, "empty": {"Authorization: "}, "scheme alone": {"Authorization: Bearer"}, "scheme and space": {"Authorization: Bearer "},
		"wrong": {"Authorization: Bearer wrong-key-0123456789abcdef-0123456789"}, "all but the last": {bearer[:len(bearer)-1]}, "one more": {bearer + "x"},
		"upper case": {"Authorization: Bearer " + strings.ToUpper(secretKey)}, "no scheme": {"Authorization: " + secretKey}, "Basic": {"Authorization: Basic " + secretKey},
		"Basic, encoded": {"Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(secretKey+":"))}, "Token": {"Authorization: Token " + secretKey},
		"twice": {bearer, bearer}, "right, then wrong": {bearer, "Authorization: Bearer x"}, "wrong, then right": {"Authorization: Bearer x", bearer},
		"list": {bearer + ", Bearer x"}, "quoted": {`Authorization: Bearer "` + secretKey + `"`}, "tab": {"Authorization: Bearer\t" + secretKey},
		"and more words": {bearer + " x"}, "NUL": {bearer + "\x00"}, "accented": {"Authorization: Bearer clé"}, "10 KiB": {"Authorization: Bearer " + strings.Repeat("a", 10<<10)},
		"of orders": {"Authorization: Bearer " + orderKey}, "of the gateway": {"Authorization: Bearer " + gatewayKey}, "of the hook": {"Authorization: Bearer " + hookToken},
		"of a session": {"Authorization: Bearer " + id}, "as x-api-key": {"X-Api-Key: " + secretKey}, "as cookie": {"Cookie: key=" + secretKey},
		"of a proxy": {"Proxy-Authorization: Bearer " + secretKey}, "base64": {"Authorization: Bearer " + base64.StdEncoding.EncodeToString([]byte(secretKey))},
	} {
		list = append(list, input{id: "B1/" + name, method: "GET", path: "/v1/sessions/" + id, headers: headers, code: "unauthorized", param: "Authorization", hasNot: "25.00"})
	}
	for _, at := range []string{"?key=", "?access_token=", "?api_key=", "?Authorization=Bearer%20"} {
		list = append(list, input{id: "B1/in the query " + at, method: "GET", path: "/v1/sessions" + at + secretKey, code: "unauthorized"})
	}
	merchants := []string{"GET /v1/", "GET /v1/none"}
	for _, route := range b.routes {
		if strings.Contains(route.Pattern, " /v1/") {
			merchants = append(merchants, strings.ReplaceAll(route.Pattern, "{session}", id))
		}
	}
	if len(merchants) < 10 {
		t.Fatalf("the merchant has the routes %v; there were more", merchants)
	}
	for _, at := range merchants {
		method, path, _ := strings.Cut(at, " ")
		list = append(list, input{id: "B1/no key for " + method + " " + strings.ReplaceAll(path, id, "…"), method: method, path: path, body: `{"amount_usd":"1"}`, headers: []string{isJSON}, code: "unauthorized"})
	}
	b.refuse(t, list)
	b.accept(t, []input{{id: "B1/scheme in lower case", method: "GET", path: "/v1/sessions/" + id, headers: []string{"Authorization: bearer " + secretKey}, status: 200, has: id}})
	fortest.Lacks(t, "the log holds the key", b.Log.String(), secretKey)
}

// badAmounts: B2 to B6 and B8.
func badAmounts(t *testing.T, b *inputRig) {
	list := []input{create("B2/missing", `{}`, "amount_required", "amount_usd")}
	for _, v := range []string{"null", `""`} {
		list = append(list, create("B2/"+v, `{"amount_usd":`+v+`}`, "amount_required", "amount_usd"))
	}
	for _, v := range []string{"[]", "{}", "true", "false", "0", "1", "25.00", "-1", "1e2", `["25.00"]`, `{"usd":"25.00"}`, "1e5000000", "0.1", "[[]]"} {
		list = append(list, create("B2/"+v, `{"amount_usd":`+v+`}`, "amount_type", "amount_usd"))
	}
	list = append(list, create("B5/number of 50,000 digits", `{"amount_usd":`+strings.Repeat("9", 50_000)+`}`, "amount_type", "amount_usd"))
	for group, values := range map[string][]string{
		"B3": {"abc", "NaN", "nan", "Infinity", "-Infinity", "inf", "-1", "-0.01", "0", "-0", "0.0", "0.00", "00", "null", "true", "$1", "1 USD", "1USD", "€1", "1 $", "free", "[]", "1/0", "π"},
		"B4": {"1e3", "1E3", "1e-1", "+1", ".5", "1.", " 1", "1 ", "1\t", "1\n", "\r\n1", "1\u00a0", "1\u200b", "\ufeff1", "1_000", "1,000.00", "1,00", "1'000", "1 000", "1\u202f000", "0x10", "0b1", "0o7", "1h",
			"01", "00.10", "\u22121", "\u0661", "\uff11", "\u2460", "\u00b2", "\u2164", "\u09e7", "1\uff0e00", "1\u066b00", "1/2", "1%", "1;2", "1..0", "1.2.3", "1.0.", "--1", "1-", "(1)", `"1"`, "1\x00", "1d", "1f", "0.1e1", "1.0e0", "\u202e1", "1\\", "1#2", "1&2", "${1}", "1|2"},
		"B5": {"0.001", "1.005", "25.000", "1.123456789", "0.00000001", "1000000000", "1000000000000", "999999999.999", "1e5000000", "1e-5000000", "-1e5000000", strings.Repeat("9", 400), strings.Repeat("9", 50_000), "0." + strings.Repeat("0", 1000) + "1", strings.Repeat("0", 1000) + "1", "1." + strings.Repeat("0", 60_000)},
	} {
		for _, v := range values {
			list = append(list, create(fmt.Sprintf("%s/%.30q of %d bytes", group, v, len(v)), `{"amount_usd":`+quoted(v)+`}`, "amount_invalid", "amount_usd"))
		}
	}
	for name, value := range map[string]string{"currency": `"EUR"`, "currency_code": `"USD"`, "amount": `"1"`, "amount_eur": `"1"`, "amount_cents": "100", "price": `"1"`, "total": `"1"`, "quantity": "2", "discount": `"1"`, "tax": `"1"`} {
		list = append(list, member("B8/"+name, name, value, "unknown_field"))
	}
	b.refuse(t, list)
	exact(t, b)
}

// exact: B6, amounts on which binary fractions stumble, until the gateway has them.
func exact(t *testing.T, b *inputRig) {
	for _, v := range []string{"0.30", "19.99", "1.10", "33.33", "4.35", "8.41", "64.1", "1.01", "9999.99", "1.15", "2.675", "1000.1", "10000", "5", "17.95", "999.99"} {
		if v == "2.675" {
			continue // three digits: see B5
		}
		want := decimal.RequireFromString(v)
		b.accept(t, []input{taken("B6/"+v, `{"amount_usd":"`+v+`","order_ref":"exact `+v+`"}`, `"amount_usd":"`+want.StringFixed(2)+`"`)})
		if want.LessThan(decimal.NewFromInt(1)) {
			continue // below what any network takes
		}
		id := b.Open(`{"amount_usd":"` + v + `","order_ref":"exact ` + v + `"}`)
		b.Choose(id)
		b.Await(id, "pending")
		all := b.Gateway.Transactions()
		if got := all[len(all)-1].AmountUSD; !got.Equal(want) {
			b.bad++
			t.Errorf("the gateway was asked for %s; want %s", got, want)
		}
	}
	for _, v := range []string{"0.01", "999999999.99", "999999999", "0.1"} {
		b.accept(t, []input{taken("B6/"+v, `{"amount_usd":"`+v+`"}`, `"amount_usd":"`+decimal.RequireFromString(v).StringFixed(2)+`"`)})
	}
}

// badReferences: B9, and what else identifies an order.
func badReferences(t *testing.T, b *inputRig) {
	var list []input
	for name, v := range map[string]string{
		"129 letters": strings.Repeat("x", 129), "300 letters": strings.Repeat("x", 300), "129 of four bytes": strings.Repeat("💶", 129), "50 KiB": strings.Repeat("x", 50<<10),
		"line feed": "a\nb", "carriage return": "a\rb", "both": "a\r\nX-A: b", "tab": "a\tb", "NUL": "a\x00b", "NUL alone": "\x00", "escape": "\x1b[31m", "DEL": "a\x7f", "next line": "a\u0085b",
		"override": "\u202e1001", "isolate": "a\u2066b", "mark": "a\u200fb", "Arabic mark": "a\u061cb", "pop": "a\u202cb", "C1": "a\u009bb", "bell": "\a",
	} {
		list = append(list, member("B9/"+name, "order_ref", quoted(v), "invalid"))
	}
	for _, v := range []string{"1001", "true", "[]", "{}", `["1001"]`, "1.5"} {
		list = append(list, member("B9/"+v, "order_ref", v, "invalid"))
	}
	b.refuse(t, list)
	for _, ref := range []string{"🎟️ 1001", "../../etc/passwd", "<script>alert(1)</script>", "=cmd|' /C calc'!A0", strings.Repeat("y", 128), strings.Repeat("💶", 128), `"; DROP TABLE sessions; --`, "' OR 1=1--",
		`back\slash`, "%00", "%2e%2e%2f", "null", "0", " leading", "100%", "a&b=c", "a+b", "a;b", "#1", "?x", "注文", "é", "e\u0301", "_", "%", "*", "cs_abc", "{{7*7}}", "a\u2028b", "${jndi:x}", "-1", "@import"} {
		b.accept(t, []input{taken("B9/kept "+fmt.Sprintf("%.20q", ref), `{"amount_usd":"25.00","order_ref":`+quoted(ref)+`}`, `"order_ref":`+quoted(ref))})
		if id := b.Open(`{"order_ref":` + quoted(ref) + `,"amount_usd":"25"}`); !b.finds(ref, id) {
			b.bad++
			t.Errorf("%q does not find its session, and it alone", ref)
		}
	}
}

// badMembers: B13, names that are not the documented ones.
func badMembers(t *testing.T, b *inputRig) {
	values := map[string]string{"amount_usd": `"1"`, "order_ref": `"r"`, "order_id": "123456", "shop_name": `"s"`, "title": `"t"`, "description": `"d"`, "email": `"a@b.example"`, "metadata": "{}",
		"currencies": "[]", "ttl_minutes": "5", "expires_in_minutes": "5", "success_url": `"https://s.example"`, "cancel_url": `"https://s.example"`, "lang": `"en"`}
	var list []input
	for name, v := range values {
		upper, camel := strings.ToUpper(name), strings.ReplaceAll(name, "_", "")
		list = append(list, member("B13/"+upper, upper, v, "unknown_field"),
			create("B13/twice "+name, `{"amount_usd":"1","`+name+`":`+v+`,"`+name+`":`+v+`}`, "duplicate_field", name),
			create("B13/escaped twice "+name, `{"amount_usd":"1","`+name+`":`+v+`,"`+fmt.Sprintf(`\u%04x`, name[0])+name[1:]+`":`+v+`}`, "duplicate_field", name))
		if camel != name {
			list = append(list, member("B13/"+camel, camel, v, "unknown_field"))
		}
	}
	for _, name := range []string{"", " ", "amount_usd ", " amount_usd", "amount-usd", "amountUsd", "AmountUSD", "Amount_Usd", "\u0430mount_usd", "amount\uff3fusd", "amount_usd\u200b", "amount_u\u017fd", "__proto__", "constructor", "prototype", "toString",
		"id", "url", "status", "version", "test", "address", "wallet_address", "pay_amount", "paid_amount", "tracking_code", "tx_id", "attempts", "timeline", "created_at", "expires_at", "comment", "ttl", "callback_url", "return_url", "allowed_origins",
		"idempotency_key", "mode", "live", "$ref", "@type", "order_ref[]", "metadata.a", "metadata[a]", strings.Repeat("n", 60_000)} {
		in := create(fmt.Sprintf("B13/%.30q", name), `{"amount_usd":"1",`+quoted(name)+`:"x"}`, "unknown_field", name)
		if len(name) > 64 {
			in.param = name[:64]
		}
		if name == "" {
			in.param = "" // the empty name looks like none
		}
		list = append(list, in)
	}
	for name, body := range map[string]string{
		"duplicate in metadata": `{"amount_usd":"1","metadata":{"a":"1","a":"2"}}`, "escaped duplicate in metadata": `{"amount_usd":"1","metadata":{"a":"1","\u0061":"2"}}`,
		"three times": `{"amount_usd":"25","amount_usd":"1","amount_usd":"25"}`, "null, then a value": `{"amount_usd":null,"amount_usd":"1"}`, "a value, then null": `{"amount_usd":"1","amount_usd":null}`,
	} {
		list = append(list, create("B13/"+name, body, "duplicate_field", ""))
	}
	b.refuse(t, list)
}
