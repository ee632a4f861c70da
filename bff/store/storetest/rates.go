package storetest

import (
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/rates"
)

// ratesTests are the contract of rates.Store.
var ratesTests = cases{
	"none at first":       on(noRates),
	"rates of the latest": on(latestRates),
	"one of two writers":  on(ratesConflict),
}

// euro returns a state with a rate of the euro.
func euro(fraction string) rates.State {
	rate := rates.Rate{Fraction: fraction, Source: rates.ECB, AsOf: epoch()}
	return rates.State{
		Source:     rates.ECB,
		AsOf:       epoch(),
		Currencies: map[string]rates.Entry{"EUR": {Rate: rate}},
	}
}

func noRates(t *testing.T, b Backend) {
	state, version, err := b.LoadRates(t.Context())
	fortest.OK(t, err)
	fortest.Diff(t, state, rates.State{}, "the state of an empty database (-got +want)")
	fortest.Equal(t, version, 0, "its version")
}

func latestRates(t *testing.T, b Backend) {
	for _, fraction := range []string{"1.0921", "1.0921/163.27", "1.1"} {
		_, version, err := b.LoadRates(t.Context())
		fortest.OK(t, err)
		fortest.OK(t, b.SaveRates(t.Context(), euro(fraction), version))

		got, _, err := b.LoadRates(t.Context())
		fortest.OK(t, err)
		fortest.Diff(t, got, euro(fraction), "the stored rates (-got +want)")
	}
}

// ratesConflict: who has not read the latest state does not overwrite it.
func ratesConflict(t *testing.T, b Backend) {
	fortest.OK(t, b.SaveRates(t.Context(), euro("1.0921"), 0))
	fortest.Is(t, b.SaveRates(t.Context(), euro("1.1"), 0), rates.ErrConflict, "a second first state")

	_, version, err := b.LoadRates(t.Context())
	fortest.OK(t, err)
	fortest.OK(t, b.SaveRates(t.Context(), euro("1.0922"), version))
	err = b.SaveRates(t.Context(), euro("1.2"), version)
	fortest.Is(t, err, rates.ErrConflict, "a state of an old version")
	got, _, err := b.LoadRates(t.Context())
	fortest.OK(t, err)
	fortest.Diff(t, got, euro("1.0922"), "the stored rates (-got +want)")
}
