package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"coinslot/bff/currency"
	"coinslot/bff/order"
	"coinslot/bff/rates"
)

// rates reads the source of exchange rates once, as the server does, and compares it with the
// currencies of the catalog.
func (ch *checker) rates(ctx context.Context) findings {
	if !ch.valid("COINSLOT_RATES") {
		return nil
	}
	sold := ch.catalogCurrencies()
	if ch.Settings.Rates == "" {
		return withoutRates(sold)
	}
	source, err := rates.Parse(ch.Settings.Rates)
	if err != nil {
		return fail("rates", "COINSLOT_RATES "+oneLine(err), "COINSLOT_RATES=ecb")
	}

	table, err := source.Fetch(ctx, ch.Now())
	if err != nil {
		return fail("rates", oneLine(err), fixSource(source))
	}
	return describeRates(table, sold, ch.Now())
}

// catalogCurrencies returns the currencies of the catalog's prices but the dollar, sorted; nil =
// there is none. The part files reports a catalog that cannot be read.
func (ch *checker) catalogCurrencies() []string {
	catalog, err := order.LoadCatalog(ch.Settings.Catalog)
	if err != nil || catalog.Empty() {
		return nil
	}
	isDollar := func(code string) bool { return code == currency.USD }
	return slices.DeleteFunc(catalog.Currencies(), isDollar)
}

// withoutRates reports whether a shop whose prices are in dollars only sells in other currencies.
func withoutRates(sold []string) findings {
	if len(sold) == 0 {
		return nil
	}
	return fail("rates", "COINSLOT_RATES is not set, but the catalog has prices in "+
		strings.Join(sold, ", ")+": these items cannot be bought",
		"COINSLOT_RATES=ecb, or another source (docs/rates.md)")
}

// fixSource says what to do if a source cannot be read.
func fixSource(source rates.Source) string {
	if source.Host() == "" {
		return "correct the file or the path in COINSLOT_RATES (docs/rates.md)"
	}
	return "check COINSLOT_RATES, and whether this machine may connect to " + source.Host()
}

// describeRates reports the age of a table, and the currencies that it lacks of those sold.
func describeRates(table rates.Table, sold []string, now time.Time) (list findings) {
	if !table.ValidUntil.IsZero() && !now.Before(table.ValidUntil) {
		return fail("rates", fmt.Sprintf("the newest rates are as of %s and served until %s: "+
			"orders in other currencies than USD are refused", formatMinute(table.AsOf),
			formatMinute(table.ValidUntil)),
			"ask the source's operator, or set another one in COINSLOT_RATES (docs/rates.md)")
	}

	var lacking []string
	for _, code := range sold {
		if _, has := table.Rates[code]; !has {
			lacking = append(lacking, code)
		}
	}
	if len(lacking) > 0 {
		list = append(list, fail("rates", "the catalog has prices in "+
			strings.Join(lacking, ", ")+", of which the source has no rate: these items cannot "+
			"be bought", "set a source in COINSLOT_RATES that has it, or change the prices "+
			"(docs/rates.md)")...)
	}
	for _, code := range slices.Sorted(maps.Keys(table.Invalid)) {
		list = append(list, warn("rates", "the source's rate of "+code+" is "+
			table.Invalid[code]+": orders in it are refused",
			"tell the source's operator, or correct the file")...)
	}
	return append(list, usableRates(table, now)...)
}

// usableRates lists the rates of a table that serves now.
func usableRates(table rates.Table, now time.Time) findings {
	if len(table.Rates) == 0 {
		return fail("rates", "the source has no rate of any currency but USD",
			"set another one in COINSLOT_RATES (docs/rates.md)")
	}
	age := max(0, now.Sub(table.AsOf))
	text := fmt.Sprintf("%s of the source %q as of %s, %s old",
		plural(len(table.Rates), "exchange rate"), table.Source, formatMinute(table.AsOf),
		plural(int(age.Hours()), "hour"))
	if !table.ValidUntil.IsZero() {
		text += ", valid until " + formatMinute(table.ValidUntil)
	}
	found := ok("rates", text)
	for _, code := range slices.Sorted(maps.Keys(table.Rates)) {
		found[0].Details = append(found[0].Details,
			fmt.Sprintf("1 %s = %s USD", code, table.Rates[code].USDPerUnit()))
	}
	return found
}

func formatMinute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }
