package server_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"
	"coinslot/static"
)

// signed makes an order token of any payload.
func signed(payload, key string) string {
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." +
		base64.RawURLEncoding.EncodeToString([]byte(payload))
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// badTokens: what is no token of ours, and tokens of bad orders. TestParseToken, FuzzParseToken and
// FuzzClaims of package order have every other one.
func badTokens(t *testing.T, b *inputRig) {
	soon := time.Now().Add(time.Hour).Unix()
	payload := fmt.Sprintf(`{"amount_usd":"25.00","order_ref":"token","exp":%d}`, soon)
	good := signed(payload, orderKey)
	parts := strings.Split(good, ".")
	cheap := base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(payload, "25.00", "0.01",
		1)))
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`))
	var list []input
	for name, token := range map[string]string{
		"word":          "abc",
		"no signature":  parts[0] + "." + parts[1] + ".",
		"other key":     signed(payload, secretKey),
		"empty key":     signed(payload, ""),
		"alg none":      none + "." + parts[1] + ".",
		"changed price": parts[0] + "." + cheap + "." + parts[2],
		"padded":        good + "=",
		"space before":  " " + good,
		"NUL":           good + "\x00",
		"10 KiB":        strings.Repeat("a", 10<<10),
		"not UTF-8":     signed(strings.Replace(payload, "token", "\xff", 1), orderKey),
		"payload twice": signed(payload+payload, orderKey),
		"payload null":  signed("null", orderKey),
	} {
		list = append(list, offered("token/"+name, token, "order"))
	}
	for param, members := range map[string][]string{
		"amount_usd": {`"amount_usd":25`, `"amount_usd":"1e3"`, `"amount_usd":"0"`, ""},
		"order_ref":  {`"amount_usd":"25.00","order_ref":""`, `"amount_usd":"25.00"`},
		"order":      {`"amount_usd":"25.00","order_ref":"c","exp":1`},
		"price":      {`"amount_usd":"25.00","order_ref":"c","price":"1"`},
	} {
		for _, text := range members {
			if !strings.Contains(text, `"exp"`) {
				text = strings.TrimPrefix(fmt.Sprintf(`%s,"exp":%d`, text, soon), ",")
			}
			token := signed("{"+text+"}", orderKey)
			list = append(list,
				offered("token/of "+strings.ReplaceAll(text, fmt.Sprint(soon), "…"), token, param))
		}
	}
	late := offered("token/exp in milliseconds",
		signed(strings.Replace(payload, fmt.Sprint(soon), fmt.Sprint(soon*1000), 1),
			orderKey), "exp")
	late.has = "Math.floor(Date.now() / 1000)"
	b.Open(`{"amount_usd":"25.00","order_ref":"claimed"}`)
	claimed := strings.NewReplacer("25.00", "24.00", "token", "claimed").Replace(payload)
	conflict := offered("token/of a reference that is taken", signed(claimed, orderKey),
		"order_ref")
	conflict.code = "order_conflict"
	both := get("token/and item", "/checkout?order="+good+"&item=coffee", "order_invalid")
	both.param = "item"
	list = append(list, late, conflict, both,
		get("token/empty", "/checkout?order=", "item_unknown"),
		get("token/two, the bad one first", "/checkout?order=a.b.c&order="+good, "order_invalid"),
		get("token/in a list", "/checkout?order[]="+good, "item_unknown"),
		get("token/as an item", "/checkout?item="+good, "item_unknown"),
		get("token/session id", "/checkout?order=cs_aaaaaaaaaaaaaaaaaaaaaaaaaa", "order_invalid"),
		getPage("token/page of a bad one", "/checkout?order=a.b.c", "order_invalid"),
	)
	b.refuse(t, list)

	fresh := getPage("token/page of a good one", "/checkout?order="+good, "")
	fresh.status = 200
	fresh.has = "25.00"
	b.accept(t, []input{fresh})
}

// offered is a post of a token that is refused.
func offered(id, token, param string) input {
	body := `{"order":` + quoted(token) + `,"currency_symbol":"USDT","network_code":"trc20"}`
	in := posted(id, "/checkout", body, "order_invalid", param)
	in.hasNot = "25.00"
	return in
}

// badOffers: what a page may post for an item. TestCatalogOrder of package order has more.
func badOffers(t *testing.T, b *inputRig) {
	const coin = `"currency_symbol":"USDT","network_code":"trc20"`
	var list []input
	for code, bodies := range map[string][]string{
		"item_unknown": {
			`"item":""`,
			`"item":"tea"`,
			`"item":"Coffee"`,
			`"item":"coffee\u0000"`,
		},
		"amount_invalid":  {`"item":"tip","amount":"0.99"`, `"item":"tip","amount":"\uff15"`},
		"invalid":         {`"item":1`, `"item":"tip","amount":5`, `"item":"coffee","key":"a b"`},
		"duplicate_field": {`"item":"coffee","item":"tip"`},
		"order_invalid":   {`"item":"coffee","order":"a.b.c"`},
		"unknown_field": {
			`"item":"coffee","amount_usd":"0.01"`, `"item":"coffee","price":"0.01"`,
			`"item":"coffee","address":"0.01"`, `"item":"coffee","status":"x"`, `"ITEM":"coffee"`,
			`"item":"coffee","order_id":"1"`, `"item":"coffee","success_url":"x"`,
		},
	} {
		for _, members := range bodies {
			body := "{" + members + "," + coin + "}"
			list = append(list, posted("offer/"+members, "/checkout", body, code, ""))
		}
	}
	const picked = "&currency_symbol=USDT&network_code=trc20"
	for name, c := range map[string]struct{ query, form, code string }{
		"no item":           {"", picked, "item_unknown"},
		"item in the query": {"?item=coffee", picked, "item_unknown"},
		"bad item first":    {"", "item=tea&item=coffee" + picked, "item_unknown"},
		"bad amount first":  {"", "item=tip&amount=0.01&amount=5" + picked, "amount_invalid"},
		"no coin":           {"", "item=coffee", "network_required"},
	} {
		list = append(list, postForm("offer/form, "+name, "/checkout"+c.query, c.form, c.code))
	}
	b.refuse(t, list)
}

// badFrames: the query of the frame's address. It is ignored or normalized; the policy never
// contains it. TestParseEmbed and FuzzParseEmbed of package shop have more.
func badFrames(t *testing.T, b *inputRig) {
	id := b.Open(`{"amount_usd":"25.00"}`)
	var list []input
	show := func(query, has, hasNot string, headers ...string) {
		name := fmt.Sprintf("frame/%.60s %.30v", query, headers)
		in := getPage(name, "/checkout/"+id+"?"+query, "")
		in.headers = append(in.headers, headers...)
		in.status = 200
		in.has = has
		in.hasNot = hasNot
		list = append(list, in)
	}
	for _, origin := range []string{
		"*", "null", "https://evil.example", "https://shop.example.evil.example",
		"https://shop.example%40evil.example", "http://shop.example", "https://shop.example:8443",
		"https://shop.example%0d%0aX-A:b", "https://shop.example;script-src%20*", "https://[::1]",
	} {
		show("embed=inline&origin="+origin, `data-origin=""`, "evil")
	}
	for _, origin := range []string{"HTTPS://SHOP.EXAMPLE", "https://shop.example:443"} {
		show("embed=inline&origin="+origin, `data-origin="https://shop.example"`, "")
	}
	for _, lang := range []string{
		"xx", "../en", "%3Cb%3E", strings.Repeat("e", 1000), "en%0d%0a", "en_US",
	} {
		show("lang="+lang, `<html lang="en" dir="ltr"`, "<b>")
	}
	for _, theme := range []string{"red;background:url(//evil)", "DARK", "%22%20onload=%22x"} {
		show("theme="+theme, `class="theme-auto"`, "evil")
	}
	for _, embed := range []string{"popup", "INLINE", "%22%3E"} {
		show("embed="+embed, `data-embed=""`, "")
	}
	for _, name := range []string{
		"amount_usd", "price", "currency_amount", "wallet_address", "pay_amount",
	} {
		show(name+"=0.0171", "25.00", "0.0171")
	}
	for _, name := range []string{"success_url", "return-url", "redirect"} {
		show(name+"=https://evil.example", "25.00", "evil")
	}
	show("status=confirmed", `data-status="open"`, "")
	show("change=1", `data-status="open"`, "")
	show("lang=%3Cb%3E&lang=de", `lang="en"`, "")
	show("lang=%zz&theme=dark", `class="theme-dark"`, "")
	show("theme=dark;embed=modal", `class="theme-auto"`, "")
	show(strings.Repeat("a&", 7000), "25.00", "")
	show("", `lang="en"`, "", "Accept-Language: *;q=x, en;q=999, ;;;,,,")
	show("", "25.00", "", "Accept-Language: "+strings.Repeat("a-b,", 8000))
	b.refuse(t, list)

	need.Assets(t, static.Files) // the policy names the hash of a script
	w := b.Do("GET", "/checkout/"+id+"?embed=inline&origin=https://evil.example;script-src%20*", "")
	got := w.Header().Get("Content-Security-Policy")
	if strings.Replace(got, " "+hashed.FindString(got), "", 1) != pagePolicy {
		b.bad++
		t.Errorf("policy = %q", got)
	}
}

// hashed is the source of the script that a frame's first page has in it.
var hashed = regexp.MustCompile(`'sha256-[A-Za-z0-9+/=]{44}'`)

// badChoices: what a shopper's page may post. TestPick of package payment has more pairs,
// FuzzShopperBody of package shop more bodies.
func badChoices(t *testing.T, b *inputRig) {
	path := "/checkout/" + b.Open(`{"amount_usd":"25.00"}`) + "/attempts"
	limited := "/checkout/" + b.Open(`{"amount_usd":"25.00","currencies":["USDC_bep20"]}`) +
		"/attempts"
	const coin = `"currency_symbol":"USDT","network_code":"trc20"`
	var list []input
	choose := func(path, body, code, param string) {
		name := strings.TrimPrefix(path[len(path)-14:], "/")
		id := fmt.Sprintf("choice/%s %.70s of %d bytes", name, body, len(body))
		list = append(list, posted(id, path, body, code, param))
	}
	for _, pair := range [][2]string{
		{"DOGE", "doge"}, {"USDT", "polygon"}, {"trc20", "USDT"}, {"\u0423SDT", "trc20"},
		{"U\u017fDT", "trc20"}, {"USDT ", "trc20"}, {"USDT", "trc20\x00"}, {"USDT'--", "trc20"},
		{"USDC", "USDT:trc20"},
		{"USDT", ":trc20"},
		{"*", "*"},
		{strings.Repeat("U", 1024), "trc20"},
	} {
		body := `{"currency_symbol":` + quoted(pair[0]) + `,"network_code":` + quoted(pair[1]) + `}`
		choose(path, body, "network_unsupported", "network_code")
	}
	for _, pair := range [][2]string{{"USDT", "trc20"}, {"USDC", "polygon"}, {"BNB", "bep20"}} {
		body := fmt.Sprintf(`{"network_code":%q,"currency_symbol":%q}`, pair[1], pair[0])
		choose(limited, body, "network_unsupported", "network_code")
	}
	for _, body := range []string{
		"", `{}`, `{"currency_symbol":null}`, `{"currency_symbol":"USDT"}`,
	} {
		choose(path, body, "network_required", "")
	}
	choose(path, `{"network_code":"trc20"}`, "network_required", "network_code")
	choose(path, `{"currency_symbol":["USDT"]}`, "invalid", "")
	choose(path, `{"email":1}`, "invalid", "")
	for _, name := range []string{
		"amount_usd", "price", "ttl_minutes", "order_id", "wallet_address", "status",
		"callback_url", "NETWORK_CODE", "kind", "item", "order", "",
	} {
		choose(path, `{`+quoted(name)+`:"0.01",`+coin+`}`, "unknown_field", name)
	}
	choose(path, `{`+coin+`,"\u006eetwork_code":"bep20"}`, "duplicate_field", "network_code")
	for _, body := range []string{"null", "[]", "{" + coin + "}{}", "{" + coin} {
		choose(path, body, "bad_json", "")
	}
	for _, email := range []string{"a@b.example\r\nBcc: c@d.example", "a", "A <a@b.example>", " "} {
		choose(path, `{"email":`+quoted(email)+`,`+coin+`}`, "invalid", "email")
	}
	for _, comment := range []string{
		strings.Repeat("c", 201), "a\nb", "\x00", "\u202e", "\x1b[31m",
	} {
		choose(path, `{"comment":`+quoted(comment)+`,`+coin+`}`, "invalid", "comment")
	}

	const fields = "currency_symbol=USDT&network_code=trc20"
	for name, c := range map[string]struct{ form, code string }{
		"1,000 fields":      {strings.Repeat("x=1&", 1000), "network_required"},
		"20,000 fields":     {strings.Repeat("x&", 20_000), "invalid"},
		"escape":            {"currency_symbol=%zz", "invalid"},
		"semicolons":        {"currency_symbol=USDT;network_code=trc20", "invalid"},
		"nothing":           {"", "network_required"},
		"coin twice":        {"currency_symbol=DOGE&" + fields, "network_unsupported"},
		"brackets":          {"currency_symbol[]=USDT&network_code[]=trc20", "network_required"},
		"JSON":              {`{` + coin + `}`, "network_required"},
		"invalid UTF-8":     {"currency_symbol=%ff&network_code=trc20", "network_unsupported"},
		"e-mail not UTF-8":  {fields + "&email=%ff@b.example", "invalid"},
		"comment not UTF-8": {fields + "&comment=%ff", "invalid"},
	} {
		list = append(list, postForm("choice/form, "+name, path, c.form, c.code))
	}
	list = append(list, postForm("choice/in the query", path+"?"+fields, "", "network_required"))
	b.refuse(t, list)
	keptComments(t, b)
}

// keptComments: what is legal in a comment reaches the gateway behind the marker.
func keptComments(t *testing.T, b *inputRig) {
	for _, comment := range []string{
		"<b>leave it & ring</b>", `"'`, "🎁", "cs_aaaaaaaaaaaaaaaaaaaaaaaaaa", "  a  b  ",
	} {
		path := "/checkout/" + b.Open(`{"amount_usd":"25.00"}`) + "/attempts"
		body := `{"currency_symbol":"USDT","network_code":"trc20","comment":` + quoted(comment) +
			`}`
		in := posted("choice/comment "+comment, path, body, "", "")
		in.status = 200
		b.accept(t, []input{in})
		all := b.Gateway.Transactions()
		got := all[len(all)-1].Comment
		if !strings.HasSuffix(got, strings.TrimSpace(comment)) || len(got) < len(comment)+10 {
			b.bad++
			t.Errorf("comment %q came to the gateway as %q", comment, got)
		}
	}
}

