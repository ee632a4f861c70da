package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/sandbox"
	"coinslot/bff/server"
	"coinslot/bff/store"

	"github.com/shopspring/decimal"
)

// coinslot erase needs only COINSLOT_DATABASE, erases by session and by e-mail beside an open
// database, and repeats its list after a restore.
func TestErase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coinslot.db")
	db := fortest.Must(store.Open(t.Context(), store.Config{DSN: path}))(t)
	defer db.Close()
	for _, id := range []string{"cs_1", "cs_2", "cs_3"} {
		s := payment.Session{
			ID:     id,
			Status: "open",
			Order:  payment.Order{AmountUSD: decimal.NewFromInt(25), Email: "ann@shop.example"},
		}
		if id == "cs_3" {
			s.Order.Email = "bob@shop.example"
		}
		fortest.Must(db.Insert(t.Context(), s))(t)
	}
	again := filepath.Join(t.TempDir(), "erased.txt")
	fortest.OK(t, os.WriteFile(again, []byte("cs_gone\ncs_3\n\n"), 0o600))
	env := []string{"COINSLOT_DATABASE=" + path}
	for _, c := range []struct {
		env  []string
		args string
		code int
		want string // of what is printed
	}{
		{env, "erase", 1, "name a session or an e-mail address"},
		{env, "erase -x", 1, "see coinslot erase -h"},
		{env, "erase -h", 0, "-list"},
		{[]string{"COINSLOT_DATABASE=" + path + ".none"}, "erase cs_1", 1, "COINSLOT_DATABASE"},
		{env, "erase cs_none", 1, `"cs_none"`},
		{env, "erase nobody@shop.example", 0, "nothing was erased"},
		{
			env,
			"erase ANN@shop.example",
			0,
			"cs_1: personal data erased\ncs_2: personal data erased\n",
		},
		{nil, "erase -database " + path + " cs_1", 0, "cs_1: personal data erased\n"},
		{env, "erase -list", 0, "cs_2\ncs_1\n"},
		{
			env,
			"erase -from " + again,
			0,
			"cs_gone: not in this database\ncs_3: personal data erased\n",
		},
		{env, "erase -from " + again + ".none", 1, "-from"},
	} {
		var out, errs strings.Builder
		code := run(strings.Fields(c.args), c.env, &out, &errs)
		if text := out.String() + errs.String(); code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("coinslot %s = %d, %q; want %d, %q", c.args, code, text, c.code, c.want)
		}
	}
	for _, id := range []string{"cs_1", "cs_2", "cs_3"} {
		s, err := db.Session(t.Context(), id)
		if err != nil || s.Order.Email != "" || s.ErasedAt.IsZero() {
			t.Errorf("%s = %+v, %v; want it erased", id, s.Order, err)
		}
	}
}

