package rates

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"coinslot/bff/currency"
	"coinslot/bff/fortest"
)

// tableOf is a table of a JSON source as of hour on 26 November, in units for one dollar.
func tableOf(t *testing.T, hour int, units map[string]string) Table {
	t.Helper()
	asOf := time.Date(2026, 11, 26, hour, 0, 0, 0, time.UTC)
	return fortest.Must(newTable(JSON, currency.USD, asOf, asOf.Add(jsonServes), units))(t)
}

type units = map[string]string

func TestJump(t *testing.T) {
	for next, held := range map[string]bool{
		"1.1":                false, // exactly a tenth
		"1.1000000000000001": true,
		"1.0999":             false,
		"1/1.1":              false, // of the old one, exactly a tenth more
		"0.90909090909":      true,
		"0.9091":             false,
		"2":                  true,
		"0.5":                true,
		"100":                true,
		"0.01":               true,
	} {
		last := Rate{Fraction: "1"}
		e := Entry{Rate: last}.next(Rate{Fraction: next})
		fortest.Equal(t, e.Held != nil, held, "from 1 to %s", next)
		if held {
			fortest.Equal(t, e.Rate, last, "in use")
		} else {
			fortest.Equal(t, e.Rate.Fraction, next, "in use")
		}
	}
	e := Entry{Rate: Rate{Fraction: "damaged"}}.next(Rate{Fraction: "1"})
	fortest.Equal(t, e.Held != nil, true, "a rate that cannot be read is replaced by an operator")
}

func TestApply(t *testing.T) {
	s := State{}.Apply(tableOf(t, 10, units{"EUR": "0.9", "JPY": "150", "GBP": "0"}))
	first := s
	fortest.Diff(t, s.Supported(), []string{"EUR", "GBP", "JPY", "USD"}, "supported")
	fortest.Equal(t, s.Currencies["GBP"].Reason, Invalid, "GBP")

	s = s.Apply(tableOf(t, 11, units{"EUR": "0.91", "GBP": "0.7"}))
	fortest.Equal(t, s.Currencies["EUR"].Rate.Fraction, "1/0.91", "EUR moves")
	fortest.Equal(t, s.Currencies["GBP"].Rate.Fraction, "1/0.7", "GBP has a first rate")
	fortest.Equal(t, s.Currencies["JPY"].Reason, Absent, "JPY")
	fortest.Equal(t, first.Currencies["EUR"].Rate.Fraction, "1/0.9", "the state before is as it was")

	fortest.Diff(t, s.Apply(tableOf(t, 10, units{"EUR": "0.5", "JPY": "1"})), s, "an older table")
	again := s.Apply(tableOf(t, 11, units{"EUR": "0.92", "GBP": "0.7", "JPY": "151"}))
	fortest.Equal(t, again.Currencies["EUR"].Rate.Fraction, "1/0.92", "a correction of the same time")
	fortest.Equal(t, again.Currencies["JPY"].Rate.Fraction, "1/151", "JPY is back")

	back := s.Apply(tableOf(t, 12, units{"EUR": "0.91", "JPY": "100"}))
	fortest.Equal(t, back.Currencies["JPY"].Held.Fraction, "1/100", "JPY is back, with a jump")

	other := tableOf(t, 9, units{"EUR": "0.5"})
	other.Source = ECB
	anew := s.Apply(other)
	fortest.Diff(t, anew.Supported(), []string{"EUR", "USD"}, "another source")
	fortest.Equal(t, anew.Currencies["EUR"].Held, nil, "another source is not compared")

	file := tableOf(t, 9, units{"EUR": "0.9"})
	file.Source = Fixed
	older := file
	older.AsOf = file.AsOf.Add(-time.Hour)
	older.Rates = map[string]Rate{"EUR": {Fraction: "1/0.91", Source: Fixed, AsOf: older.AsOf}}
	restored := State{}.Apply(file).Apply(older)
	fortest.Equal(t, restored.Currencies["EUR"].Rate.Fraction, "1/0.91", "an older file counts")
}

