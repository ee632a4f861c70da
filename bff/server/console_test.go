package server_test

import (
	"encoding/csv"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/sandbox"
	"coinslot/bff/server"
)

const consoleWord = "correct horse battery"

// desk is a server with a console, and a browser that is signed in to it.
type desk struct {
	*rig
	cookie string
}

func newDesk(t *testing.T, change func(*config.Config)) *desk {
	t.Helper()
	gateway := sandbox.New(sandbox.Config{Key: gatewayKey})
	api := httptest.NewServer(gateway)
	t.Cleanup(api.Close)
	c := settings(t, api.URL)
	c.AdminPassword = config.NewSecret(consoleHash)
	if change != nil {
		change(&c)
	}
	r, _ := startWith(t, gateway, c, server.Options{Limits: wide})
	return &desk{rig: r}
}

// enter signs in and returns the answer.
func (d *desk) enter(word string) *httptest.ResponseRecorder {
	d.t.Helper()
	answer := d.ask("POST", "/admin/login", url.Values{"password": {word}, "to": {"/admin/payments"}}.Encode(), isForm)
	for _, c := range answer.Result().Cookies() {
		d.cookie = "Cookie: " + c.Name + "=" + c.Value
	}
	return answer
}

// page reads a page as who is signed in.
func (d *desk) page(path string, headers ...string) string {
	d.t.Helper()
	answer := d.ask("GET", path, "", append(headers, d.cookie)...)
	if answer.Code != http.StatusOK {
		d.t.Fatalf("GET %s = %d %.300s", path, answer.Code, answer.Body)
	}
	return answer.Body.String()
}

var formToken = regexp.MustCompile(`name="token" type="hidden" value="([^"]+)"`)

// post sends the form of the page at path, with fields besides its token.
func (d *desk) post(path string, fields url.Values, headers ...string) *httptest.ResponseRecorder {
	d.t.Helper()
	found := formToken.FindStringSubmatch(d.page("/admin/audit", headers...))
	if found == nil {
		d.t.Fatal("a page has no token")
	}
	if fields == nil {
		fields = url.Values{}
	}
	fields.Set("token", html.UnescapeString(found[1]))
	return d.ask("POST", path, fields.Encode(), append(headers, isForm, d.cookie)...)
}

// settle sends the form of the page that asks before a payment is settled.
func (d *desk) settle(id, deed, reason string) *httptest.ResponseRecorder {
	d.t.Helper()
	path := "/admin/payments/" + id + "/" + deed
	return d.post(path, url.Values{"reason": {reason}, "review": {d.seen(path)}})
}

// seen is the mark of the review that a page is about.
func (d *desk) seen(path string) string {
	d.t.Helper()
	found := reviewMark.FindStringSubmatch(d.page(path))
	if found == nil {
		d.t.Fatalf("%s does not say what it is about", path)
	}
	return found[1]
}

var reviewMark = regexp.MustCompile(`name="review" type="hidden" value="([^"]+)"`)

// inReview is a payment that is reported as paid, and not proven.
func (d *desk) inReview(body string) string {
	d.t.Helper()
	d.gateway.Inject(sandbox.Fault{Path: "status", Times: -1, Set: map[string]any{"amount_usd": "1.00000000"}})
	return d.brought(body, "pay", "review")
}

// The first page says what needs somebody, the gateway's silence too.
func TestConsoleNeeds(t *testing.T) {
	d := newDesk(t, nil)
	d.enter(consoleWord)
	if got := d.page("/admin"); !strings.Contains(got, "Nothing needs you now") {
		t.Errorf("the first page is %s", got)
	}
	d.inReview(`{"amount_usd":"25.00","order_ref":"A-1"}`)
	if got := d.page("/admin"); !strings.Contains(got, "1 payment in review") || !strings.Contains(got, "A-1") || strings.Contains(got, "does not answer") {
		t.Errorf("with a payment in review: %s", got)
	}
	silent := newDesk(t, func(c *config.Config) { c.GatewayURL = "http://127.0.0.1:1" })
	silent.enter(consoleWord)
	if got := silent.page("/admin"); !strings.Contains(got, "The gateway does not answer") {
		t.Errorf("without a gateway: %s", got)
	}
}

