package console_test

import (
	"bytes"
	"coinslot/bff/fortest"
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/payment"
	"coinslot/bff/sandbox"
	"coinslot/bff/sandbox/sandboxtest"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
)

// consoleRig is the console of a server behind a proxy, for an operator whom a proxy has signed in.
type consoleRig struct {
	*servertest.Rig
	api        string                               // of the gateway
	restart    func()                               // the server
	accelerate func(change func(*payment.Schedule)) // restarts it with another schedule
}

const operator = "X-Remote-User: ann"

func newConsoleRig(t *testing.T, change func(*config.Config)) *consoleRig {
	t.Helper()
	gateway, c := servertest.NewGateway(t)
	c.AdminProxyHeader = "X-Remote-User"
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	if change != nil {
		change(&c)
	}
	r, stop := servertest.Start(t, gateway, c, server.Options{})
	d := &consoleRig{Rig: r, api: c.GatewayURL}
	d.restart = func() {
		stop()
		d.Rig, stop = servertest.Start(t, gateway, c, server.Options{})
	}
	d.accelerate = func(change func(*payment.Schedule)) {
		stop()
		schedule := payment.DefaultSchedule()
		change(&schedule)
		d.Rig, stop = servertest.Start(t, gateway, c, server.Options{Schedule: schedule})
	}
	return d
}

// page returns a page's HTML, which must be there.
func (d *consoleRig) page(path string, status int) string {
	d.T.Helper()
	answer := d.Do("GET", path, "", operator)
	fortest.Answer(d.T, "GET "+path, answer, status)
	return answer.Body.String()
}

// file returns the rows of a CSV file.
func (d *consoleRig) file(path string) [][]string {
	d.T.Helper()
	answer := d.Do("GET", path, "", operator)
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(answer.Body.String(),
		"\ufeff"))).ReadAll()
	if err != nil || answer.Code != http.StatusOK ||
		!strings.HasPrefix(answer.Header().Get("Content-Disposition"), "attachment;") {
		d.T.Fatalf("GET %s = %d %v: %s", path, answer.Code, err, answer.Body)
	}
	return rows
}

// post sends a form of a page and returns where it leads.
func (d *consoleRig) post(page, path string, form url.Values) string {
	d.T.Helper()
	token := formToken.FindStringSubmatch(d.page(page, http.StatusOK))
	if token == nil {
		d.T.Fatalf("%s has no form", page)
	}
	form.Set("token", token[1])
	answer := d.Do("POST", path, form.Encode(), operator, servertest.IsForm, "Origin: "+d.Public)
	fortest.Answer(d.T, "POST "+path, answer, http.StatusSeeOther)
	return answer.Header().Get("Location")
}

var tags = regexp.MustCompile(`<[^>]*>`)

// words is what a page says.
func words(body string) string {
	_, body, _ = strings.Cut(body, "<main")
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(body, " "))), " ")
}

// The gateway's lists show the session of each transaction, and invalid filters are reported.
func TestConsoleGatewayRecords(t *testing.T) {
	t.Parallel()
	d := newConsoleRig(t, nil)
	session := d.Open(`{"amount_usd":"25.00"}`)
	d.Choose(session)
	d.Await(session, "pending")
	d.CreateUnrelated(d.api)
	body := d.page("/admin/transactions", http.StatusOK)
	fortest.Has(t, "the list", body, `href="/admin/payments/`+session+`"`, "not ours",
		"the point of sale [key]", "$25.00", `data-status="pending"`, "Page 1 of 1, 2 rows in all")
	fortest.Has(
		t,
		"a page behind the end",
		d.page("/admin/transactions?page=2&status=pending", http.StatusOK),
		"The gateway has no matching entries",
		`href="/admin/transactions?status=pending"`,
	)
	for _, query := range []string{
		"from=2026-01-01", "to=2026-01-01", "from=2026-01-01&to=2026-02-01", "from=x&to=y",
	} {
		fortest.Has(t, query, d.page("/admin/transactions?"+query, http.StatusUnprocessableEntity),
			"both dates or none")
	}
	rows := d.file("/admin/transactions.csv?status=pending")
	if len(rows) != 3 || rows[0][0] != "session" || rows[1][0] != session && rows[2][0] != session {
		t.Errorf("the file of transactions is %q", rows)
	}
	body = d.page("/admin/withdrawals?status=confirmed", http.StatusOK)
	fortest.Has(t, "withdrawals", body, "$1250.00", `href="https://tronscan.org/`,
		`rel="noopener noreferrer"`)
	fortest.Equal(t, len(d.file("/admin/withdrawals.csv")), 4, "the file of withdrawals")
	d.Gateway.Falsify(sandboxtest.Answer{
		Path: "transaction/list",
		Set: map[string]any{
			"comment":         "=HYPERLINK(\"x\")",
			"tx_explorer_url": "javascript:x",
			"tx_id":           "<b>",
			"status":          "\u202e",
		},
		Times: 2,
	})
	body = d.page("/admin/transactions", http.StatusOK)
	fortest.Has(t, "what is odd", body, "&lt;b&gt;", "=HYPERLINK")
	fortest.Lacks(t, "the page repeats the gateway's markup", body, "javascript:", "<b>")
	for _, row := range d.file("/admin/transactions.csv")[1:] {
		fortest.Equal(t, row[16], `'=HYPERLINK("x")`, "a comment in the file")
	}
	d.Gateway.Inject(sandbox.Fault{Path: "list", Status: 500, Times: 2})
	fortest.Has(
		t,
		"without a gateway",
		d.page("/admin/transactions?from=2026-01-01&to=2026-01-05", http.StatusServiceUnavailable),
		"does not answer. Try again",
		`value="2026-01-05"`,
	)
	fortest.Answer(t, "a file without a gateway",
		d.Do("GET", "/admin/transactions.csv", "", operator), http.StatusServiceUnavailable)
}

