package gateway

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"coinslot/bff/fortest"
)

func TestParseDecimal(t *testing.T) {
	thirty := strings.Repeat("9", 30)
	for in, want := range map[string]bool{
		"0":                   true,
		"1":                   true,
		"007":                 true,
		"1.50":                true,
		"0.00000001":          true,
		thirty + "." + thirty: true,
		"":                    false,
		".":                   false,
		".5":                  false,
		"1.":                  false,
		"1..2":                false,
		"1.2.3":               false,
		"+1":                  false,
		"-1":                  false,
		"\u22121":             false,
		"1e9":                 false,
		"1E9":                 false,
		"1e-9":                false,
		" 1":                  false,
		"1 ":                  false,
		"1_000":               false,
		"1,000":               false,
		"0x10":                false,
		"NaN":                 false,
		"Inf":                 false,
		"١":                   false,
		"１":                   false,
		"1\n":                 false,
		thirty + "9":          false, "1." + thirty + "9": false,
	} {
		d, got := parseDecimal(in)
		if got != want ||
			got && d.StringFixed(max(0, -d.Exponent())) != strings.TrimPrefix(in, "00") {
			t.Errorf("parseDecimal(%q) = %s, %t; want ok %t", in, d, got, want)
		}
	}
}

func TestTimestamp(t *testing.T) {
	at := time.Date(2026, 8, 1, 12, 30, 45, 0, time.UTC)
	for _, tt := range []struct {
		in   string // JSON
		want time.Time
	}{
		{`1785587445`, at}, {`"1785587445"`, at}, {`" 1785587445 "`, at},
		{`1785587445.75`, at}, {`1785587445000`, at},
		{`"1785587445000"`, at}, {`1785587445000000`, at},
		{`1785587445000000000`, at}, {`"2026-08-01T12:30:45Z"`, at},
		{`"2026-08-01T14:30:45+02:00"`, at}, {`"2026-08-01T12:30:45.000000Z"`, at},
		{`0`, time.Time{}}, {`-1785587445`, time.Time{}},
		{`1`, time.Time{}},
		{`1000000000`, time.Time{}},   // 2001
		{`99999999999`, time.Time{}},  // year 5138
		{`100000000000`, time.Time{}}, // 1973 in milliseconds
		{`4102444800`, time.Time{}},   // 2100
		{`4102444799`, time.Unix(4102444799, 0).UTC()},
		{`9223372036854775808`, time.Time{}},
		{`9223372036854775807`, time.Time{}}, // 2262
		{`1.785587445e9`, at},
		{`"1.785587445e9"`, time.Time{}},
		{`"2026-08-01 12:30:45"`, time.Time{}}, // of which zone?
		{`"2026-08-01"`, time.Time{}}, {`"0001-01-01T00:00:00Z"`, time.Time{}},
		{`"9999-12-31T23:59:59Z"`, time.Time{}}, {`"soon"`, time.Time{}}, {`""`, time.Time{}},
		{`null`, time.Time{}}, {`true`, time.Time{}}, {`[]`, time.Time{}},
		{`{}`, time.Time{}},
	} {
		if got := readTime(t, tt.in); !got.Equal(tt.want) || got.Location() != time.UTC {
			t.Errorf("%s is %v; want %v", tt.in, got, tt.want)
		}
	}
}

// readTime reads JSON as a timestamp.
func readTime(t *testing.T, value string) time.Time {
	t.Helper()
	var at timestamp
	fortest.OK(t, at.UnmarshalJSON([]byte(value)))
	return time.Time(at)
}

// FuzzEnvelope: no body panics, takes long, or is more than one of the three
// outcomes; what is accepted is one JSON document.
func FuzzEnvelope(f *testing.F) {
	for _, s := range []string{
		done(recordJSON), done("[]"), `{"status":"200"}`, `{"status":422,"message":"no"}`,
		`{"status":200,"STATUS":1}`, `{"status":200.0}`, "", "null", "[",
		`{"a":{"b":[1,2,{"c":null}]}}`, "\ufeff{}", `{"ſ":1,"s":2}`, `{}{}`,
		strings.Repeat("[", 50), `{"status":1e2}`, `{"status":200,"data":"\ud800"}`,
	} {
		f.Add(200, []byte(s))
		f.Add(422, []byte(s))
	}
	c := newClientFor(f, "https://gateway.example")
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		a := answer{status: status, body: body}
		_, err := c.judge(call{name: "fuzz", single: true}, a)
		got := outcome(t, err)
		if got == "done" && (!json.Valid(body) || !utf8.Valid(body) || !success(status)) {
			t.Errorf("done with HTTP %d: %q", status, body)
		}
		if got != "done" && got != "unknown" && status/100 != 2 && status/100 != 4 {
			t.Errorf("%s with HTTP %d", got, status)
		}
	})
}