// Without a setting there is no console, as if there had never been one.
func TestNoConsole(t *testing.T) {
	d := newDesk(t, func(c *config.Config) { c.AdminPassword = config.Secret{} })
	nothing := d.ask("GET", "/nothing/here", "")
	for _, path := range []string{"/admin", "/admin/", "/admin/login", "/admin/payments.csv"} {
		if got := d.ask("GET", path, ""); got.Code != http.StatusNotFound || len(got.Body.String()) != len(nothing.Body.String()) {
			t.Errorf("GET %s = %d %.200s; want as %.200s", path, got.Code, got.Body, nothing.Body)
		}
	}
	if got := d.ask("POST", "/admin/login", "password="+url.QueryEscape(consoleWord), isForm); got.Code != http.StatusNotFound {
		t.Errorf("POST /admin/login = %d", got.Code)
	}
}

// Only the password opens, and a login ends when it is told to.
func TestConsoleLogin(t *testing.T) {
	d := newDesk(t, nil)
	for _, path := range []string{"/admin", "/admin/payments", "/admin/payments.csv", "/admin/audit", "/admin/nothing"} {
		if got := d.ask("GET", path, ""); !strings.Contains(got.Body.String(), `action="/admin/login"`) || strings.Contains(got.Body.String(), "Overview") {
			t.Errorf("GET %s = %d %.300s; want the door", path, got.Code, got.Body)
		}
	}
	if got := d.enter("correct horse batterY"); got.Code != http.StatusForbidden || d.cookie != "" {
		t.Errorf("a wrong password: %d %v", got.Code, got.Header())
	}
	got := d.enter(consoleWord)
	if got.Code != http.StatusSeeOther || got.Header().Get("Location") != "/admin/payments" {
		t.Fatalf("the password: %d %v", got.Code, got.Header())
	}
	cookie := got.Header().Get("Set-Cookie")
	for _, part := range []string{"coinslot-console=", "; Path=/", "; HttpOnly", "; SameSite=Strict", "; Max-Age=43200"} {
		if !strings.Contains(cookie, part) {
			t.Errorf("the cookie is %q: it lacks %q", cookie, part)
		}
	}
	old := d.cookie
	got = d.post("/admin/logout", nil)
	if got.Code != http.StatusSeeOther {
		t.Errorf("signing out = %d", got.Code)
	}
	for _, link := range []struct {
		to   string
		says bool
	}{{"/admin/login?done=signed-out", false}, {got.Header().Get("Location"), true}, {got.Header().Get("Location"), false}} {
		if page := d.ask("GET", link.to, "").Body.String(); strings.Contains(page, "You are signed out.") != link.says {
			t.Errorf("%s says that somebody has signed out: want %t", link.to, link.says)
		}
	}
	if got := d.ask("GET", "/admin/payments", "", old); got.Code != http.StatusForbidden {
		t.Errorf("a login that was signed out of: %d; want the door", got.Code)
	}
}

// A login that was signed out of stays so: a restart does not let its cookie in again.
func TestConsoleSignedOutThroughARestart(t *testing.T) {
	gateway := sandbox.New(sandbox.Config{Key: gatewayKey})
	api := httptest.NewServer(gateway)
	t.Cleanup(api.Close)
	c := settings(t, api.URL)
	c.AdminPassword = config.NewSecret(consoleHash)
	r, stop := startWith(t, gateway, c, server.Options{Limits: wide})
	d := &desk{rig: r}
	d.enter(consoleWord)
	stays := d.cookie
	d.enter(consoleWord)
	if got := d.post("/admin/logout", nil); got.Code != http.StatusSeeOther {
		t.Fatalf("signing out = %d", got.Code)
	}
	stop()
	r, _ = startWith(t, gateway, c, server.Options{Limits: wide})
	for cookie, want := range map[string]int{d.cookie: http.StatusForbidden, stays: http.StatusOK} {
		if got := r.ask("GET", "/admin/payments", "", cookie).Code; got != want {
			t.Errorf("after a restart: %d; want %d", got, want)
		}
	}
}

// Under https the cookie is one that no other host and no plain page can set.
func TestConsoleCookieUnderHTTPS(t *testing.T) {
	d := newDesk(t, func(c *config.Config) { c.PublicURL = "https://pay.example" })
	got := d.enter(consoleWord).Header().Get("Set-Cookie")
	if !strings.HasPrefix(got, "__Host-coinslot-console=") || !strings.Contains(got, "; Secure") {
		t.Errorf("the cookie is %q", got)
	}
}

