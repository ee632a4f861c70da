package server_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"coinslot/bff/fortest"
)

// badLinks: B18, where a shopper may be sent afterwards.
func badLinks(t *testing.T, b *inputRig) {
	var list []input
	for i, u := range []string{
		"javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\tscript:alert(1)", "\x01javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "vbscript:x", "file:///etc/passwd", "ftp://shop.example", "blob:https://shop.example/x", "about:blank", "mailto:a@b.example", "tel:1", "ws://shop.example",
		"intent://x", "//evil.example", `\\evil.example`, "/evil", "evil", "?x", "#x", "https:evil.example", "https:/evil.example", "https://", "https:///x", "https://a@b.example", "https://a:b@c.example", "https://@b.example", "https://:@b.example", `https://shop.example\@evil.example`, `https://shop.example\.evil.example`,
		" https://shop.example", "https://shop.example ", "https://shop.example/a b", "https://shop.example/\r\nX-A: b", "https://shop.example/\n", "https://shop.example/\x00", "https://shop.example/\x7f", "https://shop.example\t.evil.example", "https://[::1", "https://::1", "https://shop.example:x", "https://shop.example:-1",
		"https://shop.example:80:80", "https://shop.example/%", "https://%65vil.example", "https://shop.example/" + strings.Repeat("a", 3000), "https://" + strings.Repeat("a", 2000) + ".example", "https://shop.example:0/", "https://shop.example:65536/", "https://shop.example:99999999999/", "https://shop.example/\u202egpj.exe", "https://[fe80::1%25eth0]/",
		`https://"><img src=x>`, "https://<script>/", "https://shop.example,evil.example/", "https://a;b/", "https://$(x)/", "https://..", "https://.shop.example/",
	} {
		name := []string{"success_url", "cancel_url"}[i%2]
		list = append(list, member(fmt.Sprintf("B18/%.40q of %d", u, len(u)), name, quoted(u), "invalid"))
	}
	for _, v := range []string{"1", "[]", "{}", "true", `["https://shop.example"]`} {
		list = append(list, member("B18/"+v, "success_url", v, "invalid"))
	}
	b.refuse(t, list)
	for _, u := range []string{"https://shop.example/ok?a=b&c=d", "http://localhost:3000/ok", "https://shop.example/@user", "https://shop.example/\u00fc", "https://b\u00fccher.example/", "https://xn--bcher-kva.example/", "https://shop.example/#done", "HTTPS://shop.example/", "https://10.0.0.1/"} {
		b.accept(t, []input{taken("B18/kept "+u, `{"amount_usd":"1","success_url":`+quoted(u)+`}`, `"success_url":`+strings.ReplaceAll(quoted(u), `\u0026`, "\\u0026"))})
	}
}

