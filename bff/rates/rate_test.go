package rates

import (
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"coinslot/bff/currency"
	"coinslot/bff/fortest"

	"github.com/shopspring/decimal"
)

func dec(text string) decimal.Decimal { return decimal.RequireFromString(text) }

// TestPagePrices: the prices that docs/rates.md works out by hand.
func TestPagePrices(t *testing.T) {
	page := string(fortest.Must(os.ReadFile("../../docs/rates.md"))(t))
	_, table, _ := strings.Cut(page, "## Twenty prices")
	rows := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "| "), " | ")
		if len(cells) != 5 || !strings.Contains("0123456789", cells[0][:1]) {
			continue
		}
		rows++
		price, code, _ := strings.Cut(strings.ReplaceAll(cells[0], ",", ""), " ")
		amount := fortest.Must(currency.ParseAmount(price, code))(t)
		rate, spread := Rate{Fraction: cells[1]}, fortest.Must(ParseSpread(cells[2]))(t)
		charge := fortest.Must(Charge(amount, rate, spread))(t)
		fortest.Equal(t, charge.StringFixed(2), strings.ReplaceAll(cells[4], ",", ""), "%s at %s", cells[0], cells[1])

		exact := exactly(amount, rate, spread)
		written, endless := strings.CutSuffix(cells[3], "…")
		value, _ := new(big.Rat).SetString(written)
		rest := new(big.Rat).Sub(exact, value)
		if !endless && rest.Sign() != 0 || endless && (rest.Sign() <= 0 || rest.Cmp(big.NewRat(1, 1e10)) >= 0) {
			t.Errorf("%s at %s is %s; the page has %s", cells[0], cells[1], exact.FloatString(14), cells[3])
		}
	}
	fortest.Equal(t, rows, 20, "rows")
}

// exactly computes amount × rate × (1 + spread/100) in another way than Charge.
func exactly(amount decimal.Decimal, rate Rate, spread decimal.Decimal) *big.Rat {
	number := func(text string) *big.Rat {
		r, _ := new(big.Rat).SetString(text)
		return r
	}
	above, below, divided := strings.Cut(rate.Fraction, "/")
	value := new(big.Rat).Mul(number(amount.String()), number(above))
	if divided {
		value.Quo(value, number(below))
	}
	more := new(big.Rat).Quo(number(spread.String()), number("100"))
	return value.Add(value, more.Mul(more, value))
}

func randomNumber(r *rand.Rand) string {
	digits := strconv.FormatUint(1+r.Uint64N(1_000_000), 10)
	switch r.IntN(3) {
	case 0:
		return digits
	case 1:
		return "0." + strings.Repeat("0", r.IntN(4)) + digits
	}
	return strconv.FormatUint(r.Uint64N(1_000), 10) + "." + digits
}

// A charge is the exact value, up to the cent: never below the price, less than a cent above it,
// and of a higher price never lower. Converted back, it is the price, within what a cent is worth.
func TestChargeProperties(t *testing.T) {
	random := rand.New(rand.NewPCG(32, 17))
	codes := currency.Codes()
	cent := big.NewRat(1, 100)
	for range 5_000 {
		rate := Rate{Fraction: randomNumber(random) + "/" + randomNumber(random)}
		spread := decimal.New(random.Int64N(100_001), -4)
		code := codes[random.IntN(len(codes))]
		digits, _ := currency.Digits(code)
		units := 1 + random.Int64N(1e7)
		amount := decimal.New(units, -int32(digits))

		charge, err := Charge(amount, rate, spread)
		exact := exactly(amount, rate, spread)
		if exact.Cmp(big.NewRat(999_999_999_99, 100)) > 0 {
			fortest.Is(t, err, ErrTooLarge, "%s %s at %s", amount, code, rate.Fraction)
			continue
		}
		fortest.OK(t, err)
		over := new(big.Rat).Sub(charge.Rat(), exact)
		if over.Sign() < 0 || over.Cmp(cent) >= 0 || charge.Exponent() < -2 || charge.LessThan(dec("0.01")) {
			t.Fatalf("%s %s at %s, spread %s: %s; want %s up to the cent",
				amount, code, rate.Fraction, spread, charge, exact.FloatString(20))
		}

		less, err := Charge(decimal.New(max(1, units-1), -int32(digits)), rate, spread)
		fortest.OK(t, err)
		if less.GreaterThan(charge) {
			t.Fatalf("%s is charged for less than %s %s, and %s for that", less, amount, code, charge)
		}

		perUnit := exactly(dec("1"), rate, spread)
		back := new(big.Rat).Quo(charge.Rat(), perUnit)
		worth := new(big.Rat).Quo(cent, perUnit)
		if off := back.Sub(back, amount.Rat()); off.Sign() < 0 || off.Cmp(worth) >= 0 {
			t.Fatalf("%s %s at %s: back it is off by %s", amount, code, rate.Fraction, off)
		}
	}
}

