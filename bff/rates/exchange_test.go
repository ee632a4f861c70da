package rates

import (
	"errors"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
)

// heldEuro returns a store in which a rate of the euro is held, and one of the pound is in use.
func heldEuro(t *testing.T) *memory {
	t.Helper()
	s := State{}.Apply(tableOf(t, 10, units{"EUR": "0.9", "GBP": "0.7"}))
	s = s.Apply(tableOf(t, 11, units{"EUR": "0.5", "GBP": "0.7"}))
	store := &memory{}
	fortest.OK(t, store.SaveRates(t.Context(), s, 0))
	return store
}

func TestAccept(t *testing.T) {
	store := heldEuro(t)
	x := &Exchange{Store: store, Source: JSON}
	for fraction, code := range map[string]string{"1/0.9": "EUR", "": "EUR", "1/0.5": "CHF", "1/0.7": "GBP"} {
		err := x.Accept(t.Context(), code, fraction)
		fortest.Is(t, err, ErrNotHeld, "accepting %q of %s", fraction, code)
	}
	before := fortest.Must(x.Load(t.Context()))(t).Currencies["EUR"]
	fortest.Equal(t, before.Rate.Fraction, "1/0.9", "in use before")

	fortest.OK(t, x.Accept(t.Context(), "EUR", "1/0.5"))
	after := fortest.Must(x.Load(t.Context()))(t).Currencies["EUR"]
	fortest.Equal(t, after.Rate.Fraction, "1/0.5", "in use after")
	fortest.Equal(t, after.Held, nil, "held after")
	fortest.Is(t, x.Accept(t.Context(), "EUR", "1/0.5"), ErrNotHeld, "a second click")
}

// TestAcceptMeanwhile: a refresh between load and save is neither lost nor an error; one that
// replaces the held rate means that the operator has not seen the new one.
func TestAcceptMeanwhile(t *testing.T) {
	for euro, want := range map[string]error{"0.5": nil, "0.6": ErrNotHeld, "0.91": ErrNotHeld} {
		store := heldEuro(t)
		store.before = func() {
			s, version, err := store.LoadRates(t.Context())
			fortest.OK(t, err)
			s = s.Apply(tableOf(t, 12, units{"EUR": euro, "GBP": "0.71"}))
			fortest.OK(t, store.SaveRates(t.Context(), s, version))
		}
		x := &Exchange{Store: store, Source: JSON}
		fortest.Is(t, x.Accept(t.Context(), "EUR", "1/0.5"), want, "after a refresh to %s", euro)
		pound := fortest.Must(x.Load(t.Context()))(t).Currencies["GBP"]
		fortest.Equal(t, pound.Rate.Fraction, "1/0.71", "what the refresh has stored")
	}
}

func TestAcceptWithoutStore(t *testing.T) {
	away := errors.New("the database is away")
	x := &Exchange{Store: &memory{failing: away}}
	fortest.Is(t, x.Accept(t.Context(), "EUR", "1/0.5"), away, "without a database")
}

func TestChange(t *testing.T) {
	for _, c := range []struct{ last, held, want string }{
		{"1.0921", "1.2232", "+12.0"},
		{"1/0.9", "1/0.5", "+80.0"},
		{"2", "1", "-50.0"},
		{"1", "100", "+9900.0"},
		{"damaged", "1", ""},
		{"1", "damaged", ""},
	} {
		e := Entry{Rate: Rate{Fraction: c.last}, Held: &Rate{Fraction: c.held}}
		fortest.Equal(t, e.Change(), c.want, "from %s to %s", c.last, c.held)
	}
	fortest.Equal(t, Entry{Rate: Rate{Fraction: "1"}}.Change(), "", "none is held")
}

// TestOtherSource: rates of a source that is not configured any more are not used, not even before
// the new one was read.
func TestOtherSource(t *testing.T) {
	store := heldEuro(t)
	x := &Exchange{Store: store, Source: ECB, Now: time.Now}
	_, _, err := x.Convert(t.Context(), dec("25"), "GBP")
	fortest.Is(t, err, &wire.Error{Code: wire.CodeRateUnavailable}, "a price in pounds")
	list := fortest.Must(x.List(t.Context()))(t)
	fortest.Equal(t, len(list), 0, "listed rates")
}
