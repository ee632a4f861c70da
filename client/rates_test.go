package client_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/server/servertest"
	"coinslot/client"
	"coinslot/docs/examples/exampletest"
	"coinslot/e2e/need"

	"github.com/google/go-cmp/cmp"
)

// serveEuros starts a checkout that has a fixed rate of the euro, and waits until it serves.
func serveEuros(t *testing.T) (*servertest.Rig, *client.Client) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rates.yaml")
	text := "base: EUR\ndate: 2026-11-26\nvalid_until: 2999-12-31\nrates: {USD: 1.0921, GBP: 0}\n"
	fortest.OK(t, os.WriteFile(file, []byte(text), 0o600))
	r, c := serveAtRates(t, file)
	fortest.Until(t, "rates", func() bool {
		return len(fortest.Must(c.Rates(t.Context()))(t)) > 0
	})
	return r, c
}

// TestPriceInEuros: a session has both prices and the rate, and the rates can be listed.
func TestPriceInEuros(t *testing.T) {
	_, c := serveEuros(t)
	order := client.NewSession{Amount: "25.00", Currency: "EUR", OrderRef: "1001"}
	s := fortest.Must(c.CreateSession(t.Context(), order))(t)
	fortest.Equal(t, s.Amount+" "+s.Currency, "25.00 EUR", "the price")
	fortest.Equal(t, s.AmountUSD, "27.31", "the charge") // 25 × 1.0921 = 27.3025, up to the cent
	rate := &client.Rate{
		USDPerUnit:    "1.0921",
		Exact:         "1.0921",
		Source:        "fixed",
		AsOf:          "2026-11-26T00:00:00Z",
		SpreadPercent: "0",
	}
	fortest.Diff(t, s.Rate, rate, "the rate (-want +got)")

	asOf := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	until := time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC)
	want := []client.ListedRate{
		{Currency: "EUR", USDPerUnit: "1.0921", Exact: "1.0921", Source: "fixed", AsOf: &asOf, ValidUntil: &until, Usable: true},
		{Currency: "GBP", Reason: "invalid"},
	}
	got := fortest.Must(c.Rates(t.Context()))(t)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the rates differ (-want +got):\n%s", diff)
	}

	francs := client.NewSession{Amount: "25.00", Currency: "CHF"}
	_, err := c.CreateSession(t.Context(), francs)
	if !client.IsCode(err, "currency_unsupported") {
		t.Errorf("francs: %v; want currency_unsupported", err)
	}
}

// TestDollarsOnly: without a source there are no rates, and a price in dollars has none.
func TestDollarsOnly(t *testing.T) {
	_, c := serve(t)
	fortest.Equal(t, len(fortest.Must(c.Rates(t.Context()))(t)), 0, "rates")
	s := fortest.Must(c.CreateSession(t.Context(), client.NewSession{AmountUSD: "25"}))(t)
	if s.Amount != "25.00" || s.Currency != "USD" || s.AmountUSD != "25.00" || s.Rate != nil {
		t.Errorf("a session in dollars is %+v", s)
	}
}

// mistypedOrders compiles only if the compiler refuses a price that is missing, half or double.
const mistypedOrders = `import { Coinslot } from "@coinslot/server";
import type { NewSession } from "@coinslot/server";
export async function open(checkout: Coinslot): Promise<void> {
  const euros: NewSession = { amount: "17.00", currency: "EUR", order_ref: "1001" };
  await checkout.createSession(euros);
  // @ts-expect-error
  await checkout.createSession({ order_ref: "1001" });
  // @ts-expect-error
  await checkout.createSession({ amount: "17.00" });
  // @ts-expect-error
  await checkout.createSession({ amount_usd: "17.00", amount: "17.00", currency: "EUR" });
}
`

// The TypeScript client opens a session in euros, and lists the rates.
func TestFullTypeScriptRates(t *testing.T) {
	node := need.Command(t, "node")
	_, c := serveEuros(t)
	page := filepath.Join(t.TempDir(), "page.ts")
	code := `import { Coinslot } from "@coinslot/server";
const checkout = new Coinslot({ url: process.env.COINSLOT_URL, key: process.env.COINSLOT_SECRET_KEY });
const s = await checkout.createSession({ amount: "25.00", currency: "EUR", order_ref: "1001" });
console.log(s.amount, s.currency, s.amount_usd, s.rate.usd_per_unit, s.rate.source);
for (const r of await checkout.rates()) console.log(r.currency, r.usd_per_unit, r.usable, r.reason);
`
	fortest.OK(t, os.WriteFile(page, []byte(code), 0o600))
	run := exec.CommandContext(t.Context(), node, exampletest.Bundle(t, page))
	run.Env = append(os.Environ(), "COINSLOT_URL="+c.URL, "COINSLOT_SECRET_KEY="+c.Key)
	said := fortest.Must(run.Output())(t)
	fortest.Equal(t, string(said), "25.00 EUR 27.31 1.0921 fixed\nEUR 1.0921 true \nGBP  false invalid\n", "what it prints")
}
