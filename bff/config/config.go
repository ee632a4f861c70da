// Package config has the settings: a table that names, explains, parses and validates each, prints
// the help and is compared with docs/settings.md by a test. A setting is an environment variable; a
// flag of the same name overrides it (COINSLOT_LISTEN is -listen).
package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"coinslot/bff/alert"
	"coinslot/bff/webhook"

	"github.com/shopspring/decimal"
)

// Config has all settings, parsed and validated; [Settings] and docs/settings.md explain them.
// Secrets print as "(set)", and so do Database and WebhookURLs, which may contain one.
type Config struct {
	Listen         string // host:port
	PublicURL      string // origin, no slash at the end
	GatewayURL     string // no slash at the end
	GatewayKey     Secret
	GatewayPageURL string           // no slash at the end; empty = no payment_url is shown
	Sandbox        bool             // the gateway is `coinslot sandbox`
	Origins        []string         // origins, no slash at the end
	ShopName       string           // as shoppers know it; empty = the host of its page
	Support        string           // https: or mailto: URL; empty = none
	SecretKeys     []Secret         // the first signs receipts
	OrderKey       Secret           // empty = order tokens are refused
	Catalog        string           // path; empty = no items
	Rates          string           // as for rates.Parse; may hold a key; empty = dollars only
	Logo           string           // path; empty = none
	Tokens         string           // path; empty = the built-in coins and networks
	Wallets        string           // path; empty = the built-in wallets
	Database       string           // SQLite path or postgres:// address, which may hold a password
	WebhookURLs    []string         // nil = no webhooks are sent
	WebhookSecrets []Secret         // current one first
	HookToken      Secret           // empty = the endpoint does not exist
	Alerts         []alert.Target   // nil = no alerts
	AlertsDaily    alert.TimeOfDay  // in Timezone; zero = no daily summary
	Mail           alert.MailServer // for targets of Alerts; zero = none
	OpsListen      string           // host:port; empty = off
	TLS            TLS              // zero = http, for a proxy
	HTTPListen     string           // host:port of the redirect to https; empty = none
	ACME           string           // URL of the directory, for TLS.Auto
	// RatesSpread is added to converted prices, in percent, 0 to 10.
	RatesSpread decimal.Decimal
	// Retention is how long personal data is kept after a session's end; zero = forever.
	Retention time.Duration
	// PagesFor is how long shoppers can open a finished session; zero = forever.
	PagesFor             time.Duration
	PollInterval         time.Duration
	GatewayRPS           int            // requests per second, of all instances together
	AllowPrivateWebhooks bool           // for tests and a shop on the same machine
	TrustedProxies       []netip.Prefix // nil = X-Forwarded-For is ignored
	AdminPassword        Secret         // hash; empty = no console sign-in by password
	AdminProxyHeader     string         // empty = no console sign-in by proxy
	Timezone             *time.Location // of the shop; nil = UTC
	LogJSON              bool
	LogLevel             slog.Level
	Traces               string        // URL of the collector's traces; empty = off
	Drain                time.Duration // from a stop signal until the listener closes
}

// TLS says with which certificate to serve https. The zero TLS serves http.
type TLS struct {
	Auto             bool   // the certificate comes from the ACME server
	Certificate, Key string // paths; empty = none
}

// On reports whether https is served.
func (t TLS) On() bool { return t != TLS{} }

// Secret is a value that every way to print shows as "(set)" or "(not set)". Reveal returns it.
type Secret struct{ value string }

// NewSecret wraps a value.
func NewSecret(value string) Secret { return Secret{value} }

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return s.value }

// Reveal returns the values of secrets.
func Reveal(secrets []Secret) []string {
	var values []string
	for _, s := range secrets {
		values = append(values, s.value)
	}
	return values
}

// String is "(set)" or "(not set)".
func (s Secret) String() string {
	if s.value == "" {
		return "(not set)"
	}
	return "(set)"
}

// GoString is String, for %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText is String, for encoders and structured logs.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// redactedConfig prevents a recursive call of String and MarshalJSON.
type redactedConfig Config

// redacted returns c for display: URLs may contain a password or a key.
func (c Config) redacted() redactedConfig {
	c.Database = NewSecret(c.Database).String()
	c.GatewayURL = urlOrigin(c.GatewayURL)
	c.GatewayPageURL = urlOrigin(c.GatewayPageURL)
	c.Traces = urlOrigin(c.Traces)
	c.Rates = NewSecret(c.Rates).String()
	c.WebhookURLs = slices.Repeat([]string{"(set)"}, len(c.WebhookURLs))
	return redactedConfig(c)
}