// A server begins the daily comparison by itself.
func TestDailyReconciliation(t *testing.T) {
	t.Parallel()
	d := newConsoleRig(t, nil)
	d.Choose(d.Open(`{"amount_usd":"25.00"}`))
	fortest.Has(t, "at first", d.page("/admin/reconciliation", http.StatusOK),
		"Starts within minutes")
	d.accelerate(func(p *payment.Schedule) { p.ReconcileInterval = 10 * time.Millisecond })
	var body string
	fortest.Until(t, "a comparison to end", func() bool {
		body = d.page("/admin/reconciliation", http.StatusOK)
		return strings.Contains(body, "Last completed")
	})
	fortest.Has(t, "the end", body, "Idle.", "1 transaction", "0 payments")
}

// What gateway and database do not agree on is shown with what to do.
func TestConsoleReconciliation(t *testing.T) {
	t.Parallel()
	d := newConsoleRig(t, nil)
	session := d.Open(`{"amount_usd":"25.00","order_ref":"=1+1"}`)
	d.Choose(session)
	d.Await(session, "pending")
	fortest.Has(t, "at first", d.page("/admin/reconciliation", http.StatusOK),
		"No reconciliation yet", "Daily reconciliation")
	fortest.Answer(t, "a file of nothing",
		d.Do("GET", "/admin/reconciliation.csv", "", operator), http.StatusConflict)
	now := time.Now().UTC()
	today := url.Values{
		"from": {now.AddDate(0, 0, -1).Format(time.DateOnly)},
		"to":   {now.Format(time.DateOnly)},
	}
	form := today
	compare := func() (body string) {
		to := d.post("/admin/reconciliation", "/admin/reconciliation", form)
		if to != "/admin/reconciliation" {
			t.Fatalf("it leads to %s", to)
		}
		fortest.Until(t, "the comparison has ended", func() bool {
			body = d.page("/admin/reconciliation", http.StatusOK)
			return !strings.Contains(body, "updates automatically")
		})
		return body
	}
	fortest.Has(t, "agreement", compare(), "No differences.",
		"1 transaction with a day on each side, 0 not ours", "1 attempt<")
	form = url.Values{"from": {"2020-01-01"}, "to": {"2020-01-01"}}
	empty := compare()
	if !strings.Contains(empty, "Nothing was compared") ||
		strings.Contains(empty, "No differences") {
		t.Errorf("days without payments: %s", words(empty))
	}
	form = today
	d.Gateway.Falsify(sandboxtest.Answer{
		Path: "transaction/list",
		Set:  map[string]any{"pay_amount": "99.00000000"},
	})
	body := compare()
	fortest.Has(
		t,
		"a difference",
		body,
		"Amounts differ (1)",
		"Amounts must agree before a payment counts",
		`href="/admin/payments/`+session+`"`,
		"=1&#43;1",
	)
	rows := d.file("/admin/reconciliation.csv")
	if len(rows) != 2 || rows[1][0] != "money" || rows[1][1] != session || rows[1][3] != "'=1+1" ||
		rows[1][7] == "" {
		t.Errorf("the file is %q", rows)
	}
	d.Gateway.Inject(sandbox.Fault{Path: "list", Status: 500, Times: 9})
	fortest.Has(t, "an unavailable gateway", compare(), "failed: the gateway", "Amounts differ (1)")
	d.Gateway.ClearFaults()
	d.Gateway.Inject(sandbox.Fault{Path: "list", Latency: time.Minute, Times: -1})
	d.post("/admin/reconciliation", "/admin/reconciliation", form)
	fortest.Has(
		t,
		"a running one",
		d.page("/admin/reconciliation", http.StatusOK),
		"started by console:ann 0 s ago",
		"waiting for the gateway",
		"updates automatically",
		"Amounts differ (1)",
	)
	d.restart()
	fortest.Has(t, "after a restart", d.page("/admin/reconciliation", http.StatusOK),
		"stopped: its instance", "Amounts differ (1)", ">console:ann</bdi>")
	d.Gateway.ClearFaults()
	fortest.Has(t, "begun again", compare(), "No differences.")
	for name, bad := range map[string]url.Values{
		"too long":  {"from": {"2026-01-01"}, "to": {"2026-05-01"}},
		"backwards": {"from": {"2026-01-02"}, "to": {"2026-01-01"}},
		"no day":    {"from": {""}, "to": {"2026-01-01"}},
	} {
		bad.Set("token", formToken.FindStringSubmatch(d.page("/admin/reconciliation", 200))[1])
		answer := d.Do("POST", "/admin/reconciliation", bad.Encode(), operator, servertest.IsForm,
			"Origin: "+d.Public)
		if answer.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s = %d %s", name, answer.Code, words(answer.Body.String()))
		}
	}
}