// A client has few tries, and the right password is one of them: the next one
// works again in a minute. Failures are written down, but not without bound.
func TestConsoleLoginLimit(t *testing.T) {
	d := newDesk(t, nil)
	statuses := map[int]int{}
	for range 14 {
		statuses[d.at("203.0.113.7", "POST", "/admin/login", "password=wrong", isForm).Code]++
	}
	if statuses[http.StatusForbidden] != 10 || statuses[http.StatusTooManyRequests] != 4 {
		t.Errorf("14 wrong passwords: %v", statuses)
	}
	if got := d.at("203.0.113.7", "POST", "/admin/login", url.Values{"password": {consoleWord}}.Encode(), isForm); got.Code != http.StatusTooManyRequests || got.Header().Get("Retry-After") == "" {
		t.Errorf("the password beyond the limit = %d", got.Code)
	}
	for range 8 {
		d.at("198.51.100.9", "POST", "/admin/login", "password=wrong", isForm)
	}
	if got := d.enter(consoleWord); got.Code != http.StatusSeeOther {
		t.Errorf("another client = %d", got.Code)
	}
	if n := strings.Count(d.page("/admin/audit"), "tried a wrong password"); n != 10 {
		t.Errorf("the audit has %d failures; want 10", n)
	}
}

// Who has many networks of IPv6 keeps nobody else out: they are one at some point.
func TestConsoleLoginLimitOfANetwork(t *testing.T) {
	d := newDesk(t, nil)
	statuses := map[int]int{}
	for n := range 33 {
		statuses[d.at(fmt.Sprintf("[2001:db8:1:%x::1]", n), "POST", "/admin/login", "password=wrong", isForm).Code]++
	}
	if statuses[http.StatusForbidden] != 30 || statuses[http.StatusTooManyRequests] != 3 {
		t.Errorf("33 wrong passwords of 33 networks: %v", statuses)
	}
	if got := d.at("[2001:db8:2::1]", "POST", "/admin/login", "password=wrong", isForm); got.Code != http.StatusForbidden {
		t.Errorf("somebody else: %d", got.Code)
	}
}

// A proxy that is trusted says who is there; nobody else can.
func TestConsoleProxy(t *testing.T) {
	d := newDesk(t, func(c *config.Config) {
		c.AdminPassword = config.Secret{}
		c.AdminProxyHeader, c.TrustedProxies = "X-Forwarded-User", []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	})
	for name, c := range map[string]struct {
		from    string
		headers []string
		status  int
	}{
		"the proxy":             {"10.1.2.3", []string{"X-Forwarded-User: ann@shop.example"}, 200},
		"the proxy, no name":    {"10.1.2.3", nil, 403},
		"the proxy, empty name": {"10.1.2.3", []string{"X-Forwarded-User: "}, 403},
		"the proxy, two names":  {"10.1.2.3", []string{"X-Forwarded-User: ann", "X-Forwarded-User: eve"}, 403},
		"the proxy, joined":     {"10.1.2.3", []string{"X-Forwarded-User: eve, ann"}, 403},
		"the proxy, bad name":   {"10.1.2.3", []string{"X-Forwarded-User: ann\u202e"}, 403},
		"a stranger":            {"203.0.113.7", []string{"X-Forwarded-User: ann"}, 403},
		"a stranger as proxied": {"203.0.113.7", []string{"X-Forwarded-User: ann", "X-Forwarded-For: 10.1.2.3"}, 403},
	} {
		got := d.at(c.from, "GET", "/admin/payments", "", c.headers...)
		if got.Code != c.status || (c.status == 200) != strings.Contains(got.Body.String(), "ann@shop.example") {
			t.Errorf("%s = %d %.200s; want %d", name, got.Code, got.Body, c.status)
		}
	}
	if got := d.at("10.1.2.3", "POST", "/admin/login", url.Values{"password": {""}}.Encode(), isForm); got.Code == 200 {
		t.Errorf("a password where there is none: %d", got.Code)
	}
}

