package server_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"hash"
	"strings"
	"testing"
	"time"

	"coinslot/bff/order"

	"github.com/shopspring/decimal"
)

// badStates: B25 and B51, what a session's state rules out.
func badStates(t *testing.T, b *inputRig) {
	paid, cancelled, pending, open := b.Open(`{"amount_usd":"25.00"}`), b.Open(`{"amount_usd":"25.00"}`), b.Open(`{"amount_usd":"25.00"}`), b.Open(`{"amount_usd":"25.00"}`)
	for _, id := range []string{paid, pending} {
		b.Choose(id)
		b.Await(id, "pending")
	}
	all := b.Gateway.Transactions()
	b.pay(t, all[len(all)-2].TrackingCode, paid)
	b.Do("POST", "/v1/sessions/"+cancelled+"/cancel", "", bearer)
	coin := `{"currency_symbol":"USDT","network_code":"bep20"}`
	var list []input
	add := func(name, method, path, body, code, param string) {
		list = append(list, input{id: "B25/" + name, method: method, path: path, body: body, headers: []string{bearer, isJSON}, code: code, param: param})
	}
	add("cancel a paid one", "POST", "/v1/sessions/"+paid+"/cancel", "", "session_paid", "")
	add("shopper cancels a paid one", "POST", "/checkout/"+paid+"/cancel", "", "session_paid", "")
	add("choose for a paid one", "POST", "/checkout/"+paid+"/attempts", coin, "session_paid", "")
	add("choose for a cancelled one", "POST", "/checkout/"+cancelled+"/attempts", coin, "session_expired", "")
	add("recheck of an open one", "POST", "/v1/sessions/"+open+"/recheck", "", "not_possible", "")
	add("shopper's recheck of an open one", "POST", "/checkout/"+open+"/recheck", "", "not_possible", "")
	add("recheck of a cancelled one", "POST", "/v1/sessions/"+cancelled+"/recheck", "", "not_possible", "")
	add("simulate with real money", "POST", "/checkout/"+open+"/simulate", `{"kind":"pay"}`, "not_found", "")
	for name, id := range map[string]string{"an open": open, "a pending": pending, "a paid": paid, "a cancelled": cancelled} {
		for _, as := range []string{"confirmed", "cancelled"} {
			add("resolve "+name+" one as "+as, "POST", "/v1/sessions/"+id+"/resolve", `{"as":"`+as+`","reason":"x"}`, "not_possible", "")
		}
		if id != paid {
			add("receipt of "+name+" one", "GET", "/checkout/"+id+"/receipt", "", "not_possible", "")
		}
	}
	for name, body := range map[string]string{"no reason": `{"as":"confirmed"}`, "empty reason": `{"as":"confirmed","reason":""}`, "reason of two lines": `{"as":"confirmed","reason":"a\nb"}`, "reason of 501": `{"as":"confirmed","reason":"` + strings.Repeat("r", 501) + `"}`, "override": `{"as":"confirmed","reason":"\u202ex"}`, "NUL": `{"as":"confirmed","reason":"\u0000"}`, "number": `{"as":"confirmed","reason":1}`} {
		add("resolve with "+name, "POST", "/v1/sessions/"+open+"/resolve", body, "invalid", "reason")
	}
	for name, body := range map[string]string{"number": `{"as":1,"reason":"x"}`, "list": `{"as":["confirmed"],"reason":"x"}`, "true": `{"as":true,"reason":"x"}`} {
		add("resolve as a "+name, "POST", "/v1/sessions/"+open+"/resolve", body, "invalid", "as")
	}
	add("resolve with more", "POST", "/v1/sessions/"+open+"/resolve", `{"as":"confirmed","reason":"x","tx_id":"y"}`, "unknown_field", "tx_id")
	add("resolve twice", "POST", "/v1/sessions/"+open+"/resolve", `{"as":"confirmed","as":"cancelled","reason":"x"}`, "duplicate_field", "as")
	add("resolve in capitals", "POST", "/v1/sessions/"+open+"/resolve", `{"AS":"confirmed","reason":"x"}`, "unknown_field", "AS")
	for name, body := range map[string]string{"nothing": "", "null": "null", "list": "[]", "two": `{"as":"confirmed","reason":"x"}{}`} {
		add("resolve with "+name, "POST", "/v1/sessions/"+open+"/resolve", body, "bad_json", "")
	}
	for _, doc := range []string{`{"amount_usd":"0.01"}`, `{"status":"confirmed"}`, "{", "null", "[]"} { // B50: no body is documented, so one that says something is a mistake
		for _, at := range []string{"/checkout/" + open + "/cancel", "/v1/sessions/" + cancelled + "/cancel"} {
			code := "bad_json"
			if strings.HasPrefix(doc, `{"`) {
				code = "unknown_field"
			}
			add("cancel with "+doc+" at "+at[:5], "POST", at, doc, code, "")
		}
	}
	for _, at := range []string{"/checkout/" + open + "/cancel", "/checkout/" + paid + "/recheck", "/v1/sessions/" + cancelled + "/cancel", "/v1/sessions/" + paid + "/recheck"} {
		short := strings.NewReplacer(open, "…", paid, "…", cancelled, "…").Replace(at)
		list = append(list, input{id: "B25/coded body at " + short, method: "POST", path: at, body: "{}", headers: []string{bearer, isJSON, "Content-Encoding: gzip"}, code: "unsupported_media_type"},
			input{id: "B25/text at " + short, method: "POST", path: at, body: "{}", headers: []string{bearer, "Content-Type: text/plain"}, code: "unsupported_media_type"},
			input{id: "B25/large body at " + short, method: "POST", path: at, body: "{" + strings.Repeat(" ", 65<<10) + "}", headers: []string{bearer, isJSON}, code: "too_large"})
		if strings.HasPrefix(at, "/checkout") {
			list = append(list, input{id: "B25/coded form at " + short, method: "POST", path: at, body: "lang=de", headers: []string{isForm, "Accept: application/json", "Content-Encoding: gzip"}, code: "unsupported_media_type"},
				input{id: "B25/form at " + short, method: "POST", path: at, body: "lang=de&amount_usd=0.01", headers: []string{isForm, "Accept: application/json"}, code: "unknown_field", param: "amount_usd"})
		} else {
			list = append(list, input{id: "B25/form at " + short, method: "POST", path: at, body: "lang=de", headers: []string{bearer, isForm}, code: "unsupported_media_type"})
		}
	}
	for name, at := range map[string]string{"paid, recheck": paid, "pending, same coin": pending} {
		path, body := "/checkout/"+at+"/recheck", ""
		if at == pending {
			path, body = "/checkout/"+at+"/attempts", `{"currency_symbol":"usdt","network_code":"USDT:TRC20"}`
		}
		list = append(list, input{id: "B25/again, " + name, method: "POST", path: path, body: body, headers: []string{isJSON}, status: 200, alone: true})
	}
	list = append(list, input{id: "B25/again, with an empty object", method: "POST", path: "/v1/sessions/" + cancelled + "/cancel", body: " {} ", headers: []string{bearer, isJSON}, status: 200, alone: true},
		input{id: "B25/again, with a form", method: "POST", path: "/checkout/" + cancelled + "/cancel", body: "lang=de&theme=dark&embed=inline&origin=x", headers: []string{isForm}, status: 303, alone: true})
	list = append(list, input{id: "B25/again, cancel by the merchant", method: "POST", path: "/v1/sessions/" + cancelled + "/cancel", headers: []string{bearer}, status: 200, has: `"status":"cancelled"`, alone: true},
		input{id: "B25/again, cancel by the shopper", method: "POST", path: "/checkout/" + cancelled + "/cancel", headers: []string{isJSON}, status: 200, has: `"status":"cancelled"`, alone: true})
	b.refuse(t, list)
	tooMany(t, b)
}