// Refused hosts are shown with the setting that accepts them, without a link.
func TestConsoleOrigins(t *testing.T) {
	t.Parallel()
	d := newConsoleRig(t, nil)
	for _, origin := range []string{"https://forgotten.example", servertest.Shop} {
		d.Do("GET", "/checkout/embed.js?origin="+origin, "")
	}
	session := d.Open(`{"amount_usd":"25.00"}`)
	d.Do("GET", "/checkout/"+session+"?embed=inline&origin=https://new.example", "")
	d.restart() // which writes what was counted
	body := d.page("/admin/origins", http.StatusOK)
	fortest.Has(
		t,
		"origins",
		body,
		`>COINSLOT_ORIGINS=`+servertest.Shop+`,https://forgotten.example<`,
		">https://forgotten.example<",
	)
	fortest.Lacks(t, "a stranger's host is a link", body, `href="https://forgotten`)
	rows := d.file("/admin/origins.csv")
	slices.SortFunc(rows[1:], func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	if len(rows) != 3 || rows[1][0] != "https://forgotten.example" || rows[1][1] != "1" ||
		rows[1][2] != "0" || rows[2][2] != "1" || rows[2][5] != session {
		t.Errorf("the file is %q", rows)
	}
	body = d.page("/admin", http.StatusOK)
	if fortest.Has(t, "the overview", body, "1 host page refused today",
		"https://new.example"); strings.Contains(body, "forgotten.example") {
		t.Error("the overview names a host that nobody with a payment has come from")
	}
}

// What the merchant's server has not taken is shown, and can be sent again.
func TestConsoleWebhooks(t *testing.T) {
	t.Parallel()
	var takes atomic.Bool
	var taken atomic.Int64
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		taken.Add(1)
		if !takes.Load() {
			w.WriteHeader(http.StatusTeapot)
			fmt.Fprint(w, "=<b>not now</b>")
		}
	}))
	t.Cleanup(hook.Close)
	d := newConsoleRig(t, func(c *config.Config) {
		c.WebhookURLs = []string{hook.URL + "/in?key=canary"}
		c.WebhookSecrets = []config.Secret{config.NewSecret(servertest.HookKey)}
		c.AllowPrivateWebhooks = true
	})
	session := d.Open(`{"amount_usd":"25.00"}`)
	d.Choose(session)
	d.Await(session, "pending")
	var body string
	fortest.Until(t, "a try has failed", func() bool {
		body = d.page("/admin/webhooks?state=retrying", http.StatusOK)
		return strings.Contains(body, "418")
	})
	fortest.Has(t, "what has failed", body, "checkout.pending", "=&lt;b&gt;not now",
		`href="/admin/payments/`+session+`"`, "Retrying", "Failing")
	address := strings.TrimPrefix(hook.URL, "http://")
	if !strings.Contains(body, address+"/… ") || strings.Contains(body, address+"/in") ||
		strings.Contains(body, "canary") {
		t.Errorf("the endpoint is shown as it should not be: %s", words(body))
	}
	rows := d.file("/admin/webhooks.csv?state=retrying")
	if len(rows) != 2 || rows[1][1] != "checkout.pending" || !strings.HasPrefix(rows[1][8], "'=") {
		t.Errorf("the file is %q", rows)
	}
	takes.Store(true)
	fortest.Has(t, "the overview at once", d.page("/admin", http.StatusOK), `<li data-kind="warn"`,
		"1 webhook waiting", "did not accept 1 of them: its last answer is 418 I&#39;m a teapot")
	before, fields := taken.Load(), hiddenFields(d.page(resendLink(t, body), http.StatusOK))
	fields.Set("session", "cs_someoneelse")
	if to := d.post("/admin/webhooks/test", "/admin/webhooks/send",
		fields); !strings.HasPrefix(to, "/admin/webhooks?done=sent-again.") {
		t.Errorf("it leads to %s", to)
	}
	fortest.Until(
		t,
		"it is delivered",
		func() bool {
			return strings.Contains(d.page("/admin/webhooks", http.StatusOK), "Delivered")
		},
	)
	audit := d.page("/admin/audit?session="+session, http.StatusOK)
	if !strings.Contains(audit, ">resent a webhook<") ||
		strings.Contains(d.page("/admin/audit", http.StatusOK), "cs_someoneelse") {
		t.Errorf("the audit has another payment than the event's: %s", words(audit))
	}
	for _, state := range []string{
		"all", "All",
	} { // as browsers send the choice that leaves all, and as they did
		fortest.Has(
			t,
			state,
			d.page("/admin/webhooks?state="+state+"&session="+session, http.StatusOK),
			"checkout.pending",
		)
	}
	now := time.Now().UTC()
	span := url.Values{
		"from": {now.Add(-time.Hour).Format("2006-01-02T15:04")},
		"to":   {now.Add(time.Hour).Format("2006-01-02T15:04")},
	}
	if to := d.post("/admin/webhooks/replay", "/admin/webhooks/replay",
		span); !strings.HasPrefix(to, "/admin/webhooks?done=replayed.") {
		t.Errorf("it leads to %s", to)
	}
	fortest.Until(t, "both were sent again", func() bool { return taken.Load() >= before+2 })
	fortest.Until(
		t,
		"it was accepted",
		func() bool {
			return strings.Contains(d.page("/admin/webhooks", http.StatusOK), ">Delivered")
		},
	)
	fortest.Has(t, "the likely choice", d.page("/admin/webhooks/replay", http.StatusOK),
		`<option selected value="undelivered">`)
	span.Set("only", "undelivered")
	if to := d.post("/admin/webhooks/replay", "/admin/webhooks/replay",
		span); !strings.HasPrefix(to, "/admin/webhooks?done=replayed-none.") {
		t.Errorf("a replay of what was not accepted, which is nothing, leads to %s", to)
	}
	span.Set("to", now.Add(-50*time.Minute).Format("2006-01-02T15:04"))
	if to := d.post("/admin/webhooks/replay", "/admin/webhooks/replay",
		span); !strings.HasPrefix(to, "/admin/webhooks?done=replayed-none.") {
		t.Errorf("a replay of nothing leads to %s", to)
	}
}

