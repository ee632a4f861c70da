package console_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/rates"
	"coinslot/bff/store"

	"github.com/shopspring/decimal"
)

// newRatesRig is a console of a shop with prices in euros and yen at fixed rates. The stored rate of
// the euro is half of the file's, so that the file's is held.
func newRatesRig(t *testing.T) *consoleRig {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, "rates.yaml")
	text := "base: USD\ndate: 2026-11-26\nrates: {EUR: 0.5, JPY: 150}\n"
	fortest.OK(t, os.WriteFile(file, []byte(text), 0o600))
	database := filepath.Join(folder, "coinslot.db")
	storeRates(t, database, rates.State{
		Source: rates.Fixed,
		Currencies: map[string]rates.Entry{
			"EUR": {Rate: rates.Rate{Fraction: "1", Source: rates.Fixed}},
		},
	})

	d := newConsoleRig(t, func(c *config.Config) {
		c.Database = database
		c.Rates = file
		c.RatesSpread = decimal.RequireFromString("0.5")
	})
	fortest.Until(t, "the file is read", func() bool {
		return strings.Contains(d.page("/admin/rates", http.StatusOK), "1/150")
	})
	return d
}

// storeRates stores what an earlier process knew.
func storeRates(t *testing.T, database string, s rates.State) {
	t.Helper()
	db := fortest.Must(store.Open(t.Context(), store.Config{DSN: database}))(t)
	fortest.OK(t, db.SaveRates(t.Context(), s, 0))
	fortest.OK(t, db.Close())
}

// A held rate needs attention, is compared and accepted, and the audit log says who did.
func TestConsoleAcceptsRate(t *testing.T) {
	t.Parallel()
	d := newRatesRig(t)
	fortest.Has(t, "the overview", words(d.page("/admin", http.StatusOK)),
		"1 exchange rate held", "EUR +100.0 % from $1 to $2")
	body := d.page("/admin/rates", http.StatusOK)
	fortest.Has(t, "the page", words(body), "EUR $1 $2 +100.0 %", "File of fixed rates", "0.5 %",
		"EUR $1 1 – none without limit Usable new rate held",
		"JPY $0.006666666667 1/150 2026-11-26 00:00 :00 without limit Usable", "Last read succeeded")
	fortest.Has(t, "the navigation", body, `aria-current="page" href="/admin/rates"`)

	const asks = "/admin/rates/accept?currency=EUR&rate=1%2F0.5"
	fortest.Has(t, "the page", body, `href="/admin/rates/accept?currency=EUR&amp;rate=1%2F0.5"`)
	question := d.page(asks, http.StatusOK)
	fortest.Has(t, "the question", words(question), "Accept this rate?", "Rate in use $1", "Held rate $2",
		"+100.0 %", "Open payments keep the rate")
	to := d.post(asks, "/admin/rates/accept", hiddenFields(question))
	body = d.page(to, http.StatusOK)
	fortest.Has(t, "the page after it", words(body), "The rate is in use.", "EUR $2 1/0.5")
	fortest.Lacks(t, "the page after it", body, "new rate held", "accept-rate")
	fortest.Has(t, "the overview after it", d.page("/admin", http.StatusOK), "All good")
	audit := words(d.page("/admin/audit", http.StatusOK))
	fortest.Has(t, "the audit log", audit, "requested to accept an exchange rate", "EUR at 1/0.5",
		"accepted an exchange rate", "console:ann")
}

// Only the rate that an operator has seen is accepted, and once.
func TestConsoleRefusesRate(t *testing.T) {
	t.Parallel()
	d := newRatesRig(t)
	token := formToken.FindStringSubmatch(d.page("/admin/rates/accept?currency=EUR&rate=1/0.5", 200))
	for _, form := range []url.Values{
		{"currency": {"EUR"}, "rate": {"1/0.51"}},
		{"currency": {"EUR"}, "rate": {""}},
		{"currency": {"JPY"}, "rate": {"1/150"}},
		{"currency": {"<b>"}, "rate": {"1/0.5"}},
	} {
		page := d.page("/admin/rates/accept?"+form.Encode(), http.StatusConflict)
		fortest.Has(t, "a page that asks", page, "is not held any more")
		form.Set("token", token[1])
		answer := d.Do("POST", "/admin/rates/accept", form.Encode(), operator,
			"Content-Type: application/x-www-form-urlencoded", "Origin: "+d.Public)
		fortest.Answer(t, form.Encode(), answer, http.StatusConflict)
	}
	form := "currency=EUR&rate=1%2F0.5"
	answer := d.Do("POST", "/admin/rates/accept", form, operator,
		"Content-Type: application/x-www-form-urlencoded", "Origin: "+d.Public)
	fortest.Answer(t, "a form without a token", answer, http.StatusForbidden)

	audit := d.page("/admin/audit", http.StatusOK)
	fortest.Equal(t, strings.Count(audit, "rate.accept: rate_not_held"), 4, "refusals in the audit log")
	fortest.Has(t, "the rates", d.page("/admin/rates", http.StatusOK), "new rate held")
}

