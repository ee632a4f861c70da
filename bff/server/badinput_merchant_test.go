package server_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// oddIDs are session ids that are none, as they stand in a path.
func oddIDs(id string) map[string]string {
	return map[string]string{
		"unknown":        "cs_aaaaaaaaaaaaaaaaaaaaaaaaaa",
		"prefix alone":   "cs_",
		"one less":       id[:len(id)-1],
		"one more":       id + "a",
		"upper case":     strings.ToUpper(id),
		"without prefix": id[3:],
		"NUL":            "%00",
		"NUL behind":     id + "%00",
		"header behind":  id + "%0d%0aX-A:b",
		"space before":   "%20" + id,
		"slash behind":   id + "%2f",
		"dots":           "..%2f" + id,
		"10 KiB":         strings.Repeat("a", 10<<10),
		"SQL":            "%27%20OR%201=1--",
		"like":           "cs_%25",
		"list":           id + "," + id,
		"invalid UTF-8":  "%ff",
		"full width":     url.PathEscape("ｃｓ_" + id[3:]),
		"twice encoded":  strings.ReplaceAll(id, "_", "%255f"),
		"extension":      id + ".json",
		"override":       "%E2%80%AE" + id,
	}
}

// badIDs: sessions that are not there, at each address that names one.
func badIDs(t *testing.T, b *inputRig) {
	id := b.Open(`{"amount_usd":"25.00"}`)
	var list []input
	for name, odd := range oddIDs(id) {
		list = append(list,
			get("id/read "+name, "/v1/sessions/"+odd, "session_unknown", bearer),
			posted("id/cancel "+name, "/v1/sessions/"+odd+"/cancel", "", "session_unknown", ""),
			get("id/view "+name, "/checkout/"+odd+"/view", "session_unknown"),
		)
	}
	for path, body := range map[string]string{
		"/v1/sessions/cs_none/recheck": "",
		"/v1/sessions/cs_none/resolve": `{"as":"confirmed","reason":"x"}`,
		"/v1/sessions/cs_none/refunds": refundBody("1", "d"),
		"/checkout/cs_none/attempts":   `{"currency_symbol":"USDT","network_code":"trc20"}`,
		"/checkout/cs_none/cancel":     "{}",
		"/checkout/cs_none/recheck":    "{}",
	} {
		list = append(list, posted("id/POST "+path, path, body, "session_unknown", ""))
	}
	for _, path := range []string{
		"/checkout/cs_none/qr.svg", "/checkout/cs_none/receipt", "/checkout/cs_none",
	} {
		list = append(list, get("id/GET "+path, path, "session_unknown"))
	}
	for i := range list {
		list[i].hasNot = "X-A"
	}
	b.refuse(t, list)

	unknown := b.Do("GET", "/v1/sessions/cs_aaaaaaaaaaaaaaaaaaaaaaaaaa", "", bearer).Body.String()
	odd := b.Do("GET", "/v1/sessions/x", "", bearer).Body.String()
	before, _, _ := strings.Cut(unknown, `"request_id"`)
	if !strings.HasPrefix(odd, before) {
		b.bad++
		t.Errorf("an unknown and a malformed id are told apart: %s %s", unknown, odd)
	}
}

