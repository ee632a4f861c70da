package server_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"
	"coinslot/static"
)

// badFrames: B19, B30 to B32, B39, B44 and B45, the query of the frame's address. It is ignored or
// normalized; the policy never contains it.
func badFrames(t *testing.T, b *inputRig) {
	id := b.Open(`{"amount_usd":"25.00"}`)
	var list []input
	show := func(name, query, has, hasNot string, headers ...string) {
		list = append(list, input{id: name, method: "GET", path: "/checkout/" + id + "?" + query, headers: append(headers, "Accept: text/html"), status: 200, has: has, hasNot: hasNot})
	}
	for _, origin := range []string{"*", "null", "https://evil.example", "https://shop.example.evil.example", "https://evil.example%2F%40shop.example", "https://shop.example%40evil.example", "http://shop.example", "https://shop.example:8443", "https://*.example", "https://shop.exampl", "https://shop.example/path", "https://shop.example%3Fx", "https://shop.example%23x",
		"https://shop.example%0d%0aX-A:b", "https://shop.example%20https://evil.example", "https://shop.example;script-src%20*", "%22%3E%3Cscript%3E", "data:text/html,x", "javascript:alert(1)", "file://", "//shop.example", "shop.example", "https://", "https://%D1%95hop.example", "https://shop.example.", strings.Repeat("https://a.example,", 100), "https://[::1]", "https://shop.example%00"} {
		show("B19/"+fmt.Sprintf("%.45s", origin), "embed=inline&origin="+origin, `data-origin=""`, "evil")
	}
	for _, origin := range []string{"https://shop.example", "https://shop.example/", "HTTPS://SHOP.EXAMPLE", "https://shop.example:443"} {
		show("B19/listed "+origin, "embed=inline&origin="+origin, `data-origin="https://shop.example"`, "")
	}
	for _, lang := range []string{"xx", "../en", "%3Cb%3E", strings.Repeat("e", 1000), "%00", "en%0d%0a", "*", "e", "en_US", "%D0%B5n", "en;q=1", "-", "zz-ZZ-zz-ZZ-zz"} {
		show(fmt.Sprintf("B31/%.20s", lang), "lang="+lang, `<html lang="en" dir="ltr"`, "<b>")
	}
	for _, theme := range []string{"red;background:url(//evil)", "expression(alert(1))", "var(--x)", strings.Repeat("a", 7000), "DARK", "%22%20onload=%22x", "dark%20light", "%00", "high-contrast"} {
		show(fmt.Sprintf("B32/%.20s", theme), "theme="+theme, `class="theme-auto"`, "evil")
	}
	for _, embed := range []string{"popup", "INLINE", "%22%3E", "inline%20modal", "1"} {
		show("B32/embed "+embed, "embed="+embed, `data-embed=""`, "")
	}
	for _, name := range []string{"amount", "amount_usd", "price", "currency_amount", "address", "wallet", "wallet_address", "pay_amount"} {
		show("B30/"+name, name+"=0.0171", "25.00", "0.0171")
	}
	for _, name := range []string{"success_url", "cancel_url", "return_url", "return-url", "redirect", "next"} {
		show("B45/"+name, name+"=https://evil.example", "25.00", "evil")
		show("B45/script as "+name, name+"=javascript:alert(1171)", "25.00", "1171")
	}
	show("B30/status", "status=confirmed", `data-status="open"`, "")
	show("B39/fragment in the query", "%23token=x", "25.00", "")
	show("B39/lang twice", "lang=%3Cb%3E&lang=de", `lang="en"`, "")
	show("B39/bad escape", "lang=%zz&theme=dark", `class="theme-dark"`, "")
	show("B39/semicolons", "theme=dark;embed=modal", `class="theme-auto"`, "")
	show("B39/7,000 parameters", strings.Repeat("a&", 7000), "25.00", "")
	show("B39/change of nothing", "change=1", `data-status="open"`, "")
	show("B44/weights", "", `lang="en"`, "", "Accept-Language: *;q=x, en;q=999, ;;;,,,")
	show("B44/8,000 tags", "", "25.00", "", "Accept-Language: "+strings.Repeat("a-b,", 8000))
	show("B44/NUL", "", "25.00", "", "Accept-Language: \x00")
	b.refuse(t, list)
	need.Assets(t, static.Files) // the policy names the hash of a script
	w := b.Do("GET", "/checkout/"+id+"?embed=inline&origin=https://evil.example;script-src%20*", "")
	if got := w.Header().Get("Content-Security-Policy"); strings.Replace(got, " "+hashed.FindString(got), "", 1) != pagePolicy {
		b.bad++
		t.Errorf("policy = %q", got)
	}
}

