package console_test

import (
	"encoding/csv"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/sandbox/sandboxtest"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
	"coinslot/bff/store/pgtest"
	"coinslot/bff/store/storetest"

	"github.com/jackc/pgx/v5"
)

// consolePassword is the operator's.
const consolePassword = "correct horse battery"

// canaryOrder has personal data wherever an order can.
const canaryOrder = `{"amount_usd":"25.00","order_ref":"%s","title":"Two","email":"ann@canary.example","description":"canary","metadata":{"cart":"C-7"},"success_url":"https://shop.example/thanks"}`

// operatorClient is a server with a console, and a browser that is signed in to it.
type operatorClient struct {
	*servertest.Rig
	cookie string
}

func newOperatorClient(t *testing.T, change func(*config.Config)) *operatorClient {
	t.Helper()
	gateway, c := servertest.NewGateway(t)
	c.AdminPassword = config.NewSecret(servertest.ConsoleHash)
	if change != nil {
		change(&c)
	}
	r, _ := servertest.Start(t, gateway, c, server.Options{Limits: servertest.NoLimits})
	return &operatorClient{Rig: r}
}

// signIn signs in and returns the answer.
func (d *operatorClient) signIn(word string) *httptest.ResponseRecorder {
	d.T.Helper()
	answer := d.Do("POST", "/admin/login",
		url.Values{"password": {word}, "to": {"/admin/payments"}}.Encode(), servertest.IsForm)
	for _, c := range answer.Result().Cookies() {
		d.cookie = "Cookie: " + c.Name + "=" + c.Value
	}
	return answer
}

// page reads a page as who is signed in.
func (d *operatorClient) page(path string, headers ...string) string {
	d.T.Helper()
	answer := d.Do("GET", path, "", append(headers, d.cookie)...)
	fortest.Answer(d.T, "GET "+path, answer, http.StatusOK)
	return answer.Body.String()
}

var formToken = regexp.MustCompile(`name="token" type="hidden" value="([^"]+)"`)

// post sends the form of the page at path, with fields besides its token.
func (d *operatorClient) post(
	path string, fields url.Values, headers ...string,
) *httptest.ResponseRecorder {
	d.T.Helper()
	found := formToken.FindStringSubmatch(d.page("/admin/audit", headers...))
	if found == nil {
		d.T.Fatal("a page has no token")
	}
	if fields == nil {
		fields = url.Values{}
	}
	fields.Set("token", html.UnescapeString(found[1]))
	return d.Do("POST", path, fields.Encode(), append(headers, servertest.IsForm, d.cookie)...)
}

// resolve sends the form of the page that asks before a payment is settled.
func (d *operatorClient) resolve(id, action, reason string) *httptest.ResponseRecorder {
	d.T.Helper()
	path := "/admin/payments/" + id + "/" + action
	return d.post(path, url.Values{"reason": {reason}, "review": {d.shownReview(path)}})
}

// shownReview is the mark of the review that a page is about.
func (d *operatorClient) shownReview(path string) string {
	d.T.Helper()
	found := reviewMark.FindStringSubmatch(d.page(path))
	if found == nil {
		d.T.Fatalf("%s does not say what it is about", path)
	}
	return found[1]
}

var reviewMark = regexp.MustCompile(`name="review" type="hidden" value="([^"]+)"`)

// inReview is a payment that is reported as paid, and not proven.
func (d *operatorClient) inReview(body string) string {
	d.T.Helper()
	d.Gateway.Falsify(sandboxtest.Answer{
		Path:  "transaction/status",
		Times: -1,
		Set:   map[string]any{"amount_usd": "1.00000000"},
	})
	return d.OpenAndPay(body, "pay", "review")
}