func TestHold(t *testing.T) {
	ten := time.Date(2026, 11, 26, 10, 0, 0, 0, time.UTC)
	s := State{}.Apply(tableOf(t, 10, units{"EUR": "0.9"}))
	s = s.Apply(tableOf(t, 11, units{"EUR": "0.5"}))
	e := s.Currencies["EUR"]
	fortest.Equal(t, e.Held.Fraction, "1/0.5", "held")
	fortest.Equal(t, e.Held.AsOf, ten.Add(time.Hour), "its time")

	rate, reason := e.Usable(ten.Add(2*time.Hour - 1))
	fortest.Equal(t, rate.Fraction+string(reason), "1/0.9", "the old rate while it is valid")
	_, reason = e.Usable(ten.Add(2 * time.Hour))
	fortest.Equal(t, reason, Held, "then none")

	dropped := s.Apply(tableOf(t, 12, units{"EUR": "0.92"}))
	fortest.Equal(t, dropped.Currencies["EUR"].Held, nil, "a rate within a tenth ends the hold")

	newer := s.Apply(tableOf(t, 12, units{"EUR": "0.51"}))
	fortest.Equal(t, newer.Currencies["EUR"].Held.Fraction, "1/0.51", "the last jump is held")
	fortest.Equal(t, newer.Currencies["EUR"].Rate.Fraction, "1/0.9", "compared with the one in use")
	for name, accept := range map[string][2]string{
		"not seen": {"EUR", "1/0.5"}, "in use": {"EUR", "1/0.9"}, "none": {"GBP", "1/0.51"}, "empty": {"GBP", ""},
	} {
		_, err := newer.Accept(accept[0], accept[1])
		fortest.Is(t, err, ErrNotHeld, "%s", name)
	}
	accepted := fortest.Must(newer.Accept("EUR", "1/0.51"))(t)
	fortest.Equal(t, accepted.Currencies["EUR"].Rate.Fraction, "1/0.51", "accepted")
	fortest.Equal(t, accepted.Currencies["EUR"].Held, nil, "accepted")
	fortest.Equal(t, newer.Currencies["EUR"].Held.Fraction, "1/0.51", "the state before is as it was")
	_, err := accepted.Accept("EUR", "1/0.51")
	fortest.Is(t, err, ErrNotHeld, "twice")

	gone := newer.Apply(tableOf(t, 13, units{"GBP": "0.7"}))
	gone = fortest.Must(gone.Accept("EUR", "1/0.51"))(t)
	_, reason = gone.Currencies["EUR"].Usable(ten)
	fortest.Equal(t, reason, Absent, "accepting does not bring back what the source has dropped")
}

func TestQuote(t *testing.T) {
	s := State{}.Apply(tableOf(t, 10, units{"EUR": "0.9157", "JPY": "150", "GBP": "0"}))
	now := time.Date(2026, 11, 26, 11, 0, 0, 0, time.UTC)
	dollars, rate, err := s.Quote(dec("50"), "EUR", dec("0"), now)
	fortest.OK(t, err)
	fortest.Equal(t, dollars.StringFixed(2), "54.61", "50 EUR")
	fortest.Equal(t, rate.USDPerUnit(), "1.092060719", "the rate")
	dollars, _, err = s.Quote(dec("50"), "EUR", dec("10"), now)
	fortest.OK(t, err)
	fortest.Equal(t, dollars.StringFixed(2), "60.07", "50 EUR and a tenth") // 60.0633…

	_, _, err = s.Quote(dec("915700000"), "EUR", dec("0"), now)
	fortest.Is(t, err, ErrTooLarge, "euros")

	for _, code := range []string{"CHF", "XAU", "eur", "", currency.USD} {
		_, _, err := s.Quote(dec("1"), code, dec("0"), now)
		fortest.Is(t, err, ErrUnsupported, "%q", code)
	}
	_, _, err = State{}.Quote(dec("1"), "XAU", dec("0"), now)
	fortest.Is(t, err, ErrUnsupported, "a metal, before the first table")

	old := now.Add(time.Hour)
	damaged := State{Source: JSON, Currencies: map[string]Entry{"EUR": {Rate: Rate{Fraction: "1/0"}}}}
	for name, test := range map[string]struct {
		state  State
		code   string
		now    time.Time
		reason Reason
	}{
		"before the first table": {State{}, "EUR", now, Absent},
		"invalid":                {s, "GBP", now, Invalid},
		"too old":                {s, "EUR", old, TooOld},
		"held":                   {s.Apply(tableOf(t, 11, units{"EUR": "0.5"})), "EUR", old, Held},
		"absent":                 {s.Apply(tableOf(t, 11, units{"EUR": "0.9"})), "JPY", now, Absent},
		"damaged":                {damaged, "EUR", now, Invalid},
	} {
		dollars, _, err := test.state.Quote(dec("1"), test.code, dec("0"), test.now)
		problem, ok := errors.AsType[*UnavailableError](err)
		if !ok || problem.Reason != test.reason || problem.Currency != test.code || !dollars.IsZero() {
			t.Errorf("%s: %v, %v", name, dollars, err)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	for ahead, want := range map[time.Duration]time.Duration{
		-time.Hour: 10 * time.Second, 0: 10 * time.Second, 30 * time.Second: 40 * time.Second,
		9 * time.Minute: 550 * time.Second, 24 * time.Hour: 10 * time.Minute,
	} {
		s := State{Source: JSON, Schedule: Schedule{Next: noon.Add(ahead)}}
		fortest.Equal(t, s.retryAfter(noon), want, "due in %s", ahead)
	}
}

// The state survives as a document. What it says is text.
func TestStateDocument(t *testing.T) {
	s := State{}.Apply(tableOf(t, 10, units{"EUR": "0.9", "JPY": "150", "GBP": "0"}))
	s = s.Apply(tableOf(t, 11, units{"EUR": "0.5", "JPY": "150.0"}))
	s.Schedule = Schedule{Next: noon, Failures: 2, Failure: "no answer"}
	raw := fortest.Must(json.Marshal(s))(t)
	var read State
	fortest.OK(t, json.Unmarshal(raw, &read))
	fortest.Diff(t, read, s, "the document")
	fortest.Has(t, "the document", string(raw), `"JPY":{"rate":{"fraction":"1/150.0","source":"json",`,
		`"held":{"fraction":"1/0.5"`, `"GBP":{"reason":"absent"}`)
}