// tooMany: B51, a coin chosen again and again.
func tooMany(t *testing.T, b *inputRig) {
	id := b.Open(`{"amount_usd":"25.00"}`)
	for i, coin := range append([]string{"trc20", "bep20", "ton"}, strings.Fields("trc20 bep20 ton trc20 bep20 ton trc20 bep20 ton")...) {
		b.accept(t, []input{{id: fmt.Sprintf("B51/coin %d", i+1), method: "POST", path: "/checkout/" + id + "/attempts", body: `{"currency_symbol":"USDT","network_code":"` + coin + `"}`, headers: []string{isJSON}, status: 200, has: `"status":"pending"`}})
	}
	before := b.livingAt()
	b.refuse(t, []input{{id: "B51/once more", method: "POST", path: "/checkout/" + id + "/attempts", body: `{"currency_symbol":"USDC","network_code":"bep20"}`, headers: []string{isJSON}, code: "too_many_attempts"}})
	if now := b.livingAt(); now != before {
		t.Errorf("%d transactions can be paid; before the refusal it were %d", now, before)
	}
}

// livingAt returns how many transactions can be paid at the gateway.
func (b *inputRig) livingAt() (n int) {
	for _, tx := range b.Gateway.Transactions() {
		if tx.Status == "pending" {
			n++
		}
	}
	return n
}