// FuzzRecord: whatever is accepted as evidence has an id and exact, unsigned
// amounts that stand in the document.
func FuzzRecord(f *testing.F) {
	for _, s := range []string{
		recordJSON, createdJSON, "{}", "[]", "null",
		`{"tracking_code":"a","status":"x","amount_usd":1,"pay_amount":"2"}`,
		`{"tracking_code":1,"status":null,"amount_usd":"1.0","pay_amount":0,"paid_amount":[{}],"paid_at":"2026-08-01T00:00:00Z"}`,
		`{"tracking_code":"a","status":"x","amount_usd":1e9,"pay_amount":-2,"order_id":"000123456"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if checkDocument(doc) != nil {
			return
		}
		_, _ = readCreated(doc)
		_, _ = readCurrencies(doc)
		c := &Client{hide: func(s string) string { return s }}
		_, _ = readShown(doc, c.readWithdrawal)
		_, _ = readShown(doc, c.readEntry)
		r, err := readStatus(doc)
		if err != nil {
			return
		}
		if r.TrackingCode == "" || r.AmountUSD.IsNegative() || r.PayAmount.IsNegative() ||
			r.Paid.IsNegative() || r.OrderID < 0 {
			t.Errorf("record %+v from %q", r, doc)
		}
		fortest.Equal(t, r.PaidReadable, r.PaidAmount != "" && r.Paid.Equal(orZero(r.PaidAmount)),
			"paid %q read as %s", r.PaidAmount, r.Paid)
	})
}

// orZero reads a paid amount by other means: -1 if it is no plain decimal.
func orZero(s string) decimal.Decimal {
	d, err := decimal.NewFromString(s)
	if err != nil || strings.Trim(s, "0123456789.") != "" || s[0] == '.' || s[len(s)-1] == '.' {
		return decimal.NewFromInt(-1)
	}
	if whole, fraction, _ := strings.Cut(s, "."); len(whole) > 30 || len(fraction) > 30 {
		return decimal.NewFromInt(-1)
	}
	return d
}

// FuzzTimestamp: every timestamp is unset or plausible, and in UTC.
func FuzzTimestamp(f *testing.F) {
	for _, s := range []string{
		"0", "-1", "1785587445", "1785587445000", "1785587445000000000", "9223372036854775808",
		"1e9", "1.5", "2026-08-01T12:30:45Z", "2026-08-01T12:30:45+14:00",
		"2009-01-01T00:00:00+14:00", "", "soon",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		quoted := fortest.Must(json.Marshal(s))(t)
		for _, value := range []string{string(quoted), s} {
			if value == s && !json.Valid([]byte(s)) {
				continue
			}
			got := readTime(t, value)
			if !got.IsZero() && (got.Year() < 2009 || got.Year() > 2099) ||
				got.Location() != time.UTC {
				t.Errorf("%s is %v", value, got)
			}
		}
	})
}

// FuzzDecimal: what is accepted is exactly the number that math/big reads.
func FuzzDecimal(f *testing.F) {
	for _, s := range []string{
		"0", "1.50", "1e9", "-1", "+1", ".5", "1.", "\u22121", "19.99", strings.Repeat("9", 40),
		"0x1p4", "1/3", "1_0",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_, _ = parseDollars(s)
		d, ok := parseDecimal(s)
		if !ok {
			return
		}
		want, valid := new(big.Rat).SetString(s)
		if !valid || want.Cmp(d.Rat()) != 0 || strings.Trim(s, "0123456789.") != "" {
			t.Errorf("parseDecimal(%q) = %s", s, d)
		}
	})
}
