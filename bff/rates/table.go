package rates

import (
	"fmt"
	"time"

	"coinslot/bff/currency"
)

// Table is what a source published at one time.
type Table struct {
	Source     string
	AsOf       time.Time // UTC
	ValidUntil time.Time // zero = without limit
	Rates      map[string]Rate
	// Invalid says, by currency, why the source's number is not a rate.
	Invalid map[string]string
}

// newTable returns the rates of a source that says how many units of each currency one unit of base
// is worth. Codes that are no currency in use are left out. Errors: a base that is unknown or
// contradicts itself, no rate of the dollar.
func newTable(
	source, base string, asOf, validUntil time.Time, units map[string]string,
) (Table, error) {
	if _, known := currency.Digits(base); !known {
		return Table{}, fmt.Errorf("the base %.10q is not a currency of ISO 4217", base)
	}
	if own, given := units[base]; given {
		if value, reason := parseNumber(own); reason != "" || value.RatString() != "1" {
			return Table{}, fmt.Errorf("the rate of the base %s is not 1", base)
		}
	}
	dollars := units[currency.USD]
	if base == currency.USD {
		dollars = "1"
	}
	if _, reason := parseNumber(dollars); reason != "" {
		return Table{}, fmt.Errorf("the rate of USD is %s", reason)
	}

	t := Table{
		Source:     source,
		AsOf:       asOf.UTC(),
		ValidUntil: validUntil.UTC(),
		Rates:      map[string]Rate{},
		Invalid:    map[string]string{},
	}
	for code, number := range units {
		if _, known := currency.Digits(code); !known || code == base || code == currency.USD {
			continue
		}
		if _, reason := parseNumber(number); reason != "" {
			t.Invalid[code] = reason
			continue
		}
		t.Rates[code] = t.rate(dollars + "/" + number)
	}
	if base != currency.USD {
		t.Rates[base] = t.rate(dollars)
	}
	return t, nil
}

func (t Table) rate(fraction string) Rate {
	return Rate{Fraction: fraction, Source: t.Source, AsOf: t.AsOf, ValidUntil: t.ValidUntil}
}
