package config

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"coinslot/bff/admin/password"
	"coinslot/bff/webhook"
)

// Settings returns the table, in the order of the README.
func Settings() []Setting {
	return []Setting{
		{Name: "COINSLOT_LISTEN", Default: "127.0.0.1:8080",
			Help: "address served to shoppers and merchants",
			set:  func(c *Config, v string) error { c.Listen = v; return address(v) }},
		{Name: "COINSLOT_PUBLIC_URL", Default: "http://localhost:8080",
			Help: "origin under which browsers reach it",
			set: func(
				c *Config, v string,
			) (err error) {
				c.PublicURL, err = Origin(v)
				return err
			}},
		{Name: "COINSLOT_GATEWAY_URL", Needed: true, Help: "base URL of the gateway API",
			set: func(
				c *Config, v string,
			) error {
				c.GatewayURL = strings.TrimRight(v, "/")
				return gatewayURL(v)
			}},
		{Name: "COINSLOT_GATEWAY_KEY", File: true, Needed: true,
			Help: "the merchant API key; never leaves the server",
			set:  func(c *Config, v string) error { c.GatewayKey = Secret{v}; return apiKey(v) }},
		{Name: "COINSLOT_GATEWAY_PAGE_URL",
			Help: "address of the gateway's payment pages; a payment_url elsewhere is not shown",
			set: func(
				c *Config, v string,
			) error {
				c.GatewayPageURL = strings.TrimRight(v, "/")
				return gatewayURL(v)
			}},
		{Name: "COINSLOT_SANDBOX", Default: "false",
			Help: "true says that the gateway is coinslot sandbox: sessions are tests and can be " +
				"paid from the page; never with real money",
			set: func(c *Config, v string) (err error) { c.Sandbox, err = boolean(v); return err }},
		{Name: "COINSLOT_ORIGINS",
			Help: "host pages allowed to frame the checkout, comma separated",
			set: func(
				c *Config, v string,
			) (err error) {
				c.Origins, err = origins(v)
				return err
			}},
		{Name: "COINSLOT_SUPPORT",
			Help: "where shoppers ask for help: an https address or an e-mail address; unset = " +
				"no link",
			set: func(c *Config, v string) (err error) { c.Support, err = support(v); return err }},
		{Name: "COINSLOT_SECRET_KEY", File: true, Needed: true,
			Help: "bearer key of the merchant's API, at least 32 characters; several, comma " +
				"separated, while rotating",
			set: func(
				c *Config, v string,
			) (err error) {
				c.SecretKeys, err = secretKeys(v)
				return err
			}},
		{Name: "COINSLOT_ORDER_KEY", File: true,
			Help: "HS256 key of order tokens, at least 32 bytes; unset = tokens refused",
			set:  func(c *Config, v string) error { c.OrderKey = Secret{v}; return long(v) }},
		{Name: "COINSLOT_CATALOG", Help: "path of the catalogue (YAML); unset = no items",
			set: func(c *Config, v string) error { c.Catalog = v; return nil }},
		{Name: "COINSLOT_TOKENS",
			Help: "path of more coins and networks (YAML, docs/tokens.md); unset = the " +
				"built-in ones",
			set: func(c *Config, v string) error { c.Tokens = v; return nil }},
		{Name: "COINSLOT_RETENTION", Default: "0",
			Help: "days after a session's end until personal " +
				"data is erased and an unpaid session is reduced to a tombstone; 0 = keep",
			set: func(c *Config, v string) (err error) { c.Retention, err = days(v); return err }},
		{Name: "COINSLOT_PAGES_FOR", Default: "0",
			Help: "days that shoppers can open a finished session; 0 = forever",
			set:  func(c *Config, v string) (err error) { c.PagesFor, err = days(v); return err }},
		{Name: "COINSLOT_DATABASE", File: true, Default: "coinslot.db",
			Help: "SQLite file, or postgres://… for several instances",
			set:  func(c *Config, v string) error { c.Database = v; return nil }},
		{Name: "COINSLOT_WEBHOOK_URL", Help: "where events go, comma separated",
			// checked by together
			set: func(c *Config, v string) error { c.WebhookURLs = split(v); return nil }},
		{Name: "COINSLOT_WEBHOOK_SECRET", File: true,
			Help: "whsec_… key of webhook signatures; several, comma separated, while rotating",
			set: func(
				c *Config, v string,
			) (err error) {
				c.WebhookSecrets, err = webhookSecrets(v)
				return err
			}},
		{Name: "COINSLOT_HOOK_TOKEN", File: true, Help: "enables POST /hooks/gateway/{token}",
			set: func(c *Config, v string) error { c.HookToken = Secret{v}; return token(v) }},
		{Name: "COINSLOT_OPS_LISTEN", Default: "127.0.0.1:9090",
			Help: "/healthz, /readyz, /metrics; - turns it off",
			set:  func(c *Config, v string) error { return c.setOps(v) }},
		{Name: "COINSLOT_POLL_INTERVAL", Default: "3s",
			Help: "how often a watched payment is checked",
			set: func(c *Config, v string) (err error) {
				c.PollInterval, err = duration(v, 100*time.Millisecond, 10*time.Minute)
				return err
			}},
		{Name: "COINSLOT_GATEWAY_RPS", Default: "10",
			Help: "ceiling of requests per second to the gateway",
			set: func(
				c *Config, v string,
			) (err error) {
				c.GatewayRPS, err = number(v, 1, 10_000)
				return err
			}},
		{Name: "COINSLOT_ALLOW_PRIVATE_WEBHOOKS", Default: "false",
			Help: "true lets webhooks reach private addresses (for tests and one-box set-ups)",
			set: func(
				c *Config, v string,
			) (err error) {
				c.AllowPrivateWebhooks, err = boolean(v)
				return err
			}},
		{Name: "COINSLOT_DRAIN", Default: "0s",
			Help: "how long requests are still taken after a signal to stop, with /readyz " +
				"failing; a load balancer's time to look",
			set: func(c *Config, v string) (err error) {
				c.Drain, err = duration(v, 0, 10*
					time.Minute)
				return err
			}},
		{Name: "COINSLOT_LOG_FORMAT", Default: "text", Help: "text, or json: one object a line",
			set: func(
				c *Config, v string,
			) (err error) {
				c.LogJSON, err = oneOf(v, "text", "json")
				return err
			}},
		{Name: "COINSLOT_LOG_LEVEL", Default: "info",
			Help: "the least that is logged: debug, info, warn or error",
			set:  func(c *Config, v string) (err error) { c.LogLevel, err = level(v); return err }},
		{Name: "COINSLOT_TRACES",
			Help: "URL of an OpenTelemetry collector (OTLP/HTTP), like http://127.0.0.1:4318; " +
				"unset = no traces",
			set: func(
				c *Config, v string,
			) (err error) {
				c.Traces, err = collector(v)
				return err
			}},
		{Name: "COINSLOT_TRUSTED_PROXIES", Help: "CIDRs whose X-Forwarded-For is believed",
			set: func(
				c *Config, v string,
			) (err error) {
				c.TrustedProxies, err = prefixes(v)
				return err
			}},
		{Name: "COINSLOT_ADMIN_PASSWORD", File: true,
			Help: "hash of the password of the console at /admin, made by coinslot " +
				"admin-password; unset = nobody signs in by one",
			set: func(
				c *Config, v string,
			) error {
				c.AdminPassword = Secret{v}
				return password.Check(v)
			}},
		{Name: "COINSLOT_ADMIN_PROXY_HEADER",
			Help: "header in which a proxy of COINSLOT_TRUSTED_PROXIES names who is signed in to " +
				"/admin, like X-Forwarded-User",
			set: func(c *Config, v string) error { c.AdminProxyHeader = v; return naming(v) }},
	}
}