// signed makes a token of any header and payload.
func signed(header, payload, key string, with func() hash.Hash) string {
	text := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString([]byte(payload))
	mac := hmac.New(with, []byte(key))
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

const hs256 = `{"alg":"HS256","typ":"JWT"}`

// badTokens: B28 and B29, what is no token of ours, at the page and at the post.
func badTokens(t *testing.T, b *inputRig) {
	payload := fmt.Sprintf(`{"amount_usd":"25.00","order_ref":"token","exp":%d}`, time.Now().Add(time.Hour).Unix())
	good := signed(hs256, payload, orderKey, sha256.New)
	parts := strings.Split(good, ".")
	std := base64.StdEncoding.EncodeToString([]byte(payload))
	tokens := map[string]string{
		"word": "abc", "dots": "..", "two dots more": good + "..", "four parts": good + ".x", "two parts": parts[0] + "." + parts[1], "no signature": parts[0] + "." + parts[1] + ".", "no payload": parts[0] + ".." + parts[2], "no header": "." + parts[1] + "." + parts[2],
		"other key": signed(hs256, payload, secretKey, sha256.New), "empty key": signed(hs256, payload, "", sha256.New), "half the key": signed(hs256, payload, orderKey[:16], sha256.New), "cut signature": good[:len(good)-1], "longer signature": good + "A", "first letter of it": parts[0] + "." + parts[1] + "." + other(parts[2][:1]) + parts[2][1:],
		"alg none": signed(`{"alg":"none"}`, payload, orderKey, sha256.New), "alg none, unsigned": base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + parts[1] + ".", "alg None": base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"None"}`)) + "." + parts[1] + ".", "alg hs256": signed(`{"alg":"hs256"}`, payload, orderKey, sha256.New),
		"HS384": signed(`{"alg":"HS384"}`, payload, orderKey, sha512.New384), "HS512": signed(`{"alg":"HS512"}`, payload, orderKey, sha512.New), "RS256": signed(`{"alg":"RS256"}`, payload, orderKey, sha256.New), "ES256": signed(`{"alg":"ES256"}`, payload, orderKey, sha256.New), "EdDSA": signed(`{"alg":"EdDSA"}`, payload, orderKey, sha256.New), "no alg": signed(`{"typ":"JWT"}`, payload, orderKey, sha256.New), "alg a list": signed(`{"alg":["HS256"]}`, payload, orderKey, sha256.New), "alg null": signed(`{"alg":null}`, payload, orderKey, sha256.New),
		"header a list": signed(`[]`, payload, orderKey, sha256.New), "header a text": signed(`"HS256"`, payload, orderKey, sha256.New), "header cut": signed(`{"alg":"HS256"`, payload, orderKey, sha256.New), "critical extension": signed(`{"alg":"HS256","crit":["exp"],"exp":1}`, payload, orderKey, sha256.New), "payload not encoded": signed(`{"alg":"HS256","b64":false,"crit":["b64"]}`, payload, orderKey, sha256.New),
		"padded": parts[0] + "." + parts[1] + "=." + parts[2], "padded signature": good + "=", "standard alphabet": parts[0] + "." + std + "." + parts[2], "line in it": parts[0] + ".\n" + parts[1] + "." + parts[2], "space before": " " + good, "space behind": good + " ", "quotes": `"` + good + `"`, "Bearer": "Bearer " + good, "changed price": parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(payload, "25.00", "0.01", 1))) + "." + parts[2],
		"encrypted": good + ".a.b", "JSON form": `{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`, "NUL": good + "\x00", "10 KiB": strings.Repeat("a", 10<<10), "10 KiB of dots": strings.Repeat(".", 10<<10), "encoded twice": strings.ReplaceAll(good, ".", "%252e"), "script": "<script>alert(1)</script>", "signed with the public text": signed(hs256, payload, parts[0], sha256.New), "payload a list": signed(hs256, "["+payload+"]", orderKey, sha256.New), "payload a text": signed(hs256, `"x"`, orderKey, sha256.New),
		"payload empty": signed(hs256, "", orderKey, sha256.New), "payload null": signed(hs256, "null", orderKey, sha256.New), "payload twice": signed(hs256, payload+payload, orderKey, sha256.New), "payload with a mark": signed(hs256, "\ufeff"+payload, orderKey, sha256.New), "payload of 7,000 bytes": signed(hs256, payload+strings.Repeat(" ", 7000), orderKey, sha256.New), "payload not UTF-8": signed(hs256, strings.Replace(payload, "token", "\xff", 1), orderKey, sha256.New),
	}
	var list []input
	for name, token := range tokens {
		list = append(list, offered("B29/"+name, token, "order"))
	}
	list = append(list, input{id: "B28/page of a bad token", method: "GET", path: "/checkout?order=a.b.c", headers: []string{"Accept: text/html"}, code: "order_invalid", hasNot: "25.00"},
		input{id: "B28/page of an empty token", method: "GET", path: "/checkout?order=", headers: []string{"Accept: text/html"}, code: "item_unknown"},
		input{id: "B28/page of two tokens, the bad one first", method: "GET", path: "/checkout?order=a.b.c&order=" + good, headers: []string{"Accept: text/html"}, code: "order_invalid"},
		input{id: "B28/token and item", method: "GET", path: "/checkout?order=" + good + "&item=coffee", headers: []string{"Accept: application/json"}, code: "order_invalid", param: "item"},
		input{id: "B28/token in a list", method: "GET", path: "/checkout?order[]=" + good, headers: []string{"Accept: application/json"}, code: "item_unknown"},
		input{id: "B29/token as an item", method: "GET", path: "/checkout?item=" + good, headers: []string{"Accept: application/json"}, code: "item_unknown"},
		input{id: "B29/session id as a token", method: "GET", path: "/checkout?order=cs_aaaaaaaaaaaaaaaaaaaaaaaaaa", headers: []string{"Accept: application/json"}, code: "order_invalid"})
	b.refuse(t, list)
	fresh := signed(hs256, strings.Replace(payload, "token", "token-2", 1), orderKey, sha256.New)
	b.accept(t, []input{{id: "B28/page of a good token", method: "GET", path: "/checkout?order=" + fresh, headers: []string{"Accept: text/html"}, status: 200, has: "25.00"}})
}

// offered is a post of a token that is refused.
func offered(id, token, param string) input {
	return input{id: id, method: "POST", path: "/checkout", body: `{"order":` + quoted(token) + `,"currency_symbol":"USDT","network_code":"trc20"}`, headers: []string{isJSON}, code: "order_invalid", param: param, hasNot: "25.00"}
}

// badClaims: correctly signed tokens with invalid claims (B2 to B21 again).
func badClaims(t *testing.T, b *inputRig) {
	soon := time.Now().Add(time.Hour).Unix()
	claims := func(amount, ref, exp, more string) string {
		return signed(hs256, `{"amount_usd":`+amount+`,"order_ref":`+ref+`,"exp":`+exp+more+`}`, orderKey, sha256.New)
	}
	at, exp := fmt.Sprint(soon), fmt.Sprint(soon)
	var list []input
	for _, amount := range []string{"null", `""`, "25", "25.00", "[]", "true", `"0"`, `"-1"`, `"1e3"`, `"1.005"`, `"1,00"`, `" 1"`, `"NaN"`, `"1000000000"`, `"\uff11"`} {
		list = append(list, offered("B29/amount "+amount, claims(amount, `"c"`, exp, ""), "amount_usd"))
	}
	for _, ref := range []string{"null", `""`, "1001", "[]", `"a\nb"`, `"\u0000"`, `"\u202e"`, `"` + strings.Repeat("r", 129) + `"`} {
		list = append(list, offered(fmt.Sprintf("B29/ref %.20s", ref), claims(`"25.00"`, ref, exp, ""), "order_ref"))
	}
	for _, when := range []string{"null", "0", "-1", "1", `""`, `"soon"`, "[]", "{}", "true", fmt.Sprint(time.Now().Add(-time.Minute).Unix()), `"2030-01-01"`, "1e400", "-1e300"} {
		list = append(list, offered("B29/exp "+when, claims(`"25.00"`, `"c"`, when, ""), "order"))
	}
	for _, when := range []string{"1e300", "9223372036854775808", "99999999999999999999", `"` + at + `"`} {
		list = append(list, offered("B29/exp "+strings.ReplaceAll(when, at, "in quotes"), claims(`"25.00"`, `"c"`, when, ""), ""))
	}
	late := offered("B29/exp in milliseconds",
		claims(`"25.00"`, `"c"`, fmt.Sprint(soon*1000), ""), "exp")
	late.has = "Math.floor(Date.now() / 1000)"
	list = append(list, late)
	for name, more := range map[string]string{
		"nbf to come": fmt.Sprintf(`,"nbf":%d`, soon), "nbf a text": `,"nbf":"x"`, "iat a text": `,"iat":"x"`, "aud a number": `,"aud":1`, "iss a list": `,"iss":[]`, "sub a number": `,"sub":1`, "jti an object": `,"jti":{}`, "unknown": `,"price":"1"`, "amount again": `,"amount_usd":"0.01"`, "amount in capitals": `,"AMOUNT_USD":"0.01"`, "exp again": `,"exp":` + exp, "EXP": `,"EXP":` + exp,
		"status": `,"status":"confirmed"`, "address": `,"address":"T"`, "email": `,"email":"x"`, "success_url": `,"success_url":"javascript:x"`, "ttl": `,"ttl_minutes":0`, "order_id": `,"order_id":1`, "currencies": `,"currencies":["*"]`, "metadata": `,"metadata":{"":""}`, "title": `,"title":"a\nb"`, "nested": `,"claims":{}`,
	} {
		list = append(list, offered("B29/claim "+name, claims(`"25.00"`, `"c"`, exp, more), ""))
	}
	list = append(list, offered("B29/no amount", signed(hs256, `{"order_ref":"c","exp":`+exp+`}`, orderKey, sha256.New), "amount_usd"), offered("B29/no ref", signed(hs256, `{"amount_usd":"25.00","exp":`+exp+`}`, orderKey, sha256.New), "order_ref"),
		offered("B29/no exp", signed(hs256, `{"amount_usd":"25.00","order_ref":"c"}`, orderKey, sha256.New), "order"))
	b.Open(`{"amount_usd":"25.00","order_ref":"claimed"}`)
	conflict := offered("B10/token of a reference that is taken", claims(`"24.00"`, `"claimed"`, exp, ""), "order_ref")
	conflict.code = "order_conflict"
	list = append(list, conflict)
	b.refuse(t, list)
}

// badOffers: what a page may post for an item (B28, B30, B50), and invalid catalogs.
func badOffers(t *testing.T, b *inputRig) {
	const coin = `"currency_symbol":"USDT","network_code":"trc20"`
	var list []input
	offer := func(id, members, code, param string) {
		list = append(list, input{id: id, method: "POST", path: "/checkout", body: "{" + members + "," + coin + "}", headers: []string{isJSON}, code: code, param: param})
	}
	for _, item := range []string{"", "tea", "Coffee", "COFFEE", "coffee ", " coffee", "coffee\x00", "c\u043effee", "../coffee", "coffee/..", "*", "__proto__", "items", strings.Repeat("c", 5000), "coffee,tip", "0"} {
		offer(fmt.Sprintf("B28/item %.20q", item), `"item":`+quoted(item), "item_unknown", "item")
	}
	for _, amount := range []string{"0.99", "100.01", "0", "-5", "1e1", "5.001", " 5", "5,00", "NaN", "\uff15", "+5", "0x5", "999999999", "005"} {
		offer("B30/tip of "+amount, `"item":"tip","amount":`+quoted(amount), "amount_invalid", "amount")
	}
	for _, name := range []string{"amount_usd", "price", "currency_amount", "address", "wallet_address", "status", "session", "order_id", "order_ref", "ttl_minutes", "success_url", "callback_url", "tracking_code", "Item", "ITEM", "offer", "choice", "hosted"} {
		offer("B50/"+name+" with an item", `"item":"coffee",`+quoted(name)+`:"0.01"`, "unknown_field", name)
	}
	for name, members := range map[string]string{"item a number": `"item":1`, "item a list": `"item":["coffee"]`, "amount a number": `"item":"tip","amount":5`, "key a number": `"item":"coffee","key":1`, "order an object": `"order":{}`} {
		offer("B28/"+name, members, "invalid", "")
	}
	offer("B28/item twice", `"item":"coffee","item":"tip"`, "duplicate_field", "item")
	offer("B28/item and token", `"item":"coffee","order":"a.b.c"`, "order_invalid", "item")
	for _, key := range []string{"a b", "\x00", "ключ", strings.Repeat("k", 256), "a\nb", " "} {
		offer(fmt.Sprintf("B11/page key %.10q", key), `"item":"coffee","key":`+quoted(key), "invalid", "key")
	}
	const picked = "&currency_symbol=USDT&network_code=trc20"
	for name, c := range map[string][3]string{
		"no item":                {"", picked, "item_unknown"},
		"item in the query":      {"?item=coffee", picked, "item_unknown"},
		"two items, bad first":   {"", "item=tea&item=coffee" + picked, "item_unknown"},
		"two amounts, bad first": {"", "item=tip&amount=0.01&amount=5" + picked, "amount_invalid"},
		"no coin":                {"", "item=coffee", "network_required"},
	} {
		list = append(list, input{
			id: "B28/form, " + name, method: "POST", path: "/checkout" + c[0], body: c[1],
			headers: []string{isForm, "Accept: application/json"}, code: c[2],
		})
	}
	b.refuse(t, list)
	for _, amount := range []string{"4.50", "1.10", "0.07", "100", "123456.78", "0.30"} { // without quotes, and exact all the same
		b.sent++
		catalog, err := order.ParseCatalog([]byte("items: {a: {amount_usd: " + amount + "}}"))
		if err != nil {
			b.report(t, "B6/catalogue "+amount, []string{err.Error()})
			continue
		}
		if o, err := catalog.Order("a", order.Request{}, "en"); err != nil || !o.AmountUSD.Equal(decimal.RequireFromString(amount)) {
			b.report(t, "B6/catalogue "+amount, []string{fmt.Sprint(o.AmountUSD, err)})
			continue
		}
		b.report(t, "B6/catalogue "+amount, nil)
	}
	for name, text := range badCatalogs {
		b.sent++
		_, err := order.ParseCatalog([]byte(text))
		if err == nil {
			b.report(t, "B96/catalogue "+name, []string{"it is taken"})
			continue
		}
		b.report(t, "B96/catalogue "+name, nil)
	}
}

// badCatalogs are files that must not start a server.
var badCatalogs = map[string]string{
	"octal": "items: {a: {amount_usd: 010}}", "hex": "items: {a: {amount_usd: 0x10}}", "underscore": "items: {a: {amount_usd: 1_000}}", "sexagesimal": "items: {a: {amount_usd: 12:30}}", "true": "items: {a: {amount_usd: true}}", "list": "items: {a: {amount_usd: [1]}}",
	"item twice": "items:\n  a: {amount_usd: \"1\"}\n  a: {amount_usd: \"2\"}\n", "amount twice": "items: {a: {amount_usd: \"1\", amount_usd: \"2\"}}", "items twice": "items: {a: {amount_usd: \"1\"}}\nitems: {a: {amount_usd: \"2\"}}\n", "two documents": "items: {a: {amount_usd: \"1\"}}\n---\nitems: {a: {amount_usd: \"2\"}}\n",
	"Items": "Items: {a: {amount_usd: \"1\"}}", "Amount_USD": "items: {a: {Amount_USD: \"1\"}}", "price": "items: {a: {price: \"1\"}}", "a list of items": "items: [{amount_usd: \"1\"}]", "text": "items: coffee", "tab": "items:\n\ta: {amount_usd: \"1\"}\n", "zero": "items: {a: {amount_usd: \"0\"}}", "three digits": "items: {a: {amount_usd: \"1.005\"}}", "exponent": "items: {a: {amount_usd: \"1e3\"}}",
	"slash": "items: {\"a/b\": {amount_usd: \"1\"}}", "empty id": "items: {\"\": {amount_usd: \"1\"}}", "id with a dot": "items: {\"a.b\": {amount_usd: \"1\"}}", "65 letters": "items: {" + strings.Repeat("a", 65) + ": {amount_usd: \"1\"}}", "null": "items: {a: null}", "negative ttl": "items: {a: {amount_usd: \"1\", ttl_minutes: -1}}", "ttl of a fraction": "items: {a: {amount_usd: \"1\", ttl_minutes: 1.5}}",
	"open and nothing": "items: {a: {open: {}}}", "no suggestion": "items: {a: {open: {minimum: \"1\", maximum: \"2\"}}}", "minimum of zero": "items: {a: {open: {minimum: \"0\", maximum: \"2\", suggested: \"1\"}}}", "unclosed": "items: {a: {amount_usd: \"1\"}", "currency": "items: {a: {amount_usd: \"1\", currencies: [\"*\"]}}", "cancel_url": "items: {a: {amount_usd: \"1\", cancel_url: \"//evil\"}}",
	"title of two lines": "items: {a: {amount_usd: \"1\", title: \"a\\nb\"}}", "aliases that grow": "x: &x [a,a,a,a,a,a,a,a,a]\ny: &y [*x,*x,*x,*x,*x,*x,*x,*x,*x]\nitems: {a: {currencies: *y, amount_usd: \"1\"}}\n", "NUL": "items: {a: {amount_usd: \"1\", title: \"\\0\"}}",
}

// other returns a letter that letter is not.
func other(letter string) string {
	if letter == "A" {
		return "B"
	}
	return "A"
}
