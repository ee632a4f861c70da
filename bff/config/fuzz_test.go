package config

import (
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/bff/webhook"
)

// What must never happen here: a setting is taken that opens a door, or an
// error prints a value that may be a secret.

// FuzzLoad sets one setting: a valid one is within all bounds, an invalid one is never printed.
func FuzzLoad(f *testing.F) {
	for _, s := range [][2]string{
		{"ORIGINS", "https://a.example,b"},
		{"WEBHOOK_SECRET", whsec},
		{"WEBHOOK_URL", "https://shop.example/hook,http://10.0.0.1"},
		{"GATEWAY_URL", "http://127.0.0.1:1/x/"},
		{"GATEWAY_URL", "https://u:" + canary + "@gateway.example"},
		{"LISTEN", ":0"},
		{"TRUSTED_PROXIES", "10.0.0.0/8, fd00::/8"},
		{"POLL_INTERVAL", "3s"},
		{"GATEWAY_RPS", "+5"},
		{"PUBLIC_URL", "HTTPS://Pay.Example:443/"},
		{"SECRET_KEY", canary + "\n"},
		{"HOOK_TOKEN", "../../0123456789abcdef"},
		{"UNKNOWN", canary},
		{"ALLOW_PRIVATE_WEBHOOKS", "TRUE"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, name, value string) {
		if strings.Contains(name+value, "=") && strings.Contains(name, "_FILE") ||
			strings.HasSuffix(name, "_FILE") {
			return // reads this machine's files
		}
		c, err := Load(replaced("COINSLOT_"+name+"=", value), nil)
		if err != nil {
			i := strings.Index(value, canary)
			if i >= 0 && strings.Contains(err.Error(), canary) && !strings.Contains(name, canary) {
				t.Fatalf("the error shows the value: %v", err)
			}
			return
		}
		checkLoaded(t, c)
	})
}

// replaced is the fewest settings that serve, with one of them set to value.
func replaced(setting, value string) []string {
	env := slices.DeleteFunc(minimal("COINSLOT_WEBHOOK_SECRET="+whsec),
		func(entry string) bool { return strings.HasPrefix(entry, setting) })
	return append(env, setting+value)
}

func checkLoaded(t *testing.T, c Config) {
	t.Helper()
	for _, origin := range append([]string{c.PublicURL}, c.Origins...) {
		checkOrigin(t, origin)
	}
	for _, raw := range []string{c.GatewayURL, c.GatewayPageURL} {
		u, err := url.Parse(raw)
		if raw == "" {
			continue
		}
		if err != nil || u.User != nil || u.Hostname() == "" ||
			u.Scheme != "https" && !(u.Scheme == "http" && readableFile(u.Hostname())) {
			t.Fatalf("gateway address %q", raw)
		}
	}
	for _, u := range c.WebhookURLs {
		if err := webhook.CheckEndpoint(u, c.AllowPrivateWebhooks); err != nil {
			t.Fatalf("webhook address %q: %v", u, err)
		}
	}
	for _, key := range c.SecretKeys {
		if len(key.Reveal()) < 32 {
			t.Fatal("a short key")
		}
	}
	if len(c.SecretKeys) == 0 || c.OrderKey.Reveal() != "" && len(c.OrderKey.Reveal()) < 32 ||
		c.HookToken.Reveal() != "" && len(c.HookToken.Reveal()) < 16 {
		t.Fatal("a short key")
	}
	for _, key := range append([]Secret{c.OrderKey, c.HookToken, c.GatewayKey}, c.SecretKeys...) {
		if strings.ContainsFunc(key.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Fatal("a key that no header can carry")
		}
	}
	for _, raw := range Reveal(c.WebhookSecrets) {
		if err := webhook.CheckSecret(raw); err != nil {
			t.Fatalf("webhook secret: %v", err)
		}
	}
	if c.PollInterval < 100*time.Millisecond || c.PollInterval > 10*time.Minute ||
		c.GatewayRPS < 1 || c.GatewayRPS > 10_000 {
		t.Fatalf("every %v, %d a second", c.PollInterval, c.GatewayRPS)
	}
	for _, listen := range []string{c.Listen, c.OpsListen} {
		if _, _, err := net.SplitHostPort(listen); listen != "" && err != nil {
			t.Fatalf("listening at %q: %v", listen, err)
		}
	}
}

// readableFile reports whether a host can be no other machine's.
func readableFile(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// FuzzOrigin: an origin has one form, of characters that are safe in a header.
func FuzzOrigin(f *testing.F) {
	for _, s := range []string{
		"https://shop.example", "HTTPS://Shop.Example:443/", "http://localhost:3000",
		"https://[::1]:8443", "null", "*", "https://*.example", "https://a@b.example",
		"https://shop.example;script-src", "https://shop.example\r\nX: y",
		"https://shop.example:0443", "https://shop.example//", "https://shop.example?",
		"https://shop.example#",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := Origin(raw)
		if err != nil {
			if len(raw) > 40 && strings.Contains(err.Error(), raw) {
				t.Fatal("the error shows the value")
			}
			return
		}
		checkOrigin(t, got)
	})
}

func checkOrigin(t *testing.T, origin string) {
	t.Helper()
	u, err := url.Parse(origin)
	if err != nil || u.User != nil || u.Path != "" || u.RawQuery != "" || u.ForceQuery ||
		u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http" {
		t.Fatalf("origin %q: %+v, %v", origin, u, err)
	}
	if strings.Trim(origin, "abcdefghijklmnopqrstuvwxyz0123456789.:/[]_-") != "" ||
		strings.Count(origin, "/") != 2 {
		t.Fatalf("origin %q", origin)
	}
	if u.Scheme == "https" && u.Port() == "443" || u.Scheme == "http" && u.Port() == "80" {
		t.Fatalf("origin %q is not as browsers write it", origin)
	}
	if again, err := Origin(origin); err != nil || again != origin {
		t.Fatalf("Origin(%q) = %q, %v", origin, again, err)
	}
}