// badRepeats: B10 and B11, what is sent twice and is not the same.
func badRepeats(t *testing.T, b *inputRig) {
	const order = `"amount_usd":"25.00","order_ref":"repeat","title":"Two","email":"a@b.example","metadata":{"k":"v"},"currencies":["USDT"],"ttl_minutes":15,"success_url":"https://s.example","lang":"en"`
	id := b.Open("{" + order + "}")
	keyed := b.Do("POST", "/v1/sessions", `{"amount_usd":"25.00"}`, bearer, isJSON, "Idempotency-Key: repeat-key")
	fortest.Answer(t, "the answer", keyed, 201)
	var list []input
	for name, change := range map[string][2]string{
		"amount": {`"25.00"`, `"24.99"`}, "one cent more": {`"25.00"`, `"25.01"`}, "title": {"Two", "Three"}, "title in capitals": {"Two", "TWO"}, "email": {"a@b", "c@b"}, "metadata": {`"v"`, `"w"`}, "more metadata": {`"k":"v"`, `"k":"v","l":"w"`}, "no metadata": {`,"metadata":{"k":"v"}`, ""},
		"currencies": {`["USDT"]`, `["USDC"]`}, "ttl": {"15", "16"}, "success_url": {"s.example", "t.example"}, "cancel_url": {`"lang"`, `"cancel_url":"https://s.example","lang"`}, "lang": {`"en"`, `"de"`}, "order_id": {`"lang"`, `"order_id":123456,"lang"`}, "expiry": {`"lang"`, `"expires_in_minutes":5,"lang"`}, "description": {`"lang"`, `"description":"d","lang"`},
	} {
		list = append(list, create("B10/other "+name, "{"+strings.Replace(order, change[0], change[1], 1)+"}", "order_conflict", "order_ref"))
	}
	for name, body := range map[string]string{"other amount": `{"amount_usd":"25.01"}`, "with a reference": `{"amount_usd":"25.00","order_ref":"repeat-2"}`, "with a title": `{"amount_usd":"25.00","title":"x"}`} {
		list = append(list, create("B11/reused, "+name, body, "idempotency_conflict", "Idempotency-Key", "Idempotency-Key: repeat-key"))
	}
	list = append(list, create("B11/key of one order, reference of another", "{"+order+"}", "idempotency_conflict", "Idempotency-Key", "Idempotency-Key: repeat-key"))
	for name, keys := range map[string][]string{
		"256": {strings.Repeat("k", 256)}, "10 KiB": {strings.Repeat("k", 10<<10)}, "empty": {""}, "space": {"a b"}, "space alone": {" "}, "space before": {" a"}, "tab": {"a\tb"}, "Cyrillic": {"\u043a\u043b\u044e\u0447"}, "NUL": {"a\x00"}, "DEL": {"a\x7f"}, "line": {"a\nb"}, "byte": {"\xff"}, "twice": {"k1", "k2"}, "twice the same": {"k1", "k1"}, "empty, then one": {"", "k1"},
	} {
		headers := []string{}
		for _, k := range keys {
			headers = append(headers, "Idempotency-Key: "+k)
		}
		list = append(list, create("B11/key "+name, `{"amount_usd":"25.00"}`, "invalid", "Idempotency-Key", headers...))
	}
	for name, body := range map[string]string{
		"turned around": `{"lang":"en","success_url":"https://s.example","ttl_minutes":15,"currencies":["USDT"],"metadata":{"k":"v"},"email":"a@b.example","title":"Two","order_ref":"repeat","amount_usd":"25.00"}`, "without cents": "{" + strings.Replace(order, "25.00", "25", 1) + "}", "one digit": "{" + strings.Replace(order, "25.00", "25.0", 1) + "}",
		"spaced": "{\n" + strings.ReplaceAll(order, ":", " : ") + "\n}", "escaped": "{" + strings.Replace(order, "Two", `\u0054wo`, 1) + "}", "empty members": "{" + order + `,"description":"","cancel_url":""}`, "nulls": "{" + order + `,"description":null,"order_id":null}`, "default expiry": "{" + order + `,"expires_in_minutes":1440}`,
	} {
		if name == "spaced" {
			body = "{\n" + strings.ReplaceAll(order, `":`, `" : `) + "\n}"
		}
		list = append(list, taken("B10/same, "+name, body, id))
	}
	list = append(list, taken("B11/same key, same body", `{"amount_usd":"25"}`, `"cs_`, "Idempotency-Key: repeat-key"), taken("B11/same reference, new key", "{"+order+"}", id, "Idempotency-Key: repeat-key-2"))
	b.refuse(t, list)
	b.accept(t, []input{taken("B11/key of 255", `{"amount_usd":"25.00"}`, "", "Idempotency-Key: "+strings.Repeat("~", 255))})
}

// badBounds: B7, the gateway's limits of each network, which are inclusive.
func badBounds(t *testing.T, b *inputRig) {
	cent := decimal.New(1, -2)
	for _, n := range []struct{ symbol, network, low, high string }{
		{"USDT", "trc20", "1", "10000"}, {"USDT", "erc20", "100", "50000"}, {"USDT", "bep20", "1", "10000"}, {"USDT", "ton", "1", "5000"}, {"USDC", "polygon", "1", "5000"}, {"ETH", "eth", "10", "50000"}, {"ETH", "arbitrum", "2", "2000"}, {"TON", "ton", "1", "5000"},
	} {
		low, high := decimal.RequireFromString(n.low), decimal.RequireFromString(n.high)
		for _, c := range []struct {
			amount decimal.Decimal
			code   string
		}{{low.Sub(cent), "amount_below_minimum"}, {low, ""}, {high, ""}, {high.Add(cent), "amount_above_maximum"}} {
			id := b.Open(`{"amount_usd":"` + c.amount.StringFixed(2) + `"}`)
			in := input{id: "B7/" + c.amount.StringFixed(2) + " in " + n.symbol + " " + n.network, method: "POST", path: "/checkout/" + id + "/attempts", body: `{"currency_symbol":"` + n.symbol + `","network_code":"` + n.network + `"}`, headers: []string{isJSON}, code: c.code}
			if c.code == "" {
				in.status = 200
				b.accept(t, []input{in})
				continue
			}
			in.param = "network_code"
			b.refuse(t, []input{in})
		}
	}
}