// badLists: the queries of lists.
func badLists(t *testing.T, b *inputRig) {
	const sessions, events, replays = "/v1/sessions?", "/v1/events?", "/v1/transactions?"
	var list []input
	for _, group := range []struct {
		path, param string
		queries     []string
	}{
		{sessions, "limit", []string{
			"limit=0", "limit=-1", "limit=101", "limit=x", "limit=1.5", "limit=1e1", "limit=%205",
			"limit=%D9%A1", "limit=9223372036854775808", "limit=1%00", "limit=1&limit=2",
		}},
		{sessions, "status", []string{
			"status=paid", "status=Open", "status=open%20", "status=open,pending", "status=%00",
			"status=creating", "status=o%D1%80en", "status=open&status=confirmed",
		}},
		{sessions, "cursor", []string{
			"cursor=x", "cursor=%00", "cursor=1", "cursor=.cs_a", "cursor=1e3.cs_a",
			"cursor=01.cs_a", "cursor=9223372036854775808.cs_a", "cursor=1.cs_a%27%20OR%201=1--",
			"cursor=" + strings.Repeat("9", 5000) + ".x",
		}},
		{
			sessions,
			"",
			[]string{"order_ref=%zz", "status=open;limit=1", "status[]=open", "staus=open"},
		},
		{events, "limit", []string{"limit=0", "limit=101", "limit=05", "limit=1&limit=1"}},
		{events, "after", []string{
			"after=x", "after=%00", "after=-1", "after=0x1", "after=9223372036854775808",
			"after=%27%20OR%201=1--",
		}},
		{events, "query", []string{"after=%zz"}},
		{events, "session", []string{"session=cs_a&session=cs_b"}},
		{events, "sesion", []string{"sesion=cs_x"}},
		{"/v1/currencies?", "symbol", []string{"symbol=USDT"}},
		{replays, "limit", []string{"limit=0", "limit=51", "limit=05"}},
		{replays, "page", []string{"page=0", "page=2147483648", "page=%2B1"}},
		{replays, "from_date", []string{
			"to_date=2026-01-02", "from_date=2026-02-30&to_date=2026-03-01",
			"from_date=2026-1-2&to_date=2026-01-03",
		}},
		{replays, "to_date", []string{
			"from_date=2026-01-02", "from_date=2026-01-02&to_date=2026-01-01",
			"from_date=2026-01-01&to_date=2026-02-01", "from_date=2026-01-01&to_date=%00",
		}},
		{replays, "status", []string{"status=CONFIRMED", "status=open", "status=processing"}},
		{replays, "order_id", []string{"order_id=123456"}},
		{"/v1/withdrawals?", "status", []string{"status=expired"}},
		{"/v1/withdrawals?", "query", []string{"limit=1;page=2"}},
	} {
		for _, query := range group.queries {
			in := get(fmt.Sprintf("list/%s%.40s", group.path, query), group.path+query, "invalid",
				bearer)
			in.param = group.param
			list = append(list, in)
		}
	}
	b.refuse(t, list)

	var good []input
	for query, has := range map[string]string{
		"sessions?limit=100":                           `"object":"list"`,
		"sessions?status=review":                       `"data":[]`,
		"sessions?order_ref=%27%20OR%202=2--":          `"data":[]`,
		"sessions?order_ref=%00":                       `"data":[]`,
		"sessions?order_ref=%ff":                       `"data":[]`,
		"events?session=%27--":                         `"data":[]`,
		"sessions?limit=1&order_ref=that-is-not-there": `"data":[]`,
	} {
		in := get("list/of "+query, "/v1/"+query, "", bearer)
		in.status = 200
		in.has = has
		good = append(good, in)
	}
	b.accept(t, good)
}

// badReplays: what is to be sent again.
func badReplays(t *testing.T, b *inputRig) {
	const from, to = `"from":"2026-01-01T00:00:00Z"`, `"to":"2026-01-02T00:00:00Z"`
	var list []input
	replay := func(body, code, param string) {
		list = append(list, posted("replay/"+body, "/v1/events/replay", body, code, param))
	}
	replay(`{"from":"2026-01-02T00:00:00Z","to":"2026-01-01T00:00:00Z"}`, "invalid", "to")
	replay(`{"from":"2026-01-02T00:00:00Z",`+to+"}", "invalid", "to")
	replay(`{"from":"2226-01-01T00:00:00Z","to":"2226-01-02T00:00:00Z"}`, "invalid", "from")
	replay("{"+to+"}", "invalid", "from")
	replay("{"+from+"}", "invalid", "to")
	replay("{"+from+","+from+","+to+"}", "duplicate_field", "from")
	replay("null", "bad_json", "")
	replay("[]", "bad_json", "")
	replay("", "bad_json", "")
	for _, v := range []string{
		"null", `""`, `"yesterday"`, `"2026-02-30T00:00:00Z"`, `"2026-01-01"`,
		`"2026-01-01T00:00:00"`, `"2026-01-01T24:00:00Z"`, `"2026-01-01T00:00:00Z "`,
		`"2026-01-01T00:00:00+25:00"`, "1767225600", "[]", `"99999-01-01T00:00:00Z"`,
	} {
		replay(`{"from":`+v+","+to+"}", "invalid", "from")
	}
	for _, v := range []string{"-1", "0", "10001", "1.5", `"10"`, "1e3", "9223372036854775808"} {
		replay("{"+from+","+to+`,"limit":`+v+"}", "invalid", "limit")
	}
	replay("{"+from+","+to+`,"session":[]}`, "invalid", "session")
	for _, name := range []string{"FROM", "after", "endpoint", "url"} {
		replay("{"+from+","+to+","+quoted(name)+`:"x"}`, "unknown_field", name)
	}
	b.refuse(t, list)
	years := `{"from":"2016-01-01T00:00:00Z","to":"2026-01-01T00:00:00Z"}`
	in := posted("replay/ten years", "/v1/events/replay", years, "", "")
	in.status = 200
	in.has = `"events":0`
	b.accept(t, []input{in})
}