// badOrigins: posts that a page of another origin has made. TestSameOrigin of package web has more.
func badOrigins(t *testing.T, b *inputRig) {
	id := b.Open(`{"amount_usd":"25.00"}`)
	var list []input
	refused := func(path string, headers ...string) {
		list = append(list, input{
			id:      fmt.Sprintf("origin/%v at %s", headers, strings.ReplaceAll(path, id, "…")),
			method:  "POST",
			path:    path,
			body:    `{"item":"coffee"}`,
			headers: append([]string{isJSON}, headers...),
			code:    "cross_site_refused",
		})
	}
	for _, action := range []string{"/attempts", "/cancel", "/recheck", "/extend"} {
		refused("/checkout/"+id+action, "Sec-Fetch-Site: cross-site")
		refused("/checkout/"+id+action, "Origin: "+shop)
	}
	refused("/checkout", "Sec-Fetch-Site: cross-site")
	refused("/checkout", "Origin: https://evil.example")
	cancel := "/checkout/" + id + "/cancel"
	for _, origin := range []string{
		"null", "http://localhost", "http://localhost:80800", "https://localhost:8080",
		"http://localhost:8080.evil.example", "http://a@localhost:8080", "http://127.0.0.1:8080",
	} {
		refused(cancel, "Origin: "+origin)
	}
	refused(cancel, "Origin: "+ownOrigin, "Sec-Fetch-Site: cross-site")
	refused(cancel, "Origin: https://evil.example", "Sec-Fetch-Site: same-origin")
	refused(cancel, "Origin: "+ownOrigin, "Origin: https://evil.example")
	refused(cancel, "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site")
	elsewhere := getPage("origin/page of another", cancel, "cross_site_refused")
	elsewhere.method = "POST"
	elsewhere.headers = append(elsewhere.headers, isForm, "Origin: https://evil.example")
	list = append(list, elsewhere)
	b.refuse(t, list)

	for action, headers := range map[string][]string{
		"/attempts": {"Origin: " + ownOrigin, "Sec-Fetch-Site: same-origin"},
		"/recheck":  {"Origin: " + ownOrigin}, // of an old browser
	} {
		body := ""
		if action == "/attempts" {
			body = `{"currency_symbol":"USDT","network_code":"trc20"}`
		}
		b.Choose(id)
		own := posted("origin/own at "+action, "/checkout/"+id+action, body, "", "")
		own.headers = append(own.headers, headers...)
		own.status = 200
		b.accept(t, []input{own})
	}
}

