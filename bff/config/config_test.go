package config

import (
	"bytes"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/bff/alert"
	"coinslot/bff/fortest"

	"github.com/google/go-cmp/cmp"
)

const (
	canary = "canary-value-0123456789abcdef0123456789"
	whsec  = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw/+AAAAAAAAAA=="
)

// minimal is the fewest settings that serve.
func minimal(more ...string) []string {
	return append([]string{
		"COINSLOT_GATEWAY_URL=https://gateway.example", "COINSLOT_GATEWAY_KEY=k",
		"COINSLOT_SECRET_KEY=" + canary, "PATH=/bin",
	}, more...)
}

func TestLoadDefaults(t *testing.T) {
	c := fortest.Must(Load(minimal(), nil))(t)
	if c.Listen != "127.0.0.1:8080" || c.PublicURL != "http://localhost:8080" ||
		c.PollInterval != 3*time.Second || c.GatewayRPS != 10 || c.OpsListen != "127.0.0.1:9090" ||
		c.Database != "coinslot.db" {
		t.Errorf("Load = %+v", c)
	}
}

func TestFlagsWin(t *testing.T) {
	c := fortest.Must(Load(minimal("COINSLOT_LISTEN=:1", "COINSLOT_ORIGINS=https://a.example"),
		map[string]string{"listen": ":2", "poll-interval": "5s"}))(t)
	if c.Listen != ":2" || c.PollInterval != 5*time.Second {
		t.Errorf("Load = %+v", c)
	}
	fortest.Diff(t, c.Origins, []string{"https://a.example"}, "origins")
}

// A checkout that is paid with test money serves this machine only.
func TestSandboxMustBeLocal(t *testing.T) {
	for public, want := range map[string]bool{
		"":                               true,
		"http://localhost:8080":          true,
		"http://LOCALHOST":               true,
		"https://127.0.0.1:8443":         true,
		"http://127.8.9.10":              true,
		"http://[::1]:8080":              true,
		"http://checkout.localhost:8080": true,
		"https://pay.shop.example":       false,
		"http://10.0.0.1:8080":           false,
		"http://0.0.0.0:8080":            false,
		"http://localhost.example":       false,
		"https://evillocalhost":          false,
	} {
		_, err := Load(
			append(replaced("COINSLOT_GATEWAY_URL=", "http://127.0.0.1:8082"),
				"COINSLOT_SANDBOX=true", "COINSLOT_PUBLIC_URL="+public),
			nil,
		)
		if (err == nil) != want ||
			err != nil &&
				!strings.HasPrefix(err.Error(),
					"COINSLOT_SANDBOX: COINSLOT_PUBLIC_URL must be on this machine") {
			t.Errorf("a sandbox at %q: %v; want taken = %v", public, err, want)
		}
	}
	if _, err := Load(minimal("COINSLOT_PUBLIC_URL=https://pay.shop.example"), nil); err != nil {
		t.Errorf("real payments in public: %v", err)
	}
}

// Who is believed about who is signed in are a few, not half the world.
func TestProxyHeaderNeedsNarrowProxies(t *testing.T) {
	for proxies, want := range map[string]bool{
		"127.0.0.1/32,::1/128":         true,
		"10.0.0.0/8":                   true,
		"fc00::/7":                     true,
		"104.16.0.0/13,2a06:98c0::/29": true,
		"0.0.0.0/0":                    false,
		"::/0":                         false,
		"0.0.0.0/1,128.0.0.0/1":        false,
		"10.0.0.5/32,64.0.0.0/2":       false,
		"8.0.0.0/8":                    false,
		"2000::/3":                     false,
		"2000::/16":                    false,
		"10.0.0.0/7":                   false,
		"172.16.0.0/12":                true,
		"192.168.0.0/16":               true,
		"172.16.0.0/8":                 false,
		"192.168.0.0/8":                false,
		"100.64.0.0/8":                 false,
		"169.254.0.0/8":                false, // most of which are public
	} {
		_, err := Load(
			minimal("COINSLOT_ADMIN_PROXY_HEADER=X-Forwarded-User",
				"COINSLOT_TRUSTED_PROXIES="+proxies),
			nil,
		)
		if (err == nil) != want ||
			err != nil &&
				!strings.HasPrefix(err.Error(),
					"COINSLOT_ADMIN_PROXY_HEADER: COINSLOT_TRUSTED_PROXIES is too wide") {
			t.Errorf("a header of %s: %v; want taken = %v", proxies, err, want)
		}
	}
}

