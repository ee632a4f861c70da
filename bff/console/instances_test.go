package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/reconcile"
	"coinslot/bff/sandbox"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
	"coinslot/bff/store"
	"coinslot/bff/store/pgtest"
)

// A reconciliation is visible at all instances; one runs at a time, and another instance restarts
// one whose instance has died.
func TestReconciliationOfInstances(t *testing.T) {
	t.Parallel()
	gateway := sandbox.New(sandbox.Config{Key: servertest.GatewayKey})
	api := httptest.NewServer(gateway)
	t.Cleanup(api.Close)
	c := servertest.Settings(t, api.URL)
	c.Database = pgtest.DSN(t)
	c.AdminProxyHeader, c.TrustedProxies = "X-Remote-User", []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	r, stop := servertest.Start(t, gateway, c, server.Options{})
	one := &consoleRig{Rig: r, api: api.URL}
	r, _ = servertest.Start(t, gateway, c, server.Options{})
	other := &consoleRig{Rig: r, api: api.URL}
	const path = "/admin/reconciliation"
	shows := func(what string, parts ...string) {
		t.Helper()
		for _, o := range []*consoleRig{one, other} {
			pageText(t, what, o.page(path, http.StatusOK), parts...)
		}
	}
	form := url.Values{"from": {"2026-11-01"}, "to": {"2026-11-02"}}
	agree := func(o *consoleRig) {
		t.Helper()
		if to := o.post(path, path, form); to != path {
			t.Fatalf("it leads to %s", to)
		}
		servertest.Until(t, "it has ended", func() bool { return !strings.Contains(other.page(path, http.StatusOK), "updates automatically") })
		pageText(t, "the end", other.page(path, http.StatusOK), "No differences.", "2026-11-01 to 2026-11-02", ">console:ann</bdi>")
	}
	agree(one)

	db, err := store.Open(t.Context(), store.Config{DSN: c.Database}) // a third instance, which dies
	fortest.OK(t, err)
	day := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	run := reconcile.Run{By: "console:bob", From: day, To: day, Began: db.Now(), Progress: reconcile.Progress{Day: day, Page: 3, Pages: 4}}
	begun := func(lease time.Duration) int64 {
		t.Helper()
		epoch := fortest.Must(db.BeginRun(t.Context(), run, db.Now(), lease))(t)
		return epoch
	}
	many := reconcile.Report{Run: run, Counts: map[reconcile.FindingKind]int{reconcile.FindingMoney: 700}, Findings: []reconcile.Finding{{Kind: reconcile.FindingMoney, Session: "cs_1"}}}
	fortest.OK(t, db.EndRun(t.Context(), begun(time.Minute), run, &many, time.Time{}))
	if rows := one.file(path + ".csv"); len(rows) != 3 || rows[2][0] != "money" || !strings.HasSuffix(rows[2][7], "coinslot reconcile -from 2026-10-01 -to 2026-10-01") {
		t.Errorf("the file of some of many is %q", rows)
	}
	begun(time.Second)
	shows("one that is under way elsewhere", "Reconciliation of 2026-10-01 to 2026-10-01, started by console:bob", "page 3 of 4", "updates automatically", "Amounts differ (700)", "The first 500 of 700 are kept")
	if to := other.post(path, path, form); !strings.HasPrefix(to, path+"?done=comparing.") {
		t.Errorf("a second one leads to %s", to)
	}
	fortest.OK(t, db.Close())
	servertest.Until(t, "the lease has run out", func() bool { return strings.Contains(one.page(path, http.StatusOK), "stopped: its instance") })
	agree(other)

	gateway.Inject(sandbox.Fault{Path: "list", Latency: time.Minute, Times: -1})
	one.post(path, path, form)
	shows("a running one", "waiting for the gateway", "updates automatically")
	stop()
	pageText(t, "after the stop", other.page(path, http.StatusOK), "stopped: its instance", "No differences.")
	gateway.ClearFaults()
	agree(other)
}