// hashed is the source of the script that a frame's first page has in it.
var hashed = regexp.MustCompile(`'sha256-[A-Za-z0-9+/=]{44}'`)

// badChoices: B20, B49, B50, what a shopper's page may post.
func badChoices(t *testing.T, b *inputRig) {
	id := b.Open(`{"amount_usd":"25.00"}`)
	limited := b.Open(`{"amount_usd":"25.00","currencies":["USDC_bep20"]}`)
	var list []input
	choose := func(name, session, body, code, param string, headers ...string) {
		list = append(list, input{id: name, method: "POST", path: "/checkout/" + session + "/attempts", body: body, headers: append([]string{isJSON}, headers...), code: code, param: param})
	}
	for name, pair := range map[string][2]string{
		"unknown coin": {"DOGE", "doge"}, "unknown network": {"USDT", "polygon2"}, "of another coin": {"USDT", "polygon"}, "coin as network": {"USDT", "USDT"}, "turned around": {"trc20", "USDT"}, "Cyrillic": {"\u0423SDT", "trc20"}, "Cyrillic network": {"USDT", "tr\u044120"}, "full width": {"\uff35SDT", "trc20"}, "long s": {"U\u017fDT", "trc20"}, "Kelvin": {"USDT", "\u212a"}, "space": {"USDT ", "trc20"},
		"space before": {" USDT", "trc20"}, "NUL": {"USDT\x00", "trc20"}, "NUL network": {"USDT", "trc20\x00"}, "SQL": {"USDT'--", "trc20"}, "HTML": {"<b>USDT</b>", "trc20"}, "1 KiB": {strings.Repeat("U", 1024), "trc20"}, "1 KiB network": {"USDT", strings.Repeat("t", 1024)}, "contradiction": {"USDC", "USDT:trc20"}, "two colons": {"USDT", "USDT:trc20:bep20"}, "colon first": {"USDT", ":trc20"}, "colon last": {"USDT", "trc20:"}, "star": {"*", "*"}, "code of currency list": {"usdt_trc20", "trc20"}, "soft hyphen": {"US\u00adDT", "trc20"}, "override": {"\u202eTDSU", "trc20"}, "number": {"0", "0"}, "prototype": {"__proto__", "trc20"}, "combining": {"USDT\u0301", "trc20"},
	} {
		choose("B49/"+name, id, `{"currency_symbol":`+quoted(pair[0])+`,"network_code":`+quoted(pair[1])+`}`, "network_unsupported", "network_code")
	}
	for name, pair := range map[string][2]string{"not allowed": {"USDT", "trc20"}, "not this network": {"USDC", "polygon"}, "not this coin": {"BNB", "bep20"}} {
		choose("B49/limited, "+name, limited, `{"currency_symbol":"`+pair[0]+`","network_code":"`+pair[1]+`"}`, "network_unsupported", "network_code")
	}
	for name, body := range map[string]string{"nothing": `{}`, "nulls": `{"currency_symbol":null,"network_code":null}`, "empty": `{"currency_symbol":"","network_code":""}`, "coin of many networks": `{"currency_symbol":"USDT"}`, "network alone": `{"network_code":"trc20"}`} {
		choose("B49/"+name, id, body, "network_required", "network_code")
	}
	for name, body := range map[string]string{"coin a number": `{"currency_symbol":1}`, "coin a list": `{"currency_symbol":["USDT"]}`, "network an object": `{"network_code":{}}`, "email a number": `{"email":1}`, "comment true": `{"comment":true}`} {
		choose("B49/"+name, id, body, "invalid", "")
	}
	const coin = `"currency_symbol":"USDT","network_code":"trc20"`
	for _, name := range []string{"amount_usd", "amount", "price", "ttl", "ttl_minutes", "order_id", "order_ref", "wallet_address", "address", "status", "session", "callback_url", "pay_amount", "tracking_code", "version", "test", "Currency_Symbol", "NETWORK_CODE", "networkCode", "kind", "__proto__", "item", "order", "key", ""} {
		choose(fmt.Sprintf("B50/%q", name), id, `{`+coin+`,`+quoted(name)+`:"0.01"}`, "unknown_field", name)
	}
	choose("B50/coin twice", id, `{`+coin+`,"currency_symbol":"USDC"}`, "duplicate_field", "currency_symbol")
	choose("B50/network twice, escaped", id, `{`+coin+`,"\u006eetwork_code":"bep20"}`, "duplicate_field", "network_code")
	for name, v := range map[string]string{"header": "a@b.example\r\nBcc: c@d.example", "no at": "a", "long": strings.Repeat("a", 250) + "@b.example", "display name": "A <a@b.example>", "NUL": "a@b.example\x00", "list": "a@b.example,c@d.example", "space": " "} {
		choose("B20/shopper's email "+name, id, `{`+coin+`,"email":`+quoted(v)+`}`, "invalid", "email")
	}
	for name, v := range map[string]string{"long": strings.Repeat("c", 201), "50 KiB": strings.Repeat("c", 50<<10), "two lines": "a\nb", "tab": "a\tb", "NUL": "\x00", "escape": "\x1b[31m", "override": "\u202e", "C1": "\u0085"} {
		choose("B20/shopper's comment "+name, id, `{`+coin+`,"comment":`+quoted(v)+`}`, "invalid", "comment")
	}
	for name, body := range map[string]string{"none": "", "null": "null", "list": "[]", "text": `"USDT"`, "two": "{" + coin + "}{}", "cut": "{" + coin, "form": "currency_symbol=USDT"} {
		in := input{id: "B14/choice " + name, method: "POST", path: "/checkout/" + id + "/attempts", body: body, headers: []string{isJSON}, code: "bad_json"}
		if body == "" {
			in.code = "network_required"
		}
		list = append(list, in)
	}
	attempts := "/checkout/" + id + "/attempts"
	list = append(append(list, badForms(attempts)...), input{
		id: "B49/choice in the query", method: "POST", code: "network_required",
		path:    attempts + "?currency_symbol=USDT&network_code=trc20",
		headers: []string{isForm, "Accept: application/json"},
	})
	b.refuse(t, list)
	kept(t, b)
}