// The first page says what needs attention, overpaid orders and a silent gateway too.
func TestConsoleNeedsAttention(t *testing.T) {
	d := newOperatorClient(t, nil)
	d.signIn(consolePassword)
	fortest.Has(t, "the first page", d.page("/admin"), "All good")
	d.OpenAndPay(`{"amount_usd":"25.00","order_ref":"B-2"}`, "over", "confirmed")
	fortest.Has(t, "with an overpaid order", d.page("/admin"),
		"1 overpaid order", "B-2", ">2.50 USDT too much<")
	d.inReview(`{"amount_usd":"25.00","order_ref":"A-1"}`)
	got := d.page("/admin")
	if !strings.Contains(got, "1 payment in review") || !strings.Contains(got, "A-1") ||
		strings.Contains(got, "does not answer") {
		t.Errorf("with a payment in review: %s", got)
	}
	silent := newOperatorClient(t, func(c *config.Config) { c.GatewayURL = "http://127.0.0.1:1" })
	silent.signIn(consolePassword)
	fortest.Has(t, "without a gateway", silent.page("/admin"), "The gateway does not answer")
}

// An overpaid order leaves the first page once an operator has written down what became of it, and
// nothing else changes.
func TestConsoleSettlesAnExcess(t *testing.T) {
	d := newOperatorClient(t, nil)
	d.signIn(consolePassword)
	id := d.OpenAndPay(`{"amount_usd":"25.00","order_ref":"B-2"}`, "over", "confirmed")
	exact := d.OpenAndPay(`{"amount_usd":"25.00","order_ref":"B-3"}`, "pay", "confirmed")
	path := "/admin/payments/" + id
	fortest.Has(t, "the payment's page", d.page(path), "Mark as settled")
	d.page(path + "/settle")

	got := d.post(path+"/settle", url.Values{"reason": {" "}})
	fortest.Equal(t, got.Code, http.StatusUnprocessableEntity, "without a reason")
	got = d.post("/admin/payments/"+exact+"/settle", url.Values{"reason": {"nothing"}})
	fortest.Equal(t, got.Code, http.StatusConflict, "what is not overpaid")
	fortest.Has(t, "the first page, before", d.page("/admin"), "B-2")

	got = d.post(path+"/settle", url.Values{"reason": {"2.50 USDT sent back"}})
	fortest.Equal(t, got.Code, http.StatusSeeOther, "with a reason")
	fortest.Lacks(t, "the first page, after", d.page("/admin"), "B-2")
	after := d.page(path)
	fortest.Has(t, "the payment's page, after", after, "marked money as settled", "2.50 USDT sent back")
	fortest.Lacks(t, "the payment's page, after", after, "Mark as settled")
	fortest.Equal(t, d.Status(id), "confirmed", "the status")
}

// Each payment that needs attention has its next steps beside it, and the latest note about it.
func TestConsoleNextSteps(t *testing.T) {
	d := newOperatorClient(t, nil)
	d.signIn(consolePassword)
	id := d.OpenAndPay(`{"amount_usd":"25.00","order_ref":"B-2"}`, "over", "confirmed")
	path := "/admin/payments/" + id
	fortest.Has(t, "the first page", d.page("/admin"), `href="`+path+`/settle"`, `href="`+path+`/note"`)
	fortest.Lacks(t, "the first page", d.page("/admin"), `href="`+path+`/erase"`, `data-part="note">`)

	got := d.post(path+"/note", url.Values{"reason": {" "}})
	fortest.Equal(t, got.Code, http.StatusUnprocessableEntity, "an empty note")
	for _, note := range []string{"wrote to the shopper", "waits for an <b>address</b>"} {
		got = d.post(path+"/note", url.Values{"reason": {note}})
		fortest.Equal(t, got.Code, http.StatusSeeOther, "a note")
	}
	first := d.page("/admin")
	fortest.Has(t, "the first page", first, "waits for an &lt;b&gt;address&lt;/b&gt;")
	fortest.Lacks(t, "the first page", first, "wrote to the shopper")
	fortest.Has(t, "the payment's page", d.page(path), "wrote to the shopper", "waits for an")
	fortest.Equal(t, d.Status(id), "confirmed", "the status")
}

// What does not fit in sight is folded, not left out.
func TestConsoleFoldsManyNeeds(t *testing.T) {
	d := newOperatorClient(t, nil)
	d.signIn(consolePassword)
	for n := range 7 {
		d.OpenAndPay(fmt.Sprintf(`{"amount_usd":"25.00","order_ref":"B-%d"}`, n), "over", "confirmed")
	}
	_, folded, found := strings.Cut(d.page("/admin"), "Show 2 more")
	if !found || !strings.Contains(folded, "B-1") || !strings.Contains(folded, "B-0") ||
		strings.Contains(folded, "B-2") {
		t.Errorf("below the fold is %.2000s", folded)
	}
}