// An export of the gateway's lists is streamed, and complete even if it takes longer than 30 s.
func TestConsoleLongFile(t *testing.T) {
	t.Parallel()
	d := newConsoleRig(
		t,
		func(c *config.Config) {
			c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
		},
	)
	for range 51 { // more than a page
		d.CreateUnrelated(d.api)
	}
	web := httptest.NewUnstartedServer(d.Handler)
	web.Config = server.HTTP(d.Handler)
	web.Config.ReadTimeout, web.Config.WriteTimeout = 300*time.Millisecond, 300*time.Millisecond
	web.Start()
	t.Cleanup(web.Close)
	file := func() (rows [][]string, err error) {
		r, err := http.NewRequestWithContext(t.Context(), "GET", web.URL+"/admin/transactions.csv",
			nil)
		if err != nil {
			return nil, err
		}
		r.Host, _ = strings.CutPrefix(d.Public, "http://")
		r.Header.Set("X-Remote-User", "ann")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return nil, err
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			return nil, err
		}
		return csv.NewReader(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff")))).ReadAll()
	}
	d.Gateway.Inject(sandbox.Fault{Path: "list", Latency: 400 * time.Millisecond, Times: -1})
	if rows, err := file(); err != nil || len(rows) != 52 {
		t.Errorf("a file that takes longer than other answers has %d rows, %v; want 52", len(rows),
			err)
	}
	d.Gateway.ClearFaults()
	d.Gateway.Inject(sandbox.Fault{Path: "list", Latency: time.Millisecond})
	d.Gateway.Inject(sandbox.Fault{Path: "list", Status: 500, Times: 9})
	if rows, err := file(); err == nil {
		t.Errorf("a file that breaks off has %d rows and an end", len(rows))
	}
}