// The report works beside a running server, and has what that one does not know yet.
func TestReconcile(t *testing.T) {
	gateway := sandbox.New(sandbox.Config{Key: secretCanary})
	api := httptest.NewServer(gateway)
	t.Cleanup(api.Close)
	database := filepath.Join(t.TempDir(), "coinslot.db")
	env := []string{
		"COINSLOT_GATEWAY_URL=" + api.URL, "COINSLOT_GATEWAY_KEY=" + secretCanary,
		"COINSLOT_SECRET_KEY=" + secretCanary, "COINSLOT_DATABASE=" + database,
	}
	c := fortest.Must(config.Load(env, nil))(t)
	srv, err := server.New(t.Context(), c,
		server.Options{}) // which does not poll, since it does not run
	fortest.OK(t, err)
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	id := opened(t, srv.Handler, c.PublicURL, "1001")

	code, out, errs := invoke(env, "reconcile")
	if code != 0 ||
		!strings.Contains(
			out,
			"the gateway lists 1 transactions with a day on each side, 0 of them not from this checkout; the database has 1 attempts.\nNo differences.\n",
		) {
		t.Fatalf("agreed: exit %d\n%s%s", code, out, errs)
	}
	if code, out, errs = invoke(
		env,
		"reconcile",
		"-from",
		"2020-01-01",
		"-to",
		"2020-01-01",
	); code != 0 || !strings.Contains(out, "Nothing was compared") ||
		strings.Contains(out, "No differences") {
		t.Errorf("days without payments: exit %d\n%s%s", code, out, errs)
	}
	fortest.OK(t, gateway.Pay(gateway.Transactions()[0].TrackingCode, "pay"))
	today := time.Now().UTC().Format(time.DateOnly)
	code, out, errs = invoke(env, "reconcile", "-from", today, "-to", today)
	for _, want := range []string{
		"paid_there: the next check confirms", gateway.Transactions()[0].TrackingCode, id + " #1",
		"1001", "gateway: confirmed", "database: pending",
	} {
		fortest.Has(t, "the report", out, want)
	}
	if code != 1 || !strings.Contains(errs, "differ in 1 cases") {
		t.Errorf("exit %d, %q; want 1 and the number of findings", code, errs)
	}
	_, out, _ = invoke(env, "reconcile", "-json")
	var report struct {
		Findings []struct{ Kind, Session, Why string }
	}
	if err := json.Unmarshal(
		[]byte(out),
		&report,
	); err != nil || len(report.Findings) != 1 || report.Findings[0].Session != id ||
		report.Findings[0].Why == "" {
		t.Errorf("-json: %v\n%s", err, out)
	}

	// A restored database lacks both transactions.
	opened(t, srv.Handler, c.PublicURL, "1002")
	c.Database = filepath.Join(t.TempDir(), "restored.db")
	restored := fortest.Must(server.New(t.Context(), c, server.Options{}))(t)
	t.Cleanup(func() { fortest.OK(t, restored.Close()) })
	env[3] = "COINSLOT_DATABASE=" + c.Database
	_, out, errs = invoke(env, "reconcile", "-cancel-unknown")
	fortest.Has(
		t,
		"the report",
		out,
		"unknown_here",
		" confirmed, 25.00000000 paid of 25 usdt_trc20 for $25, order ",
		" pending of 25 usdt_trc20 ",
		", cs-",
	)
	fortest.Has(t, "the report", errs, "1 unpaid transactions canceled")
	if all := gateway.Transactions(); all[0].Status != "confirmed" || all[1].Status != "cancelled" {
		t.Errorf("a paid transaction is %s, an unpaid one %s; want the unpaid one canceled",
			all[0].Status, all[1].Status)
	}
}

// opened opens a session and its first attempt.
func opened(t *testing.T, h http.Handler, public, ref string) (id string) {
	t.Helper()
	post := func(path, body string) string {
		req := httptest.NewRequest("POST", public+path, strings.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+secretCanary)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		if w.Code/100 != 2 {
			t.Fatalf("POST %s = %d %s", path, w.Code, w.Body)
		}
		return w.Body.String()
	}
	var s struct{ ID string }
	fortest.OK(
		t,
		json.Unmarshal([]byte(post("/v1/sessions", `{"amount_usd":"25.00","order_ref":"`+ref+`"}`)),
			&s),
	)
	post("/checkout/"+s.ID+"/attempts", `{"currency_symbol":"USDT","network_code":"trc20"}`)
	return s.ID
}

func TestReconcileArguments(t *testing.T) {
	env := []string{
		"COINSLOT_GATEWAY_URL=http://127.0.0.1:1", "COINSLOT_GATEWAY_KEY=" + secretCanary,
		"COINSLOT_SECRET_KEY=" + secretCanary,
		"COINSLOT_DATABASE=" + filepath.Join(t.TempDir(), "none.db"),
	}
	for _, c := range []struct {
		args []string
		has  string
	}{
		{[]string{"-from", "yesterday"}, `-from "yesterday": must be a date like`},
		{[]string{"-to", "2026-02-30"}, `-to "2026-02-30": must be a date like`},
		{[]string{"-from", "2026-11-02", "-to", "2026-11-01"}, "-to is before -from"},
		{[]string{"-from", "2016-11-02", "-to", "2026-11-01"}, "more than a year apart"},
		{nil, "COINSLOT_DATABASE"},
	} {
		code, out, errs := invoke(env, append([]string{"reconcile"}, c.args...)...)
		if code != 1 || !strings.Contains(errs, c.has) || strings.Contains(out+errs, secretCanary) {
			t.Errorf("%v: exit %d, %s%s; want 1 and %q", c.args, code, out, errs, c.has)
		}
	}
}