// badForms are choices as a page without scripts posts them.
func badForms(path string) (list []input) {
	for name, c := range map[string][2]string{
		"1,000 fields":  {strings.Repeat("x=1&", 1000), "network_required"},
		"20,000 fields": {strings.Repeat("x&", 20_000), "invalid"},
		"escape":        {"currency_symbol=%zz", "invalid"}, "half an escape": {"currency_symbol=USDT&network_code=trc20%2", "invalid"}, "semicolons": {"currency_symbol=USDT;network_code=trc20", "invalid"}, "nothing": {"", "network_required"}, "coin twice": {"currency_symbol=DOGE&currency_symbol=USDT&network_code=trc20", "network_unsupported"}, "in brackets": {"currency_symbol[]=USDT&network_code[]=trc20", "network_required"},
		"spaces": {"currency_symbol=+USDT+&network_code=trc20", "network_unsupported"}, "NUL": {"currency_symbol=USDT%00&network_code=trc20", "network_unsupported"}, "JSON": {`{"currency_symbol":"USDT","network_code":"trc20"}`, "network_required"}, "invalid UTF-8": {"currency_symbol=%ff&network_code=trc20", "network_unsupported"}, "email not UTF-8": {"currency_symbol=USDT&network_code=trc20&email=%ff@b.example", "invalid"}, "comment not UTF-8": {"currency_symbol=USDT&network_code=trc20&comment=%ff", "invalid"},
	} {
		list = append(list, input{id: "B49/form, " + name, method: "POST", path: path, body: c[0], headers: []string{isForm, "Accept: application/json"}, code: c[1]})
	}
	return list
}

// kept: B20, what is legal in a comment reaches the gateway behind the marker.
func kept(t *testing.T, b *inputRig) {
	for name, comment := range map[string]string{"HTML": "<b>leave it & ring</b>", "formula": "=1+1", "quotes": `"'`, "emoji": "🎁", "a marker of our kind": "cs_aaaaaaaaaaaaaaaaaaaaaaaaaa", "spaces": "  a  b  "} {
		id := b.Open(`{"amount_usd":"25.00"}`)
		b.accept(t, []input{{id: "B20/comment kept, " + name, method: "POST", path: "/checkout/" + id + "/attempts", body: `{"currency_symbol":"USDT","network_code":"trc20","comment":` + quoted(comment) + `}`, headers: []string{isJSON}, status: 200}})
		all := b.Gateway.Transactions()
		if got := all[len(all)-1].Comment; !strings.HasSuffix(got, strings.TrimSpace(comment)) || len(got) < len(comment)+10 {
			b.bad++
			t.Errorf("comment %q came to the gateway as %q", comment, got)
		}
	}
}

