package check

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/webhook"
)

// webhooks connects to each endpoint as the sender does, up to the TLS handshake, and sends a
// test if asked to.
func (ch *checker) webhooks(ctx context.Context) (list findings) {
	c := ch.Settings
	switch {
	case !ch.valid("COINSLOT_WEBHOOK_URL"):
		return nil
	case len(c.WebhookURLs) == 0:
		return warn("webhooks", "COINSLOT_WEBHOOK_URL is not set: your server gets no webhooks "+
			"and has to verify receipts or poll /v1/events", "COINSLOT_WEBHOOK_URL="+
			"https://shop.example/hooks/coinslot and COINSLOT_WEBHOOK_SECRET_FILE (docs/webhooks.md)")
	}

	found := make([]findings, len(c.WebhookURLs))
	var running sync.WaitGroup
	for i, raw := range c.WebhookURLs {
		running.Go(func() {
			u, err := url.Parse(raw)
			if err != nil {
				return // the part settings reports it
			}
			found[i] = ch.endpoint(ctx, "webhooks", u)
			if ch.Webhook && ch.valid("COINSLOT_WEBHOOK_SECRET") &&
				Count(found[i], Fail) == 0 {
				found[i] = append(found[i], ch.testDelivery(ctx, raw, u.Host)...)
			}
		})
	}

	running.Wait()
	if c.AllowPrivateWebhooks {
		list = warn("webhooks",
			"COINSLOT_ALLOW_PRIVATE_WEBHOOKS lets webhooks reach addresses inside your network",
			"unset it unless the endpoint is on this machine or next to it")
	}

	return append(list, slices.Concat(found...)...)
}

// endpoint connects to a URL that is posted to; id is of the check.
func (ch *checker) endpoint(ctx context.Context, id string, u *url.URL) findings {
	host := u.Hostname()
	port := cmp.Or(u.Port(), map[string]string{"https": "443", "http": "80"}[u.Scheme])
	addrs, err := ch.Resolve(ctx, host)
	if err != nil || len(addrs) == 0 {
		return unreachable(id, u.Host, host, err)
	}

	private := func(a netip.Addr) bool { return !webhook.Public(a.Unmap()) }
	i := slices.IndexFunc(addrs, private)
	if i >= 0 && !ch.Settings.AllowPrivateWebhooks {
		return fail(id, host+" leads to "+addrs[i].String()+", which is not a public "+
			"address: nothing is sent to it", "use a public name, or set "+
			"COINSLOT_ALLOW_PRIVATE_WEBHOOKS=true if the endpoint is next to this server")
	}

	conn, err := ch.Dial(ctx, "tcp", net.JoinHostPort(addrs[0].Unmap().String(), port))
	if err != nil {
		return unreachable(id, u.Host, host, err)
	}

	defer conn.Close()
	if u.Scheme == "http" {
		return ok(id, u.Host+" is reachable, without https")
	}

	secure := tls.Client(conn, ch.tls(host))
	if err := secure.HandshakeContext(ctx); err != nil {
		return unreachable(id, u.Host, host, err)
	}

	state := secure.ConnectionState()
	return orElse(ch.certificate(id, host, &state),
		ok(id, u.Host+" is reachable, its certificate is valid until "+
			state.PeerCertificates[0].NotAfter.UTC().Format(time.DateOnly)))
}

// testDelivery sends a test to an endpoint, as the server would; name stands for its URL.
func (ch *checker) testDelivery(ctx context.Context, raw, name string) findings {
	c := ch.Settings
	tested, err := webhook.Test(ctx, webhook.Config{
		Endpoints:    []string{raw},
		Secrets:      config.Reveal(c.WebhookSecrets),
		AllowPrivate: c.AllowPrivateWebhooks,
		Self:         c.PublicURL,
	})
	if err != nil {
		return fail("webhooks", "no test was sent: "+err.Error(),
			"correct COINSLOT_WEBHOOK_URL and COINSLOT_WEBHOOK_SECRET")
	}

	t := tested.Deliveries[0]
	took := t.Took.Milliseconds()
	if t.Delivered {
		return ok("webhooks",
			fmt.Sprintf("%s accepted a test: status %d after %d ms", name, t.Status, took))
	}

	answer := t.Note
	if t.Status != 0 {
		answer = fmt.Sprintf("status %d %s", t.Status, answer)
	}

	f := fail("webhooks", name+" did not accept a test. "+t.Failure.Meaning, t.Failure.Fix)
	f[0].Details = []string{strings.TrimSpace(fmt.Sprintf("after %d ms: %s", took, answer))}
	return f
}