// A post that is not of a page of this login changes nothing.
func TestConsoleForgery(t *testing.T) {
	d := newOperatorClient(t, nil)
	d.signIn(consolePassword)
	id := d.Open(`{"amount_usd":"25.00"}`)
	path := "/admin/payments/" + id + "/cancel"
	token := formToken.FindStringSubmatch(d.page(path))[1]
	other := &operatorClient{Rig: d.Rig}
	other.signIn(consolePassword)
	othersToken := formToken.FindStringSubmatch(other.page(path))[1]
	for name, c := range map[string]struct {
		body    string
		headers []string
	}{
		"no token":           {"", []string{servertest.IsForm, d.cookie}},
		"another's token":    {"token=" + othersToken, []string{servertest.IsForm, d.cookie}},
		"token in the query": {"", []string{servertest.IsForm, d.cookie}},
		"another site": {
			"token=" + token,
			[]string{
				servertest.IsForm, d.cookie, "Origin: https://evil.example",
				"Sec-Fetch-Site: cross-site",
			},
		},
		"a sister site": {
			"token=" + token,
			[]string{servertest.IsForm, d.cookie, "Sec-Fetch-Site: same-site"},
		},
		"JSON":          {`{"token":"` + token + `"}`, []string{servertest.IsJSON, d.cookie}},
		"not signed in": {"token=" + token, []string{servertest.IsForm}},
	} {
		query := ""
		if name == "token in the query" {
			query = "?token=" + token
		}
		got := d.Do("POST", path+query, c.body, c.headers...)
		if got.Code < 400 || d.Status(id) != "open" {
			t.Errorf("%s: %d, and the payment is %s", name, got.Code, d.Status(id))
		}
	}
	if got := d.Do(
		"POST",
		path,
		"token="+token,
		servertest.IsForm,
		d.cookie,
		"Origin: http://localhost:8080",
		"Sec-Fetch-Site: same-origin",
	); got.Code != http.StatusSeeOther || d.Status(id) != "cancelled" {
		t.Errorf("its own page: %d, and the payment is %s", got.Code, d.Status(id))
	}
}

// Actions have the effect of /v1, and are recorded with their operator in the timeline and the
// audit log.
func TestConsoleActions(t *testing.T) {
	d := newOperatorClient(t, nil)
	d.signIn(consolePassword)
	review := d.inReview(`{"amount_usd":"25.00","order_ref":"A-1"}`)
	story := d.page("/admin/payments/" + review)
	for _, part := range []string{
		"The gateway reports another price", "amount_usd_mismatch", "Resolve as paid",
		"Resolve as unpaid", "A-1",
	} {
		fortest.Has(t, "the page of a payment in review", story, part)
	}
	if got := d.resolve(review, "confirm",
		""); got.Code != http.StatusUnprocessableEntity || d.Status(review) != "review" {
		t.Errorf("without a reason: %d, %s", got.Code, d.Status(review))
	}
	if got := d.post("/admin/payments/"+review+
		"/confirm", url.Values{
		"reason": {"seen"},
	}); got.Code != http.StatusUnprocessableEntity || d.Status(review) != "review" {
		t.Errorf("without what was looked at: %d, %s", got.Code, d.Status(review))
	}
	got := d.resolve(review, "confirm", "seen in the explorer")
	if got.Code != http.StatusSeeOther || d.Status(review) != "confirmed" {
		t.Fatalf("settling: %d, %s", got.Code, d.Status(review))
	}
	fortest.Equal(t, d.post("/admin/payments/"+review+"/cancel", nil).Code, http.StatusConflict,
		"calling off what is confirmed")
	after := d.page(got.Header().Get("Location"))
	fortest.Has(t, "the page of what was settled", after,
		"Resolved as paid. Your server gets a webhook.", "confirmed: seen in the explorer",
		"console:operator", "was refused", "session_paid",
		"An operator resolved it as paid.", "Confirmed by an operator.")
	_, done, _ := strings.Cut(got.Header().Get("Location"), "?")
	for _, link := range []string{
		"/admin/payments/" + review + "?" + done, "/admin/payments/" + review + "?done=confirmed",
		"/admin/payments?" + done,
		"/admin/payments/" + review + "?done=" + strings.Repeat("a.", 3),
	} {
		fortest.Lacks(t, link+" says what was done somewhere else, or before", d.page(link),
			"Resolved as paid. Your server")
	}
	fortest.Lacks(t, "the page says that the gateway has proven what somebody has settled", after,
		"The gateway proved")
	object := d.Do("GET", "/v1/sessions/"+review, "", servertest.Bearer).Body.String()
	if !strings.Contains(
		object,
		`"by":"console:operator","what":"session.resolved","detail":"confirmed: seen in the explorer"`,
	) {
		t.Errorf("the timeline does not say who: %s", object)
	}
	audit := d.page("/admin/audit?session=" + review)
	if strings.Count(audit, "requested to resolve the payment as paid") != 3 ||
		strings.Count(audit, ">resolved the payment as paid<") != 1 ||
		strings.Count(audit, "was refused") != 3 ||
		!strings.Contains(audit, "requested to cancel the payment") ||
		strings.Contains(audit, ">canceled the payment<") {
		t.Errorf("the audit is %s", audit)
	}
}