// oddIDs are session ids that are none, as they stand in a path.
func oddIDs(id string) map[string]string {
	return map[string]string{
		"unknown": "cs_aaaaaaaaaaaaaaaaaaaaaaaaaa", "none": "cs_none", "prefix alone": "cs_", "one less": id[:len(id)-1], "one more": id + "a", "upper case": strings.ToUpper(id), "without prefix": id[3:], "NUL": "%00", "NUL behind": id + "%00", "line behind": id + "%0a", "header behind": id + "%0d%0aX-A:b", "space behind": id + "%20", "space before": "%20" + id,
		"slash behind": id + "%2f", "dots": "..%2f" + id, "10 KiB": strings.Repeat("a", 10<<10), "SQL": "%27%20OR%201=1--", "like": "cs_%25", "underscores": "cs" + strings.Repeat("_", 27), "star": "*", "semicolon": id + ";x", "list": id + "," + id, "invalid UTF-8": "%ff", "full width": url.PathEscape("ｃｓ_" + id[3:]), "script": "%3Cscript%3E", "zero": "0", "null": "null", "json": "%7B%22id%22%3A1%7D",
		"twice encoded": strings.ReplaceAll(id, "_", "%255f"), "dot": id + ".", "extension": id + ".json", "backslash": id + "%5c", "soft hyphen": id + "%C2%AD", "override": "%E2%80%AE" + id,
	}
}

// badIDs: B22 and B38, sessions that are not there, at each address that names one.
func badIDs(t *testing.T, b *inputRig) {
	id := b.Open(`{"amount_usd":"25.00"}`)
	var list []input
	for name, odd := range oddIDs(id) {
		list = append(list, input{id: "B22/read " + name, method: "GET", path: "/v1/sessions/" + odd, headers: []string{bearer}, code: "session_unknown", hasNot: "X-A"},
			input{id: "B22/cancel " + name, method: "POST", path: "/v1/sessions/" + odd + "/cancel", headers: []string{bearer}, code: "session_unknown", hasNot: "X-A"},
			input{id: "B38/view " + name, method: "GET", path: "/checkout/" + odd + "/view", code: "session_unknown", hasNot: "X-A"})
	}
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/v1/sessions/cs_none/recheck", ""}, {"POST", "/v1/sessions/cs_none/resolve", `{"as":"confirmed","reason":"x"}`}, {"POST", "/checkout/cs_none/attempts", `{"currency_symbol":"USDT","network_code":"trc20"}`}, {"POST", "/checkout/cs_none/cancel", "{}"}, {"POST", "/checkout/cs_none/recheck", "{}"},
		{"GET", "/checkout/cs_none/qr.svg", ""}, {"GET", "/checkout/cs_none/receipt", ""}, {"GET", "/checkout/cs_none", ""},
	} {
		list = append(list, input{id: "B22/" + c.method + " " + c.path, method: c.method, path: c.path, body: c.body, headers: []string{bearer, isJSON}, code: "session_unknown"})
	}
	b.refuse(t, list)
	unknown, odd := b.Do("GET", "/v1/sessions/cs_aaaaaaaaaaaaaaaaaaaaaaaaaa", "", bearer), b.Do("GET", "/v1/sessions/x", "", bearer)
	if cut := func(s string) string { text, _, _ := strings.Cut(s, `"request_id"`); return text }; cut(unknown.Body.String()) != cut(odd.Body.String()) {
		b.bad++
		t.Errorf("an unknown and a malformed id are told apart: %s %s", unknown.Body, odd.Body)
	}
}

