package checkout_test

import (
	"encoding/json"
	"math/big"
	"net/url"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/payment"
	"coinslot/bff/token"

	"github.com/shopspring/decimal"
)

// attempts are coins with a payment URI, and some without.
var attempts = [][2]string{
	{"ETH", "erc20"},
	{"BNB", "bep20"},
	{"TON", "ton"},
	{"USDT", "trc20"},
	{"USDT", "bep20"},
	{"USDC", "erc20"},
	{"ETH", "arbitrum"},
	{"X", "y"},
	{"USDT", "ton"},
}

// FuzzView views attempts with arbitrary gateway data: never less than the requested amount is
// shown, wallet links carry that amount and address, and other links are plain https.
func FuzzView(f *testing.F) {
	const evm, tron = "0x52908400098527886E0F7030069857D2E4169EE7", "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE"
	for i, s := range [][4]string{
		{evm, "https://explorer.example/tx/1", "0.009123456789012345", ""},
		{tron, "javascript:alert(1)", "20.1000001", "20.1"},
		{"0:" + strings.Repeat("a1", 32), "https://user@evil.example/", "3", "3.000000001"},
		{tron, "//evil.example", "0.000000000000000001", "1"},
		{evm, "http://explorer.example/", "999999999999", "0.01"},
		{
			"EQDtFpEwcFAEcRe5mLVh2N6C0x-_hJEM7W61_JLnSF74p4q2",
			"https://explorer.example/\r\nX: y",
			"1e3",
			"-1",
		},
	} {
		f.Add(uint8(i), s[0], s[1], s[2], s[3])
	}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, coin uint8, address, link, pay, paid string) {
		asked, ok := amount(pay)
		got, paidOK := amount(paid)
		pair := attempts[int(coin)%len(attempts)]
		if !ok || !asked.IsPositive() || token.Builtin().CheckAddress(pair[1], address) != nil {
			return
		}
		if !paidOK {
			got = decimal.Zero
		}
		s := payment.Session{
			ID:        "cs_1",
			Version:   1,
			Status:    wire.Pending,
			Order:     payment.Order{AmountUSD: decimal.New(25, 0)},
			CreatedAt: now, ExpiresAt: now.Add(time.Hour),
			Attempts: []payment.Attempt{{
				Number:         1,
				State:          payment.Waiting,
				TrackingCode:   "TRK1",
				Address:        address,
				CurrencySymbol: pair[0],
				NetworkCode:    pair[1],
				PayAmount:      asked,
				PayText:        pay,
				Paid:           got,
				TxURL:          link,
				ExpiresAt:      now.Add(time.Minute),
			}},
		}
		a := checkout.View(&s, checkout.ViewOptions{Now: now}).Attempt
		if a == nil || a.Address != address || a.PayAmount != pay {
			t.Fatalf("view %+v", a)
		}
		checkAmounts(t, a, asked, got)
		checkLinks(t, a, link)
		if text, err := json.Marshal(a); err != nil || !json.Valid(text) {
			t.Fatalf("view %+v is no JSON: %v", a, err)
		}
	})
}

// amount parses an amount of the gateway.
func amount(text string) (decimal.Decimal, bool) {
	if len(text) > 61 || text == "" || strings.Trim(text, "0123456789.") != "" {
		return decimal.Zero, false
	}
	d, err := decimal.NewFromString(text)
	return d, err == nil
}

func checkAmounts(t *testing.T, a *wire.Attempt, asked, paid decimal.Decimal) {
	t.Helper()
	shown, ok := amount(a.PayableAmount)
	if !ok || shown.LessThan(asked) || shown.Sub(asked).GreaterThanOrEqual(decimal.New(1, -6)) ||
		shown.Exponent() < -8 {
		t.Fatalf("%s is asked for, %q is shown", asked, a.PayableAmount)
	}
	if asked.Exponent() < -8 {
		return // more places than the gateway documents: what is missing is counted in eight
	}
	for name, text := range map[string]string{
		"paid":     a.PaidAmount,
		"missing":  a.MissingAmount,
		"overpaid": a.OverpaidAmount,
	} {
		if d, ok := amount(text); text != "" && (!ok || !d.IsPositive()) {
			t.Fatalf("%s is %q", name, text)
		}
	}
	if a.MissingAmount != "" && (a.OverpaidAmount != "" || paid.GreaterThanOrEqual(asked)) ||
		a.OverpaidAmount != "" && paid.LessThan(shown) {
		t.Fatalf("of %s, %s paid: %q missing, %q too much", asked, paid, a.MissingAmount,
			a.OverpaidAmount)
	}
	if a.MissingAmount != "" &&
		decimal.RequireFromString(a.MissingAmount).Add(paid).LessThan(asked) {
		t.Fatalf("of %s, %s paid: only %s missing", asked, paid, a.MissingAmount)
	}
}

func checkLinks(t *testing.T, a *wire.Attempt, link string) {
	t.Helper()
	u, err := url.Parse(a.TxURL)
	if a.TxURL != "" &&
		(err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil ||
			strings.ContainsAny(a.TxURL, "\x00\r\n\t")) {
		t.Fatalf("%q is shown for %q", a.TxURL, link)
	}
	if a.URI == "" {
		return
	}
	to, sum := target(t, a.URI)
	due := a.MissingAmount
	if due == "" {
		due = a.PayableAmount
	}
	coin, ok := (*token.Registry)(nil).Token(a.CurrencySymbol, a.NetworkCode)
	units, readable := new(big.Int).SetString(sum, 10)
	if !ok || !readable ||
		!decimal.NewFromBigInt(units, -coin.Decimals).Equal(decimal.RequireFromString(due)) {
		t.Fatalf("URI %q for %s %s", a.URI, due, a.CurrencySymbol)
	}
	if to != strings.NewReplacer("+", "-", "/", "_").Replace(a.Address) ||
		strings.ContainsAny(a.URI, " \"<>\\\r\n#") || a.TokenURI == coin.Native {
		t.Fatalf("URI %q for the address %q", a.URI, a.Address)
	}
	if a.PaidAmount != "" && a.MissingAmount == "" {
		t.Fatalf("URI %q although nothing is missing", a.URI)
	}
}

// target returns the recipient of a link and the amount in its smallest unit.
func target(t *testing.T, link string) (to, sum string) {
	t.Helper()
	path, query, _ := strings.Cut(link, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatalf("URI %q: %v", link, err)
	}
	if values.Has("uint256") {
		return values.Get("address"), values.Get("uint256")
	}
	if address, ok := strings.CutPrefix(path, "ton://transfer/"); ok {
		return address, values.Get("amount")
	}
	address, _, _ := strings.Cut(strings.TrimPrefix(path, "ethereum:"), "@")
	return address, values.Get("value")
}