// Print writes the table for people.
func Print(w io.Writer) {
	for _, s := range Settings() {
		name := s.Name
		if s.File {
			name += ", …_FILE"
		}
		fallback := ""
		if s.Default != "" {
			fallback = " (" + s.Default + ")"
		}
		fmt.Fprintf(w, "  %s, -%s%s\n      %s\n", name, s.Flag(), fallback, s.Help)
	}
}

func (c *Config) setOps(v string) error {
	if v == "-" {
		c.OpsListen = ""
		return nil
	}
	c.OpsListen = v
	return address(v)
}

// Origin parses scheme://host[:port] and returns it as browsers write it, since
// origins are compared as text: in lower case, without a slash at its end or
// the port that the scheme implies. International names are taken in their
// ASCII form only. Errors say what an origin must be.
func Origin(v string) (string, error) {
	u, err := plainURL(strings.ToLower(strings.TrimSuffix(v, "/")))
	if err != nil || *u != (url.URL{Scheme: u.Scheme, Host: u.Host}) {
		return "", errOrigin
	}
	implied := map[string]string{"https": ":443", "http": ":80"}[u.Scheme]
	return u.Scheme + "://" + strings.TrimSuffix(u.Host, implied), nil
}

// plainURL reads an absolute http(s) URL that all readers of URLs agree on; that
// is what webhooks may go to where every host is allowed.
func plainURL(v string) (*url.URL, error) {
	if err := webhook.CheckEndpoint(v, true); err != nil {
		return nil, err
	}
	return url.Parse(v)
}

