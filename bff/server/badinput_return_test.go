package server_test

import (
	"fmt"
	"strings"
	"testing"
)

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
		input{id: "hook/token as bearer", method: "POST", path: "/hooks/gateway/x", headers: []string{isJSON, "Authorization: Bearer " + hookToken}, code: "not_found"})
	b.refuse(t, list)
	if got := b.Status(id); got != "pending" {
		b.bad++
		t.Errorf("status = %s; want pending", got)
	}
}