// A payment that has changed since it was shown is not resolved, and the reason is kept whole, in
// any script.
func TestConsoleResolvesShownReview(t *testing.T) {
	d := newOperatorClient(t, nil)
	d.signIn(consolePassword)
	id := d.inReview(`{"amount_usd":"25.00"}`)
	path := "/admin/payments/" + id + "/discard"
	seen, reason := d.shownReview(path), strings.Repeat("возврат ", 62)
	d.Gateway.ClearFaults()
	d.Gateway.Falsify(sandboxtest.Answer{
		Path:  "transaction/status",
		Times: -1,
		Set:   map[string]any{"pay_amount": "99.00000000"},
	})
	if got := d.Do(
		"POST",
		"/v1/sessions/"+id+"/recheck",
		"",
		servertest.Bearer,
	); !strings.Contains(got.Body.String(), `"review_reason":"pay_amount_mismatch"`) {
		t.Fatalf("the reason did not change: %s", got.Body)
	}
	if got := d.post(path, url.Values{
		"reason": {reason},
		"review": {seen},
	}); got.Code != http.StatusConflict ||
		!strings.Contains(got.Body.String(), "has changed since you looked") ||
		d.Status(id) != "review" {
		t.Errorf("settling what was not seen = %d %s", got.Code, words(got.Body.String()))
	}
	if got := d.resolve(id, "discard",
		reason); got.Code != http.StatusSeeOther || d.Status(id) != "cancelled" {
		t.Fatalf("settling = %d %s", got.Code, words(got.Body.String()))
	}
	audit := d.page("/admin/audit?session=" + id)
	if strings.Count(audit, reason) != 2 || strings.Contains(audit, "\uFFFD") {
		t.Errorf("the audit does not have the whole reason: %s", words(audit))
	}
}

// One thing that is known whole leads to its payment, and what is not known is said so.
func TestConsoleSearch(t *testing.T) {
	d := newOperatorClient(t, nil)
	d.signIn(consolePassword)
	id := d.OpenAndPay(
		`{"amount_usd":"25.00","order_ref":"ORD-77","email":"ann@shop.example","title":"Two tickets"}`,
		"pay",
		"confirmed",
	)
	d.Open(`{"amount_usd":"9.00","order_ref":"other"}`)
	known := d.Gateway.Transactions()[0]
	for _, text := range []string{id, "ORD-77", known.TrackingCode, known.WalletAddress} {
		got := d.page("/admin/payments?q=" + url.QueryEscape(" "+text+" "))
		if !strings.Contains(got, "<h1><bdi class=\"foreign\" translate=\"no\">ORD-77") {
			t.Errorf("searching %q does not lead to the payment", text)
		}
	}
	for query, want := range map[string]string{
		"q=ann@shop.example":            "ORD-77",
		"status=confirmed":              "ORD-77",
		"from=2000-01-01&to=2200-01-01": "other",
		"q=nobody":                      "No matches.", "status=review": "No matching payments",
	} {
		fortest.Has(t, query, d.page("/admin/payments?"+query), want)
	}
	got := d.page("/admin/payments?q=ORD-77&coin=USDT&network=gone&status=open") // filters a search, by what occurs
	for _, want := range []string{
		`<input name="q" type="hidden" value="ORD-77">`, `type="search" value="ORD-77">`,
		`<option selected value="USDT">USDT</option></select>`,
		`value="trc20">TRC20</option><option selected value="gone">GONE<`, `<span class="set">3<`,
	} {
		fortest.Has(t, "the filters", got, want)
	}
	for _, bad := range []string{"status=x", "from=yesterday", "cursor=x", "to=9999-99-99"} {
		fortest.Answer(t, bad,
			d.Do("GET", "/admin/payments?"+bad, "", d.cookie), http.StatusUnprocessableEntity)
	}
	fortest.Equal(t, d.Do("GET", "/admin/payments/cs_none", "", d.cookie).Code, http.StatusNotFound,
		"a payment that is not there")
}

