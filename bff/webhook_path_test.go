package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// webhookPaths are those at which shops receive webhooks. Medusa, Vendure and WooCommerce give their own.
var webhookPaths = []string{
	"/hooks/coinslot", "/hooks/payment/coinslot_coinslot", "/wp-json/coinslot/v1/webhook",
	"/hooks/coinslot/main", "/hooks/coinslot/europe",
}

// TestOneWebhookPath: docs, examples, deploy, help and messages name one path for the webhooks of
// a shop.
func TestOneWebhookPath(t *testing.T) {
	ofShop := regexp.MustCompile(`(?:shop\.example|(?:localhost|127\.0\.0\.1):(?:3000|5173)|` +
		`\$SHOP(?:_URL)?|\$\{shop\})(/[\w/-]*)`)
	ofText := regexp.MustCompile(`\.(?:md|go|env|ya?ml|mjs|js|ts|php|py|rb|txt|service)$`)
	ofRoute := regexp.MustCompile(`(?i)(?:post\("|POST |Route::post\(')(/[\w/-]*)`)
	found := 0
	for _, name := range sources(t) {
		if !ofText.MatchString(name) || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text := string(fortest.Must(os.ReadFile(filepath.Join("..", name)))(t))
		paths := ofShop.FindAllStringSubmatch(text, -1)
		if strings.HasPrefix(name, "docs/") || strings.HasPrefix(name, "bff/demo/") {
			paths = append(paths, ofRoute.FindAllStringSubmatch(text, -1)...)
		}
		for _, m := range paths {
			path := strings.TrimSuffix(m[1], "/")
			isAPI := strings.HasPrefix(path, "/v1/") || strings.HasPrefix(path, "/hooks/gateway")
			if !strings.Contains(path, "hook") || isAPI {
				continue
			}
			found++
			if !slices.Contains(webhookPaths, path) {
				t.Errorf("%s names %s; want one of %q", name, path, webhookPaths)
			}
		}
	}
	if found < 15 {
		t.Errorf("found %d paths of webhooks; want 15 at least", found)
	}
}
