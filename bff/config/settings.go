package config

import (
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"coinslot/bff/alert"
	"coinslot/bff/console/auth/password"
	"coinslot/bff/rates"

	"github.com/shopspring/decimal"
)

// Settings returns the table, in the order of docs/settings.md.
func Settings() []Setting { return slices.Clone(settings) }

var settings = []Setting{
	{
		Name:       "COINSLOT_LISTEN",
		Default:    "127.0.0.1:8080",
		TLSDefault: ":443",
		Help:       "address to serve shoppers and merchants on; with COINSLOT_TLS, :443",
		set: func(c *Config, v string) error {
			c.Listen = v
			return checkAddress(v)
		},
	},
	{
		Name:    "COINSLOT_PUBLIC_URL",
		Default: "http://localhost:8080",
		Help:    "origin at which browsers reach the checkout",
		set:     parsed(func(c *Config) *string { return &c.PublicURL }, Origin),
	},
	{
		Name: tlsName,
		Help: "serves https without a proxy: auto = with a certificate by ACME for the host of " +
			"COINSLOT_PUBLIC_URL, or the paths of two PEM files, certificate.pem,key.pem; unset = http",
		set: parsed(func(c *Config) *TLS { return &c.TLS }, parseTLS),
	},
	{
		Name:       "COINSLOT_HTTP_LISTEN",
		TLSDefault: ":80",
		Help: "address that redirects to https and answers the ACME server; with COINSLOT_TLS, " +
			":80; - turns it off",
		set: func(c *Config, v string) error {
			if v == "-" {
				return nil
			}
			c.HTTPListen = v
			return checkAddress(v)
		},
	},
	{
		Name:    "COINSLOT_ACME",
		Default: "https://acme-v02.api.letsencrypt.org/directory",
		Help: "directory of the ACME server for COINSLOT_TLS=auto, whose terms of service you " +
			"accept with it",
		set: parsed(func(c *Config) *string { return &c.ACME }, parseACME),
	},
	{
		Name:   "COINSLOT_GATEWAY_URL",
		Needed: true,
		Help:   "base URL of the gateway API",
		set:    parsed(func(c *Config) *string { return &c.GatewayURL }, parseGatewayURL),
	},
	{
		Name:   "COINSLOT_GATEWAY_KEY",
		File:   true,
		Needed: true,
		Help:   "merchant API key; never leaves the server",
		set: func(c *Config, v string) error {
			c.GatewayKey = Secret{v}
			return checkAPIKey(v)
		},
	},
	{Name: "COINSLOT_GATEWAY_PAGE_URL",
		Help: "address of the gateway's payment pages; a payment_url elsewhere is not shown",
		set:  parsed(func(c *Config) *string { return &c.GatewayPageURL }, parseGatewayURL)},
	{
		Name:    "COINSLOT_SANDBOX",
		Default: "false",
		Help: "true = the gateway is coinslot sandbox: sessions are tests, and the page can pay " +
			"them; never with real money",
		set: parsed(func(c *Config) *bool { return &c.Sandbox }, either("false", "true")),
	},
	{Name: "COINSLOT_ORIGINS",
		Help: "origins of the pages that may embed the checkout, comma separated",
		set:  parsed(func(c *Config) *[]string { return &c.Origins }, Origins)},
	{Name: "COINSLOT_SHOP_NAME",
		Help: "the shop's name as shoppers know it, at most 80 characters; a session's " +
			"shop_name goes before it; unset = the host of its page",
		set: parsed(func(c *Config) *string { return &c.ShopName }, parseShopName)},
	{Name: "COINSLOT_SUPPORT",
		Help: "where shoppers get help: an https URL or an e-mail address; unset = no link",
		set:  parsed(func(c *Config) *string { return &c.Support }, parseSupport)},
	{
		Name:   "COINSLOT_SECRET_KEY",
		File:   true,
		Needed: true,
		Help: "bearer key of the merchant's API, at least 32 characters; several, comma " +
			"separated, during rotation",
		set: parsed(func(c *Config) *[]Secret { return &c.SecretKeys }, parseSecretKeys),
	},
	{
		Name: "COINSLOT_ORDER_KEY",
		File: true,
		Help: "HS256 key of order tokens, at least 32 bytes; unset = tokens are refused",
		set: func(c *Config, v string) error {
			c.OrderKey = Secret{v}
			return checkKey(v)
		},
	},
	{Name: "COINSLOT_CATALOG",
		Help: "path of the catalog (YAML); unset = no items",
		set: func(c *Config, v string) error {
			c.Catalog = v
			return nil
		}},
	{
		Name: "COINSLOT_RATES",
		File: true,
		Help: "where exchange rates come from: ecb, ecb:https://…, json:https://… or the path of a " +
			"YAML file; unset = prices in dollars only",
		set: func(c *Config, v string) error {
			c.Rates = v
			_, err := rates.Parse(v)
			return err
		},
	},
	{
		Name:    "COINSLOT_RATES_SPREAD",
		Default: "0",
		Help:    "percent that a converted price is charged more, at most 10",
		set:     parsed(func(c *Config) *decimal.Decimal { return &c.RatesSpread }, rates.ParseSpread),
	},
	{Name: "COINSLOT_TOKENS",
		Help: "path of additional coins and networks (YAML, docs/tokens.md); unset = only the " +
			"built-in ones",
		set: func(c *Config, v string) error {
			c.Tokens = v
			return nil
		}},
	{Name: "COINSLOT_WALLETS",
		Help: "path of additional wallets, and of those to hide (YAML, docs/wallets.md); unset = " +
			"the built-in ones",
		set: func(c *Config, v string) error {
			c.Wallets = v
			return nil
		}},
	{Name: "COINSLOT_LOGO",
		Help: "path of the shop's logo, an SVG or PNG file of at most 64 kB; unset = none",
		set: func(c *Config, v string) (err error) {
			c.Logo = v
			_, _, err = ReadLogo(v)
			return err
		}},
	{
		Name:    "COINSLOT_RETENTION",
		Default: "0",
		Help: "days after a session's end until personal " +
			"data is erased and an unpaid session is reduced to a tombstone; 0 = keep",
		set: parsed(func(c *Config) *time.Duration { return &c.Retention }, parseDays),
	},
	{
		Name:    "COINSLOT_PAGES_FOR",
		Default: "0",
		Help:    "days for which shoppers can open a finished session; 0 = forever",
		set:     parsed(func(c *Config) *time.Duration { return &c.PagesFor }, parseDays),
	},
	{
		Name:    "COINSLOT_DATABASE",
		File:    true,
		Default: "coinslot.db",
		Help:    "SQLite file, or postgres://… for several instances",
		set: func(c *Config, v string) error {
			c.Database = v
			return nil
		},
	},
	{Name: "COINSLOT_WEBHOOK_URL",
		Help: "URLs that receive webhooks, comma separated",
		// validated by crossCheck
		set: func(c *Config, v string) error {
			c.WebhookURLs = splitList(v)
			return nil
		}},
	{
		Name: "COINSLOT_WEBHOOK_SECRET",
		File: true,
		Help: "whsec_… key that signs webhooks; several, comma separated, during rotation",
		set:  parsed(func(c *Config) *[]Secret { return &c.WebhookSecrets }, parseWebhookSecrets),
	},
	{
		Name: "COINSLOT_HOOK_TOKEN",
		File: true,
		Help: "enables POST /hooks/gateway/{token}",
		set: func(c *Config, v string) error {
			c.HookToken = Secret{v}
			return checkToken(v)
		},
	},
	{
		Name: "COINSLOT_ALERTS",
		File: true,
		Help: "who gets alerts of what needs attention, comma separated: e-mail addresses, " +
			"https URLs that take plain text (ntfy), slack+https URLs; unset = no alerts",
		set: parsed(func(c *Config) *[]alert.Target { return &c.Alerts }, alert.ParseTargets),
	},
	{
		Name: "COINSLOT_ALERTS_DAILY",
		Help: "when the summary of the day before is sent, in COINSLOT_TIMEZONE, like 08:00; " +
			"unset = never",
		set: parsed(func(c *Config) *alert.TimeOfDay { return &c.AlertsDaily },
			alert.ParseTimeOfDay),
	},
	{
		Name: "COINSLOT_SMTP",
		File: true,
		Help: "mail server for COINSLOT_ALERTS: smtps://user:password@mail.example:465, or " +
			"smtp://…:587 for STARTTLS; ?from= names the sender, else it is the user",
		set: parsed(func(c *Config) *alert.MailServer { return &c.Mail }, alert.ParseMailServer),
	},
	{
		Name:    "COINSLOT_OPS_LISTEN",
		Default: "127.0.0.1:9090",
		Help:    "address of /healthz, /readyz and /metrics; - turns it off",
		set: func(c *Config, v string) error {
			if v == "-" {
				return nil
			}
			c.OpsListen = v
			return checkAddress(v)
		},
	},
	{
		Name:    "COINSLOT_POLL_INTERVAL",
		Default: "3s",
		Help:    "how often a watched payment is checked",
		set: parsed(func(c *Config) *time.Duration { return &c.PollInterval },
			durations(100*time.Millisecond, 10*time.Minute)),
	},
	{
		Name:    "COINSLOT_GATEWAY_RPS",
		Default: "10",
		Help:    "maximum requests per second to the gateway",
		set:     parsed(func(c *Config) *int { return &c.GatewayRPS }, numbers(1, 10_000)),
	},
	{
		Name:    "COINSLOT_ALLOW_PRIVATE_WEBHOOKS",
		Default: "false",
		Help:    "true = webhooks may go to private addresses, for tests and single-machine setups",
		set: parsed(func(c *Config) *bool { return &c.AllowPrivateWebhooks },
			either("false", "true")),
	},
	{
		Name:    "COINSLOT_DRAIN",
		Default: "0s",
		Help: "how long to keep serving after a stop signal while /readyz fails, so that load " +
			"balancers notice",
		set: parsed(func(c *Config) *time.Duration { return &c.Drain },
			durations(0, 10*time.Minute)),
	},
	{
		Name:    "COINSLOT_TIMEZONE",
		Default: "UTC",
		Help: "time zone of the shop, like Europe/Berlin: where days and months of statements " +
			"and of the console begin",
		set: parsed(func(c *Config) **time.Location { return &c.Timezone }, parseTimezone),
	},
	{
		Name:    "COINSLOT_LOG_FORMAT",
		Default: "text",
		Help:    "text, or json with one object per line",
		set:     parsed(func(c *Config) *bool { return &c.LogJSON }, either("text", "json")),
	},
	{
		Name:    "COINSLOT_LOG_LEVEL",
		Default: "info",
		Help:    "lowest level to log: debug, info, warn or error",
		set:     parsed(func(c *Config) *slog.Level { return &c.LogLevel }, parseLevel),
	},
	{Name: "COINSLOT_TRACES",
		Help: "URL of an OpenTelemetry collector (OTLP/HTTP), like http://127.0.0.1:4318; " +
			"unset = no traces",
		set: parsed(func(c *Config) *string { return &c.Traces }, parseCollector)},
	{Name: "COINSLOT_TRUSTED_PROXIES",
		Help: "CIDRs of proxies whose X-Forwarded-For is trusted",
		set:  parsed(func(c *Config) *[]netip.Prefix { return &c.TrustedProxies }, parsePrefixes)},
	{
		Name: "COINSLOT_ADMIN_PASSWORD",
		File: true,
		Help: "hash of the password for the console at /admin, from coinslot admin-password; " +
			"unset = no sign-in by password",
		set: func(c *Config, v string) error {
			c.AdminPassword = Secret{v}
			return password.Check(v)
		},
	},
	{Name: "COINSLOT_ADMIN_PROXY_HEADER",
		Help: "header in which a trusted proxy names the operator who is signed in to /admin, " +
			"like X-Forwarded-User",
		set: func(c *Config, v string) error {
			c.AdminProxyHeader = v
			return checkHeaderName(v)
		}},
}

// parsed sets a field of the Config to what parse returns.
func parsed[T any](
	field func(*Config) *T, parse func(string) (T, error),
) func(*Config, string) error {
	return func(c *Config, v string) (err error) {
		*field(c), err = parse(v)
		return err
	}
}

// Print writes the table.
func Print(w io.Writer) {
	for _, s := range settings {
		name := s.Name
		if s.File {
			name += ", …_FILE"
		}
		fallback := ""
		if s.Default != "" {
			fallback = " (" + s.Default + ")"
		}
		fmt.Fprintf(w, " %s, -%s%s\n %s\n", name, s.Flag(), fallback, s.Help)
	}
}
