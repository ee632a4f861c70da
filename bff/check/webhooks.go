package check

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"net/url"
	"sync"

	"coinslot/bff/webhook"
)

// webhooks connects to each endpoint as the sender does, up to the certificate.
// No event is sent.
func (x *examination) webhooks(ctx context.Context) []Finding {
	c := x.Settings
	switch {
	case !x.usable("COINSLOT_WEBHOOK_URL"):
		return nil
	case len(c.WebhookURLs) == 0:
		return []Finding{warn("webhooks", "COINSLOT_WEBHOOK_URL is not set: your server is told nothing, and has to verify receipts or ask /v1/events",
			"COINSLOT_WEBHOOK_URL=https://shop.example/webhooks and COINSLOT_WEBHOOK_SECRET_FILE (docs/webhooks.md)")}
	}
	found := make([][]Finding, len(c.WebhookURLs))
	var running sync.WaitGroup
	for i, raw := range c.WebhookURLs {
		running.Go(func() { found[i] = x.endpoint(ctx, raw) })
	}
	running.Wait()
	var list []Finding
	if c.AllowPrivateWebhooks {
		list = append(list, warn("webhooks", "COINSLOT_ALLOW_PRIVATE_WEBHOOKS lets webhooks reach addresses inside your network", "take it away unless the endpoint is on this machine or beside it"))
	}
	for _, some := range found {
		list = append(list, some...)
	}
	return list
}

func (x *examination) endpoint(ctx context.Context, raw string) []Finding {
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
		return []Finding{unreachable("webhooks", u.Host, host, err)}
	}
	if a, private := notPublic(addrs); private && !x.Settings.AllowPrivateWebhooks {
		return []Finding{fail("webhooks", host+" leads to "+a.String()+", which is not a public address: no webhook is sent there",
			"give a public name, or set COINSLOT_ALLOW_PRIVATE_WEBHOOKS=true if the endpoint is beside this server")}
	}
	conn, err := x.Dial(ctx, "tcp", net.JoinHostPort(addrs[0].Unmap().String(), port))
	if err != nil {
		return []Finding{unreachable("webhooks", u.Host, host, err)}
	}
	defer conn.Close()
	if u.Scheme == "http" {
		return []Finding{ok("webhooks", u.Host+" can be reached, without https")}
	}
	secure := tls.Client(conn, x.tls(host))
	if err := secure.HandshakeContext(ctx); err != nil {
		return []Finding{unreachable("webhooks", u.Host, host, err)}
	}
	state := secure.ConnectionState()
	if f := x.certificate("webhooks", host, &state); f != nil {
		return []Finding{*f}
	}
	return []Finding{ok("webhooks", u.Host+" can be reached, its certificate is good until "+state.PeerCertificates[0].NotAfter.UTC().Format("2006-01-02"))}
}

func notPublic(addrs []netip.Addr) (netip.Addr, bool) {
	for _, a := range addrs {
		if !webhook.Public(a.Unmap()) {
			return a, true
		}
	}
	return netip.Addr{}, false
}
