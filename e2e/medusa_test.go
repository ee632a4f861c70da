package e2e

import (
	"testing"

	"coinslot/e2e/need"
)

// TestFullMedusa sells with the payment provider of integrations/medusa: it installs Medusa, checks
// the provider's types, and runs integrations/medusa/test/medusa.test.mjs with Medusa, PostgreSQL and
// the checkout.
func TestFullMedusa(t *testing.T) {
	need.Long(t, "it installs Medusa from the npm registry")
	m := newNPMShop(t, "medusa")
	m.copyIntegration("medusa/src", "src")
	s := newStack(t, "COINSLOT_SANDBOX=true", "COINSLOT_RATES="+fixedRates(t),
		"COINSLOT_WEBHOOK_URL="+m.url+"/hooks/payment/coinslot_coinslot")
	m.env = append(m.env, "MEDUSA_DISABLE_TELEMETRY=true", "SHOP="+s.shop.URL, "MEDUSA="+m.url,
		"COINSLOT_URL="+s.base, "COINSLOT_SECRET_KEY="+secretKey,
		"COINSLOT_WEBHOOK_SECRET=whsec_"+hookKey)
	m.step("npm", "install")
	m.step("node_modules/.bin/tsc", "-p", ".")
	m.step("node_modules/.bin/medusa", "db:migrate")
	m.step("node_modules/.bin/medusa", "user", "-e", "a@example.com", "-p", "secret123")
	m.serve = []string{"node_modules/.bin/medusa", "start", "-p", m.port, "-H", "127.0.0.1"}
	m.health = "/health"
	m.sell("medusa/test/medusa.test.mjs", "@medusajs/medusa")
}
