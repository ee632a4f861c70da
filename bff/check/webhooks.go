package check

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"sync"

	"coinslot/bff/config"
	"coinslot/bff/diagnose"
	"coinslot/bff/outbox"
	"coinslot/bff/webhook"
)

// webhooks connects to each endpoint as the sender does, up to the certificate. To
// those that can be reached a test is sent, if it was asked for.
func (x *checker) webhooks(ctx context.Context) findings {
	c := x.Settings
	switch {
	case !x.understood("COINSLOT_WEBHOOK_URL"):
		return nil
	case len(c.WebhookURLs) == 0:
		return findings{warn("webhooks",
			"COINSLOT_WEBHOOK_URL is not set: your server is told nothing, and has to verify "+
				"receipts or ask /v1/events",
			"COINSLOT_WEBHOOK_URL=https://shop.example/webhooks and COINSLOT_WEBHOOK_SECRET_FILE "+
				"(docs/webhooks.md)")}
	}
	found := make([]findings, len(c.WebhookURLs))
	var running sync.WaitGroup
	for i, raw := range c.WebhookURLs {
		running.Go(func() {
			found[i] = x.endpoint(ctx, raw)
			if x.Webhook && x.understood("COINSLOT_WEBHOOK_SECRET") &&
				diagnose.Count(found[i], diagnose.Fail) == 0 {
				found[i] = append(found[i], x.testDelivery(ctx, raw))
			}
		})
	}
	running.Wait()
	var list findings
	if c.AllowPrivateWebhooks {
		list = append(list, warn("webhooks",
			"COINSLOT_ALLOW_PRIVATE_WEBHOOKS lets webhooks reach addresses inside your network",
			"take it away unless the endpoint is on this machine or beside it"))
	}
	for _, some := range found {
		list = append(list, some...)
	}
	return list
}

func (x *checker) endpoint(ctx context.Context, raw string) findings {
	u, err := url.Parse(raw)
	if err != nil {
		return nil // the settings say it
	}
	host, port := u.Hostname(), u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[u.Scheme]
	}
	addrs, err := x.Resolve(ctx, host)
	if err != nil || len(addrs) == 0 {
		return findings{unreachable("webhooks", u.Host, host, err)}
	}
	if a, private := firstPrivate(addrs); private && !x.Settings.AllowPrivateWebhooks {
		return findings{fail("webhooks",
			host+" leads to "+a.String()+
				", which is not a public address: no webhook is sent there",
			"give a public name, or set COINSLOT_ALLOW_PRIVATE_WEBHOOKS=true if the endpoint is "+
				"beside this server")}
	}
	conn, err := x.Dial(ctx, "tcp", net.JoinHostPort(addrs[0].Unmap().String(), port))
	if err != nil {
		return findings{unreachable("webhooks", u.Host, host, err)}
	}
	defer conn.Close()
	if u.Scheme == "http" {
		return findings{ok("webhooks", u.Host+" can be reached, without https")}
	}
	secure := tls.Client(conn, x.tls(host))
	if err := secure.HandshakeContext(ctx); err != nil {
		return findings{unreachable("webhooks", u.Host, host, err)}
	}
	state := secure.ConnectionState()
	if f := x.certificate("webhooks", host, &state); f != nil {
		return findings{*f}
	}
	return findings{ok("webhooks",
		u.Host+" can be reached, its certificate is good until "+
			state.PeerCertificates[0].NotAfter.UTC().Format("2006-01-02"))}
}

// testDelivery sends a test to an endpoint, as the server would.
func (x *checker) testDelivery(ctx context.Context, raw string) diagnose.Finding {
	c := x.Settings
	tested, err := webhook.Test(ctx, webhook.Config{
		Endpoints: []string{raw}, Secrets: config.Reveal(c.WebhookSecrets),
		AllowPrivate: c.AllowPrivateWebhooks, Self: c.PublicURL,
	})
	if err != nil {
		return fail("webhooks", "no test was sent: "+err.Error(),
			"correct COINSLOT_WEBHOOK_URL and COINSLOT_WEBHOOK_SECRET")
	}
	t := tested.Deliveries[0]
	name := raw
	if u, err := url.Parse(raw); err == nil {
		name = u.Host
	}
	if t.Delivered {
		return ok("webhooks", fmt.Sprintf(
			"%s has taken a test: status %d after %d ms", name, t.Status, t.Took.Milliseconds(),
		))
	}
	f := fail("webhooks", name+" has not taken a test. "+t.Failure.Meaning, t.Failure.Fix)
	f.Details = []string{answerLine(t)}
	return f
}

// answerLine is what came back, in one line.
func answerLine(t outbox.TestDelivery) string {
	line := fmt.Sprintf("after %d ms: ", t.Took.Milliseconds())
	if t.Status != 0 {
		line += fmt.Sprintf("status %d ", t.Status)
	}
	return strings.TrimSpace(line + t.Note)
}

func firstPrivate(addrs []netip.Addr) (netip.Addr, bool) {
	for _, a := range addrs {
		if !webhook.Public(a.Unmap()) {
			return a, true
		}
	}
	return netip.Addr{}, false
}