func TestChargeBounds(t *testing.T) {
	most := fortest.Must(Charge(dec("999999999.99"), Rate{Fraction: "1"}, dec("0")))(t)
	fortest.Equal(t, most.String(), "999999999.99", "the most")
	_, err := Charge(dec("999999999.99"), Rate{Fraction: "1.00000000001"}, dec("0"))
	fortest.Is(t, err, ErrTooLarge, "a fraction of a cent more")
	_, err = Charge(dec("999999999999999"), Rate{Fraction: "9e99/1e-99"}, dec("10"))
	fortest.Is(t, err, ErrTooLarge, "much more")

	for _, fraction := range []string{"", "0", "0/1", "1/0", "-1", "1/-1", "1/2/3", "0x1", "1_0", "NaN", "inf", "1e100", "1.", ".5", "1/", "/1"} {
		if charge, err := Charge(dec("1"), Rate{Fraction: fraction}, dec("0")); err == nil {
			t.Errorf("1 at %q is %s", fraction, charge)
		}
		fortest.Equal(t, Rate{Fraction: fraction}.USDPerUnit(), "", "%q for people", fraction)
	}
}

func TestUSDPerUnit(t *testing.T) {
	for fraction, want := range map[string]string{
		"1.0921":          "1.0921",
		"1":               "1",
		"10":              "10",
		"1.50":            "1.5",
		"100.0":           "100",
		"0.00071":         "0.00071",
		"1.0921/163.27":   "0.006688920194", // 0.00668892019354…
		"1/0.9157":        "1.092060719",    // 1.09206071857…
		"1/3":             "0.3333333333",
		"2/3":             "0.6666666667",
		"1.2e-5":          "0.000012",
		"1e2":             "100",
		"0.12345678905":   "0.1234567891", // half up
		"0.12345678904":   "0.123456789",
		"1234567890":      "1234567890",
		"1234567890.5":    "1234567891",
		"99999999999":     "99999999999",
		"0.99999999999":   "1",
		"9.9999999999":    "10",
		"1/1400000":       "0.0000007142857143",
		"123.45678901":    "123.456789",
		"123.45678905":    "123.4567891",
		"1e-99":           "0." + strings.Repeat("0", 98) + "1",
		"0.1":             "0.1",
		"0.0999999999999": "0.1",
	} {
		fortest.Equal(t, Rate{Fraction: fraction}.USDPerUnit(), want, "%s", fraction)
	}
}

func TestParseSpread(t *testing.T) {
	for _, text := range []string{"0", "0.5", "1.2345", "10", "10.0000"} {
		if got := fortest.Must(ParseSpread(text))(t); !got.Equal(dec(text)) {
			t.Errorf("%s is read as %s", text, got)
		}
	}
	for _, text := range []string{"", "-1", "10.0001", "11", "100", "1%", "1,5", "0.12345", "1e0", "+1", ".5", "05", "NaN"} {
		if _, err := ParseSpread(text); err == nil {
			t.Errorf("%q is a spread", text)
		}
	}
}