// A payment shows the shop's price and the dollars, and its rate; so does the list, which can be
// filtered by currency, and its file.
func TestConsoleCurrencies(t *testing.T) {
	t.Parallel()
	d := newRatesRig(t)
	fortest.Lacks(t, "a list of one currency", d.page("/admin/payments", http.StatusOK), `id="f-currency"`)
	dollars := d.Open(`{"amount_usd":"1234.5","order_ref":"A-1"}`)
	yen := d.Open(`{"amount":"3001","currency":"JPY","order_ref":"A-2"}`)

	// 3001 / 150 × 1.005 = 20.1067, up to the cent
	list := d.page("/admin/payments", http.StatusOK)
	fortest.Has(t, "the list", words(list), "$1,234.50 Open", "¥3,001 charged as $20.11 Open")
	fortest.Has(t, "the filter", list, `<option value="JPY">JPY</option>`, `<option value="USD">USD</option>`)
	filtered := d.page("/admin/payments?currency=JPY", http.StatusOK)
	fortest.Has(t, "the payments in yen", filtered, yen, `<option selected value="JPY">`)
	fortest.Lacks(t, "the payments in yen", filtered, dollars)
	fortest.Lacks(t, "the payments in dollars", d.page("/admin/payments?currency=USD", http.StatusOK), yen)

	payment := words(d.page("/admin/payments/"+yen, http.StatusOK))
	fortest.Has(t, "the payment", payment, "¥3,001 Open", "charged as $20.11",
		"Price ¥3,001 1 JPY $0.006666666667 Exact 1/150 Source File of fixed rates",
		"As of 2026-11-26 00:00 :00 Spread 0.5 % Charged $20.11")
	fortest.Lacks(t, "a payment in dollars", d.page("/admin/payments/"+dollars, http.StatusOK),
		"Exchange rate<", "charged as")
	question := words(d.page("/admin/payments/"+yen+"/cancel", http.StatusOK))
	fortest.Has(t, "a question", question, "Amount ¥3,001 charged as $20.11")

	rows := d.file("/admin/payments.csv")
	fortest.Diff(t, rows[0][6:12], []string{
		"amount", "currency", "amount_usd", "rate", "rate_source", "rate_as_of",
	}, "columns (-got +want)")
	fortest.Diff(t, rows[1][6:12], []string{
		"3001", "JPY", "20.11", "0.006666666667", "fixed", "2026-11-26T00:00:00Z",
	}, "cells of yen (-got +want)")
	fortest.Diff(t, rows[2][6:12], []string{"1234.50", "USD", "1234.50", "", "", ""},
		"cells of dollars (-got +want)")
	fortest.Equal(t, len(d.file("/admin/payments.csv?currency=USD")), 2, "rows of dollars and the head")
}

// A source that fails needs attention, and so do rates that are too old.
func TestConsoleRatesFail(t *testing.T) {
	t.Parallel()
	start := func(state *rates.State) *consoleRig {
		database := filepath.Join(t.TempDir(), "coinslot.db")
		if state != nil {
			storeRates(t, database, *state)
		}
		d := newConsoleRig(t, func(c *config.Config) {
			c.Database = database
			c.Rates = "/there/is/no.yaml"
		})
		fortest.Until(t, "the source has failed", func() bool {
			return strings.Contains(d.page("/admin/rates", http.StatusOK), "in a row")
		})
		return d
	}
	euro := func(until time.Time) *rates.State {
		rate := rates.Rate{Fraction: "1.1", Source: rates.Fixed, AsOf: until.Add(-time.Hour), ValidUntil: until}
		return &rates.State{
			Source:     rates.Fixed,
			AsOf:       rate.AsOf,
			Currencies: map[string]rates.Entry{"EUR": {Rate: rate}},
		}
	}

	d := start(nil)
	overview := d.page("/admin", http.StatusOK)
	fortest.Has(t, "without rates", overview, `<li data-kind="bad"`, "The source of exchange rates cannot be read",
		"There are no rates yet", "failed 1 time in a row", "no such file")
	fortest.Has(t, "the page", d.page("/admin/rates", http.StatusOK), "There are no rates yet", "no such file")

	overview = start(euro(time.Now().Add(time.Hour).UTC())).page("/admin", http.StatusOK)
	fortest.Has(t, "with valid rates", overview, `<li data-kind="warn"`, "The stored rates serve while they are valid")

	d = start(euro(time.Now().Add(-time.Hour).UTC()))
	overview = d.page("/admin", http.StatusOK)
	fortest.Has(t, "with old rates", overview, `<li data-kind="bad"`, "1 exchange rate too old", "are refused")
	fortest.Has(t, "the page", d.page("/admin/rates", http.StatusOK), ">Too old<")
}

// A shop with prices in dollars has no use of the page; an operator who opens it learns why.
func TestConsoleWithoutRates(t *testing.T) {
	t.Parallel()
	d := newConsoleRig(t, nil)
	fortest.Lacks(t, "the navigation", d.page("/admin", http.StatusOK), "/admin/rates")
	fortest.Has(t, "the page", d.page("/admin/rates", http.StatusOK), "set COINSLOT_RATES")
	d.page("/admin/rates/accept?currency=EUR&rate=1", http.StatusNotFound)
}