// badOrigins: B52, posts that a page of another origin has made.
func badOrigins(t *testing.T, b *inputRig) {
	id := b.Open(`{"amount_usd":"25.00"}`)
	var list []input
	for _, path := range []string{"/checkout/" + id + "/attempts", "/checkout/" + id + "/cancel", "/checkout/" + id + "/recheck", "/checkout/" + id + "/extend", "/checkout"} {
		short := strings.ReplaceAll(path, id, "…")
		for _, header := range []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", "Sec-Fetch-Site: SAME-ORIGIN", "Sec-Fetch-Site: x", "Origin: null", "Origin: " + shop, "Origin: https://evil.example"} {
			list = append(list, input{id: "B52/" + header + " at " + short, method: "POST", path: path, body: `{"item":"coffee"}`, headers: []string{isJSON, header}, code: "cross_site_refused"})
		}
	}
	for _, origin := range []string{"http://localhost", "http://localhost:80800", "http://localhost:8081", "https://localhost:8080", "http://localhost:8080/", "http://localhost:8080.evil.example", "http://evil.example:8080", "http://a@localhost:8080", "localhost:8080", "http://localhost:8080 https://evil.example", "http://127.0.0.1:8080", "file://", "*"} {
		list = append(list, input{id: "B52/" + origin, method: "POST", path: "/checkout/" + id + "/cancel", headers: []string{isForm, "Accept: application/json", "Origin: " + origin}, code: "cross_site_refused"})
	}
	list = append(list, input{id: "B52/own origin, other site", method: "POST", path: "/checkout/" + id + "/cancel", headers: []string{isJSON, "Origin: " + ownOrigin, "Sec-Fetch-Site: cross-site"}, code: "cross_site_refused"},
		input{id: "B52/own site, other origin", method: "POST", path: "/checkout/" + id + "/cancel", headers: []string{isJSON, "Origin: https://evil.example", "Sec-Fetch-Site: same-origin"}, code: "cross_site_refused"},
		input{id: "B52/two origins, own first", method: "POST", path: "/checkout/" + id + "/cancel", headers: []string{isJSON, "Origin: " + ownOrigin, "Origin: https://evil.example"}, code: "cross_site_refused"},
		input{id: "B52/two sites, own first", method: "POST", path: "/checkout/" + id + "/cancel", headers: []string{isJSON, "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"}, code: "cross_site_refused"},
		input{id: "B52/page of another origin", method: "POST", path: "/checkout/" + id + "/cancel", headers: []string{isForm, "Accept: text/html", "Origin: https://evil.example"}, code: "cross_site_refused"})
	b.refuse(t, list)
	b.accept(t, []input{
		{id: "B52/own origin", method: "POST", path: "/checkout/" + id + "/attempts", body: `{"currency_symbol":"USDT","network_code":"trc20"}`, headers: []string{isJSON, "Origin: " + ownOrigin, "Sec-Fetch-Site: same-origin"}, status: 200},
		{id: "B52/own origin of an old browser", method: "POST", path: "/checkout/" + id + "/recheck", headers: []string{isJSON, "Origin: " + ownOrigin}, status: 200},
	})
}

// badShopperKeys: B48. A shopper's session needs only the id in the path; keys elsewhere change
// nothing.
func badShopperKeys(t *testing.T, b *inputRig) {
	id := b.Open(`{"amount_usd":"25.00"}`)
	var list []input
	for name, c := range map[string]struct {
		path    string
		headers []string
	}{
		"none": {"/checkout/x", nil}, "in the query": {"/checkout/x%s?session=" + id, nil}, "as a token": {"/checkout/x%s?token=" + id, nil}, "as bearer": {"/checkout/x", []string{"Authorization: Bearer " + id}},
		"as cookie": {"/checkout/x", []string{"Cookie: session=" + id}}, "key of the merchant": {"/checkout/x", []string{bearer}}, "two keys": {"/checkout/x", []string{bearer, "Authorization: Bearer " + id}},
		"10 KiB": {"/checkout/" + strings.Repeat("a", 10<<10), nil}, "in capitals": {"/checkout/" + strings.ToUpper(id), nil}, "cut": {"/checkout/" + id[:len(id)-1], nil}, "one more": {"/checkout/" + id + "a", nil}, "without its start": {"/checkout/" + id[3:], nil},
	} {
		for method, action := range map[string]string{"GET": "/view", "POST": "/cancel", "HEAD": "/qr.svg"} {
			path := c.path + action
			if strings.Contains(c.path, "%s") {
				path = strings.Replace(c.path, "%s", action, 1)
			}
			in := input{id: "B48/" + name + " for " + method, method: method, path: path, headers: append([]string{"Accept: application/json"}, c.headers...), code: "session_unknown", hasNot: "25.00"}
			list = append(list, in)
		}
	}
	b.refuse(t, list)
	for name, headers := range map[string][]string{"wrong": {"Authorization: Bearer wrong"}, "two": {"Authorization: a", "Authorization: b"}, "lower case": {"Authorization: bearer x"}, "10 KiB": {"Authorization: Bearer " + strings.Repeat("a", 10<<10)}} {
		b.accept(t, []input{{id: "B48/key beside the id, " + name, method: "GET", path: "/checkout/" + id + "/view", headers: headers, status: 200, has: "25.00"}})
	}
}

