package gateway

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

func TestNewURL(t *testing.T) {
	for _, tt := range []struct {
		url, env string // env without the fingerprint; "" = refused
	}{
		{"https://gateway.example", "https://gateway.example"},
		{"https://gateway.example/", "https://gateway.example"},
		{"HTTPS://Gateway.Example:8443/some/Prefix/", "https://gateway.example:8443/some/Prefix"},
		{"http://localhost:8080", "http://localhost:8080"},
		{"http://127.8.9.1", "http://127.8.9.1"},
		{"http://[::1]:80", "http://[::1]:80"},
		{"http://gateway.example", ""},
		{"http://10.0.0.1", ""},
		{"http://localhost.evil.example", ""},
		{"https://user:pass@gateway.example", ""},
		{"https://@gateway.example", ""},
		{"https://gateway.example?x=1", ""},
		{"https://gateway.example?", ""},
		{"https://gateway.example#x", ""},
		{"https://gateway.example#", ""},
		{"ftp://gateway.example", ""},
		{"gateway.example", ""},
		{"https://", ""},
		{"https:///path", ""},
		{"", ""},
		{"https://bad host", ""},
		{"https://x/%zz", ""},
	} {
		c, err := New(Config{URL: tt.url, Key: testKey})
		got := ""
		if err == nil {
			got, _, _ = strings.Cut(c.Environment(), "#")
		}
		if got != tt.env {
			t.Errorf("New(%q) environment = %q, %v; want %q", tt.url, got, err, tt.env)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for name, config := range map[string]Config{
		"no key":            {URL: "https://gateway.example"},
		"key with newline":  {URL: "https://gateway.example", Key: testKey + "\n"},
		"key with space":    {URL: "https://gateway.example", Key: testKey + " x"},
		"key with quote":    {URL: "https://gateway.example", Key: testKey + `"`},
		"key not ASCII":     {URL: "https://gateway.example", Key: testKey + "é"},
		"key too long":      {URL: "https://gateway.example", Key: strings.Repeat(testKey, 30)},
		"negative timeout":  {URL: "https://gateway.example", Key: testKey, Timeout: -time.Second},
		"key inside of URL": {URL: "https://" + testKey + "@gateway.example", Key: testKey},
	} {
		_, err := New(config)
		if err == nil || strings.Contains(err.Error(), testKey) {
			t.Errorf("%s: New = %v; want an error without the key", name, err)
		}
	}
}

func TestEnvironment(t *testing.T) {
	c := newClientFor(t, "https://gateway.example/api/")
	other := newClientFor(t, "https://gateway.example/api/", func(c *Config) { c.Key = "other" })
	env, fp, _ := strings.Cut(c.Environment(), "#")
	if env != "https://gateway.example/api" || len(fp) != 12 ||
		strings.Trim(fp, "0123456789abcdef") != "" {
		t.Errorf("Environment = %q; want base URL, #, 12 hex digits", c.Environment())
	}
	if c.Environment() == other.Environment() {
		t.Errorf("Environment of two keys is %q for both", c.Environment())
	}
}

// TestKeyNotPrinted prints clients and configurations in every way that fmt and slog know.
func TestKeyNotPrinted(t *testing.T) {
	config := Config{URL: "https://user:" + testKey + "@gateway.example", Key: testKey}
	c := newClientFor(t, "https://gateway.example")
	var out bytes.Buffer
	for _, v := range []any{config, &config, c, *c, struct{ C Config }{config}, []any{config, c}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&out, verb, v)
		}
		slog.New(slog.NewTextHandler(&out, nil)).Info("x", "v", v)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "v", v)
	}
	hexKey := fmt.Sprintf("%x", testKey)
	fortest.Lacks(t, "printing shows the key", out.String(), testKey, hexKey)
}

// TestRequestShape checks what every request has in common.
func TestRequestShape(t *testing.T) {
	seen := make(chan *http.Request, 1)
	c := serve(t, func(_ http.ResponseWriter, r *http.Request) { seen <- r })
	for name, f := range everyCall() {
		_ = f(t.Context(), c)
		r := <-seen
		if got := r.Header["X-Api-Key"]; len(got) != 1 || got[0] != testKey {
			t.Errorf("%s: x-api-key = %q", name, got)
		}
		if strings.Contains(r.URL.String(), testKey) || r.Header.Get("Authorization") != "" {
			t.Errorf("%s: key outside of its header", name)
		}
		for h := range r.Header {
			if strings.Contains(h, "Idempotency") || h == "Cookie" || h == "Referer" {
				t.Errorf("%s: sends header %s", name, h)
			}
		}
		if r.TransferEncoding != nil {
			t.Errorf("%s: transfer encoding %q", name, r.TransferEncoding)
		}
	}
}

func TestPathPrefix(t *testing.T) {
	paths := make(chan string, 1)
	c := serve(t, func(_ http.ResponseWriter, r *http.Request) { paths <- r.URL.Path })
	prefixed := newClientFor(t, c.base+"/merchant/7/")
	_ = prefixed.Recheck(t.Context(), "TRK1")
	fortest.Equal(t, <-paths, "/merchant/7/api/v1/merchant/transaction/recheck", "path")
}