// badStates: what a session's state rules out.
func badStates(t *testing.T, b *inputRig) {
	paid := b.Open(`{"amount_usd":"25.00"}`)
	pending := b.Open(`{"amount_usd":"25.00"}`)
	canceled := b.Open(`{"amount_usd":"25.00"}`)
	open := b.Open(`{"amount_usd":"25.00"}`)
	for _, id := range []string{paid, pending} {
		b.Choose(id)
		b.Await(id, "pending")
	}
	all := b.Gateway.Transactions()
	b.pay(t, all[len(all)-2].TrackingCode, paid)
	b.Do("POST", "/v1/sessions/"+canceled+"/cancel", "", bearer)
	const coin = `{"currency_symbol":"USDT","network_code":"bep20"}`
	names := strings.NewReplacer(paid, "paid", pending, "pending", canceled, "canceled", open,
		"open")

	var list []input
	add := func(path, body, code, param string) {
		name := fmt.Sprintf("state/%s %.60s of %d bytes", names.Replace(path), body, len(body))
		list = append(list, posted(name, path, body, code, param))
	}
	add("/v1/sessions/"+paid+"/cancel", "", "session_paid", "")
	add("/checkout/"+paid+"/cancel", "", "session_paid", "")
	add("/checkout/"+paid+"/attempts", coin, "session_paid", "")
	add("/checkout/"+canceled+"/attempts", coin, "session_expired", "")
	add("/v1/sessions/"+open+"/recheck", "", "not_possible", "")
	add("/checkout/"+open+"/recheck", "", "not_possible", "")
	add("/v1/sessions/"+canceled+"/recheck", "", "not_possible", "")
	add("/checkout/"+open+"/simulate", `{"kind":"pay"}`, "not_found", "")
	for _, id := range []string{open, pending, paid, canceled} {
		for _, as := range []string{"confirmed", "cancelled"} {
			add("/v1/sessions/"+id+"/resolve", `{"as":"`+as+`","reason":"x"}`, "not_possible", "")
		}
		if id != paid {
			name := "state/receipt of one that is " + names.Replace(id)
			list = append(list, get(name, "/checkout/"+id+"/receipt", "not_possible"))
		}
	}

	resolve := "/v1/sessions/" + open + "/resolve"
	for _, reason := range []string{
		`""`, `"a\nb"`, `"\u202ex"`, "1", quoted(strings.Repeat("r", 501)),
	} {
		add(resolve, `{"as":"confirmed","reason":`+reason+`}`, "invalid", "reason")
	}
	add(resolve, `{"as":"confirmed"}`, "invalid", "reason")
	add(resolve, `{"as":1,"reason":"x"}`, "invalid", "as")
	add(resolve, `{"as":"confirmed","reason":"x","tx_id":"y"}`, "unknown_field", "tx_id")
	add(resolve, `{"AS":"confirmed","reason":"x"}`, "unknown_field", "AS")
	add(resolve, `{"as":"confirmed","as":"cancelled","reason":"x"}`, "duplicate_field", "as")
	add(resolve, "null", "bad_json", "")

	addRefunds(add, open, paid)

	// Actions without a body take none but an empty object.
	for _, path := range []string{
		"/checkout/" + open + "/cancel", "/v1/sessions/" + canceled + "/cancel",
	} {
		add(path, `{"amount_usd":"0.01"}`, "unknown_field", "")
		add(path, "[]", "bad_json", "")
		add(path, "{"+strings.Repeat(" ", 65<<10)+"}", "too_large", "")
		for name, headers := range map[string][]string{
			"coded": {isJSON, "Content-Encoding: gzip"},
			"text":  {"Content-Type: text/plain"},
		} {
			list = append(list, input{
				id:      "state/" + name + " to " + names.Replace(path),
				method:  "POST",
				path:    path,
				body:    "{}",
				headers: append(headers, bearer),
				code:    "unsupported_media_type",
			})
		}
	}
	list = append(list,
		input{
			id:      "state/form with a price",
			method:  "POST",
			path:    "/checkout/" + paid + "/recheck",
			body:    "lang=de&amount_usd=0.01",
			headers: []string{isForm, "Accept: application/json"},
			code:    "unknown_field",
			param:   "amount_usd",
		},
		input{
			id:      "state/form to the merchant's address",
			method:  "POST",
			path:    "/v1/sessions/" + paid + "/recheck",
			body:    "lang=de",
			headers: []string{bearer, isForm},
			code:    "unsupported_media_type",
		},
	)
	list = append(list, repeatedActions(paid, pending, canceled)...)
	b.refuse(t, list)
	tooMany(t, b)
}