// urlOrigin returns the scheme and host of a valid URL: a path may contain a key.
func urlOrigin(valid string) string {
	u, err := url.Parse(valid)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// String shows c without its secrets.
func (c Config) String() string { return fmt.Sprintf("%+v", c.redacted()) }

// GoString is String, for %#v.
func (c Config) GoString() string { return c.String() }

// MarshalJSON shows c without its secrets, for encoders and structured logs.
func (c Config) MarshalJSON() ([]byte, error) { return json.Marshal(c.redacted()) }

// Setting is one row of the table.
type Setting struct {
	Name    string // COINSLOT_LISTEN
	Default string // as text; empty = none
	// TLSDefault is in place of Default with COINSLOT_TLS; empty = the same.
	TLSDefault string
	Help       string // one line
	// File allows NAME_FILE, the path of a file with the value.
	File bool
	// Needed settings have to be set to serve.
	Needed bool
	// set parses and validates a non-empty value into c. Its error says what a value must be and
	// never contains the value.
	set func(c *Config, value string) error
}

// Flag is the command-line name of the setting: "listen".
func (s Setting) Flag() string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(s.Name, prefix)), "_", "-")
}

const (
	prefix  = "COINSLOT_"
	tlsName = prefix + "TLS"
)

// Load reads settings from env ("NAME=value" as in os.Environ) and from overrides by flag name,
// which win unless empty. The error joins all problems, each with its setting and without its
// value.
func Load(env []string, overrides map[string]string) (Config, error) {
	values, err := collectValues(env, overrides)
	problems := []error{err} // nil is left out by errors.Join

	var c Config
	for _, s := range settings {
		value := cmp.Or(values[s.Name], s.Default)
		if values[tlsName] != "" {
			value = cmp.Or(values[s.Name], s.TLSDefault, s.Default)
		}
		if value == "" {
			if s.Needed {
				problems = append(problems, fmt.Errorf("%s is not set: %s", s.label(), s.Help))
			}
			continue
		}

		if err := s.set(&c, value); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", s.Name, err))
		}
	}

	problems = append(problems, c.crossCheck()...)
	return c, errors.Join(problems...)
}

func (s Setting) label() string {
	if s.File {
		return s.Name + " (or " + s.Name + "_FILE)"
	}
	return s.Name
}

// collectValues returns the values by setting name.
func collectValues(env []string, overrides map[string]string) (map[string]string, error) {
	values := map[string]string{}
	known := map[string]Setting{}
	for _, s := range settings {
		known[s.Name] = s
	}

	var problems []error
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, prefix) {
			problems = append(problems, storeValue(values, known, name, value))
		}
	}

	for _, s := range known {
		problems = append(problems, s.override(values, known, overrides))
	}

	return values, errors.Join(problems...)
}

// override applies the flags of s; an empty flag is ignored.
func (s Setting) override(
	values map[string]string, known map[string]Setting, overrides map[string]string,
) error {
	value := overrides[s.Flag()]
	path := ""
	if s.File {
		path = overrides[s.Flag()+"-file"]
	}

	switch {
	case value != "" && path != "":
		return fmt.Errorf("%s: -%s and -%[2]s-file are both given: keep one", s.Name, s.Flag())
	case value != "":
		values[s.Name] = value
	case path != "":
		delete(values, s.Name)
		return storeValue(values, known, s.Name+"_FILE", path)
	}

	return nil
}

// storeValue stores the value of a variable, or of the file of a NAME_FILE.
func storeValue(values map[string]string, known map[string]Setting, name, value string) error {
	base, isFile := strings.CutSuffix(name, "_FILE")
	s, ok := known[base]
	if !ok || isFile && !s.File {
		return fmt.Errorf("%s is not a setting: see coinslot -h", name)
	}
	if value == "" {
		return nil
	}
	if _, twice := values[base]; twice {
		return fmt.Errorf("%s and %[1]s_FILE are both set: keep one", base)
	}
	if isFile {
		var err error
		value, err = readSecret(value)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}

	values[base] = value
	return nil
}

// readSecret reads a regular, non-empty file of at most 4 KiB that is closed to other users,
// without line breaks at its end.
func readSecret(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", errUnreadable
	case !info.Mode().IsRegular() || info.Size() > 4096:
		return "", errors.New("the file must be a regular file of at most 4 KiB")
	case isOpen(info):
		return "", errOpen
	}

	raw, err := os.ReadFile(path)
	if err != nil {
		return "", errUnreadable
	}
	if slices.ContainsFunc(byteOrderMarks, func(mark string) bool {
		return strings.HasPrefix(string(raw), mark)
	}) {
		return "", errors.New("the file begins with a byte order mark: save it as UTF-8 without one")
	}

	text := strings.TrimRight(string(raw), "\r\n")
	if text == "" {
		return "", errors.New("the file is empty")
	}

	return text, nil
}

var (
	errUnreadable = errors.New("the file cannot be read")
	errOpen       = errors.New("the file is open to every user: chmod o-rwx it, or set mode: 0400 " +
		"for a secret of Compose or Swarm and defaultMode: 0440 for one of Kubernetes")
)

// isOpen reports whether every user may do something with a file. Windows has no such bits.
func isOpen(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o007 != 0
}

