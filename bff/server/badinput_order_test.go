package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"coinslot/bff/fortest"
)

// The inputs of POST /v1/sessions. What an order may be is decided in packages order and payment,
// whose tests have every way to write one wrongly: TestDecode, TestParseAmount, TestOrderValidate,
// TestWebURL, TestEmail, FuzzDecode. Here each rule is broken once or twice, on its whole way.

// badKeys: what is sent in place of the merchant's key. FuzzAuthorized of package api has more.
func badKeys(t *testing.T, b *inputRig) {
	id := b.Open(`{"amount_usd":"25.00"}`)
	path := "/v1/sessions/" + id
	const scheme = "Authorization: Bearer "
	var list []input
	for name, headers := range map[string][]string{
		"none":              nil,
		"wrong":             {scheme + "wrong-key-0123456789abcdef-0123456789"},
		"all but the last":  {bearer[:len(bearer)-1]},
		"one more":          {bearer + "x"},
		"upper case":        {scheme + strings.ToUpper(secretKey)},
		"Basic":             {"Authorization: Basic " + secretKey},
		"twice":             {bearer, bearer},
		"right, then wrong": {bearer, scheme + "x"},
		"NUL":               {bearer + "\x00"},
		"10 KiB":            {scheme + strings.Repeat("a", 10<<10)},
		"of orders":         {scheme + orderKey},
		"of the gateway":    {scheme + gatewayKey},
		"of the hook":       {scheme + hookToken},
		"of a session":      {scheme + id},
		"as x-api-key":      {"X-Api-Key: " + secretKey},
		"as cookie":         {"Cookie: key=" + secretKey},
		"of a proxy":        {"Proxy-Authorization: Bearer " + secretKey},
	} {
		in := get("key/"+name, path, "unauthorized", headers...)
		in.param = "Authorization"
		in.hasNot = "25.00"
		list = append(list, in)
	}
	for _, query := range []string{"?key=", "?access_token=", "?Authorization=Bearer%20"} {
		list = append(list,
			get("key/in the query "+query, "/v1/sessions"+query+secretKey, "unauthorized"))
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
	for _, route := range merchants {
		method, path, _ := strings.Cut(route, " ")
		list = append(list, input{
			id:      "key/none for " + strings.ReplaceAll(route, id, "…"),
			method:  method,
			path:    path,
			body:    `{"amount_usd":"1"}`,
			headers: []string{isJSON},
			code:    "unauthorized",
		})
	}
	b.refuse(t, list)

	lower := get("key/scheme in lower case", path, "", "Authorization: bearer "+secretKey)
	lower.status = 200
	lower.has = id
	b.accept(t, []input{lower})
	fortest.Lacks(t, "the log holds the key", b.Log.String(), secretKey)
}

// badAmounts: amounts that are none, and those on which binary fractions stumble.
func badAmounts(t *testing.T, b *inputRig) {
	list := []input{create("amount/missing", `{}`, "amount_required", "amount_usd")}
	for code, values := range map[string][]string{
		"amount_required": {"null", `""`},
		"amount_type": {
			"[]", "{}", "true", "0", "25.00", "1e2", "1e5000000", strings.Repeat("9", 50_000),
		},
		"amount_invalid": {
			`"abc"`, `"NaN"`, `"-1"`, `"0"`, `"0.00"`, `"1e3"`, `"+1"`, `" 1"`, `"1\u200b"`,
			`"1,00"`, `"01"`, `"\u0661"`, `"1\u0000"`, `"0.001"`, `"1.005"`, `"1000000000"`,
			`"1e5000000"`, `"` + strings.Repeat("9", 50_000) + `"`,
			`"0.` + strings.Repeat("0", 1000) + `1"`,
		},
	} {
		for _, v := range values {
			id := fmt.Sprintf("amount/%.30s of %d bytes", v, len(v))
			list = append(list, create(id, `{"amount_usd":`+v+`}`, code, "amount_usd"))
		}
	}
	for _, name := range []string{"amount_eur", "amount_cents", "price", "quantity"} {
		list = append(list, member("amount/"+name, name, `"1"`, "unknown_field"))
	}
	b.refuse(t, list)

	for _, v := range []string{
		"19.99", "1.10", "33.33", "4.35", "8.41", "64.1", "1.01", "9999.99", "1.15", "1000.1",
		"10000", "5", "17.95", "999.99",
	} {
		want := decimal.RequireFromString(v)
		id := b.Open(`{"amount_usd":"` + v + `"}`)
		b.Choose(id)
		b.Await(id, "pending")
		all := b.Gateway.Transactions()
		if got := all[len(all)-1].AmountUSD; !got.Equal(want) {
			b.bad++
			t.Errorf("the gateway was asked for %s; want %s", got, want)
		}
		b.sent++
	}
	for v, want := range map[string]string{
		"0.30":         "0.30",
		"19.99":        "19.99",
		"0.01":         "0.01",
		"0.1":          "0.10",
		"999999999":    "999999999.00",
		"999999999.99": "999999999.99",
	} {
		b.accept(t,
			[]input{taken("amount/"+v, `{"amount_usd":"`+v+`"}`, `"amount_usd":"`+want+`"`)})
	}
}

// badMembers: names that are not the documented ones, and values that none of them has.
func badMembers(t *testing.T, b *inputRig) {
	var list []input
	for _, name := range []string{
		"", "amount_usd ", "amountUsd", "AMOUNT_USD", "\u0430mount_usd", "amount_u\u017fd",
		"__proto__", "id", "status", "wallet_address", "tracking_code", "callback_url",
		"metadata.a", strings.Repeat("n", 60_000),
	} {
		id := fmt.Sprintf("member/%.30q", name)
		body := `{"amount_usd":"1",` + quoted(name) + `:"x"}`
		list = append(list, create(id, body, "unknown_field", name[:min(len(name), 64)]))
	}
	for name, body := range map[string]string{
		"twice":          `{"amount_usd":"25","amount_usd":"1"}`,
		"escaped":        `{"amount_usd":"25","amount_u\u0073d":"1"}`,
		"null first":     `{"amount_usd":null,"amount_usd":"1"}`,
		"in metadata":    `{"amount_usd":"1","metadata":{"a":"1","a":"2"}}`,
		"no other value": `{"amount_usd":"1","order_ref":"r","order_ref":"r"}`,
	} {
		list = append(list, create("member/"+name, body, "duplicate_field", ""))
	}

	for name, values := range map[string][]string{
		"order_ref": {
			"1001", "[]", `"a\nb"`, `"\u0000"`, `"\u202e1001"`, `"\u0085"`,
			quoted(strings.Repeat("💶", 129)), quoted(strings.Repeat("x", 50<<10)),
		},
		"title": {
			"1", `"a\nb"`, `"\u001b[2J"`, `"\u2067x"`, quoted(strings.Repeat("💶", 201)),
		},
		"description": {"1", `"a\u0000b"`, `"\u202eevil"`, quoted(strings.Repeat("x", 2001))},
		"shop_name":   {"1", `"a\nb"`},
		"email": {
			`"a@b.example\r\nBcc: c@d.example"`, `"\n"`, `"a@b@c.example"`, `"A <a@b.example>"`,
			`"a@b.example,c@d.example"`, `"mailto:a@b.example"`, `"a\u202e@b.example"`,
			quoted(strings.Repeat("a", 245) + "@b.example"),
		},
		"metadata": {
			"{" + pairs(21) + "}", `{"":"x"}`, `{"k":1}`, `{"k":null}`, `{"a\nb":"x"}`,
			`{"k":"\u202e"}`, `["k"]`, `{"` + strings.Repeat("k", 65) + `":"x"}`,
			`{"k":"` + strings.Repeat("v", 501) + `"}`,
		},
		"currencies": {
			`"USDT"`, `[1]`, `[null]`, `[""]`, `["USDT "]`, `["\u0423SDT"]`, `["USDT:trc20"]`,
			`["*"]`, "[" + strings.Repeat(`"USDT",`, 50) + `"USDT"]`,
		},
		"ttl_minutes": {
			"0", "-1", "1.5", "15.0", "1e1", `"15"`, "10081", "9223372036854775808", "1e400",
			strings.Repeat("9", 1000),
		},
		"expires_in_minutes": {"0", "60.0", `"60"`, "129601", "153722867281"},
		"order_id":           {"0", "99999", "1000000", "123456.5", `"123456"`, "4294967296123456"},
		"success_url": {
			"1", `"javascript:alert(1)"`, `"java\tscript:alert(1)"`, `"data:text/html,x"`,
			`"//evil.example"`, `"\\\\evil.example"`, `"/evil"`, `"https:evil.example"`,
			`"https://a:b@c.example"`, `"https://shop.example\\@evil.example"`,
			`"https://shop.example/\r\nX-A: b"`, `"https://%65vil.example"`,
			quoted("https://shop.example/" + strings.Repeat("a", 3000)),
		},
		"cancel_url": {
			"[]",
			`"vbscript:x"`,
			`"https://shop.example\t.evil.example"`,
			`" https://x.example"`,
		},
	} {
		for _, v := range values {
			id := fmt.Sprintf("member/%s %.30s of %d bytes", name, v, len(v))
			list = append(list, member(id, name, v, "invalid"))
		}
	}
	b.refuse(t, list)
	keptMembers(t, b)
}

// keptMembers: what looks odd and is legal is stored as it was sent.
func keptMembers(t *testing.T, b *inputRig) {
	var list []input
	for name, values := range map[string][]string{
		"title": {
			"<script>alert(1)</script>", "</script><!--", "{{7*7}}", "&lt;", "\u2028\u2029",
			`"'` + "`", "👩‍👩‍👧", "e\u0301", "שלום", "=1+1", "a\u200eb", "a\u061cb",
		},
		"email": {"taro..yamada@docomo.ne.jp", ".foo@ezweb.ne.jp"},
		"success_url": {
			"https://shop.example/ok?a=b&c=d",
			"https://b\u00fccher.example/",
			"https://10.0.0.1/",
		},
	} {
		for _, v := range values {
			body := `{"amount_usd":"1","` + name + `":` + quoted(v) + `}`
			list = append(list, taken("kept/"+name+" "+v, body, `"`+name+`":`+quoted(v)))
		}
	}
	for name, c := range map[string]struct{ members, has string }{
		"email with spaces": {`"email":" a@b.example "`, `"email":"a@b.example"`},
		"20 pairs":          {`"metadata":{` + pairs(20) + "}", `"k19":"v"`},
		"shortest life":     {`"ttl_minutes":1`, ""},
		"longest life":      {`"ttl_minutes":10080`, ""},
		"longest choice":    {`"expires_in_minutes":129600`, ""},
		"first order_id":    {`"order_id":100000`, ""},
		"last order_id":     {`"order_id":999999`, ""},
		"nulls": {
			`"ttl_minutes":null,"order_ref":null,"metadata":null,"lang":null`,
			"",
		},
		"language without texts": {`"lang":"xx"`, `"lang":"xx"`},
		"language of a platform": {`"lang":"de_CH"`, `"lang":"de-CH"`},
		"language that is none":  {`"lang":"../en"`, `"lang":""`},
	} {
		list = append(list, taken("kept/"+name, `{"amount_usd":"1",`+c.members+`}`, c.has))
	}
	b.accept(t, list)

	for _, ref := range []string{
		"🎟️ 1001", "../../etc/passwd", "<script>alert(1)</script>", strings.Repeat("💶", 128),
		"' OR 1=1--", `back\slash`, "%00", "null", " leading", "a&b=c", "a+b", "é", "e\u0301", "_",
		"%", "*", "cs_abc", "a\u2028b",
	} {
		body := `{"amount_usd":"25.00","order_ref":` + quoted(ref) + `}`
		b.accept(t,
			[]input{taken(fmt.Sprintf("kept/ref %.20q", ref), body, `"order_ref":`+quoted(ref))})
		if id := b.Open(body); !b.finds(ref, id) {
			b.bad++
			t.Errorf("%q does not find its session, and it alone", ref)
		}
	}
}

// badBodies: bodies that are no JSON object, too large or mislabeled.
func badBodies(t *testing.T, b *inputRig) {
	const good = `{"amount_usd":"1"}`
	var list []input
	for name, body := range map[string]string{
		"empty":             "",
		"space":             " ",
		"null":              "null",
		"list":              "[" + good + "]",
		"text":              `"x"`,
		"cut":               good[:len(good)-1],
		"cut in a text":     `{"amount_usd":"1`,
		"two objects":       good + good,
		"trailing comma":    `{"amount_usd":"1",}`,
		"trailing NUL":      good + "\x00",
		"single quotes":     `{'amount_usd':'1'}`,
		"comment":           "// x\n" + good,
		"NaN":               `{"amount_usd":NaN}`,
		"leading zero":      `{"ttl_minutes":015}`,
		"byte order mark":   "\ufeff" + good,
		"UTF-16":            "\xff\xfe{\x00}\x00",
		"invalid UTF-8":     "{\"amount_usd\":\"1\",\"title\":\"\xff\"}",
		"half a surrogate":  `{"amount_usd":"1","title":"\ud800"}`,
		"line feed in text": "{\"amount_usd\":\"1\",\"title\":\"a\nb\"}",
		"form":              "amount_usd=1",
		"gzip":              "\x1f\x8b\x08\x00\x00\x00\x00\x00",
		"deep":              strings.Repeat(`{"metadata":`, 5000),
	} {
		list = append(list, create("body/"+name, body, "bad_json", ""))
	}
	for name, size := range map[string]int{"64 KiB and one": 64<<10 + 1, "2 MiB": 2 << 20} {
		body := good + strings.Repeat(" ", size-len(good))
		list = append(list, create("body/"+name, body, "too_large", ""))
	}
	large := strings.Repeat("k", 70<<10)
	for path, body := range map[string]string{
		"/checkout":                   `{"item":"coffee","key":"` + large + `"}`,
		"/hooks/gateway/" + hookToken: large,
	} {
		list = append(list, posted("body/70 KiB to "+path[:9], path, body, "too_large", ""))
	}
	list = append(list, badKinds(good)...)
	list = append(list, badMethods(b)...)
	b.refuse(t, list)

	override := []string{"X-HTTP-Method-Override: DELETE", "X-Method-Override: GET"}
	spaces := strings.Repeat(" ", 64<<10-len(good))
	b.accept(t, []input{
		taken("body/exactly 64 KiB", good+spaces, "cs_"),
		taken("body/white space all around", "\r\n\t "+good+"\r\n\t ", "cs_"),
		taken("body/another method in a header", good, "cs_", override...),
		{
			id:      "body/charset",
			method:  "POST",
			body:    good,
			headers: []string{bearer, "Content-Type: APPLICATION/JSON; charset=utf-8"},
			status:  201,
		},
	})
}

// badKinds: media types and codings. FuzzMediaType and TestRepeatedHeaders of package web have more.
func badKinds(good string) (list []input) {
	const choice = `{"item":"coffee","currency_symbol":"USDT","network_code":"trc20"}`
	for name, headers := range map[string][]string{
		"none":                 {},
		"empty":                {"Content-Type: "},
		"text":                 {"Content-Type: text/plain"},
		"form of files":        {"Content-Type: multipart/form-data; boundary=x"},
		"another JSON":         {"Content-Type: application/ld+json"},
		"Cyrillic o":           {"Content-Type: application/jsоn"},
		"list":                 {"Content-Type: application/json, text/plain"},
		"broken parameter":     {"Content-Type: application/json; =x"},
		"two, JSON first":      {isJSON, "Content-Type: text/plain"},
		"gzip":                 {isJSON, "Content-Encoding: gzip"},
		"gzip, said second":    {isJSON, "Content-Encoding: ", "Content-Encoding: gzip"},
		"coding that is none":  {isJSON, "Content-Encoding: x"},
		"choice in gzip, form": {isForm, "Content-Encoding: gzip"},
	} {
		shopper := input{
			id:      "kind/choice, " + name,
			method:  "POST",
			path:    "/checkout",
			body:    choice,
			headers: append(headers, "Accept: application/json"),
			code:    "unsupported_media_type",
		}
		merchant := input{
			id:      "kind/" + name,
			method:  "POST",
			body:    good,
			headers: append(headers, bearer),
			code:    "unsupported_media_type",
		}
		list = append(list, shopper, merchant)
	}
	return list
}

// badMethods: each address by methods that it does not have.
func badMethods(b *inputRig) (list []input) {
	refused := func(method, path string) {
		list = append(list, input{
			id:      "method/" + method + " " + path,
			method:  method,
			path:    path,
			headers: []string{bearer},
			code:    "method_not_allowed",
		})
	}
	methods := map[string]map[string]bool{} // by path
	for _, route := range b.routes {
		method, path, found := strings.Cut(route.Pattern, " ")
		if !found || strings.HasSuffix(path, "/") {
			continue // answers all methods, or all paths below
		}
		path = strings.NewReplacer("{session}", "cs_x", "{", "", "}", "").Replace(path)
		if methods[path] == nil {
			methods[path] = map[string]bool{}
		}
		methods[path][method] = true
	}
	for path, has := range methods {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
			if !has[method] {
				refused(method, path)
			}
		}
	}
	for _, method := range []string{"PATCH", "TRACE", "OPTIONS", "FOO", "post"} {
		refused(method, "/v1/sessions")
	}
	return list
}