var errOrigin = errors.New("must be an origin like https://shop.example, without a path")

func origins(v string) ([]string, error) {
	var list []string
	for _, part := range split(v) {
		o, err := Origin(part)
		if err != nil {
			return nil, errors.New(
				"must be origins like https://shop.example, comma separated; * is not accepted",
			)
		}
		list = append(list, o)
	}
	return list, nil
}

// gatewayURL accepts https anywhere and http on this machine only, since the
// key travels with every request.
func gatewayURL(v string) error {
	u, err := plainURL(v)
	if err != nil || strings.Contains(v, "?") {
		return errors.New(
			"must be a URL like https://gateway.example, without user, query or fragment",
		)
	}
	if u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname()) {
		return nil
	}
	return errors.New(
		"must be https (http only for localhost): the API key travels with each request",
	)
}

// support returns the link behind an https URL or an e-mail address.
func support(v string) (string, error) {
	if mailbox.MatchString(v) && len(v) <= 254 {
		return "mailto:" + v, nil
	}
	u, err := plainURL(v)
	if err != nil || u.Scheme != "https" {
		return "", errors.New(
			"must be an https URL like https://shop.example/help, or an e-mail address like " +
				"help@shop.example",
		)
	}
	return u.String(), nil
}

// mailbox is an address that needs no quoting anywhere, the way that shops have them.
var mailbox = regexp.MustCompile(
	`^[A-Za-z0-9]+([._+-][A-Za-z0-9]+)*@([A-Za-z0-9]+(-+[A-Za-z0-9]+)*\.)+[A-Za-z]{2,63}$`,
)

// local reports whether a URL that has been checked leads to this machine.
func local(v string) bool {
	u, err := url.Parse(v)
	return err == nil && loopback(u.Hostname())
}

// homely reports whether browsers take an origin for one of their own machine: they
// never ask the network for names below localhost. Source: RFC 6761, 6.3.
func homely(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && (loopback(u.Hostname()) || strings.HasSuffix(u.Hostname(), ".localhost"))
}

func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// webhookSecrets reads one or more keys; what a key must be is the webhook
// package's to say.
func webhookSecrets(v string) ([]Secret, error) {
	var list []Secret
	for _, part := range split(v) {
		if err := webhook.CheckSecret(part); err != nil {
			return nil, fmt.Errorf("%w; make one with: echo whsec_$(openssl rand -base64 32)", err)
		}
		list = append(list, Secret{part})
	}
	return list, nil
}

// secretKeys reads one or more keys, each as it is: a space is no part of a list
// but of a key, and wrong there.
func secretKeys(v string) ([]Secret, error) {
	var list []Secret
	for part := range strings.SplitSeq(v, ",") {
		if err := long(part); err != nil {
			return nil, err
		}
		if slices.Contains(list, Secret{part}) {
			return nil, errors.New("has the same key twice")
		}
		list = append(list, Secret{part})
	}
	return list, nil
}

func address(v string) error {
	_, port, err := net.SplitHostPort(v)
	if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil {
		return errors.New("must be host:port, like 127.0.0.1:8080")
	}
	return nil
}

func header(v string) error {
	for _, r := range v {
		if r <= ' ' || r > '~' {
			return errors.New("must be printable ASCII without spaces")
		}
	}
	return nil
}