// badReturns: B53 and B54, queries of the return address.
func badReturns(t *testing.T, b *inputRig) {
	id, other := b.Open(`{"amount_usd":"25.00","order_id":341256}`), b.Open(`{"amount_usd":"26.00","order_id":351256}`)
	for _, s := range []string{id, other} {
		b.Choose(s)
		b.Await(s, "pending")
	}
	all := b.Gateway.Transactions()
	code, otherCode := all[len(all)-2].TrackingCode, all[len(all)-1].TrackingCode
	var list []input
	for name, query := range map[string]string{
		"nothing": "", "code alone": "tracking_code=" + code, "number alone": "order_id=341256", "number of another": "tracking_code=" + code + "&order_id=351256", "code of another": "tracking_code=" + otherCode + "&order_id=341256", "two codes": "tracking_code=" + code + "&tracking_code=" + otherCode + "&order_id=341256", "one code twice": "tracking_code=" + code + "&tracking_code=" + code + "&order_id=341256", "two numbers": "tracking_code=" + code + "&order_id=341256&order_id=351256",
		"brackets": "tracking_code[]=" + code + "&order_id=341256", "leading zero": "tracking_code=" + code + "&order_id=0341256", "fraction": "tracking_code=" + code + "&order_id=341256.0", "exponent": "tracking_code=" + code + "&order_id=3.41256e5", "plus": "tracking_code=" + code + "&order_id=%2B341256", "space": "tracking_code=" + code + "&order_id=%20341256", "full width": "tracking_code=" + code + "&order_id=%EF%BC%93%EF%BC%94%EF%BC%91%EF%BC%92%EF%BC%95%EF%BC%96", "hexadecimal": "tracking_code=" + code + "&order_id=0x53508",
		"NUL behind": "tracking_code=" + code + "%00&order_id=341256", "line behind": "tracking_code=" + code + "%0d%0aX-A:b&order_id=341256", "space behind": "tracking_code=" + code + "%20&order_id=341256", "lower case": "tracking_code=" + flip(code) + "&order_id=341256", "cut": "tracking_code=" + code[:len(code)-1] + "&order_id=341256", "like": "tracking_code=%25&order_id=341256", "underscores": "tracking_code=" + strings.Repeat("_", len(code)) + "&order_id=341256", "SQL": "tracking_code=%27%20OR%201=1--&order_id=341256", "10 KiB": "tracking_code=" + strings.Repeat("a", 10<<10),
		"semicolon": "tracking_code=" + code + ";order_id=341256", "bad escape": "tracking_code=" + code + "&order_id=341256%zz", "names in capitals": "TRACKING_CODE=" + code + "&ORDER_ID=341256", "session id": "tracking_code=" + id + "&order_id=341256", "another session": "session=" + other, "script": "tracking_code=%3Cscript%3Ealert(1)%3C/script%3E", "two statuses": "status=pending&status=confirmed", "confirmed of nobody": "status=confirmed&tracking_code=none&order_id=100000", "many": strings.Repeat("a=b&", 7000),
		"away": "url=https://evil.example&redirect=//evil.example&callback_url=https://evil.example&return_url=https://evil.example&next=//evil.example", "header": "status=%0d%0aLocation:%20https://evil.example",
	} {
		list = append(list, input{id: "B54/" + name, method: "GET", path: "/return?" + query, headers: []string{"Accept: text/html"}, status: 200, has: "<html", hasNot: "cs_"})
	}
	for i := range list {
		if strings.Contains(list[i].path, "evil") {
			list[i].hasNot = "evil"
		}
	}
	for _, status := range []string{"confirmed", "expired", "cancelled", "pending", "review", "x", "CONFIRMED", "", "confirmed&status=expired", "%00", "0"} {
		list = append(list, input{id: "B53/" + status, method: "GET", path: "/return?tracking_code=" + code + "&order_id=341256&status=" + status, status: 303, hasNot: other})
	}
	b.refuse(t, list)
	if a, c := b.Status(id), b.Status(other); a != "pending" || c != "pending" {
		b.bad++
		t.Errorf("statuses = %s, %s; want both pending", a, c)
	}
}

