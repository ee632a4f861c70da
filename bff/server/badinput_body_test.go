package server_test

import (
	"fmt"
	"strings"
	"testing"
)

// badBodies: B14 to B17, bodies that are no JSON object, too large or mislabeled.
func badBodies(t *testing.T, b *inputRig) {
	var list []input
	const good = `{"amount_usd":"1"}`
	for name, body := range map[string]string{
		"empty": "", "space": " ", "line feed": "\n", "null": "null", "list": "[]", "list of one": "[" + good + "]", "text": `"x"`, "number": "1", "true": "true", "open": "{", "close": "}", "cut": good[:len(good)-1],
		"cut in a text": `{"amount_usd":"1`, "cut after a name": `{"amount_usd"`, "cut after a backslash": `{"amount_usd":"1\`, "two objects": good + good, "two lines": good + "\n" + good, "trailing word": good + " x", "trailing comma": `{"amount_usd":"1",}`,
		"trailing bracket": good + "]", "trailing NUL": good + "\x00", "leading NUL": "\x00" + good, "leading comma": `{,"amount_usd":"1"}`, "no colon": `{"amount_usd" "1"}`, "no comma": `{"amount_usd":"1" "title":"x"}`, "single quotes": `{'amount_usd':'1'}`,
		"bare name": `{amount_usd:"1"}`, "line comment": "// x\n" + good, "block comment": `{/**/"amount_usd":"1"}`, "hash comment": "# x\n" + good, "NaN": `{"amount_usd":NaN}`, "Infinity": `{"ttl_minutes":Infinity}`, "undefined": `{"amount_usd":undefined}`,
		"leading zero": `{"ttl_minutes":015}`, "hex": `{"ttl_minutes":0x1f}`, "plus": `{"ttl_minutes":+5}`, "bare fraction": `{"ttl_minutes":.5}`, "byte order mark": "\ufeff" + good, "UTF-16LE": "\xff\xfe{\x00}\x00", "UTF-16BE": "\xfe\xff\x00{\x00}",
		"UTF-32": "\x00\x00\x00{\x00\x00\x00}", "invalid UTF-8": "{\"amount_usd\":\"1\",\"title\":\"\xff\"}", "invalid UTF-8 in a name": "{\"amount_usd\":\"1\",\"\xff\":\"x\"}", "overlong": "{\"amount_usd\":\"1\",\"title\":\"\xc0\xaf\"}", "surrogate in UTF-8": "{\"amount_usd\":\"1\",\"title\":\"\xed\xa0\x80\"}",
		"half a surrogate": `{"amount_usd":"1","title":"\ud800"}`, "low half": `{"amount_usd":"1","title":"\udc00"}`, "halves turned around": `{"amount_usd":"1","title":"\udc00\ud800"}`, "half an escape": `{"amount_usd":"1","title":"\u00"}`, "no escape": `{"amount_usd":"1","title":"\x41"}`,
		"line feed in a text": "{\"amount_usd\":\"1\",\"title\":\"a\nb\"}", "NUL in a text": "{\"amount_usd\":\"1\",\"title\":\"a\x00b\"}", "form": "amount_usd=1", "XML": "<amount_usd>1</amount_usd>", "YAML": "amount_usd: '1'", "gzip": "\x1f\x8b\x08\x00\x00\x00\x00\x00", "template": "{{amount}}", "JSONP": "x(" + good + ")",
		"vertical tab": "\v" + good, "no-break space": "\u00a0" + good, "text with a sequence": "\x1e" + good + "\n", "deep": `{"metadata":` + strings.Repeat(`{"a":`, 10_001) + "1" + strings.Repeat("}", 10_001) + "}", "deep and cut": strings.Repeat(`{"metadata":`, 5000),
	} {
		list = append(list, create("B14/"+name, body, "bad_json", ""))
	}
	list = append(list, create("B14/deep lists", `{"amount_usd":"1","metadata":`+strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)+"}", "invalid", "metadata"))
	list = append(list, badSizes(good)...)
	list = append(list, badKinds(good)...)
	list = append(list, badMethods()...)
	b.refuse(t, list)
	b.accept(t, []input{
		taken("B15/exactly 64 KiB", good+strings.Repeat(" ", 64<<10-len(good)), "cs_"),
		taken("B14/white space all around", "\r\n\t "+good+"\r\n\t ", "cs_"),
		{id: "B16/charset", method: "POST", body: good, headers: []string{bearer, "Content-Type: application/json; charset=utf-8"}, status: 201},
		{id: "B16/in capitals", method: "POST", body: good, headers: []string{bearer, "Content-Type: APPLICATION/JSON"}, status: 201},
		{id: "B17/override in a header", method: "POST", body: good, headers: []string{bearer, isJSON, "X-HTTP-Method-Override: DELETE", "X-Method-Override: GET", "X-HTTP-Method: PUT"}, status: 201},
		{id: "B17/override in the query", method: "POST", path: "/v1/sessions?_method=GET", body: good, headers: []string{bearer, isJSON}, status: 201},
	})
}

// badSizes: B15, over a handler; those that need a connection are in badinput_wire_test.go.
func badSizes(good string) []input {
	return []input{
		create("B15/64 KiB and one", good+strings.Repeat(" ", 64<<10-len(good)+1), "too_large", ""),
		create("B15/2 MiB", good+strings.Repeat(" ", 2<<20), "too_large", ""),
		create("B15/2 MiB in a text", `{"title":"`+strings.Repeat("x", 2<<20)+`"}`, "too_large", ""),
		{id: "B15/form", method: "POST", path: "/checkout", body: "item=coffee&key=" + strings.Repeat("k", 70<<10), headers: []string{isForm, "Accept: application/json"}, code: "too_large"},
		{id: "B15/choice", method: "POST", path: "/checkout", body: `{"item":"coffee","key":"` + strings.Repeat("k", 70<<10) + `"}`, headers: []string{isJSON}, code: "too_large"},
		{id: "B15/hint", method: "POST", path: "/hooks/gateway/" + hookToken, body: strings.Repeat("k", 70<<10), code: "too_large"},
	}
}

// badKinds: B16.
func badKinds(good string) (list []input) {
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/octet-stream", "text/json", "json", "application", "application/", "/json", "*/*", "application/*", "application/jsonp", "application/json5",
		"application/ld+json", "application/vnd.api+json", "application/json-patch+json", "application/problem+json", "application/x-ndjson", "application/cbor", "application/json, text/plain", "application/json text/plain", "application/json; charset", "application/json; charset=utf-8; charset=utf-16", "application/json; =x", "\x01", "application/jsоn"} {
		list = append(list, input{id: fmt.Sprintf("B16/%q", kind), method: "POST", body: good, headers: []string{bearer, "Content-Type: " + kind}, code: "unsupported_media_type", param: "Content-Type"})
	}
	list = append(list, input{id: "B16/none", method: "POST", body: good, headers: []string{bearer}, code: "unsupported_media_type"},
		input{id: "B16/empty", method: "POST", body: good, headers: []string{bearer, "Content-Type: "}, code: "unsupported_media_type"},
		input{id: "B16/two, text first", method: "POST", body: good, headers: []string{bearer, "Content-Type: text/plain", isJSON}, code: "unsupported_media_type"},
		input{id: "B16/two, JSON first", method: "POST", body: good, headers: []string{bearer, isJSON, "Content-Type: text/plain"}, code: "unsupported_media_type"})
	for _, coding := range []string{"gzip", "deflate", "br", "zstd", "gzip, gzip", "x", "compress"} {
		list = append(list, create("B16/coded "+coding, good, "unsupported_media_type", "Content-Type", "Content-Encoding: "+coding))
	}
	list = append(list, create("B16/coded, said second", good, "unsupported_media_type", "", "Content-Encoding: ", "Content-Encoding: gzip"))
	for name, kind := range map[string]string{"text": "text/plain", "multipart": "multipart/form-data; boundary=x", "XML": "application/xml", "broken": "application/json; a", "none": ""} {
		in := input{id: "B16/choice as " + name, method: "POST", path: "/checkout", body: `{"item":"coffee","currency_symbol":"USDT","network_code":"trc20"}`, headers: []string{"Accept: application/json"}, code: "unsupported_media_type"}
		if kind != "" {
			in.headers = append(in.headers, "Content-Type: "+kind)
		}
		list = append(list, in)
	}
	return append(list, input{id: "B16/coded choice", method: "POST", path: "/checkout", body: `{"item":"coffee","currency_symbol":"USDT","network_code":"trc20"}`, headers: []string{isJSON, "Content-Encoding: gzip"}, code: "unsupported_media_type"},
		input{id: "B16/coded form", method: "POST", path: "/checkout", body: "item=coffee&currency_symbol=USDT&network_code=trc20", headers: []string{isForm, "Accept: application/json", "Content-Encoding: gzip"}, code: "unsupported_media_type"})
}

// badMethods: B17, each route by what it does not take.
func badMethods() (list []input) {
	for _, method := range []string{"PUT", "PATCH", "DELETE", "TRACE", "OPTIONS", "FOO", "get", "post", "PROPFIND", "QUERY"} {
		list = append(list, input{id: "B17/" + method, method: method, body: `{"amount_usd":"1"}`, headers: []string{bearer, isJSON}, code: "method_not_allowed"})
	}
	for path, wrong := range map[string]string{
		"/v1/sessions/cs_x": "POST PUT PATCH DELETE", "/v1/sessions/cs_x/cancel": "GET DELETE PUT", "/v1/sessions/cs_x/recheck": "GET PUT", "/v1/sessions/cs_x/resolve": "GET PUT PATCH", "/v1/currencies": "POST DELETE",
		"/checkout": "PUT DELETE", "/checkout/cs_x": "POST PUT DELETE", "/checkout/cs_x/attempts": "GET PUT", "/checkout/cs_x/cancel": "GET DELETE", "/checkout/cs_x/extend": "GET PUT DELETE", "/checkout/cs_x/recheck": "GET", "/checkout/cs_x/view": "POST DELETE",
		"/checkout/cs_x/live": "POST", "/checkout/cs_x/qr.svg": "POST", "/checkout/cs_x/receipt": "POST DELETE", "/return": "POST PUT", "/hooks/gateway/x": "GET PUT", "/checkout.js": "POST", "/checkout/doctor": "PUT DELETE", "/checkout/doctor/live": "POST",
	} {
		for _, method := range strings.Fields(wrong) {
			list = append(list, input{id: "B17/" + method + " " + path, method: method, path: path, headers: []string{bearer}, code: "method_not_allowed"})
		}
	}
	return list
}

// badTexts: B20, what travels to pages, mails and the gateway.
func badTexts(t *testing.T, b *inputRig) {
	var list []input
	emails := map[string]string{
		"header": "a@b.example\r\nBcc: c@d.example", "line feed": "a@b.example\n", "only a line": "\n", "NUL": "a@b.example\x00", "no at": "a.example", "no domain": "a@", "no name": "@b.example", "two ats": "a@b@c.example", "space": "a b@c.example", "space inside": "a @b.example",
		"display name": "A <a@b.example>", "brackets": "<a@b.example>", "quoted name": `"A B" <a@b.example>`, "quoted part": `"a b"@c.example`, "list": "a@b.example,c@d.example", "semicolon": "a@b.example;c@d.example", "comment": "a@b.example (x)", "mailto": "mailto:a@b.example", "1,000 characters": strings.Repeat("a", 990) + "@b.example",
		"255 characters": strings.Repeat("a", 245) + "@b.example", "override": "a\u202e@b.example", "only dots behind": "a@..", "script": "<script>@b.example", "tab": "a\t@b.example", "group": "g: a@b.example;", "percent": "a@b.example%0aBcc:c",
	}
	for name, v := range emails {
		list = append(list, member("B20/email "+name, "email", quoted(v), "invalid"))
	}
	for _, field := range []struct {
		name  string
		limit int
	}{{"title", 200}, {"description", 2000}} {
		for name, v := range map[string]string{"too long": strings.Repeat("x", field.limit+1), "too long in letters of four bytes": strings.Repeat("💶", field.limit+1), "NUL": "a\x00b", "escape": "\x1b[2J", "override": "\u202eevil", "isolate": "\u2067x", "DEL": "\x7f", "C1": "\u0090x"} {
			list = append(list, member("B20/"+field.name+" "+name, field.name, quoted(v), "invalid"))
		}
		for _, v := range []string{"1", "[]", "{}", "true"} {
			list = append(list, member("B20/"+field.name+" "+v, field.name, v, "invalid"))
		}
	}
	list = append(list, member("B20/title of two lines", "title", `"a\nb"`, "invalid"), member("B20/title with a tab", "title", `"a\tb"`, "invalid"))
	for name, v := range map[string]string{
		"21 pairs": "{" + pairs(21) + "}", "empty key": `{"":"x"}`, "key of 65": `{"` + strings.Repeat("k", 65) + `":"x"}`, "value of 501": `{"k":"` + strings.Repeat("v", 501) + `"}`, "number": `{"k":1}`, "null": `{"k":null}`, "list": `{"k":["v"]}`, "object": `{"k":{"v":"x"}}`, "true": `{"k":true}`,
		"key of two lines": `{"a\nb":"x"}`, "NUL in a key": `{"a\u0000":"x"}`, "NUL in a value": `{"k":"\u0000"}`, "override in a value": `{"k":"\u202e"}`, "a list": `["k"]`, "a text": `"k"`, "3,000 pairs": "{" + pairs(3000) + "}",
	} {
		list = append(list, member("B20/metadata "+name, "metadata", v, "invalid"))
	}
	b.refuse(t, list)
	good := []input{taken("B20/metadata of 20 pairs", `{"amount_usd":"1","metadata":{`+pairs(20)+`}}`, "")}
	for typed, want := range map[string]string{
		"taro..yamada@docomo.ne.jp": "taro..yamada@docomo.ne.jp", ".foo@ezweb.ne.jp": ".foo@ezweb.ne.jp",
		" a@b.example ": "a@b.example", "\u200ec@d.example\u00a0": "c@d.example",
	} {
		body := `{"amount_usd":"1","email":` + quoted(typed) + `}`
		good = append(good, taken("B20/email "+typed, body, want))
	}
	for name, title := range map[string]string{
		"left-to-right mark": "a\u200eb", "right-to-left mark": "a\u200fb", "Arabic mark": "a\u061cb",
	} {
		body := `{"amount_usd":"1","title":` + quoted(title) + `}`
		good = append(good, taken("B20/title with a "+name, body, title))
	}
	b.accept(t, good)
	for name, v := range map[string]string{"script": "<script>alert(1)</script>", "end of the data": "</script><!--", "template": "{{7*7}}", "entity": "&lt;", "separators": "\u2028\u2029", "quotes": `"'` + "`", "emoji": "👩‍👩‍👧", "composed": "e\u0301", "right to left": "שלום", "formula": "=1+1"} {
		b.accept(t, []input{taken("B20/kept "+name, `{"amount_usd":"1","title":`+quoted(v)+`,"description":`+quoted(v)+`,"metadata":{"k":`+quoted(v)+`}}`, `"title":`+quoted(v))})
	}
}

// badNumbers: B21, and the other numbers of an order.
func badNumbers(t *testing.T, b *inputRig) {
	var list []input
	for name, values := range map[string][]string{
		"ttl_minutes":        {"0", "-1", "1.5", "15.0", "1e1", `"15"`, "true", "[]", "{}", `""`, "10081", "1000001", "2147483648", "9223372036854775807", "9223372036854775808", "18446744073709551616", "-9223372036854775809", "1e400", "-0", strings.Repeat("9", 1000)},
		"expires_in_minutes": {"0", "-1", "1.5", "60.0", "1e2", `"60"`, "false", "[60]", "129601", "1000001", "9223372036854775807", "9223372036854775808", "153722867281", "1e400"},
		"order_id":           {"0", "1", "99999", "1000000", "-123456", "123456.0", "123456.5", "1e5", `"123456"`, "true", "[]", "9223372036854775808", "4294967296123456", "18446744073709675072"},
	} {
		for _, v := range values {
			list = append(list, member(fmt.Sprintf("B21/%s %.25s", name, v), name, v, "invalid"))
		}
	}
	for name, v := range map[string]string{"text": `"USDT"`, "number": `[1]`, "null": `[null]`, "empty": `[""]`, "space": `["USDT "]`, "51": "[" + strings.Repeat(`"USDT",`, 50) + `"USDT"]`, "long": `["` + strings.Repeat("U", 17) + `"]`, "long network": `["USDT_` + strings.Repeat("t", 33) + `"]`,
		"Cyrillic": `["\u0423SDT"]`, "two networks": `["USDT_trc20_bep20"]`, "colon": `["USDT:trc20"]`, "SQL": `["USDT'--"]`, "line": `["USDT\n"]`, "list": `[["USDT"]]`, "star": `["*"]`, "no coin": `["_trc20"]`, "no network": `["USDT_"]`, "object": `{"0":"USDT"}`} {
		list = append(list, member("B21/currencies "+name, "currencies", v, "invalid"))
	}
	b.refuse(t, list)
	b.accept(t, []input{
		taken("B21/ttl 1", `{"amount_usd":"1","ttl_minutes":1}`, ""), taken("B21/ttl of a week", `{"amount_usd":"1","ttl_minutes":10080}`, ""),
		taken("B21/expires in 90 days", `{"amount_usd":"1","expires_in_minutes":129600}`, ""), taken("B21/null is absent", `{"amount_usd":"1","ttl_minutes":null,"order_ref":null,"metadata":null,"currencies":null,"lang":null,"order_id":null}`, ""),
		taken("B21/first order_id", `{"amount_usd":"1","order_id":100000}`, ""), taken("B21/last order_id", `{"amount_usd":"1","order_id":999999}`, ""),
		taken("B31/language that is not there", `{"amount_usd":"1","lang":"xx"}`, `"lang":"xx"`), taken("B31/right to left", `{"amount_usd":"1","lang":"ar-EG"}`, `"lang":"ar-EG"`),
	})
	var languages []input
	for name, v := range map[string]string{
		"path": "../en", "tag": "<b>", "1,000 characters": strings.Repeat("e", 1000), "one letter": "e",
		"NUL": "en\x00", "star": "*", "list": "de,en", "weights": "de;q=0.1", "Cyrillic": "\u0435n",
	} {
		body := `{"amount_usd":"1","lang":` + quoted(v) + `}`
		languages = append(languages, taken("B31/order in "+name, body, `"lang":""`))
	}
	for name, want := range map[string]string{
		"de_CH": "de-CH", "pt_BR": "pt-BR", "th-TH-u-ca-buddhist": "th-TH-u-ca-buddhist",
		"en-US-x-foo": "en-US-x-foo", " en": "en", "en\n": "en", "dash-": "", "en-": "en",
		"de-a1-b2-c3-d4": "de",
	} {
		body := `{"amount_usd":"1","lang":` + quoted(name) + `}`
		languages = append(languages, taken("B31/order in "+name, body, `"lang":"`+want+`"`))
	}
	b.accept(t, languages)
}
