package rates

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"coinslot/bff/currency"
	"coinslot/bff/fortest"
)

// dailyFile is in the form of the European Central Bank's daily file.
func dailyFile(date string, rates ...string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
	<gesmes:subject>Reference rates</gesmes:subject>
	<gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
	<Cube>
		<Cube time='` + date + "'>\n")
	for _, r := range rates {
		code, number, _ := strings.Cut(r, " ")
		fmt.Fprintf(&b, "\t\t\t<Cube currency='%s' rate='%s'/>\n", code, number)
	}
	b.WriteString("\t\t</Cube>\n\t</Cube>\n</gesmes:Envelope>\n")
	return b.String()
}

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

func TestParseECB(t *testing.T) {
	now := at("2026-11-26T15:10:00Z")
	raw := dailyFile("2026-11-26", "USD 1.0921", "JPY 163.27", "GBP 0", "BRL -6.3", "HUF n/a",
		"CHF "+strings.Repeat("1", 41), "DEM 1.95583", "XAU 0.0003")
	table := fortest.Must(parseECB([]byte(raw), now))(t)
	rate := func(fraction string) Rate {
		return Rate{fraction, ECB, at("2026-11-26T15:00:00Z"), at("2026-11-27T17:00:00Z")}
	}
	fortest.Diff(t, table.Rates, map[string]Rate{"EUR": rate("1.0921"), "JPY": rate("1.0921/163.27")}, "rates")
	fortest.Diff(t, table.Invalid, map[string]string{
		"GBP": "zero",
		"BRL": "not a decimal number above zero",
		"HUF": "not a decimal number above zero",
		"CHF": "longer than 40 characters",
	}, "invalid")
}

func TestParseECBRefuses(t *testing.T) {
	now := at("2026-11-26T15:10:00Z")
	good := dailyFile("2026-11-26", "USD 1.0921", "JPY 163.27")
	fortest.Must(parseECB([]byte(good), now))(t)
	for name, raw := range map[string]string{
		"empty":       "",
		"cut":         good[:len(good)-30],
		"HTML":        "<!doctype html><html><body>Maintenance</body></html>",
		"no dollar":   dailyFile("2026-11-26", "JPY 163.27"),
		"dollar zero": dailyFile("2026-11-26", "USD 0", "JPY 163.27"),
		"no date":     dailyFile("", "USD 1.0921"),
		"other date":  dailyFile("26.11.2026", "USD 1.0921"),
		"no such day": dailyFile("2026-02-30", "USD 1.0921"),
		"ahead":       dailyFile("2026-11-28", "USD 1.0921"),
		"twice":       dailyFile("2026-11-26", "USD 1.0921", "JPY 163.27", "JPY 1.6327"),
		"euro":        dailyFile("2026-11-26", "USD 1.0921", "EUR 2"),
		"days":        strings.Replace(good, "\t</Cube>\n</g", "\t<Cube time='2026-11-25'/></Cube>\n</g", 1),
		"no days":     "<Envelope/>",
		"latin":       strings.Replace(good, "UTF-8", "ISO-8859-1", 1),
	} {
		if table, err := parseECB([]byte(raw), now); err == nil {
			t.Errorf("%s: %v", name, table)
		}
	}
}

// easter computes Easter Sunday as Gauss did, with his exceptions for these two centuries; the
// library uses another algorithm.
func easter(year int) time.Time {
	d := (19*(year%19) + 24) % 30
	e := (2*(year%4) + 4*(year%7) + 6*d + 5) % 7
	day := 22 + d + e
	if day == 57 || day == 56 && d == 28 && year%19 > 10 {
		day -= 7
	}
	return time.Date(year, time.March, day, 0, 0, 0, 0, time.UTC)
}