// badRepeats: what is sent twice and is not the same.
func badRepeats(t *testing.T, b *inputRig) {
	const order = `"amount_usd":"25.00","order_ref":"repeat","title":"Two","email":"a@b.example",` +
		`"metadata":{"k":"v"},"currencies":["USDT"],"ttl_minutes":15,` +
		`"success_url":"https://s.example","lang":"en"`
	id := b.Open("{" + order + "}")
	const key = "Idempotency-Key: repeat-key"
	keyed := b.Do("POST", "/v1/sessions", `{"amount_usd":"25.00"}`, bearer, isJSON, key)
	fortest.Answer(t, "the answer", keyed, 201)

	var list []input
	for name, change := range map[string][2]string{
		"amount":        {`"25.00"`, `"24.99"`},
		"title":         {"Two", "TWO"},
		"email":         {"a@b", "c@b"},
		"more metadata": {`"k":"v"`, `"k":"v","l":"w"`},
		"currencies":    {`["USDT"]`, `["USDC"]`},
		"ttl":           {"15", "16"},
		"success_url":   {"s.example", "t.example"},
		"lang":          {`"en"`, `"de"`},
		"order_id":      {`"lang"`, `"order_id":123456,"lang"`},
		"expiry":        {`"lang"`, `"expires_in_minutes":5,"lang"`},
	} {
		body := "{" + strings.Replace(order, change[0], change[1], 1) + "}"
		list = append(list, create("repeat/other "+name, body, "order_conflict", "order_ref"))
	}
	for name, body := range map[string]string{
		"other amount":     `{"amount_usd":"25.01"}`,
		"with a reference": `{"amount_usd":"25.00","order_ref":"repeat-2"}`,
		"of another order": "{" + order + "}",
	} {
		list = append(list,
			create("repeat/key, "+name, body, "idempotency_conflict", "Idempotency-Key", key))
	}
	for name, keys := range map[string][]string{
		"256 letters":    {strings.Repeat("k", 256)},
		"empty":          {""},
		"space":          {"a b"},
		"Cyrillic":       {"\u043a\u043b\u044e\u0447"},
		"NUL":            {"a\x00"},
		"byte":           {"\xff"},
		"twice the same": {"k1", "k1"},
		"empty, then k1": {"", "k1"},
	} {
		var headers []string
		for _, k := range keys {
			headers = append(headers, "Idempotency-Key: "+k)
		}
		in := create("repeat/key of "+name, `{"amount_usd":"25.00"}`, "invalid", "Idempotency-Key",
			headers...)
		list = append(list, in)
	}
	for name, body := range map[string]string{
		"without cents": "{" + strings.Replace(order, "25.00", "25", 1) + "}",
		"spaced":        "{\n" + strings.ReplaceAll(order, `":`, `" : `) + "\n}",
		"escaped":       "{" + strings.Replace(order, "Two", `\u0054wo`, 1) + "}",
		"empty members": "{" + order + `,"description":"","cancel_url":"","order_id":null}`,
		"default":       "{" + order + `,"expires_in_minutes":1440}`,
		"turned around": `{"lang":"en",` + strings.Replace(order, `,"lang":"en"`, "", 1) + "}",
	} {
		list = append(list, taken("repeat/same, "+name, body, id))
	}
	list = append(list,
		taken("repeat/same key, same body", `{"amount_usd":"25"}`, `"cs_`, key),
		taken("repeat/same reference, new key", "{"+order+"}", id, key+"-2"),
	)
	b.refuse(t, list)
	longest := "Idempotency-Key: " + strings.Repeat("~", 255)
	b.accept(t, []input{taken("repeat/key of 255", `{"amount_usd":"25.00"}`, "", longest)})
}

