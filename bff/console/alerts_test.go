package console_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"coinslot/bff/alert"
	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/sandbox/sandboxtest"
)

// An operator sees who gets alerts and whether they arrive, and can send a test.
func TestConsoleAlerts(t *testing.T) {
	t.Parallel()
	var accepts atomic.Bool
	received := make(chan string, 9)
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !accepts.Load() {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		text := fortest.Must(io.ReadAll(r.Body))(t)
		received <- r.Header.Get("Title") + "\n" + string(text)
	}))
	t.Cleanup(target.Close)
	d := newConsoleRig(t, func(c *config.Config) {
		c.Alerts = fortest.Must(alert.ParseTargets(target.URL + "/s3cr3t"))(t)
		c.AllowPrivateWebhooks = true
	})
	host := strings.TrimPrefix(target.URL, "http://")
	page := d.page("/admin/alerts", http.StatusOK)
	fortest.Has(t, "the page", page, host, "Working")
	fortest.Lacks(t, "the page", page, "s3cr3t")

	sendTest := func() string {
		token := formToken.FindStringSubmatch(d.page("/admin/alerts", http.StatusOK))[1]
		form := url.Values{"token": {token}}
		answer := d.Do("POST", "/admin/alerts/test", form.Encode(), operator,
			"Content-Type: application/x-www-form-urlencoded", "Origin: "+d.Public)
		fortest.Answer(t, "a test", answer, http.StatusOK)
		return answer.Body.String()
	}
	const refused = "418 I&#39;m a teapot"
	fortest.Has(t, "a test that is refused", sendTest(), "Test not accepted", refused)

	d.Gateway.Falsify(sandboxtest.Answer{
		Path:  "transaction/status",
		Times: -1,
		Set:   map[string]any{"amount_usd": "1.00000000"},
	})
	d.OpenAndPay(`{"amount_usd":"25.00","order_ref":"A-1"}`, "pay", "review")
	d.restart() // which looks at once
	fortest.Until(t, "the alert was refused", func() bool {
		return strings.Contains(d.page("/admin", http.StatusOK), "1 alert not delivered")
	})
	fortest.Has(t, "the page of a target that refuses", d.page("/admin/alerts", http.StatusOK),
		"1 alert waiting", refused)

	accepts.Store(true)
	fortest.Has(t, "a test", sendTest(), "Test accepted")
	fortest.Has(t, "the test message", <-received, "test of alerts", "/admin")
	fortest.Has(t, "the audit log", d.page("/admin/audit", http.StatusOK), "sent a test alert")
	fortest.Lacks(t, "the log", d.Log.String(), "s3cr3t")
}

// Without targets there is no page, and no entry of the navigation.
func TestConsoleWithoutAlerts(t *testing.T) {
	t.Parallel()
	d := newConsoleRig(t, nil)
	d.page("/admin/alerts", http.StatusNotFound)
	fortest.Lacks(t, "the overview", d.page("/admin", http.StatusOK), "/admin/alerts")
}