// badLists: B23, the filters of the list.
func badLists(t *testing.T, b *inputRig) {
	var list []input
	for name, values := range map[string][]string{
		"limit":  {"0", "-1", "101", "1000000000", "x", "1.5", "1e1", "0x10", "%20", "%2010", "10%20", "%2B5", "%D9%A1", "9223372036854775808", "1%00", "null"},
		"status": {"paid", "OPEN", "Open", "open%20", "%20open", "open,pending", "%00", "*", "%25", "all", "creating", "o%D1%80en", "confirmed%27--"},
		"cursor": {"x", "%00", "1", ".", "1.", ".cs_a", "x.cs_a", "1e3.cs_a", "01.cs_a", "%2B1.cs_a", "-1.x", "9223372036854775808.cs_a", "1.cs_a%27%20OR%201=1--", strings.Repeat("9", 5000) + ".x", "1.%00", "bnVsbA=="},
	} {
		for _, v := range values {
			list = append(list, input{id: fmt.Sprintf("B23/%s=%.40s", name, v), method: "GET", path: "/v1/sessions?" + name + "=" + v, headers: []string{bearer}, code: "invalid", param: name})
		}
	}
	for name, query := range map[string]string{
		"bad escape": "order_ref=%zz", "bad escape of the status": "status=%z", "semicolons": "status=open;limit=1", "half an escape": "order_ref=a%2", "limit twice": "limit=1&limit=2", "status twice": "status=open&status=confirmed", "bracket": "status[]=open", "unknown": "staus=open",
	} {
		list = append(list, input{id: "B23/" + name, method: "GET", path: "/v1/sessions?" + query, headers: []string{bearer}, code: "invalid"})
	}
	for path, param := range map[string]string{"/v1/events?sesion=cs_x": "sesion", "/v1/events?limit=1&limit=1": "limit", "/v1/events?session=cs_a&session=cs_b": "session", "/v1/events?after=%zz": "query", "/v1/events?limit=05": "limit", "/v1/currencies?symbol=USDT": "symbol", "/v1/currencies?;": "query"} {
		list = append(list, input{id: "B23/" + path, method: "GET", path: path, headers: []string{bearer}, code: "invalid", param: param})
	}
	list = append(list, badListQueries()...)
	b.refuse(t, list)
	b.accept(t, []input{
		{id: "B23/limit 1", method: "GET", path: "/v1/sessions?limit=1", headers: []string{bearer}, status: 200, has: `"object":"list"`}, {id: "B23/limit 100", method: "GET", path: "/v1/sessions?limit=100", headers: []string{bearer}, status: 200},
		{id: "B23/reference that is not there", method: "GET", path: "/v1/sessions?order_ref=%27%20OR%202=2--", headers: []string{bearer}, status: 200, has: `"data":[]`}, {id: "B23/NUL in a reference", method: "GET", path: "/v1/sessions?order_ref=%00", headers: []string{bearer}, status: 200, has: `"data":[]`},
		{id: "B23/invalid UTF-8 in a reference", method: "GET", path: "/v1/sessions?order_ref=%ff", headers: []string{bearer}, status: 200, has: `"data":[]`}, {id: "B23/review", method: "GET", path: "/v1/sessions?status=review", headers: []string{bearer}, status: 200, has: `"data":[]`},
	})
}

// badListQueries is what the gateway's lists are not asked for.
func badListQueries() (list []input) {
	for param, queries := range map[string][]string{
		"limit":     {"limit=0", "limit=51", "limit=-1", "limit=1e1", "limit=05", "limit=%D9%A1", "limit=1&limit=2"},
		"page":      {"page=0", "page=-1", "page=2147483648", "page=1.0", "page=%2B1"},
		"from_date": {"from_date=x&to_date=2026-01-02", "to_date=2026-01-02", "from_date=&to_date=2026-01-02", "from_date=2026-02-30&to_date=2026-03-01", "from_date=2026-1-2&to_date=2026-01-03", "from_date=01.01.2026&to_date=2026-01-02"},
		"to_date":   {"from_date=2026-01-02", "from_date=2026-01-02&to_date=2026-01-01", "from_date=2026-01-01&to_date=2026-02-01", "from_date=2026-01-01&to_date=%00", "from_date=2026-01-01&to_date=2026-01-02T00:00:00Z"},
		"status":    {"status=review", "status=CONFIRMED", "status=open", "status=pending%20", "status=*"},
		"query":     {"limit=%zz", "limit=1;page=2"},
		"order_id":  {"order_id=123456"},
	} {
		for i, query := range queries {
			path := []string{"/v1/transactions?", "/v1/withdrawals?"}[i%2] + query
			list = append(list, input{id: "B23/" + path, method: "GET", path: path, headers: []string{bearer}, code: "invalid", param: param})
		}
	}
	for path, param := range map[string]string{"/v1/transactions?status=processing": "status", "/v1/withdrawals?status=expired": "status"} {
		list = append(list, input{id: "B23/" + path, method: "GET", path: path, headers: []string{bearer}, code: "invalid", param: param})
	}
	return list
}