// repeatedActions are taken again, and change nothing.
func repeatedActions(paid, pending, canceled string) (list []input) {
	const same = `{"currency_symbol":"usdt","network_code":"USDT:TRC20"}`
	for name, c := range map[string]struct{ path, body, has string }{
		"recheck of a paid one": {"/checkout/" + paid + "/recheck", "", "confirmed"},
		"choice of its coin":    {"/checkout/" + pending + "/attempts", same, "pending"},
		"cancel":                {"/checkout/" + canceled + "/cancel", "", `"status":"cancelled"`},
		"cancel by a merchant": {
			"/v1/sessions/" + canceled + "/cancel",
			" {} ",
			`"status":"cancelled"`,
		},
	} {
		in := posted("state/again, "+name, c.path, c.body, "", "")
		in.status = 200
		in.has = c.has
		in.alone = true
		list = append(list, in)
	}
	return append(list, input{
		id:      "state/again, cancel by a form",
		method:  "POST",
		path:    "/checkout/" + canceled + "/cancel",
		body:    "lang=de&theme=dark&embed=inline&origin=x",
		headers: []string{isForm},
		status:  303,
		alone:   true,
	})
}

// tooMany: a coin chosen again and again.
func tooMany(t *testing.T, b *inputRig) {
	id := b.Open(`{"amount_usd":"25.00"}`)
	path := "/checkout/" + id + "/attempts"
	networks := []string{"trc20", "bep20", "ton"}
	for i := range 12 {
		body := `{"currency_symbol":"USDT","network_code":"` + networks[i%len(networks)] + `"}`
		in := posted(fmt.Sprintf("state/coin %d", i+1), path, body, "", "")
		in.status = 200
		in.has = `"status":"pending"`
		b.accept(t, []input{in})
	}
	before := b.payable()
	coin := `{"currency_symbol":"USDC","network_code":"bep20"}`
	b.refuse(t, []input{posted("state/coin 13", path, coin, "too_many_attempts", "")})
	if now := b.payable(); now != before {
		t.Errorf("%d transactions can be paid; before the refusal it were %d", now, before)
	}
}

// payable returns how many transactions can be paid at the gateway.
func (b *inputRig) payable() (n int) {
	for _, tx := range b.Gateway.Transactions() {
		if tx.Status == "pending" {
			n++
		}
	}
	return n
}

// refundBody is a refund of USDT on TRON by the transaction whose digits are all digit.
func refundBody(amount, digit string) string {
	return fmt.Sprintf(
		`{"amount":%q,"currency_symbol":"USDT","network_code":"trc20","tx_id":%q}`,
		amount, strings.Repeat(digit, 64))
}

// addRefunds adds refunds that are none, of an unpaid session and a paid one.
func addRefunds(add func(path, body, code, param string), open, paid string) {
	add("/v1/sessions/"+open+"/refunds", refundBody("1", "d"), "not_possible", "")

	path := "/v1/sessions/" + paid + "/refunds"
	add(path, refundBody("25.000001", "d"), "refund_exceeds", "amount")
	for _, amount := range []string{
		"0", "-1", "1e1", "1,5", "01", " 1", "1.0000000000000000001", strings.Repeat("9", 31),
	} {
		add(path, refundBody(amount, "d"), "amount_invalid", "amount")
	}
	add(path, refundBody("", "d"), "invalid", "amount")
	add(path, refundBody("1", "x"), "invalid", "tx_id")
	add(path, `{"amount":1}`, "amount_type", "amount")
	add(path, `{"amount":null}`, "invalid", "amount")
	add(path, `{"amount":"1"}`, "invalid", "currency_symbol")
	add(path, `{"amount":"1","currency_symbol":"USDT"}`, "invalid", "network_code")
	add(path, `{"amount":"1","currency_symbol":"US DT","network_code":"trc20"}`, "invalid",
		"currency_symbol")
	add(path, `{"amount":"1","currency_symbol":"USDT","network_code":"trc/20"}`, "invalid",
		"network_code")
	add(path, `{"amount":"1","currency_symbol":"USDT","network_code":"trc20"}`, "invalid", "tx_id")
	add(path, strings.Replace(refundBody("1", "d"), "{", `{"reason":"a\nb",`, 1), "invalid",
		"reason")
	add(path, strings.Replace(refundBody("1", "d"), "{", `{"confirm_excess":"yes",`, 1), "invalid",
		"confirm_excess")
	add(path, `{"Amount":"1"}`, "unknown_field", "Amount")
	add(path, `{"amount":"1","amount":"2"}`, "duplicate_field", "amount")
	add(path, "[]", "bad_json", "")
}