// What a person copies from a page or a mail finds the payment.
func TestConsoleSearchByWhatPeopleCopy(t *testing.T) {
	d := newOperatorClient(t, nil)
	d.signIn(consolePassword)
	d.OpenAndPay(`{"amount_usd":"25.00","order_ref":"Bestellung 000002","email":"anna.lind@shop.example"}`,
		"pay", "confirmed")
	d.Open(`{"amount_usd":"9.00","order_ref":"Bestellung 000012"}`)
	address := d.Gateway.Transactions()[0].WalletAddress
	grouped := regexp.MustCompile(`.{1,4}`).FindAllString(address, -1)
	for _, text := range []string{
		"2", "000002", "Bestellung 000002", "anna", "Lind", "anna.lind@shop.example",
		strings.Join(grouped, " "), strings.Join(grouped, "\u00a0"),
	} {
		got := d.page("/admin/payments?q=" + url.QueryEscape(text))
		if !strings.Contains(got, "Bestellung 000002") ||
			strings.Contains(got, "Bestellung 000012") {
			t.Errorf("searching %q does not find the payment", text)
		}
	}
}

// Another site cannot make an operator's browser export files; nothing is recorded.
func TestConsoleExportFromAnotherSite(t *testing.T) {
	d := newOperatorClient(t, func(c *config.Config) {
		c.AdminPassword = config.Secret{}
		c.AdminProxyHeader = "X-Forwarded-User"
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.1.2.3/32")}
	})
	for site, want := range map[string]int{
		"cross-site":  403,
		"same-site":   403,
		"same-origin": 200,
		"none":        200,
	} {
		got := d.DoFrom("10.1.2.3", "GET", "/admin/payments.csv", "", "X-Forwarded-User: ann",
			"Sec-Fetch-Site: "+site)
		if got.Code != want || (want == 200) != strings.Contains(got.Body.String(), "order_ref") {
			t.Errorf("asked from %s: %d %.200s", site, got.Code, got.Body)
		}
	}
	audit := d.DoFrom("10.1.2.3", "GET", "/admin/audit", "", "X-Forwarded-User: ann").Body.String()
	if strings.Count(audit, "exported payments") != 2 {
		t.Errorf("the audit is %s", words(audit))
	}
}

// What operators have searched for and exported goes with an erasure, from the database's file and
// from a dump.
func TestConsoleExportIsErased(t *testing.T) {
	const local = "zoe.canary"
	for name, database := range map[string]string{
		"SQLite": storetest.Migrated(t, checkouttest.CreateTables), "PostgreSQL": pgtest.DSN(t),
	} {
		d := newOperatorClient(t, func(c *config.Config) { c.Database = database })
		d.signIn(consolePassword)
		order := `{"amount_usd":"25.00","order_ref":"A-1","email":"` + local + `@shop.example"}`
		d.OpenAndPay(order, "pay", "confirmed")
		for _, query := range []string{
			"q=" + local + "@shop.example", "q=" + local + "%40shop.example&status=confirmed",
			"q=" + local, "x=" + local + "@shop.example",
		} {
			answer := d.Do("GET", "/admin/payments.csv?"+query, "", d.cookie)
			fortest.Answer(t, query, answer, http.StatusOK)
		}
		fortest.Has(t, "the audit log", html.UnescapeString(d.page("/admin/audit")),
			"q=…&status=confirmed")
		e := fortest.Must(server.NewEraser(t.Context(), database, "coinslot erase"))(t)
		done := fortest.Must(e.Erase(t.Context(), local+"@shop.example"))(t)
		fortest.Equal(t, len(done), 1, "%s: erased sessions", name)
		fortest.OK(t, e.Close())
		if n := strings.Count(dump(t, database), local); n > 0 {
			t.Errorf("%s holds the address %d times", name, n)
		}
	}
}