// flip turns the case of letters around.
func flip(s string) string {
	if up := strings.ToUpper(s); up != s {
		return up
	}
	if low := strings.ToLower(s); low != s {
		return low
	}
	return s + "x" // no letters
}

// badHooks: hints of any shape, and tokens that are not ours.
func badHooks(t *testing.T, b *inputRig) {
	id := b.Open(`{"amount_usd":"25.00"}`)
	b.Choose(id)
	b.Await(id, "pending")
	all := b.Gateway.Transactions()
	code := all[len(all)-1].TrackingCode
	var list []input
	for name, body := range map[string]string{
		"nothing": "", "null": "null", "open": "{", "list": "[]", "confirmed": `{"tracking_code":"` + code + `","status":"confirmed","paid_amount":"25"}`, "confirmed inside": `{"data":[{"tracking_code":"` + code + `","status":"confirmed"}]}`, "form": "tracking_code=" + code + "&status=confirmed", "XML": "<tracking_code>" + code + "</tracking_code><status>confirmed</status>", "code of nobody": `{"tracking_code":"none"}`, "SQL": `{"tracking_code":"' OR 1=1--"}`, "not UTF-8": "\xff\x00\xfe", "4,000 names": strings.Repeat("tracking_code=", 4000),
		"a hundred codes": strings.Repeat(`"tracking_code":"a",`, 100), "long code": `"tracking_code":"` + strings.Repeat("a", 60_000) + `"`, "another amount": `{"tracking_code":"` + code + `","pay_amount":"0.00000001","amount_usd":"0.01"}`, "another address": `{"tracking_code":"` + code + `","wallet_address":"T"}`, "cancelled": `{"tracking_code":"` + code + `","status":"cancelled","is_canceled_by_user":true}`, "expired": `{"tracking_code":"` + code + `","status":"expired"}`, "deep": strings.Repeat("[", 60_000),
	} {
		for _, kind := range []string{isJSON, "Content-Type: text/xml"} {
			list = append(list, input{id: "hook/" + name + " as " + kind[14:], method: "POST", path: "/hooks/gateway/" + hookToken + "?status=confirmed", body: body, headers: []string{kind}, status: 204})
		}
	}
	for name, token := range map[string]string{
		"none": "", "word": "x", "upper case": strings.ToUpper(hookToken), "NUL behind": hookToken + "%00", "cut": hookToken[:len(hookToken)-1], "one more": hookToken + "a", "slash behind": hookToken + "/", "slash inside": hookToken + "%2f", "space before": "%20" + hookToken, "10 KiB": strings.Repeat("a", 10<<10), "dots": "..%2f" + hookToken, "star": "*", "twice": hookToken + hookToken, "encoded twice": strings.ReplaceAll(hookToken, "-", "%252d"),
	} {
		list = append(list, input{id: "hook/token " + name, method: "POST", path: "/hooks/gateway/" + token, body: fmt.Sprintf(`{"tracking_code":%q}`, code), headers: []string{isJSON}, code: "not_found"})
	}
	list = append(list, input{id: "hook/token in the query", method: "POST", path: "/hooks/gateway?token=" + hookToken, headers: []string{isJSON}, code: "not_found"},
		input{id: "hook/large", method: "POST", path: "/hooks/gateway/" + hookToken,
			body: strings.Repeat("x", 65<<10), code: "too_large"},
		input{id: "hook/token as bearer", method: "POST", path: "/hooks/gateway/x", headers: []string{isJSON, "Authorization: Bearer " + hookToken}, code: "not_found"})
	b.refuse(t, list)
	fortest.Has(t, "the log", b.Log.String(), "/hooks/") // without the token: see newRig
	if got := b.Status(id); got != "pending" {
		b.bad++
		t.Errorf("status = %s; want pending", got)
	}
}
