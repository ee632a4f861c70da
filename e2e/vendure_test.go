package e2e

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"coinslot/e2e/need"
)

// TestFullVendure sells with the packed plugin of integrations/vendure: it installs Vendure and the
// plugin, and runs integrations/vendure/test/vendure.test.mjs with Vendure, PostgreSQL and two
// checkouts, one for each channel. Vendure's types are here alone, so it also checks those of the
// plugin's sources, which packing does not.
func TestFullVendure(t *testing.T) {
	need.Long(t, "it installs Vendure from the npm registry")
	plugin := packNPM(t, "vendure")
	v := newNPMShop(t, "vendure")
	v.copyIntegration("vendure", "plugin")
	checkout := newStack(t, "COINSLOT_SANDBOX=true", "COINSLOT_RATES="+fixedRates(t),
		"COINSLOT_WEBHOOK_URL="+v.url+"/hooks/coinslot/main")
	const otherKey = "e2e-other-key-0123456789abcdef0123456789"
	const otherHook = "whsec_b3RoZXItaG9vay1rZXktMDEyMzQ1Njc4OWFiY2RlZg=="
	other := newStack(t, "COINSLOT_SANDBOX=true", "COINSLOT_RATES="+fixedRates(t),
		"COINSLOT_SECRET_KEY="+otherKey, "COINSLOT_WEBHOOK_SECRET="+otherHook,
		"COINSLOT_WEBHOOK_URL="+v.url+"/hooks/coinslot/other")

	v.env = append(v.env, "VENDURE_DISABLE_TELEMETRY=true", "VENDURE="+v.url,
		"COINSLOT_URL="+checkout.base, "COINSLOT_SECRET_KEY="+secretKey,
		"COINSLOT_WEBHOOK_SECRET=whsec_"+hookKey, "OTHER_COINSLOT_URL="+other.base,
		"OTHER_COINSLOT_SECRET_KEY="+otherKey, "OTHER_COINSLOT_WEBHOOK_SECRET="+otherHook,
		"PROCESSES="+processes(t, v, checkout), "HOLD="+filepath.Join(t.TempDir(), "hold"))
	v.step("npm", "install")
	v.step("npm", "install", plugin)
	v.step("node_modules/.bin/tsc", "-p", ".")
	v.step("node_modules/.bin/tsc", "-p", "plugin", "--noEmit")
	v.step("node", "module.mjs")
	v.serve = []string{"node", "dist/index.js"}
	v.health = "/health"
	v.sell("vendure/test/vendure.test.mjs", "@vendure/core")
}

// processes lets the tests in Node kill and start the shop and the checkout, by requests such as
// POST /shop/kill. It returns their address.
func processes(t *testing.T, shop *npmShop, checkout *stack) string {
	t.Helper()
	mux := http.NewServeMux()
	for path, do := range map[string]func(){
		"POST /shop/kill": shop.kill, "POST /shop/start": shop.start,
		"POST /checkout/kill": checkout.kill, "POST /checkout/start": checkout.start,
	} {
		mux.HandleFunc(path, func(http.ResponseWriter, *http.Request) { do() })
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}