// checkClosed refuses a file that every user may read.
func checkClosed(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return errUnreadable
	}
	if isOpen(info) {
		return errOpen
	}
	return nil
}

// byteOrderMarks are those of UTF-8 and UTF-16, which some editors put before the text.
// Source: Unicode Standard, section 23.8.
var byteOrderMarks = []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"}

// crossCheck validates combinations of settings.
func (c Config) crossCheck() []error {
	var problems []error
	refuse := func(wrong bool, text string) {
		if wrong {
			problems = append(problems, errors.New(text))
		}
	}
	refuse(len(c.WebhookURLs) > 0 && len(c.WebhookSecrets) == 0,
		"COINSLOT_WEBHOOK_SECRET (or COINSLOT_WEBHOOK_SECRET_FILE) is not set: "+
			"COINSLOT_WEBHOOK_URL needs it, webhooks are always signed")
	refuse(c.Sandbox && !isLocalURL(c.GatewayURL),
		"COINSLOT_SANDBOX: COINSLOT_GATEWAY_URL must be a sandbox gateway on this machine, like "+
			"http://127.0.0.1:8082; unset COINSLOT_SANDBOX for real payments")
	// an empty PublicURL was reported by its own setting
	refuse(c.Sandbox && c.PublicURL != "" && !IsLocalOrigin(c.PublicURL),
		"COINSLOT_SANDBOX: COINSLOT_PUBLIC_URL must be on this machine, like "+
			"http://localhost:8080: anyone who opens the checkout can complete it without money; "+
			"unset COINSLOT_SANDBOX for real payments")
	refuse(c.AdminProxyHeader != "" && len(c.TrustedProxies) == 0,
		"COINSLOT_ADMIN_PROXY_HEADER needs COINSLOT_TRUSTED_PROXIES, to know which requests come "+
			"from the proxy")
	refuse(c.AdminProxyHeader != "" && slices.ContainsFunc(c.TrustedProxies, isTooWide),
		"COINSLOT_ADMIN_PROXY_HEADER: COINSLOT_TRUSTED_PROXIES is too wide: anyone in it "+
			"could claim to be signed in; name the proxy's own address, like 10.0.0.5/32")
	refuse(c.HTTPListen != "" && !c.TLS.On(),
		"COINSLOT_HTTP_LISTEN needs COINSLOT_TLS: without it, COINSLOT_LISTEN serves http")
	refuse(c.TLS.On() && c.PublicURL != "" && !strings.HasPrefix(c.PublicURL, "https:"),
		"COINSLOT_TLS: COINSLOT_PUBLIC_URL must be https, like https://pay.shop.example")
	refuse(c.TLS.Auto && strings.HasPrefix(c.PublicURL, "https:") && !hasPublicName(c.PublicURL),
		"COINSLOT_TLS: auto is for a host name of the public DNS in COINSLOT_PUBLIC_URL, like "+
			"https://pay.shop.example; for others, name the files of a certificate")
	sendsMail := slices.ContainsFunc(c.Alerts, alert.Target.IsMail)
	refuse(sendsMail && !c.Mail.IsSet(),
		"COINSLOT_SMTP (or COINSLOT_SMTP_FILE) is not set: COINSLOT_ALERTS needs it for e-mail")
	refuse(c.AlertsDaily != alert.TimeOfDay{} && len(c.Alerts) == 0,
		"COINSLOT_ALERTS_DAILY needs COINSLOT_ALERTS, to know where the summary goes")
	if err := alert.CheckTargets(c.Alerts, c.AllowPrivateWebhooks); err != nil {
		problems = append(problems, fmt.Errorf("COINSLOT_ALERTS: %w; for a server on this machine "+
			"or next to it, set COINSLOT_ALLOW_PRIVATE_WEBHOOKS=true", err))
	}
	for i, u := range c.WebhookURLs {
		if err := webhook.CheckEndpoint(u, c.AllowPrivateWebhooks); err != nil {
			if webhook.CheckEndpoint(u, true) == nil {
				err = fmt.Errorf("%w; for a server on this machine or next to it, set "+
					"COINSLOT_ALLOW_PRIVATE_WEBHOOKS=true", err)
			}
			problems = append(problems, fmt.Errorf("COINSLOT_WEBHOOK_URL: URL %d: %w", i+1, err))
		}
	}

	return problems
}

// Lookup returns the valid value, or the default, of one setting, for commands that need no other.
// Errors name the setting, also if it is not set.
func Lookup(env []string, overrides map[string]string, name string) (string, error) {
	values, err := collectValues(env, overrides)
	if err != nil {
		return "", err
	}

	s := settings[slices.IndexFunc(settings, func(s Setting) bool { return s.Name == name })]
	value := cmp.Or(values[name], s.Default)
	if value == "" {
		return "", fmt.Errorf("%s is not set: %s", s.label(), s.Help)
	}
	if err := s.set(&Config{}, value); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}

	return value, nil
}