// badShopperKeys: a shopper's session needs only the id in the path; keys elsewhere change nothing.
func badShopperKeys(t *testing.T, b *inputRig) {
	id := b.Open(`{"amount_usd":"25.00"}`)
	var list []input
	for name, c := range map[string]struct{ query, header string }{
		"none":                {"", ""},
		"in the query":        {"?session=" + id, ""},
		"as a token":          {"?token=" + id, ""},
		"as bearer":           {"", "Authorization: Bearer " + id},
		"as cookie":           {"", "Cookie: session=" + id},
		"key of the merchant": {"", bearer},
	} {
		view := get("shopper's key/view, "+name, "/checkout/x/view"+c.query, "session_unknown")
		cancel := posted("shopper's key/cancel, "+name, "/checkout/x/cancel"+c.query, "",
			"session_unknown", "")
		if c.header != "" {
			view.headers = append(view.headers, c.header)
			cancel.headers = append(cancel.headers, c.header)
		}
		view.hasNot = "25.00"
		cancel.hasNot = "25.00"
		list = append(list, view, cancel)
	}
	b.refuse(t, list)
	for _, header := range []string{"wrong", "x, y", strings.Repeat("a", 10<<10)} {
		name := fmt.Sprintf("shopper's key/beside the id, %.10s", header)
		in := get(name, "/checkout/"+id+"/view", "", "Authorization: Bearer "+header)
		in.status = 200
		in.has = "25.00"
		b.accept(t, []input{in})
	}
}

