package console_test

import (
	"encoding/json"
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
	"sync"
	"testing"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/sandbox"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
	"coinslot/bff/store"
	"coinslot/bff/store/pgtest"
)

// mailbox is a merchant's endpoint that keeps the ids of what it was sent, by type.
type mailbox struct {
	*httptest.Server
	mu  sync.Mutex // guards ids
	ids map[string][]string
}

func newMailbox(t *testing.T) *mailbox {
	m := &mailbox{ids: map[string][]string{}}
	m.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var event struct{ Type string }
		_ = json.Unmarshal(body, &event)
		m.mu.Lock()
		defer m.mu.Unlock()
		m.ids[event.Type] = append(m.ids[event.Type], r.Header.Get("webhook-id"))
	}))
	t.Cleanup(m.Close)
	return m
}

// of returns the ids of one type.
func (m *mailbox) of(eventType string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.ids[eventType])
}

// deadURL is one at which no server listens.
func deadURL(t *testing.T) string {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	return s.URL + "/in?key=canary"
}

// withWebhooks sets the URLs; *c is what later starts of the office read.
func withWebhooks(c **config.Config, urls ...string) func(*config.Config) {
	return func(settings *config.Config) {
		*c = settings
		settings.WebhookURLs, settings.AllowPrivateWebhooks = urls, true
		settings.WebhookSecrets = []config.Secret{config.NewSecret(servertest.HookKey)}
	}
}

// paid opens a payment, pays it and returns the id of its checkout.confirmed.
func (d *consoleRig) paid() string {
	d.T.Helper()
	session := d.Open(`{"amount_usd":"25.00"}`)
	d.Choose(session)
	d.Await(session, "pending")
	d.Pay(session)
	d.Await(session, "confirmed")
	list := d.Events("?session=" + session)
	if len(list.Data) != 2 || list.Data[1].Type != "checkout.confirmed" {
		d.T.Fatalf("events of a payment: %+v", list)
	}
	return list.Data[1].ID
}

// A merchant who replaces a dead URL, or sets the first one, gets earlier events once, with their
// original ids.
func TestWebhookURLIsReplaced(t *testing.T) {
	t.Parallel()
	for name, before := range map[string][]string{"a dead URL": {deadURL(t)}, "no URL": nil} {
		t.Run(name, func(t *testing.T) {
			var c *config.Config
			d := newConsoleRig(t, withWebhooks(&c, before...))
			event := d.paid()
			shop := newMailbox(t)
			c.WebhookURLs = []string{shop.URL}
			d.restart()
			fortest.Until(t, "it is delivered",
				func() bool { return len(shop.of("checkout.confirmed")) > 0 })
			d.restart()
			fortest.Diff(t, shop.of("checkout.confirmed"), []string{event}, "checkout.confirmed")
			fortest.Has(t, "the overview", d.page("/admin", http.StatusOK), "All good")
		})
	}
}

// Events open to a removed URL are counted, shown, and resent by a button, which the audit log
// records.
func TestConsoleReroutesWebhooks(t *testing.T) {
	t.Parallel()
	var c *config.Config
	shop, dead := newMailbox(t), deadURL(t)
	d := newConsoleRig(t, withWebhooks(&c, dead, shop.URL))
	d.paid()
	fortest.Until(t, "the other URL has it",
		func() bool { return len(shop.of("checkout.confirmed")) > 0 })
	c.WebhookURLs = nil
	d.restart()
	fortest.Has(t, "without a URL", d.page("/admin/webhooks", http.StatusOK),
		"URLs that are not configured", "Set COINSLOT_WEBHOOK_URL first")

	c.WebhookURLs = []string{shop.URL}
	d.restart()
	fortest.Has(t, "the overview", d.page("/admin", http.StatusOK),
		"2 webhooks to a URL that is not configured")
	body := d.page("/admin/webhooks", http.StatusOK)
	fortest.Has(t, "the list", body, "Not configured", "Send to the configured URL",
		`action="/admin/webhooks/move"`, `data-part="reroute"`)
	fortest.Lacks(t, "the page shows the URL's query, which may hold a key", body, "canary")
	_, form, _ := strings.Cut(body, `action="/admin/webhooks/move"`)
	mark := regexp.MustCompile(`name="endpoint" type="hidden" value="([^"]*)"`).FindStringSubmatch(form)[1]
	press := func(mark string) string {
		return d.post("/admin/webhooks", "/admin/webhooks/move",
			url.Values{"endpoint": {html.UnescapeString(mark)}})
	}
	if to := press(mark); !strings.HasPrefix(to, "/admin/webhooks?done=rerouted-none.") {
		t.Errorf("it leads to %s", to)
	}
	fortest.Lacks(t, "the button is still there", d.page("/admin/webhooks", http.StatusOK),
		"Send to the configured URL")
	u := fortest.Must(url.Parse(dead))(t)
	fortest.Has(t, "the audit", d.page("/admin/audit", http.StatusOK),
		"moved webhooks to the configured URL", fmt.Sprintf("2 to %s", u.Host))
	fortest.Has(t, "the overview afterwards", d.page("/admin", http.StatusOK), "All good")
}

