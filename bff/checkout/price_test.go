package checkout_test

import (
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/rates"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// newEuroShop returns a shop that converts euros at a rate of 1.0921, which serves for a day.
func newEuroShop(t *testing.T) *checkouttest.Shop {
	h := checkouttest.NewShop(t)
	h.Service.Rates = &rates.Exchange{
		Source:        rates.ECB,
		Store:         h.Store.DB,
		SpreadPercent: checkouttest.Dec("0"),
		Now:           h.Clock.Now,
	}
	setEuro(h, "1.0921")
	return h
}

// setEuro stores a rate of the euro as of now.
func setEuro(h *checkouttest.Shop, fraction string) {
	h.T.Helper()
	_, version, err := h.Store.DB.LoadRates(h.T.Context())
	fortest.OK(h.T, err)
	euro := rates.Rate{
		Fraction:   fraction,
		Source:     rates.ECB,
		AsOf:       h.Clock.Now(),
		ValidUntil: h.Clock.Now().Add(24 * time.Hour),
	}
	state := rates.State{
		Source:     rates.ECB,
		AsOf:       h.Clock.Now(),
		Currencies: map[string]rates.Entry{"EUR": {Rate: euro}},
	}
	fortest.OK(h.T, h.Store.DB.SaveRates(h.T.Context(), state, version))
}

// euros is an order of that many euros.
func euros(amount string) payment.Order {
	return payment.Order{Amount: checkouttest.Dec(amount), Currency: "EUR", Ref: "1001"}
}

func openEuros(h *checkouttest.Shop, amount string) payment.Session {
	h.T.Helper()
	s, err := h.Service.Open(h.T.Context(), euros(amount), "")
	fortest.OK(h.T, err)
	return s.Session
}

// TestPriceIsLocked: the rate at the opening is that of all attempts, and proves the charge.
func TestPriceIsLocked(t *testing.T) {
	h := newEuroShop(t)
	s := openEuros(h, "25.00")
	setEuro(h, "1.15")
	h.Clock.Move(20 * time.Hour)
	h.Must(h.Choose(s.ID, checkouttest.USDT()))

	got := h.Service.Object(h.Load(s.ID))
	fortest.Equal(t, got.Amount+" "+got.Currency, "25.00 EUR", "the price")
	fortest.Equal(t, got.AmountUSD, "27.31", "the charge") // 25 × 1.0921 = 27.3025, up to the cent
	want := &wire.Rate{
		USDPerUnit:    "1.0921",
		Exact:         "1.0921",
		Source:        "ecb",
		SpreadPercent: "0",
	}
	ignoreTime := cmpopts.IgnoreFields(wire.Rate{}, "AsOf")
	if diff := cmp.Diff(want, got.Rate, ignoreTime); diff != "" {
		t.Errorf("the rate differs (-want +got):\n%s", diff)
	}
	chosen := h.Load(s.ID)
	asked := chosen.Current().AmountUSD
	fortest.Equal(t, asked.StringFixed(2), "27.31", "what the gateway was asked for")
}

// TestRepeatAtAnotherRate: what the merchant sent is compared, not the dollars.
func TestRepeatAtAnotherRate(t *testing.T) {
	h := newEuroShop(t)
	first := openEuros(h, "25.00")
	setEuro(h, "1.15")
	second := openEuros(h, "25.0")
	fortest.Equal(t, second.ID, first.ID, "the session of a repeated order")
	fortest.Equal(t, second.Order.AmountUSD.String(), "27.31", "its charge")

	_, err := h.Service.Open(t.Context(), euros("25.01"), "")
	fortest.Is(t, err, &wire.Error{Code: wire.CodeOrderConflict}, "another amount")
	inDollars := payment.Order{AmountUSD: checkouttest.Dec("27.31"), Ref: "1001"}
	_, err = h.Service.Open(t.Context(), inDollars, "")
	fortest.Is(t, err, &wire.Error{Code: wire.CodeOrderConflict}, "the same in dollars")
}

// TestNothingOpensWithoutRate: an order whose price cannot be converted is not stored, but one that
// was opened before is returned.
func TestNothingOpensWithoutRate(t *testing.T) {
	h := newEuroShop(t)
	var counted []wire.Code
	h.Service.PriceRefused = func(code wire.Code) { counted = append(counted, code) }
	before := openEuros(h, "25")
	h.Clock.Move(24 * time.Hour)

	fresh := euros("25")
	fresh.Ref = "1002"
	_, err := h.Service.Open(t.Context(), fresh, "")
	fortest.Is(t, err, &wire.Error{Code: wire.CodeRateUnavailable}, "an order at an old rate")
	same, err := h.Service.Open(t.Context(), euros("25"), "")
	fortest.OK(t, err)
	fortest.Equal(t, same.ID, before.ID, "the session of an order that was opened before")

	fresh.Currency = "CHF"
	_, err = h.Service.Open(t.Context(), fresh, "")
	fortest.Is(t, err, &wire.Error{Code: wire.CodeCurrencyUnsupported}, "an order in francs")
	h.Service.Rates = nil
	_, err = h.Service.Open(t.Context(), fresh, "")
	fortest.Is(t, err, &wire.Error{Code: wire.CodeCurrencyUnsupported}, "an order without a source")

	page, err := h.Store.List(t.Context(), payment.Filter{})
	fortest.OK(t, err)
	fortest.Equal(t, len(page.Sessions), 1, "the stored sessions")

	_, err = h.Service.Price(t.Context(), fresh)
	fortest.Is(t, err, &wire.Error{Code: wire.CodeCurrencyUnsupported}, "a page in francs")
	want := []wire.Code{
		wire.CodeRateUnavailable,
		wire.CodeCurrencyUnsupported,
		wire.CodeCurrencyUnsupported,
		wire.CodeCurrencyUnsupported,
	}
	fortest.Diff(t, counted, want, "the refusals that are reported (-want +got)")
}

// TestRateServesOneDay: no coin is chosen at a rate that is older than a day, not even after an
// attempt; the merchant opens the order again at the rate of then.
func TestRateServesOneDay(t *testing.T) {
	h := newEuroShop(t)
	s := openEuros(h, "25")
	h.Must(h.Choose(s.ID, checkouttest.USDT()))
	h.Run(2 * time.Hour)
	h.WantStatus(s.ID, wire.Expired)
	h.Clock.Move(22 * time.Hour)

	_, err := h.Choose(s.ID, checkouttest.USDT())
	fortest.Is(t, err, &wire.Error{Code: wire.CodeSessionExpired}, "a coin after a day")
	setEuro(h, "1.15")
	again := openEuros(h, "25")
	fortest.Equal(t, again.ID, s.ID, "the session of the order")
	fortest.Equal(t, again.Order.AmountUSD.String(), "28.75", "the charge at the new rate")
	fortest.Equal(t, again.Status, wire.Open, "its status")
}