// dump is all that a database holds: SQLite's files, or each row of PostgreSQL's tables.
func dump(t *testing.T, database string) string {
	t.Helper()
	var all strings.Builder
	if !strings.HasPrefix(database, "postgres") {
		for _, file := range fortest.Must(filepath.Glob(database + "*"))(t) {
			all.Write(fortest.Must(os.ReadFile(file))(t))
		}
		return all.String()
	}
	conn := fortest.Must(pgx.Connect(t.Context(), database))(t)
	defer conn.Close(t.Context())
	read := func(query string) []string {
		rows := fortest.Must(conn.Query(t.Context(), query))(t)
		return fortest.Must(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
	}
	for _, table := range read(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`) {
		for _, row := range read(`SELECT row_to_json(t)::text FROM ` + table + ` t`) {
			all.WriteString(row)
		}
	}
	for _, body := range read(`SELECT convert_from(body, 'UTF8') FROM events`) {
		all.WriteString(body)
	}
	return all.String()
}

// The file has every payment, and nothing in it is a formula.
func TestConsoleExport(t *testing.T) {
	d := newOperatorClient(t, nil)
	d.signIn(consolePassword)
	if got := d.Do("GET", "/admin/payments.csv",
		""); got.Code != http.StatusForbidden || strings.Contains(got.Body.String(), "order_ref") {
		t.Errorf("a stranger's export = %d", got.Code)
	}
	for range 103 {
		d.Open(`{"amount_usd":"25.00","title":"=HYPERLINK(\"https://evil.example\")","description":"x","metadata":{"a":"@b"}}`)
	}
	answer := d.Do("GET", "/admin/payments.csv?status=open", "", d.cookie)
	if got := answer.Header().Get("Content-Disposition"); !strings.HasPrefix(got,
		`attachment; filename="payments-20`) {
		t.Errorf("Content-Disposition is %q", got)
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(answer.Body.String(),
		"\ufeff"))).ReadAll()
	if err != nil || len(rows) != 104 {
		t.Fatalf("%d rows, %v; want 104", len(rows), err)
	}
	fortest.Has(t, "a row", strings.Join(rows[1], "|"),
		`|'=HYPERLINK("https://evil.example")|`, "|25.00|", "|a=@b")
}