// badReturns: queries of the return address.
func badReturns(t *testing.T, b *inputRig) {
	id := b.Open(`{"amount_usd":"25.00","order_id":341256}`)
	other := b.Open(`{"amount_usd":"26.00","order_id":351256}`)
	for _, s := range []string{id, other} {
		b.Choose(s)
		b.Await(s, "pending")
	}
	all := b.Gateway.Transactions()
	code, otherCode := all[len(all)-2].TrackingCode, all[len(all)-1].TrackingCode
	const number = "&order_id=341256"
	var list []input
	neutral := func(name, query, hasNot string) {
		in := getPage("return/"+name, "/return?"+query, "")
		in.status = 200
		in.has = "<html"
		in.hasNot = hasNot
		list = append(list, in)
	}
	for name, query := range map[string]string{
		"nothing":             "",
		"code alone":          "tracking_code=" + code,
		"number alone":        "order_id=341256",
		"number of another":   "tracking_code=" + code + "&order_id=351256",
		"code of another":     "tracking_code=" + otherCode + number,
		"two codes":           "tracking_code=" + code + "&tracking_code=" + otherCode + number,
		"two numbers":         "tracking_code=" + code + number + "&order_id=351256",
		"brackets":            "tracking_code[]=" + code + number,
		"leading zero":        "tracking_code=" + code + "&order_id=0341256",
		"plus":                "tracking_code=" + code + "&order_id=%2B341256",
		"hexadecimal":         "tracking_code=" + code + "&order_id=0x53508",
		"line behind":         "tracking_code=" + code + "%0d%0aX-A:b" + number,
		"other case":          "tracking_code=" + flip(code) + number,
		"cut":                 "tracking_code=" + code[:len(code)-1] + number,
		"like":                "tracking_code=%25" + number,
		"SQL":                 "tracking_code=%27%20OR%201=1--" + number,
		"10 KiB":              "tracking_code=" + strings.Repeat("a", 10<<10),
		"semicolon":           "tracking_code=" + code + ";order_id=341256",
		"session id":          "tracking_code=" + id + number,
		"another session":     "session=" + other,
		"confirmed of nobody": "status=confirmed&tracking_code=none&order_id=100000",
		"many":                strings.Repeat("a=b&", 7000),
	} {
		neutral(name, query, "cs_")
	}
	neutral("away", "url=https://evil.example&callback_url=//evil.example&next=//evil.example",
		"evil")
	neutral("header", "status=%0d%0aLocation:%20https://evil.example", "evil")
	for _, status := range []string{
		"confirmed", "expired", "review", "x", "", "confirmed&status=expired", "%00",
	} {
		query := "tracking_code=" + code + number + "&status=" + status
		in := get("return/status "+status, "/return?"+query, "")
		in.status = 303
		in.hasNot = other
		list = append(list, in)
	}
	b.refuse(t, list)
	if a, c := b.Status(id), b.Status(other); a != "pending" || c != "pending" {
		b.bad++
		t.Errorf("statuses = %s, %s; want both pending", a, c)
	}
}