func TestSupport(t *testing.T) {
	for given, want := range map[string]string{
		"":                                 "",
		"help@shop.example":                "mailto:help@shop.example",
		"Help.Desk+pay@shop-1.example":     "mailto:Help.Desk+pay@shop-1.example",
		"https://shop.example/help":        "https://shop.example/help",
		"https://shop.example/help?from=a": "https://shop.example/help?from=a",
	} {
		c, err := Load(minimal("COINSLOT_SUPPORT="+given), nil)
		if err != nil || c.Support != want {
			t.Errorf("COINSLOT_SUPPORT=%s = %q, %v; want %q", given, c.Support, err, want)
		}
	}
}

func TestShopName(t *testing.T) {
	for given, want := range map[string]string{
		"":                          "",
		"  Café Ñandú & Söhne  ":    "Café Ñandú & Söhne",
		"متجر القهوة\u200e":         "متجر القهوة\u200e",
		strings.Repeat("é", 80):     strings.Repeat("é", 80),
		"Northlight Coffee, Berlin": "Northlight Coffee, Berlin",
	} {
		c, err := Load(minimal("COINSLOT_SHOP_NAME="+given), nil)
		if err != nil || c.ShopName != want {
			t.Errorf("COINSLOT_SHOP_NAME=%s = %q, %v; want %q", given, c.ShopName, err, want)
		}
	}
}

// Several keys are several ways in, in their order.
func TestSecretKeys(t *testing.T) {
	for given, want := range map[string][]string{
		canary:                                 {canary},
		"new-" + canary + "," + canary:         {"new-" + canary, canary},
		canary + ",b" + canary + ",a" + canary: {canary, "b" + canary, "a" + canary},
	} {
		c, err := Load(replaced("COINSLOT_SECRET_KEY=", given), nil)
		if diff := cmp.Diff(want, Reveal(c.SecretKeys)); err != nil || diff != "" {
			t.Errorf("keys: %v (-want +got):\n%s", err, diff)
		}
	}
	for _, bad := range []string{
		canary + "," + canary, canary + ",", "," + canary, canary + ",,b" + canary,
		canary + ",short", canary + ", b" + canary, canary + " b" + canary,
		canary + ",b" + canary + "\n",
	} {
		_, err := Load(replaced("COINSLOT_SECRET_KEY=", bad), nil)
		if err == nil || !strings.HasPrefix(err.Error(), "COINSLOT_SECRET_KEY: ") ||
			strings.Contains(err.Error(), "canary") {
			t.Errorf("keys %q: error %v; want one that names the setting and shows none", bad, err)
		}
	}
}

func TestLoadNamesEveryProblem(t *testing.T) {
	_, err := Load([]string{"COINSLOT_LISTN=:1", "COINSLOT_WEBHOOK_URL=https://shop.example"}, nil)
	for _, want := range []string{
		"COINSLOT_LISTN", "COINSLOT_GATEWAY_URL", "COINSLOT_GATEWAY_KEY",
		"COINSLOT_GATEWAY_KEY_FILE", "COINSLOT_SECRET_KEY", "COINSLOT_WEBHOOK_SECRET",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want it to name %s", err, want)
		}
	}
}

func TestSecretsFromFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		fortest.OK(t, os.WriteFile(path, []byte(text), mode))
		fortest.OK(t, os.Chmod(path, mode))
		return path
	}
	base := []string{"COINSLOT_GATEWAY_URL=https://gateway.example", "COINSLOT_GATEWAY_KEY=k"}
	c, err := Load(
		append(base, "COINSLOT_SECRET_KEY_FILE="+file("good", canary+"\n", 0o600),
			"COINSLOT_DATABASE_FILE="+file("database", "postgres://u:p@h/d\n", 0o400)),
		nil,
	)
	if err != nil || !slices.Equal(Reveal(c.SecretKeys), []string{canary}) ||
		c.Database != "postgres://u:p@h/d" {
		t.Errorf("Load = %v, %v; want the file's line", c.SecretKeys, err)
	}
}

// However a configuration is printed, no secret shows.
func TestSecretsDoNotPrint(t *testing.T) {
	mail, err := alert.ParseMailServer("smtps://a%40b.example:" + canary + "@mail.example")
	fortest.OK(t, err)
	c := Config{
		GatewayKey:     NewSecret(canary),
		SecretKeys:     []Secret{NewSecret(canary)},
		WebhookSecrets: []Secret{NewSecret(canary)},
		Database:       "postgres://shop:" + canary + "@db/shop",
		WebhookURLs:    []string{"https://hooks.example/" + canary},
		Listen:         ":8080",
		GatewayURL:     "https://gateway.example/" + canary,
		GatewayPageURL: "https://pages.example/" + canary,
		Traces:         "https://traces.example/" + canary,
		Alerts:         fortest.Must(alert.ParseTargets("https://ntfy.example/" + canary))(t),
		Mail:           mail,
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("started", "key", c.GatewayKey, "settings", c)
	slog.New(slog.NewTextHandler(&log, nil)).Info("started", "settings", c, "at", &c)
	for _, text := range []string{
		fmt.Sprint(c.GatewayKey), fmt.Sprintf("%#v", c.GatewayKey), fmt.Sprintf("%+v", c),
		fmt.Sprintf("%#v", c), fmt.Sprint(&c), log.String(),
	} {
		fortest.Lacks(t, "printed", text, canary)
	}
	if text := fmt.Sprint(c); !strings.Contains(text, "Listen::8080") ||
		!strings.Contains(text, "Database:(set)") ||
		!strings.Contains(text, "Traces:https://traces.example ") || c.WebhookURLs[0] == "(set)" {
		t.Errorf("printed %q; want what is no secret, and the settings as they are", text)
	}
}

var update = flag.Bool("update", false, "rewrite the table of docs/settings.md")

// TestSettingsPage: the table of docs/settings.md is the one of the code.
func TestSettingsPage(t *testing.T) {
	const name = "../../docs/settings.md"
	page := fortest.Must(os.ReadFile(name))(t)
	var table strings.Builder
	table.WriteString("| setting | meaning | default |\n|---|---|---|\n")
	for _, s := range Settings() {
		file, value := "", s.Default
		if s.File {
			file = ", `…_FILE`"
		}
		if value != "" {
			value = "`" + value + "`"
		} else if s.Needed {
			value = "required"
		}
		fmt.Fprintf(&table, "| `%s`%s | %s | %s |\n", s.Name, file, s.Help, value)
	}
	between := regexp.MustCompile(`(?s)(<!-- settings: begin .*? -->\n).*(<!-- settings: end -->)`)
	want := between.ReplaceAllString(string(page), "${1}"+table.String()+"$2")
	if *update {
		fortest.OK(t, os.WriteFile(name, []byte(want), 0o644))
	} else if diff := cmp.Diff(want, string(page)); diff != "" || !between.Match(page) {
		t.Errorf("docs/settings.md, which -update writes (-code +page):\n%s", diff)
	}
}

// TestObserving: how the log and traces are set.
func TestObserving(t *testing.T) {
	c, err := Load(
		minimal("COINSLOT_LOG_FORMAT=json", "COINSLOT_LOG_LEVEL=warn", "COINSLOT_DRAIN=10s",
			"COINSLOT_TRACES=http://collector:4318"),
		nil,
	)
	if err != nil || !c.LogJSON || c.LogLevel != slog.LevelWarn || c.Drain != 10*time.Second ||
		c.Traces != "http://collector:4318/v1/traces" {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = Load(minimal("COINSLOT_TRACES=https://collector.example/otlp/v1/traces"), nil)
	if err != nil || c.LogJSON || c.LogLevel != slog.LevelInfo || c.Drain != 0 ||
		c.Traces != "https://collector.example/otlp/v1/traces" {
		t.Errorf("%+v, %v", c, err)
	}
}

// The error about an open secret says what to change where chmod is not possible.
func TestOpenSecretFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret-key")
	fortest.OK(t, os.WriteFile(path, []byte(canary), 0o444))
	fortest.OK(t, os.Chmod(path, 0o444))
	_, err := Load([]string{"COINSLOT_SECRET_KEY_FILE=" + path}, nil)
	fortest.Fails(t, err, "a secret of mode 0444")
	fortest.Has(t, "the error", err.Error(), "chmod o-rwx it", "mode: 0400", "defaultMode: 0440")
	fortest.Lacks(t, "the error", err.Error(), canary)
}

// writeSettings writes a file of settings and returns its path.
func writeSettings(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.env")
	fortest.OK(t, os.WriteFile(path, []byte(text), mode))
	fortest.OK(t, os.Chmod(path, mode))
	return path
}

// With COINSLOT_TLS, the ports of https and http are the defaults.
func TestTLSSettings(t *testing.T) {
	public := "COINSLOT_PUBLIC_URL=https://pay.shop.example"
	c := fortest.Must(Load(minimal(public, "COINSLOT_TLS=auto"), nil))(t)
	if !c.TLS.Auto || c.Listen != ":443" || c.HTTPListen != ":80" ||
		c.ACME != "https://acme-v02.api.letsencrypt.org/directory" {
		t.Errorf("Load = %+v", c)
	}
	c = fortest.Must(Load(minimal(public, "COINSLOT_TLS=auto", "COINSLOT_LISTEN=:8443",
		"COINSLOT_HTTP_LISTEN=-"), nil))(t)
	if c.Listen != ":8443" || c.HTTPListen != "" {
		t.Errorf("Load = %+v", c)
	}
	c = fortest.Must(Load(minimal(public), nil))(t)
	if c.TLS.On() || c.Listen != "127.0.0.1:8080" || c.HTTPListen != "" {
		t.Errorf("Load = %+v", c)
	}

	open := writeSettings(t, "", 0o644)
	closed := writeSettings(t, "", 0o600)
	for _, wrong := range [][]string{
		{"COINSLOT_TLS=auto"},
		{"COINSLOT_TLS=auto", "COINSLOT_PUBLIC_URL=https://localhost"},
		{"COINSLOT_TLS=auto", "COINSLOT_PUBLIC_URL=https://203.0.113.7"},
		{"COINSLOT_TLS=auto", "COINSLOT_PUBLIC_URL=https://pay"},
		{"COINSLOT_TLS=yes", public},
		{"COINSLOT_TLS=a.pem,", public},
		{"COINSLOT_TLS=" + closed + "," + open, public},
		{"COINSLOT_TLS=" + closed + "," + closed, public},
		{"COINSLOT_HTTP_LISTEN=:80", public},
		{"COINSLOT_TLS=auto", "COINSLOT_HTTP_LISTEN=80", public},
		{"COINSLOT_TLS=auto", "COINSLOT_ACME=http://acme.example", public},
	} {
		_, err := Load(minimal(wrong...), nil)
		if err == nil || !strings.HasPrefix(err.Error(), "COINSLOT_") {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}