// targetDays returns the days of a year on which TARGET is open, without the library.
func targetDays(year int) map[string]bool {
	closed := map[string]bool{}
	for _, day := range []string{"01-01", "05-01", "12-25", "12-26"} {
		closed[fmt.Sprint(year)+"-"+day] = true
	}
	closed[easter(year).AddDate(0, 0, -2).Format(time.DateOnly)] = true
	closed[easter(year).AddDate(0, 0, 1).Format(time.DateOnly)] = true

	open := map[string]bool{}
	for day := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() == year; day = day.AddDate(0, 0, 1) {
		text := day.Format(time.DateOnly)
		open[text] = day.Weekday() != time.Saturday && day.Weekday() != time.Sunday && !closed[text]
	}
	return open
}

func TestTargetDays(t *testing.T) {
	fortest.Equal(t, easter(2026).Format(time.DateOnly), "2026-04-05", "Easter")
	fortest.Equal(t, easter(2038).Format(time.DateOnly), "2038-04-25", "the latest Easter")
	fortest.Equal(t, easter(2049).Format(time.DateOnly), "2049-04-18", "an exception of Gauss")
	fortest.Equal(t, easter(2076).Format(time.DateOnly), "2076-04-19", "another one")
	for year := 2000; year <= 2099; year++ {
		for text, open := range targetDays(year) {
			date := fortest.Must(time.ParseInLocation(time.DateOnly, text, frankfurt))(t)
			if isTargetDay(date) != open {
				t.Errorf("%s: TARGET is open: %v; want %v", text, !open, open)
			}
		}
	}
}

func TestECBValidUntil(t *testing.T) {
	for date, want := range map[string]string{
		"2026-11-26": "2026-11-27T17:00:00Z", // Thursday
		"2026-11-27": "2026-11-30T17:00:00Z", // over the weekend
		"2026-07-01": "2026-07-02T16:00:00Z", // in summer
		"2026-03-27": "2026-03-30T16:00:00Z", // the clocks change between
		"2026-04-02": "2026-04-07T16:00:00Z", // Maundy Thursday
		"2026-04-30": "2026-05-04T16:00:00Z", // 1 May is a Friday
		"2026-12-24": "2026-12-28T17:00:00Z", // 26 December is a Saturday
		"2024-12-24": "2024-12-27T17:00:00Z",
		"2026-12-31": "2027-01-04T17:00:00Z",
		"2026-10-03": "2026-10-05T16:00:00Z", // a German holiday, on a Saturday: none of TARGET
	} {
		day := fortest.Must(time.ParseInLocation(time.DateOnly, date, frankfurt))(t)
		fortest.Equal(t, ecbValidUntil(day).UTC(), at(want), "%s", date)
	}
}

// checkTable reports what no table may have.
func checkTable(t *testing.T, table Table, now time.Time) {
	t.Helper()
	if table.AsOf.After(now.Add(maxDateAhead)) || table.Source == Fixed && table.Rates == nil {
		t.Errorf("a table of %s at %s", table.AsOf, now)
	}
	for code, rate := range table.Rates {
		value, err := rate.value()
		_, known := currency.Digits(code)
		if err != nil || value.Sign() <= 0 || !known || code == currency.USD || table.Invalid[code] != "" {
			t.Errorf("%s: %v, %v", code, rate, err)
		}
		if table.Source != Fixed && !rate.ValidUntil.After(rate.AsOf) {
			t.Errorf("%s is valid until %s", code, rate.ValidUntil)
		}
		charge, err := Charge(dec("1"), rate, dec("0"))
		if err == nil && charge.Rat().Cmp(value) < 0 {
			t.Errorf("%s: 1 at %s is %s", code, rate.Fraction, charge)
		}
		rate.USDPerUnit()
	}
}

func FuzzECB(f *testing.F) {
	now := at("2026-11-26T15:10:00Z")
	f.Add([]byte(dailyFile("2026-11-26", "USD 1.0921", "JPY 163.27")))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if table, err := parseECB(raw, now); err == nil {
			checkTable(t, table, now)
		}
	})
}