// A post that is not of a page of this login changes nothing.
func TestConsoleForgery(t *testing.T) {
	d := newDesk(t, nil)
	d.enter(consoleWord)
	id := d.open(`{"amount_usd":"25.00"}`)
	path := "/admin/payments/" + id + "/cancel"
	token := formToken.FindStringSubmatch(d.page(path))[1]
	other := &desk{rig: d.rig}
	other.enter(consoleWord)
	foreign := formToken.FindStringSubmatch(other.page(path))[1]
	for name, c := range map[string]struct {
		body    string
		headers []string
	}{
		"no token":           {"", []string{isForm, d.cookie}},
		"another's token":    {"token=" + foreign, []string{isForm, d.cookie}},
		"token in the query": {"", []string{isForm, d.cookie}},
		"another site":       {"token=" + token, []string{isForm, d.cookie, "Origin: https://evil.example", "Sec-Fetch-Site: cross-site"}},
		"a sister site":      {"token=" + token, []string{isForm, d.cookie, "Sec-Fetch-Site: same-site"}},
		"JSON":               {`{"token":"` + token + `"}`, []string{isJSON, d.cookie}},
		"not signed in":      {"token=" + token, []string{isForm}},
	} {
		query := ""
		if name == "token in the query" {
			query = "?token=" + token
		}
		if got := d.ask("POST", path+query, c.body, c.headers...); got.Code < 400 || d.status(id) != "open" {
			t.Errorf("%s: %d, and the payment is %s", name, got.Code, d.status(id))
		}
	}
	if got := d.ask("POST", path, "token="+token, isForm, d.cookie, "Origin: http://localhost:8080", "Sec-Fetch-Site: same-origin"); got.Code != http.StatusSeeOther || d.status(id) != "cancelled" {
		t.Errorf("its own page: %d, and the payment is %s", got.Code, d.status(id))
	}
}

// What is done is what /v1 would do, and it is written down who has done it: in
// the trail, and in the audit.
func TestConsoleDeeds(t *testing.T) {
	d := newDesk(t, nil)
	d.enter(consoleWord)
	review := d.inReview(`{"amount_usd":"25.00","order_ref":"A-1"}`)
	story := d.page("/admin/payments/" + review)
	for _, part := range []string{"The gateway reports another price", "amount_usd_mismatch", "Settle as paid", "Settle as not paid", "A-1"} {
		if !strings.Contains(story, part) {
			t.Errorf("the page of a payment in review lacks %q", part)
		}
	}
	if got := d.settle(review, "confirm", ""); got.Code != http.StatusUnprocessableEntity || d.status(review) != "review" {
		t.Errorf("without a reason: %d, %s", got.Code, d.status(review))
	}
	if got := d.post("/admin/payments/"+review+"/confirm", url.Values{"reason": {"seen"}}); got.Code != http.StatusUnprocessableEntity || d.status(review) != "review" {
		t.Errorf("without what was looked at: %d, %s", got.Code, d.status(review))
	}
	got := d.settle(review, "confirm", "seen in the explorer")
	if got.Code != http.StatusSeeOther || d.status(review) != "confirmed" {
		t.Fatalf("settling: %d, %s", got.Code, d.status(review))
	}
	if got := d.post("/admin/payments/"+review+"/cancel", nil); got.Code != http.StatusConflict {
		t.Errorf("calling off what is confirmed: %d", got.Code)
	}
	after := d.page(got.Header().Get("Location"))
	for _, part := range []string{"Settled as paid. Your server is being told.", "confirmed: seen in the explorer", "console:operator", "was refused", "session_paid",
		"Somebody has settled it as paid.", "Confirmed on somebody&#39;s word."} {
		if !strings.Contains(after, part) {
			t.Errorf("the page of what was settled lacks %q", part)
		}
	}
	_, done, _ := strings.Cut(got.Header().Get("Location"), "?")
	for _, link := range []string{"/admin/payments/" + review + "?" + done, "/admin/payments/" + review + "?done=confirmed", "/admin/payments?" + done, "/admin/payments/" + review + "?done=" + strings.Repeat("a.", 3)} {
		if strings.Contains(d.page(link), "Settled as paid. Your server") {
			t.Errorf("%s says what was done somewhere else, or before", link)
		}
	}
	if strings.Contains(after, "The gateway has proven") {
		t.Error("the page says that the gateway has proven what somebody has settled")
	}
	object := d.ask("GET", "/v1/sessions/"+review, "", bearer).Body.String()
	if !strings.Contains(object, `"by":"console:operator","what":"session.resolved","detail":"confirmed: seen in the explorer"`) {
		t.Errorf("the trail does not say who: %s", object)
	}
	if audit := d.page("/admin/audit?session=" + review); strings.Count(audit, "asked to settle the payment as paid") != 3 || strings.Count(audit, ">settled the payment as paid<") != 1 || strings.Count(audit, "was refused") != 3 || !strings.Contains(audit, "asked to call the payment off") || strings.Contains(audit, ">called the payment off<") {
		t.Errorf("the audit is %s", audit)
	}
}

