package console_test

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/server/servertest"
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
		settings.WebhookSecrets = []config.Secret{config.NewSecret("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")}
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
			servertest.Until(t, "it is delivered", func() bool { return len(shop.of("checkout.confirmed")) > 0 })
			d.restart()
			if got := shop.of("checkout.confirmed"); !slices.Equal(got, []string{event}) {
				t.Errorf("checkout.confirmed = %v; want %s once", got, event)
			}
			pageText(t, "the overview", d.page("/admin", http.StatusOK), "All good")
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
	servertest.Until(t, "the other URL has it", func() bool { return len(shop.of("checkout.confirmed")) > 0 })
	c.WebhookURLs = nil
	d.restart()
	pageText(t, "without a URL", d.page("/admin/webhooks", http.StatusOK), "URLs that are not configured", "Set COINSLOT_WEBHOOK_URL first")

	c.WebhookURLs = []string{shop.URL}
	d.restart()
	pageText(t, "the overview", d.page("/admin", http.StatusOK), "2 webhooks to a URL that is not configured")
	body := d.page("/admin/webhooks", http.StatusOK)
	pageText(t, "the list", body, "Not configured", "Send to the configured URL", `action="/admin/webhooks/move"`, `data-part="reroute"`)
	if strings.Contains(body, "canary") {
		t.Error("the page shows the URL's query, which may hold a key")
	}
	_, form, _ := strings.Cut(body, `action="/admin/webhooks/move"`)
	mark := regexp.MustCompile(`name="endpoint" type="hidden" value="([^"]*)"`).FindStringSubmatch(form)[1]
	press := func(mark string) string {
		return d.post("/admin/webhooks", "/admin/webhooks/move", url.Values{"endpoint": {html.UnescapeString(mark)}})
	}
	if to := press(mark); !strings.HasPrefix(to, "/admin/webhooks?done=rerouted-none.") {
		t.Errorf("it leads to %s", to)
	}
	if body := d.page("/admin/webhooks", http.StatusOK); strings.Contains(body, "Send to the configured URL") {
		t.Errorf("the button is still there: %s", words(body))
	}
	u := fortest.Must(url.Parse(dead))(t)
	pageText(t, "the audit", d.page("/admin/audit", http.StatusOK), "moved webhooks to the configured URL", fmt.Sprintf("2 to %s", u.Host))
	pageText(t, "the overview afterwards", d.page("/admin", http.StatusOK), "All good")
}
