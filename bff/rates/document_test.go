package rates

import (
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

var noon = at("2026-11-26T12:00:00Z")

func TestParseJSON(t *testing.T) {
	raw := `{"success":true,"base":"USD","timestamp":1795694400,"date":"2020-01-01","rates":{
		"EUR":0.9157,"KWD":"0.3069","IRR":4.2e5,"LBP":1.2E-5,"USD":1,"BTC":0.00001,
		"GBP":0,"JPY":-1,"BRL":null,"HUF":"abc","CHF":[1],"SEK":true,"NOK":1e999,"DKK":"0x7","eur":3}}`
	table := fortest.Must(parseJSON([]byte(raw), noon))(t)
	fortest.Equal(t, table.AsOf, noon, "a timestamp counts more than a date")
	fortest.Equal(t, table.ValidUntil, noon.Add(2*time.Hour), "valid until")
	fractions := map[string]string{}
	for code, rate := range table.Rates {
		fractions[code] = rate.Fraction
	}
	fortest.Diff(t, fractions, map[string]string{
		"EUR": "1/0.9157", "KWD": "1/0.3069", "IRR": "1/4.2e5", "LBP": "1/1.2E-5",
	}, "rates")
	number := "not a decimal number above zero"
	fortest.Diff(t, table.Invalid, map[string]string{
		"GBP": "zero", "JPY": number, "BRL": number, "HUF": number, "CHF": number, "SEK": number,
		"NOK": number, "DKK": number,
	}, "invalid")

	crossed := fortest.Must(parseJSON([]byte(
		`{"base":"GBP","date":"2026-11-26","rates":{"USD":1.3109,"EUR":1.2003,"GBP":1.0}}`), noon))(t)
	fortest.Equal(t, crossed.Rates["EUR"].Fraction, "1.3109/1.2003", "over the base")
	fortest.Equal(t, crossed.Rates["GBP"].Fraction, "1.3109", "the base itself")
}

func TestJSONTimes(t *testing.T) {
	for member, want := range map[string]string{
		`"timestamp":1795694400`:             "2026-11-26T12:00:00Z 2026-11-26T14:00:00Z",
		`"timestamp":"1795694400"`:           "2026-11-26T12:00:00Z 2026-11-26T14:00:00Z",
		`"timestamp":1795694700`:             "2026-11-26T12:05:00Z 2026-11-26T14:05:00Z",
		`"date":"2026-11-26"`:                "2026-11-26T00:00:00Z 2026-11-27T02:00:00Z",
		`"date":"2026-11-27"`:                "2026-11-27T00:00:00Z 2026-11-28T02:00:00Z",
		`"date":"2020-01-01"`:                "2020-01-01T00:00:00Z 2020-01-02T02:00:00Z",
		`"date":"2026-11-26T13:00:00+01:00"`: "2026-11-26T12:00:00Z 2026-11-26T14:00:00Z",
	} {
		table, err := parseJSON([]byte(`{"base":"USD",`+member+`,"rates":{"EUR":0.9}}`), noon)
		fortest.OK(t, err)
		got := table.AsOf.Format(time.RFC3339) + " " + table.ValidUntil.Format(time.RFC3339)
		fortest.Equal(t, got, want, "%s", member)
	}
}

func TestParseJSONRefuses(t *testing.T) {
	for name, raw := range map[string]string{
		"empty":             ``,
		"cut":               `{"base":"USD","date":"2026-11-26","rates":{"EUR":0.9}`,
		"two documents":     `{"base":"USD","date":"2026-11-26","rates":{"EUR":0.9}}{}`,
		"list":              `[]`,
		"null":              `null`,
		"HTML":              `<html>`,
		"no rates":          `{"success":false,"base":"EUR","date":"2026-11-26"}`,
		"rates are a list":  `{"base":"USD","date":"2026-11-26","rates":[0.9]}`,
		"no base":           `{"date":"2026-11-26","rates":{"USD":1.1,"EUR":1}}`,
		"base of metal":     `{"base":"XAU","date":"2026-11-26","rates":{"USD":2000}}`,
		"base is small":     `{"base":"usd","date":"2026-11-26","rates":{"EUR":0.9}}`,
		"base is not one":   `{"base":"EUR","date":"2026-11-26","rates":{"USD":1.1,"EUR":100}}`,
		"dollar is not one": `{"base":"USD","date":"2026-11-26","rates":{"USD":1.1,"EUR":0.9}}`,
		"no dollar":         `{"base":"EUR","date":"2026-11-26","rates":{"GBP":0.8}}`,
		"dollar is zero":    `{"base":"EUR","date":"2026-11-26","rates":{"USD":0,"GBP":0.8}}`,
		"dollar is null":    `{"base":"EUR","date":"2026-11-26","rates":{"USD":null,"GBP":0.8}}`,
		"rate twice":        `{"base":"USD","date":"2026-11-26","rates":{"EUR":0.9,"EUR":9}}`,
		"escaped twice":     `{"base":"USD","date":"2026-11-26","rates":{"EUR":0.9,"\u0045UR":9}}`,
		"no date":           `{"base":"USD","rates":{"EUR":0.9}}`,
		"date is null":      `{"base":"USD","date":null,"rates":{"EUR":0.9}}`,
		"date of no day":    `{"base":"USD","date":"2026-02-30","rates":{"EUR":0.9}}`,
		"date is ahead":     `{"base":"USD","date":"2026-11-28","rates":{"EUR":0.9}}`,
		"time is ahead":     `{"base":"USD","date":"2026-11-26T12:05:01Z","rates":{"EUR":0.9}}`,
		"seconds ahead":     `{"base":"USD","timestamp":1795694701,"rates":{"EUR":0.9}}`,
		"milliseconds":      `{"base":"USD","timestamp":1795694400000,"rates":{"EUR":0.9}}`,
		"fraction":          `{"base":"USD","timestamp":1795694400.5,"rates":{"EUR":0.9}}`,
		"exponent":          `{"base":"USD","timestamp":1.7956944e9,"rates":{"EUR":0.9}}`,
		"zero":              `{"base":"USD","timestamp":0,"rates":{"EUR":0.9}}`,
	} {
		if table, err := parseJSON([]byte(raw), noon); err == nil {
			t.Errorf("%s: %v", name, table)
		}
	}
}

func TestParseFile(t *testing.T) {
	modified := noon.Add(-48 * time.Hour)
	for name, test := range map[string]struct{ raw, asOf, until, euro string }{
		"dates": {"base: EUR\ndate: 2026-11-20\nvalid_until: 2026-12-31\nrates:\n  USD: 1.0921\n  GBP: 0.8331\n",
			"2026-11-20T00:00:00Z", "2027-01-01T00:00:00Z", "1.0921"},
		"times": {"base: USD\ndate: 2026-11-20T08:00:00+02:00\nvalid_until: 2026-12-31T18:00:00Z\nrates: {EUR: 0.9157}\n",
			"2026-11-20T06:00:00Z", "2026-12-31T18:00:00Z", "1/0.9157"},
		"timestamp": {"base: USD\ntimestamp: 1795694400\nrates: {EUR: '0.9157'}\n",
			"2026-11-26T12:00:00Z", "0001-01-01T00:00:00Z", "1/0.9157"},
		"neither": {"base: USD\nrates: {EUR: 9.157e-1}\n",
			"2026-11-24T12:00:00Z", "0001-01-01T00:00:00Z", "1/9.157e-1"},
		"ended": {"base: USD\nvalid_until: 2026-01-01\nrates: {EUR: 0.9}\n",
			"2026-11-24T12:00:00Z", "2026-01-02T00:00:00Z", "1/0.9"},
	} {
		table, err := parseFile([]byte(test.raw), modified, noon)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		fortest.Equal(t, table.AsOf, at(test.asOf), "%s: as of", name)
		fortest.Equal(t, table.ValidUntil, at(test.until), "%s: valid until", name)
		fortest.Equal(t, table.Rates["EUR"].Fraction, test.euro, "%s", name)
	}
	table := fortest.Must(parseFile([]byte("base: USD\nrates: {EUR: 0x1, GBP: 1_0, JPY: .inf, NOK: [1], SEK: 010.5}\n"), modified, noon))(t)
	fortest.Equal(t, len(table.Invalid), 4, "numbers that only YAML reads: %v", table.Invalid)
	fortest.Equal(t, table.Rates["SEK"].Fraction, "1/010.5", "decimal, not octal")
}

func TestParseFileRefuses(t *testing.T) {
	for name, raw := range map[string]string{
		"empty":           "",
		"list":            "- EUR",
		"no base":         "rates: {USD: 1.1}",
		"no rates":        "base: USD",
		"rates are text":  "base: USD\nrates: EUR",
		"no dollar":       "base: EUR\nrates: {GBP: 0.8}",
		"unknown member":  "base: USD\nvalid_til: 2026-12-31\nrates: {EUR: 0.9}",
		"bad end":         "base: USD\nvalid_until: tomorrow\nrates: {EUR: 0.9}",
		"empty end":       "base: USD\nvalid_until: ''\nrates: {EUR: 0.9}",
		"end is a list":   "base: USD\nvalid_until: [2026-12-31]\nrates: {EUR: 0.9}",
		"date is ahead":   "base: USD\ndate: 2026-11-28\nrates: {EUR: 0.9}",
		"twice":           "base: USD\nrates:\n  EUR: 0.9\n  EUR: 9\n",
		"anchor":          "base: USD\nrates: &r {EUR: 0.9}",
		"two documents":   "base: USD\nrates: {EUR: 0.9}\n---\nbase: USD\n",
		"not YAML at all": "{",
	} {
		if table, err := parseFile([]byte(raw), noon, noon); err == nil {
			t.Errorf("%s: %v", name, table)
		}
	}
	good := []byte("base: USD\nrates: {EUR: 0.9}")
	if _, err := parseFile(good, noon.Add(6*time.Minute), noon); err == nil || !strings.Contains(err.Error(), "ahead") {
		t.Errorf("changed in six minutes: %v", err)
	}
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"base":"USD","timestamp":1795694400,"rates":{"EUR":0.9157}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if table, err := parseJSON(raw, noon); err == nil {
			checkTable(t, table, noon)
		}
	})
}

func FuzzFile(f *testing.F) {
	f.Add([]byte("base: EUR\ndate: 2026-11-20\nvalid_until: 2026-12-31\nrates:\n  USD: 1.0921\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if table, err := parseFile(raw, noon, noon); err == nil {
			checkTable(t, table, noon)
		}
	})
}