// apiKey is header, and what the gateway's client asks of a key besides: that it
// can be found in a quoted text, to be hidden there.
func apiKey(v string) error {
	if len(v) > 512 || strings.ContainsAny(v, "\"'`\\") {
		return errors.New("must be at most 512 characters, without quotation marks and backslashes")
	}
	return header(v)
}

func long(v string) error {
	if len(v) < 32 {
		return errors.New("is too short: at least 32 characters, like openssl rand -hex 32 prints")
	}
	return header(v)
}

func token(v string) error {
	for _, r := range v {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' ||
			r == '_') {
			return errors.New("must be letters, digits, - and _ only")
		}
	}
	if len(v) < 16 {
		return errors.New("is too short: at least 16 characters")
	}
	return nil
}

// naming accepts the name of a header that no browser or proxy uses for anything
// else.
func naming(v string) error {
	switch strings.ToLower(v) {
	case "host", "cookie", "authorization", "origin", "referer", "user-agent", "accept", "content-type", "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip":
		return errors.New("must be a header of its own, like X-Forwarded-User")
	}
	if !fieldName.MatchString(v) {
		return errors.New("must be the name of a header, like X-Forwarded-User")
	}
	return nil
}

var fieldName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,63}$`)

func duration(v string, least, most time.Duration) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if err != nil || d < least || d > most {
		return 0, fmt.Errorf("must be a duration from %v to %v, like 3s", least, most)
	}
	return d, nil
}

func number(v string, least, most int) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n < least || n > most || v[0] == '+' {
		return 0, fmt.Errorf("must be a whole number from %d to %d", least, most)
	}
	return n, nil
}

// days reads a whole number of days, at most ten years.
func days(v string) (time.Duration, error) {
	n, err := number(v, 0, 3650)
	return time.Duration(n) * 24 * time.Hour, err
}

// oneOf reports whether v is yes, of two words that a value may be.
func oneOf(v, no, yes string) (bool, error) {
	if v != no && v != yes {
		return false, fmt.Errorf("must be %s or %s", no, yes)
	}
	return v == yes, nil
}

func boolean(v string) (bool, error) { return oneOf(v, "false", "true") }

func level(v string) (slog.Level, error) {
	levels := map[string]slog.Level{
		"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn,
		"error": slog.LevelError,
	}
	l, ok := levels[v]
	if !ok {
		return 0, errors.New("must be debug, info, warn or error")
	}
	return l, nil
}

// collector returns where traces are sent: the path of OTLP/HTTP, unless another
// one is given.
func collector(v string) (string, error) {
	u, err := plainURL(v)
	if err != nil || strings.Contains(v, "?") {
		return "", errors.New(
			"must be a URL like http://127.0.0.1:4318, without user, query or fragment",
		)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/traces"
	}
	return u.String(), nil
}

func prefixes(v string) ([]netip.Prefix, error) {
	var list []netip.Prefix
	for _, part := range split(v) {
		p, err := netip.ParsePrefix(part)
		if err != nil {
			return nil, errors.New("must be CIDRs like 10.0.0.0/8, comma separated")
		}
		list = append(list, p)
	}
	return list, nil
}

// wide reports whether a network is too large to be somebody's proxies: a private
// one may be all of 10.0.0.0/8 or fc00::/7, and the largest of a public service
// are Cloudflare's 104.16.0.0/13 and 2a06:98c0::/29.
func wide(p netip.Prefix) bool {
	four, six := 8, 7
	if webhook.Public(p.Masked().Addr()) || webhook.Public(last(p)) {
		four, six = 12, 24
	}
	if p.Addr().Is4() {
		return p.Bits() < four
	}
	return p.Bits() < six
}

// last is the last address of a network.
func last(p netip.Prefix) netip.Addr {
	raw := p.Addr().AsSlice()
	for i := p.Bits(); i < 8*len(raw); i++ {
		raw[i/8] |= 0x80 >> (i % 8)
	}
	a, _ := netip.AddrFromSlice(raw) // as long as it was
	return a
}

// split returns the entries of a list, which the caller checks: an empty one, as
// of a comma too many, is no value of any list.
func split(v string) []string {
	list := strings.Split(v, ",")
	for i, part := range list {
		list[i] = strings.TrimSpace(part)
	}
	return list
}