// A reconciliation is visible at all instances; one runs at a time, and another instance restarts
// one whose instance has died.
func TestReconciliationOfInstances(t *testing.T) {
	t.Parallel()
	gateway, c := servertest.NewGateway(t)
	c.Database = pgtest.DSN(t)
	c.AdminProxyHeader = "X-Remote-User"
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	r, stop := servertest.Start(t, gateway, c, server.Options{})
	one := &consoleRig{Rig: r, api: c.GatewayURL}
	r, _ = servertest.Start(t, gateway, c, server.Options{})
	other := &consoleRig{Rig: r, api: c.GatewayURL}
	const path = "/admin/reconciliation"
	shows := func(what string, parts ...string) {
		t.Helper()
		for _, o := range []*consoleRig{one, other} {
			fortest.Has(t, what, o.page(path, http.StatusOK), parts...)
		}
	}
	form := url.Values{"from": {"2026-11-01"}, "to": {"2026-11-02"}}
	agree := func(o *consoleRig) {
		t.Helper()
		if to := o.post(path, path, form); to != path {
			t.Fatalf("it leads to %s", to)
		}
		fortest.Until(
			t,
			"it has ended",
			func() bool {
				return !strings.Contains(other.page(path, http.StatusOK), "updates automatically")
			},
		)
		fortest.Has(t, "the end", other.page(path, http.StatusOK), "Nothing was compared",
			"2026-11-01 to 2026-11-02", ">console:ann</bdi>")
	}
	agree(one)

	db, err := store.Open(t.Context(),
		store.Config{DSN: c.Database}) // a third instance, which dies
	fortest.OK(t, err)
	day := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	run := gatewaylist.Run{
		By:       "console:bob",
		From:     day,
		To:       day,
		Began:    db.Now(),
		Progress: gatewaylist.Progress{Day: day, Page: 3, Pages: 4},
	}
	begun := func(lease time.Duration) int64 {
		t.Helper()
		return fortest.Must(db.BeginRun(t.Context(), run, db.Now(), lease))(t)
	}
	many := gatewaylist.Report{
		Run:      run,
		Counts:   map[gatewaylist.FindingKind]int{gatewaylist.FindingMoney: 700},
		Findings: []gatewaylist.Finding{{Kind: gatewaylist.FindingMoney, Session: "cs_1"}},
	}
	fortest.OK(t, db.EndRun(t.Context(), begun(time.Minute), run, &many, time.Time{}))
	rows := one.file(path + ".csv")
	if len(rows) != 3 || rows[2][0] != "money" ||
		!strings.HasSuffix(rows[2][7], "coinslot reconcile -from 2026-10-01 -to 2026-10-01") {
		t.Errorf("the file of some of many is %q", rows)
	}
	begun(time.Second)
	shows(
		"one that is under way elsewhere",
		"Reconciliation of 2026-10-01 to 2026-10-01, started by console:bob",
		"page 3 of 4",
		"updates automatically",
		"Amounts differ (700)",
		"The first 500 of 700 are kept",
	)
	if to := other.post(path, path, form); !strings.HasPrefix(to, path+"?done=comparing.") {
		t.Errorf("a second one leads to %s", to)
	}
	fortest.OK(t, db.Close())
	fortest.Until(
		t,
		"the lease has run out",
		func() bool {
			return strings.Contains(one.page(path, http.StatusOK), "stopped: its instance")
		},
	)
	agree(other)

	gateway.Inject(sandbox.Fault{Path: "list", Latency: time.Minute, Times: -1})
	one.post(path, path, form)
	shows("a running one", "waiting for the gateway", "updates automatically")
	stop()
	fortest.Has(t, "after the stop", other.page(path, http.StatusOK), "stopped: its instance",
		"Nothing was compared")
	gateway.ClearFaults()
	agree(other)
}