// What has changed since somebody looked is not settled, and the reason that they
// gave is kept whole, in any script.
func TestConsoleSettlesWhatWasSeen(t *testing.T) {
	d := newDesk(t, nil)
	d.enter(consoleWord)
	id := d.inReview(`{"amount_usd":"25.00"}`)
	path := "/admin/payments/" + id + "/discard"
	seen, reason := d.seen(path), strings.Repeat("возврат ", 62)
	d.gateway.ClearFaults()
	d.gateway.Inject(sandbox.Fault{Path: "status", Times: -1, Set: map[string]any{"pay_amount": "99.00000000"}})
	if got := d.ask("POST", "/v1/sessions/"+id+"/recheck", "", bearer); !strings.Contains(got.Body.String(), `"review_reason":"pay_amount_mismatch"`) {
		t.Fatalf("the reason did not change: %s", got.Body)
	}
	if got := d.post(path, url.Values{"reason": {reason}, "review": {seen}}); got.Code != http.StatusConflict || !strings.Contains(got.Body.String(), "has changed since you looked") || d.status(id) != "review" {
		t.Errorf("settling what was not seen = %d %s", got.Code, words(got.Body.String()))
	}
	if got := d.settle(id, "discard", reason); got.Code != http.StatusSeeOther || d.status(id) != "cancelled" {
		t.Fatalf("settling = %d %s", got.Code, words(got.Body.String()))
	}
	if audit := d.page("/admin/audit?session=" + id); strings.Count(audit, reason) != 2 || strings.Contains(audit, "\uFFFD") {
		t.Errorf("the audit does not have the whole reason: %s", words(audit))
	}
}

// One thing that is known whole leads to its payment, and what is not known is said so.
func TestConsoleSearch(t *testing.T) {
	d := newDesk(t, nil)
	d.enter(consoleWord)
	id := d.brought(`{"amount_usd":"25.00","order_ref":"ORD-77","email":"ann@shop.example","title":"Two tickets"}`, "pay", "confirmed")
	d.open(`{"amount_usd":"9.00","order_ref":"other"}`)
	known := d.gateway.Transactions()[0]
	for _, text := range []string{id, "ORD-77", known.TrackingCode, known.WalletAddress} {
		if got := d.page("/admin/payments?q=" + url.QueryEscape(" "+text+" ")); !strings.Contains(got, "<h1><bdi class=\"foreign\" translate=\"no\">ORD-77") {
			t.Errorf("searching %q does not lead to the payment", text)
		}
	}
	for query, want := range map[string]string{
		"q=ann@shop.example": "ORD-77", "status=confirmed": "ORD-77", "from=2000-01-01&to=2200-01-01": "other",
		"q=nobody": "Nothing is known by that", "status=review": "No payment is like that",
	} {
		if got := d.page("/admin/payments?" + query); !strings.Contains(got, want) {
			t.Errorf("%s lacks %q", query, want)
		}
	}
	for _, bad := range []string{"status=x", "from=yesterday", "cursor=x", "to=9999-99-99"} {
		if got := d.ask("GET", "/admin/payments?"+bad, "", d.cookie); got.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s = %d", bad, got.Code)
		}
	}
	if got := d.ask("GET", "/admin/payments/cs_none", "", d.cookie); got.Code != http.StatusNotFound {
		t.Errorf("a payment that is not there = %d", got.Code)
	}
}

// A page of another site has the browser of somebody whom the proxy knows ask for
// files: none is made, and nothing is written down.
func TestConsoleExportFromElsewhere(t *testing.T) {
	d := newDesk(t, func(c *config.Config) {
		c.AdminPassword, c.AdminProxyHeader, c.TrustedProxies = config.Secret{}, "X-Forwarded-User", []netip.Prefix{netip.MustParsePrefix("10.1.2.3/32")}
	})
	for site, want := range map[string]int{"cross-site": 403, "same-site": 403, "same-origin": 200, "none": 200} {
		if got := d.at("10.1.2.3", "GET", "/admin/payments.csv", "", "X-Forwarded-User: ann", "Sec-Fetch-Site: "+site); got.Code != want || (want == 200) != strings.Contains(got.Body.String(), "order_ref") {
			t.Errorf("asked from %s: %d %.200s", site, got.Code, got.Body)
		}
	}
	if audit := d.at("10.1.2.3", "GET", "/admin/audit", "", "X-Forwarded-User: ann").Body.String(); strings.Count(audit, "exported payments") != 2 {
		t.Errorf("the audit is %s", words(audit))
	}
}