// Nothing is sent to an endpoint that has said 410, and the operator who asks for it sees why.
func TestConsoleDisabledEndpoint(t *testing.T) {
	t.Parallel()
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusGone)
	}))
	t.Cleanup(hook.Close)
	d := newConsoleRig(t, func(c *config.Config) {
		c.WebhookURLs = []string{hook.URL}
		c.WebhookSecrets = []config.Secret{config.NewSecret(servertest.HookKey)}
		c.AllowPrivateWebhooks = true
	})
	session := d.Open(`{"amount_usd":"25.00"}`)
	d.Do("POST", "/v1/sessions/"+session+"/cancel", "", servertest.Bearer)
	var body string
	fortest.Until(t, "it has said 410", func() bool {
		body = d.page("/admin/webhooks", http.StatusOK)
		return strings.Contains(body, "Disabled: answered 410")
	})
	to := d.post("/admin/webhooks/test", "/admin/webhooks/send",
		hiddenFields(d.page(resendLink(t, body), http.StatusOK)))
	if body = d.page(
		to,
		http.StatusOK,
	); !strings.Contains(body, "nothing is sent to it until the server restarts") ||
		strings.Contains(body, "being sent again") {
		t.Errorf("what is said of it: %s", words(body))
	}
}

// TestConsoleTestsWebhooks: from the list of webhooks to what came back, written down.
func TestConsoleTestsWebhooks(t *testing.T) {
	t.Parallel()
	shop := servertest.NewMerchant(t)
	d := newOperatorClient(t, shop.Configure)
	d.signIn(consolePassword)
	fortest.Has(t, "the list", d.page("/admin/webhooks"), `href="/admin/webhooks/test"`,
		"Send a test")
	fortest.Has(
		t,
		"the question",
		d.page("/admin/webhooks/test"),
		"It has no session, order or amount",
		`action="/admin/webhooks/test"`,
		`data-part="do-test"`,
	)
	if got := d.Do("POST", "/admin/webhooks/test", url.Values{"token": {"wrong"}}.Encode(),
		servertest.IsForm, d.cookie); got.Code != http.StatusForbidden || len(shop.Received) != 0 {
		t.Errorf("a forged form = %d, and %d were sent", got.Code, len(shop.Received))
	}
	sent := func() string {
		answer := d.post("/admin/webhooks/test", nil)
		if answer.Code != http.StatusOK || strings.Contains(answer.Body.String(), "canary") ||
			strings.Contains(answer.Body.String(), "<b>") {
			t.Errorf("a test = %d %s", answer.Code, answer.Body)
		}
		return answer.Body.String()
	}
	fortest.Has(t, "what was taken", sent(), "Test accepted", "Accepted.", "204 No Content", " ms",
		(<-shop.Received).ID, "Send another")
	shop.Status.Store(http.StatusNotFound)
	fortest.Has(t, "what was not", sent(), "Test not accepted", "nothing at this address",
		"Correct the path in COINSLOT_WEBHOOK_URL", "404 Not Found", "=&lt;b&gt;no", "…")
	fortest.Has(t, "the audit", d.page("/admin/audit"), ">sent a test webhook<",
		">requested a test webhook<", "console:operator")
	d.WantNoEvents()
	bare := newOperatorClient(t, nil)
	bare.signIn(consolePassword)
	if got := bare.post(
		"/admin/webhooks/test",
		nil,
	); got.Code != http.StatusConflict ||
		!strings.Contains(got.Body.String(), "Set COINSLOT_WEBHOOK_URL") {
		t.Errorf("without an endpoint = %d %s", got.Code, got.Body)
	}
}