// A webhook is sent again from the page of its payment.
func TestConsoleRedelivers(t *testing.T) {
	seen := make(chan string, 100)
	sink := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen <- r.Header.Get("webhook-id")
	}))
	t.Cleanup(sink.Close)
	d := newOperatorClient(t, func(c *config.Config) {
		c.WebhookURLs, c.AllowPrivateWebhooks = []string{sink.URL + "/hook?key=hidden"}, true
		c.WebhookSecrets = []config.Secret{config.NewSecret(servertest.HookKey)}
	})
	d.signIn(consolePassword)
	id := d.Open(`{"amount_usd":"25.00"}`)
	d.Do("POST", "/v1/sessions/"+id+"/cancel", "", servertest.Bearer)
	first := await(t, seen)
	fortest.Until(t, "it is delivered",
		func() bool { return strings.Contains(d.page("/admin/payments/"+id), "Delivered") })
	asks := d.page(resendLink(t, d.page("/admin/payments/"+id)))
	if !strings.Contains(asks, "Send this webhook again?") ||
		!strings.Contains(asks, "checkout.expired") &&
			!strings.Contains(asks, "checkout.cancelled") ||
		len(seen) > 0 {
		t.Errorf("the page that asks, and sends nothing: %s", asks)
	}
	fields := hiddenFields(asks)
	fields.Set("session", id)
	if got := d.post(
		"/admin/webhooks/send",
		fields,
	); got.Code != http.StatusSeeOther ||
		!strings.HasPrefix(got.Header().Get("Location"), "/admin/payments/"+id) {
		t.Fatalf("sending again = %d %v", got.Code, got.Header())
	}
	fortest.Equal(t, await(t, seen), first, "sent %s, then", first)
	if got := d.post(
		"/admin/webhooks/send",
		fields,
	); got.Code != http.StatusSeeOther ||
		!strings.Contains(got.Header().Get("Location"), "sent-again") {
		t.Errorf("a second click = %d %v", got.Code, got.Header())
	}
	fortest.Until(t, "it is delivered again",
		func() bool { return strings.Contains(d.page("/admin/payments/"+id), "Delivered") })
	d.post("/admin/webhooks/send",
		hiddenFields(d.page(resendLink(t, d.page("/admin/payments/"+id)))))
	if await(t, seen); len(seen) > 0 {
		t.Error("the second click has sent it again")
	}
	fields.Set("endpoint", "0123456789abcdef")
	fortest.Equal(t, d.post("/admin/webhooks/send", fields).Code, http.StatusConflict,
		"sending to a stranger")
	fortest.Lacks(t, "the page shows the key of an endpoint", d.page("/admin/payments/"+id),
		"key=hidden")
}

// resendLink is the address of the page that asks whether the first webhook of a page is to be sent again.
func resendLink(t *testing.T, body string) string {
	t.Helper()
	found := regexp.MustCompile(`href="(/admin/webhooks/send\?[^"]+)"`).FindStringSubmatch(body)
	if found == nil {
		t.Fatalf("the page has no webhook to send again: %s", body)
	}
	return html.UnescapeString(found[1])
}

