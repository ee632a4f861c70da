package check

import (
	"context"
	"crypto/tls"
	"net"
	"slices"

	"coinslot/bff/alert"
)

// alerts connects to the targets of alerts, and sends a test if asked to.
func (ch *checker) alerts(ctx context.Context) (list findings) {
	c := ch.Settings
	if !ch.valid("COINSLOT_ALERTS", "COINSLOT_SMTP") {
		return nil
	}
	if len(c.Alerts) == 0 {
		return ok("alerts",
			"off: no alerts are sent when something needs attention (docs/alerts.md)")
	}

	if slices.ContainsFunc(c.Alerts, alert.Target.IsMail) {
		list = append(list, ch.mailServer(ctx)...)
	}
	for _, target := range c.Alerts {
		if u := target.URL(); u != nil {
			list = append(list, ch.endpoint(ctx, "alerts", u)...)
		}
	}
	if !ch.Alerts || Count(list, Fail) > 0 {
		return list
	}

	service := alert.New(alert.Config{
		Targets:      c.Alerts,
		Mail:         c.Mail,
		AllowPrivate: c.AllowPrivateWebhooks,
		Origin:       c.PublicURL,
	})
	for _, result := range service.Test(ctx) {
		if result.Error == "" {
			list = append(list, ok("alerts",
				result.Target+" accepted a test: look whether it arrived")...)
			continue
		}
		list = append(list, fail("alerts", result.Target+" did not accept a test: "+result.Error,
			"correct COINSLOT_ALERTS and COINSLOT_SMTP (docs/alerts.md)")...)
	}
	return list
}

// mailServer connects to the server of COINSLOT_SMTP, up to the TLS handshake where that comes
// first.
func (ch *checker) mailServer(ctx context.Context) findings {
	mail := ch.Settings.Mail
	name := mail.Address()
	addrs, err := ch.Resolve(ctx, mail.Host)
	if err != nil || len(addrs) == 0 {
		return unreachable("alerts", name, mail.Host, err)
	}
	conn, err := ch.Dial(ctx, "tcp", net.JoinHostPort(addrs[0].Unmap().String(), mail.Port))
	if err != nil {
		return unreachable("alerts", name, mail.Host, err)
	}

	defer conn.Close()
	if !mail.Implicit {
		return ok("alerts", name+" is reachable; mail is sent with STARTTLS")
	}
	secure := tls.Client(conn, ch.tls(mail.Host))
	if err := secure.HandshakeContext(ctx); err != nil {
		return unreachable("alerts", name, mail.Host, err)
	}
	state := secure.ConnectionState()
	return orElse(ch.certificate("alerts", mail.Host, &state), ok("alerts", name+" is reachable"))
}