// badEvents: B27, the event log and what is to be sent again.
func badEvents(t *testing.T, b *inputRig) {
	var list []input
	replay := func(name, body, code, param string) {
		list = append(list, input{id: "B27/" + name, method: "POST", path: "/v1/events/replay", body: body, headers: []string{bearer, isJSON}, code: code, param: param})
	}
	const from, to = `"from":"2026-01-01T00:00:00Z"`, `"to":"2026-01-02T00:00:00Z"`
	replay("turned around", `{"from":"2026-01-02T00:00:00Z","to":"2026-01-01T00:00:00Z"}`, "invalid", "to")
	replay("nothing between", `{"from":"2026-01-02T00:00:00Z","to":"2026-01-02T00:00:00Z"}`, "invalid", "to")
	replay("to come", `{"from":"2226-01-01T00:00:00Z","to":"2226-01-02T00:00:00Z"}`, "invalid", "from")
	replay("no from", "{"+to+"}", "invalid", "from")
	replay("no to", "{"+from+"}", "invalid", "to")
	replay("neither", "{}", "invalid", "from")
	replay("null", `{"from":null,`+to+"}", "invalid", "from")
	for _, v := range []string{`""`, `"yesterday"`, `"2026-02-30T00:00:00Z"`, `"2026-01-01"`, `"2026-01-01 00:00:00Z"`, `"2026-01-01T00:00:00"`, `"2026-01-01T24:00:00Z"`, `"2026-13-01T00:00:00Z"`, `"01.01.2026"`, `"Thu, 01 Jan 2026 00:00:00 GMT"`, "1767225600", "[]", "{}", "true", `"2026-01-01T00:00:00Z "`, `"2026-01-01T00:00:00+25:00"`, `"2026-01-01t00:00:00z"`, `"99999-01-01T00:00:00Z"`, `"\u0662026-01-01T00:00:00Z"`} {
		replay("from "+v, `{"from":`+v+","+to+"}", "invalid", "from")
	}
	for _, v := range []string{"-1", "10001", "1.5", `"10"`, "true", "9223372036854775808", "1e3", "0"} {
		replay("limit "+v, "{"+from+","+to+`,"limit":`+v+"}", "invalid", "limit")
	}
	for _, v := range []string{"1", "[]", "{}"} {
		replay("session "+v, "{"+from+","+to+`,"session":`+v+"}", "invalid", "session")
	}
	for _, name := range []string{"From", "FROM", "after", "endpoint", "url", "type", "force"} {
		replay("member "+name, "{"+from+","+to+","+quoted(name)+`:"x"}`, "unknown_field", name)
	}
	replay("from twice", "{"+from+","+from+","+to+"}", "duplicate_field", "from")
	for _, body := range []string{"", "null", "[]", "{", `"2026"`} {
		replay("body "+body, body, "bad_json", "")
	}
	for name, values := range map[string][]string{"limit": {"0", "-1", "101", "x", "1.5", "%20"}, "after": {"x", "%00", "-1", "0x1", "9223372036854775808", "%27%20OR%201=1--", "1%201"}} {
		for _, v := range values {
			list = append(list, input{id: "B27/" + name + "=" + v, method: "GET", path: "/v1/events?" + name + "=" + v, headers: []string{bearer}, code: "invalid", param: name})
		}
	}
	b.refuse(t, list)
	b.accept(t, []input{{id: "B27/ten years", method: "POST", path: "/v1/events/replay", body: `{"from":"2016-01-01T00:00:00Z","to":"2026-01-01T00:00:00Z"}`, headers: []string{bearer, isJSON}, status: 200, has: `"events":0`},
		{id: "B27/events of no session", method: "GET", path: "/v1/events?session=%27--", headers: []string{bearer}, status: 200, has: `"data":[]`}})
}