// flip returns s in another case.
func flip(s string) string {
	if up := strings.ToUpper(s); up != s {
		return up
	}
	if low := strings.ToLower(s); low != s {
		return low
	}
	return s + "x" // no letters
}

// badHooks: hints of any shape, and tokens that are not ours. FuzzHint of package shop has more.
func badHooks(t *testing.T, b *inputRig) {
	id := b.Open(`{"amount_usd":"25.00"}`)
	b.Choose(id)
	b.Await(id, "pending")
	all := b.Gateway.Transactions()
	code := all[len(all)-1].TrackingCode
	own := `{"tracking_code":"` + code + `"`
	var list []input
	for name, body := range map[string]string{
		"nothing":         "",
		"open":            "{",
		"confirmed":       own + `,"status":"confirmed","paid_amount":"25"}`,
		"inside":          `{"data":[` + own + `,"status":"confirmed"}]}`,
		"form":            "tracking_code=" + code + "&status=confirmed",
		"XML":             "<tracking_code>" + code + "</tracking_code><status>confirmed</status>",
		"code of nobody":  `{"tracking_code":"none"}`,
		"SQL":             `{"tracking_code":"' OR 1=1--"}`,
		"not UTF-8":       "\xff\x00\xfe",
		"4,000 names":     strings.Repeat("tracking_code=", 4000),
		"another amount":  own + `,"pay_amount":"0.00000001","amount_usd":"0.01"}`,
		"another address": own + `,"wallet_address":"T"}`,
		"cancelled":       own + `,"status":"cancelled","is_canceled_by_user":true}`,
		"deep":            strings.Repeat("[", 60_000),
	} {
		in := posted("hook/"+name, "/hooks/gateway/"+hookToken+"?status=confirmed", body, "", "")
		in.status = 204
		list = append(list, in)
	}
	for name, path := range map[string]string{
		"none":         "/",
		"word":         "/x",
		"upper case":   "/" + strings.ToUpper(hookToken),
		"NUL behind":   "/" + hookToken + "%00",
		"cut":          "/" + hookToken[:len(hookToken)-1],
		"one more":     "/" + hookToken + "a",
		"slash behind": "/" + hookToken + "/",
		"10 KiB":       "/" + strings.Repeat("a", 10<<10),
		"in the query": "?token=" + hookToken,
	} {
		list = append(list,
			posted("hook/token "+name, "/hooks/gateway"+path, own+"}", "not_found", ""))
	}
	as := posted("hook/token as bearer", "/hooks/gateway/x", "", "not_found", "")
	as.headers = []string{isJSON, "Authorization: Bearer " + hookToken}
	list = append(list, as)
	b.refuse(t, list)

	fortest.Has(t, "the log", b.Log.String(), "/hooks/") // without the token: see servertest.Start
	if got := b.Status(id); got != "pending" {
		b.bad++
		t.Errorf("status = %s; want pending", got)
	}
}