// hiddenFields are those of the forms of a page.
func hiddenFields(body string) url.Values {
	fields := url.Values{}
	for _, f := range regexp.MustCompile(`<input name="([a-z]+)" type="hidden" value="([^"]*)"`).FindAllStringSubmatch(
		body,
		-1,
	) {
		fields.Set(f[1], html.UnescapeString(f[2]))
	}
	return fields
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

// An operator erases the personal data of a finished payment, once; the audit log names the
// operator.
func TestConsoleErases(t *testing.T) {
	d := newOperatorClient(t, nil)
	d.signIn(consolePassword)
	open := d.Open(strings.Replace(canaryOrder, "%s", "1", 1))
	id := d.OpenAndPay(strings.Replace(canaryOrder, "%s", "2", 1), "pay", "confirmed")
	path := "/admin/payments/" + id
	fortest.Lacks(t, "the data of an open payment can be erased", d.page("/admin/payments/"+open),
		`data-part="erase"`)
	if got := d.page(path); !strings.Contains(got, `data-part="erase"`) ||
		!strings.Contains(got, "ann@canary.example") {
		t.Fatalf("a paid payment cannot be erased: %s", got)
	}
	fortest.Has(t, "the page that asks", d.page(path+"/erase"), "Erased data cannot be restored.")
	fortest.Answer(t, "erasing", d.post(path+"/erase", nil), 303)
	if got := d.page(path); strings.Contains(got, "canary") ||
		strings.Contains(got, `data-part="erase"`) {
		t.Errorf("the page after it holds personal data, or offers to erase it again: %s", got)
	}
	fortest.Has(t, "the page after it does not say that data was erased", d.page(path),
		"Personal data erased")
	fortest.Has(t, "the audit", d.page("/admin/audit?session="+id), "erased personal data")
	for _, where := range []string{"/v1/sessions/" + id, "/v1/events?session=" + id} {
		got := d.Do("GET", where, "", servertest.Bearer).Body.String()
		if strings.Contains(got, "canary") || !strings.Contains(got, id) {
			t.Errorf("%s is %s", where, got)
		}
	}
}

// A refund of the excess is recorded with who did it, and the order leaves the first page.
func TestConsoleRecordsARefund(t *testing.T) {
	d := newOperatorClient(t, nil)
	d.signIn(consolePassword)
	id := d.OpenAndPay(`{"amount_usd":"25.00","order_ref":"B-2"}`, "over", "confirmed")
	path := "/admin/payments/" + id
	fortest.Has(t, "the payment's page", d.page(path), `href="`+path+`/refund"`)
	asked := d.page(path + "/refund")
	fortest.Has(t, "the form", words(asked), "Arrived 27.50 USDT on TRON (TRC20)",
		"Too much 2.50 USDT", "Ask the customer for an address", "Amount in USDT")
	fortest.Has(t, "the form", asked, `name="amount" required`, `type="text" value="2.5"`)

	back := strings.Repeat("d", 64)
	form := url.Values{
		"coin": {"USDT trc20"}, "amount": {"2.5"}, "tx_id": {" " + back}, "reason": {"by mail"},
	}
	got := d.post(path+"/refund", form)
	fortest.Equal(t, got.Code, http.StatusSeeOther, "the answer")
	after := d.page(got.Header().Get("Location"))
	fortest.Has(t, "the payment's page, after", words(after), "The refund is recorded.",
		"Refund recorded: 2.5 USDT", "2.50 USDT on TRON (TRC20)", "by mail",
		"operator recorded a refund")
	fortest.Has(t, "the payment's page, after", after,
		`href="https://tronscan.org/#/transaction/`+back+`"`)
	fortest.Lacks(t, "the payment's page, after", after, "Mark as settled")
	fortest.Lacks(t, "the first page", d.page("/admin"), "B-2")

	form.Set("tx_id", strings.ToUpper(back))
	got = d.post(path+"/refund", form)
	fortest.Has(t, "the same again", d.page(got.Header().Get("Location")),
		"This refund was recorded already")
	fortest.Equal(t, strings.Count(d.page("/admin/audit?session="+id), ">recorded a refund<"), 1,
		"refunds in the audit log")
}

// More than arrived is asked for twice; what is wrong is asked for again, with what was typed.
func TestConsoleRefundIsAskedForAgain(t *testing.T) {
	d := newOperatorClient(t, nil)
	d.signIn(consolePassword)
	id := d.OpenAndPay(`{"amount_usd":"25.00"}`, "pay", "confirmed")
	path := "/admin/payments/" + id + "/refund"
	fortest.Lacks(t, "the form without an excess", d.page(path), "Too much", `value="25`)
	form := func(amount, tx string) url.Values {
		return url.Values{"coin": {"USDT trc20"}, "amount": {amount}, "tx_id": {tx}}
	}

	got := d.post(path, form("25,00", "typed"))
	fortest.Equal(t, got.Code, http.StatusUnprocessableEntity, "a comma")
	fortest.Has(t, "the form, again", got.Body.String(), "The amount must be digits and a point",
		`value="25,00"`, `value="typed"`)
	got = d.post(path, form("25", "typed"))
	fortest.Has(t, "the form with a wrong id", got.Body.String(), "64 hexadecimal digits")
	other := form("25", strings.Repeat("d", 64))
	other.Set("coin", "BTC bitcoin")
	fortest.Equal(t, d.post(path, other).Code, http.StatusUnprocessableEntity, "another coin")

	got = d.post(path, form("25.01", strings.Repeat("d", 64)))
	fortest.Equal(t, got.Code, http.StatusOK, "more than arrived")
	fortest.Has(t, "the second page", words(got.Body.String()), "More goes back than arrived",
		"Arrived 25.00 USDT on TRON (TRC20)", "To be recorded 25.01 USDT")
	fortest.Lacks(t, "the audit log so far", d.page("/admin/audit?session="+id), "a refund")

	confirmed := form("25.01", strings.Repeat("d", 64))
	confirmed.Set("confirm_excess", "true")
	fortest.Equal(t, d.post(path, confirmed).Code, http.StatusSeeOther, "confirmed")

	unpaid := d.Open(`{"amount_usd":"25.00"}`)
	got = d.Do("GET", "/admin/payments/"+unpaid+"/refund", "", d.cookie)
	fortest.Equal(t, got.Code, http.StatusConflict, "a payment without money")
	got = d.post("/admin/payments/"+unpaid+"/refund", form("1", strings.Repeat("e", 64)))
	fortest.Equal(t, got.Code, http.StatusConflict, "a refund of no money")
}