// badBounds: the gateway's limits of each network, which are inclusive.
func badBounds(t *testing.T, b *inputRig) {
	cent := decimal.New(1, -2)
	for _, n := range []struct{ symbol, network, low, high string }{
		{"USDT", "trc20", "1", "10000"},
		{"USDT", "erc20", "100", "50000"},
		{"ETH", "arbitrum", "2", "2000"},
	} {
		low, high := decimal.RequireFromString(n.low), decimal.RequireFromString(n.high)
		for _, c := range []struct {
			amount decimal.Decimal
			code   string
		}{
			{low.Sub(cent), "amount_below_minimum"},
			{low, ""},
			{high, ""},
			{high.Add(cent), "amount_above_maximum"},
		} {
			amount := c.amount.StringFixed(2)
			id := b.Open(`{"amount_usd":"` + amount + `"}`)
			body := fmt.Sprintf(`{"currency_symbol":%q,"network_code":%q}`, n.symbol, n.network)
			name := "bound/" + amount + " in " + n.symbol + " " + n.network
			in := posted(name, "/checkout/"+id+"/attempts", body, c.code, "network_code")
			if c.code != "" {
				b.refuse(t, []input{in})
				continue
			}
			in.param = ""
			in.status = 200
			b.accept(t, []input{in})
		}
	}
}