// The file has every payment, and nothing in it is a formula.
func TestConsoleExport(t *testing.T) {
	d := newDesk(t, nil)
	d.enter(consoleWord)
	if got := d.ask("GET", "/admin/payments.csv", ""); got.Code != http.StatusForbidden || strings.Contains(got.Body.String(), "order_ref") {
		t.Errorf("a stranger's export = %d", got.Code)
	}
	for range 103 {
		d.open(`{"amount_usd":"25.00","title":"=HYPERLINK(\"https://evil.example\")","description":"x","metadata":{"a":"@b"}}`)
	}
	answer := d.ask("GET", "/admin/payments.csv?status=open", "", d.cookie)
	if got := answer.Header().Get("Content-Disposition"); !strings.HasPrefix(got, `attachment; filename="payments-20`) {
		t.Errorf("Content-Disposition is %q", got)
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(answer.Body.String(), "\ufeff"))).ReadAll()
	if err != nil || len(rows) != 104 {
		t.Fatalf("%d rows, %v; want 104", len(rows), err)
	}
	if row := strings.Join(rows[1], "|"); !strings.Contains(row, `|'=HYPERLINK("https://evil.example")|`) || !strings.Contains(row, "|25.00|") {
		t.Errorf("a row is %s", row)
	}
}

// What others wrote stays what it is: text, in its place.
func TestConsoleHostileTexts(t *testing.T) {
	d := newDesk(t, nil)
	d.enter(consoleWord)
	body := `{"amount_usd":"25.00","order_ref":"<b>ref</b>","title":"\u003cscript\u003ealert(1)\u003c/script\u003e\"' onclick=x","email":"a@b.example","metadata":{"<i>name</i>":"</dd><img src=x onerror=alert(1)>"}}`
	id := d.brought(body, "pay", "confirmed")
	for _, path := range []string{"/admin/payments", "/admin/payments/" + id, "/admin/payments?q=" + url.QueryEscape("\"><script>alert(1)</script>"), "/admin/audit?session=" + url.QueryEscape("\"><b>"), "/admin?done=<b>"} {
		got := d.page(path)
		for _, bad := range []string{"<script", "<b>", "<i>", "<img src=x", "\u202e", "style=", " onclick=x\"", "onerror=alert(1)>"} {
			if strings.Contains(got, bad) {
				t.Errorf("%s holds %q", path, bad)
			}
		}
	}
}

// A webhook is sent again from the page of its payment.
func TestConsoleRedelivers(t *testing.T) {
	seen := make(chan string, 100)
	sink := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen <- r.Header.Get("webhook-id") }))
	t.Cleanup(sink.Close)
	d := newDesk(t, func(c *config.Config) {
		c.WebhookURLs, c.AllowPrivateWebhooks = []string{sink.URL + "/hook?key=hidden"}, true
		c.WebhookSecrets = []config.Secret{config.NewSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLwAAAAAAAAAA")}
	})
	d.enter(consoleWord)
	id := d.open(`{"amount_usd":"25.00"}`)
	d.ask("POST", "/v1/sessions/"+id+"/cancel", "", bearer)
	first := await(t, seen)
	form := regexp.MustCompile(`name="event" type="hidden" value="([^"]+)"><input name="endpoint" type="hidden" value="([^"]+)"`).FindStringSubmatch(d.page("/admin/payments/" + id))
	if form == nil {
		t.Fatal("the page has no form to send a webhook again")
	}
	fields := url.Values{"event": {form[1]}, "endpoint": {html.UnescapeString(form[2])}, "session": {id}}
	if got := d.post("/admin/webhooks/send", fields); got.Code != http.StatusSeeOther || !strings.HasPrefix(got.Header().Get("Location"), "/admin/payments/"+id) {
		t.Fatalf("sending again = %d %v", got.Code, got.Header())
	}
	if again := await(t, seen); again != first {
		t.Errorf("sent %s, then %s", first, again)
	}
	fields.Set("endpoint", "0123456789abcdef")
	if got := d.post("/admin/webhooks/send", fields); got.Code != http.StatusConflict {
		t.Errorf("sending to a stranger = %d", got.Code)
	}
	if strings.Contains(d.page("/admin/payments/"+id), "key=hidden") {
		t.Error("the page shows the key of an endpoint")
	}
}

// await takes what comes next.
func await(t *testing.T, from <-chan string) string {
	t.Helper()
	select {
	case got := <-from:
		return got
	case <-time.After(20 * time.Second):
		t.Fatal("nothing came")
		return ""
	}
}
