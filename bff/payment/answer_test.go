package payment

import (
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/token"

	"github.com/shopspring/decimal"
)

// created returns the answer that fits the attempt of waiting.
func created() Created {
	return Created{
		TrackingCode:     "T1",
		PaymentURL:       "https://pay.test/p/T1",
		Status:           "pending",
		OrderID:          123456,
		CurrencySymbol:   "USDT",
		NetworkCode:      "trc20",
		AmountUSD:        dec("25.00000000"),
		PayAmount:        dec("25.03"),
		PayAmountText:    "25.03000000",
		TolerancePercent: dec("1"),
		Address:          "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
		ExpiresAt:        noon.Add(30 * time.Minute),
	}
}

func TestPlausibleAnswer(t *testing.T) {
	for name, change := range map[string]func(*Attempt, *Created){
		"as asked": func(a *Attempt, c *Created) {},
		"other case": func(a *Attempt, c *Created) {
			c.CurrencySymbol, c.NetworkCode = "usdt", "TRC20"
		},
		"no order id of us": func(a *Attempt, c *Created) { a.OrderID = 0 },
		"half the price":    func(a *Attempt, c *Created) { c.PayAmount = dec("12.5") },
		"twice, and fees":   func(a *Attempt, c *Created) { c.PayAmount = dec("52") },
	} {
		a, c := waiting().Attempts[0], created()
		change(&a, &c)
		err := answerProblem(&a, c, Terms{Price: dec("1"), Fee: dec("1"), Coins: token.Builtin()})
		if err != nil {
			t.Errorf("%s: doubtful = %v; want nil", name, err)
		}
	}
}

// Each row differs from the valid answer in one field.
func TestImplausibleAnswers(t *testing.T) {
	for name, change := range map[string]func(*Created){
		"no tracking code":   func(c *Created) { c.TrackingCode = "" },
		"odd tracking code":  func(c *Created) { c.TrackingCode = "T1/../T2" },
		"long tracking code": func(c *Created) { c.TrackingCode = strings.Repeat("T", 129) },
		"confirmed already":  func(c *Created) { c.Status = "confirmed" },
		"no status":          func(c *Created) { c.Status = "" },
		"other amount":       func(c *Created) { c.AmountUSD = dec("25.01") },
		"other order id":     func(c *Created) { c.OrderID = 1 },
		"other coin":         func(c *Created) { c.CurrencySymbol = "USDC" },
		"other network":      func(c *Created) { c.NetworkCode = "bep20" },
		"no address":         func(c *Created) { c.Address = "" },
		"address of another": func(c *Created) {
			c.Address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
		},
		"address with a misread": func(c *Created) {
			c.Address = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T"
		},
		"nothing to pay":    func(c *Created) { c.PayAmount = decimal.Zero },
		"less than nothing": func(c *Created) { c.PayAmount = dec("-25") },
		"a thousandth":      func(c *Created) { c.PayAmount = dec("0.02503") },
		"less than half":    func(c *Created) { c.PayAmount = dec("12.49999999") },
		"more than twice":   func(c *Created) { c.PayAmount = dec("52.00000001") },
		"a million times":   func(c *Created) { c.PayAmount = dec("25030000") },
		"1e30":              func(c *Created) { c.PayAmount = dec("1e30") },
	} {
		a, c := waiting().Attempts[0], created()
		change(&c)
		err := answerProblem(&a, c, Terms{Price: dec("1"), Fee: dec("1"), Coins: token.Builtin()})
		if err == nil {
			t.Errorf("%s: doubtful = nil; want a reason", name)
		}
	}
}

func TestExpiry(t *testing.T) {
	for _, c := range []struct {
		name       string
		retryAfter time.Time
		want       time.Duration
	}{
		{"as asked", noon.Add(30 * time.Minute), 30 * time.Minute},
		{"shorter", noon.Add(10 * time.Minute), 10 * time.Minute},
		{"a little more", noon.Add(35 * time.Minute), 35 * time.Minute},
		{"too much", noon.Add(36 * time.Minute), 30 * time.Minute},
		{"clock a day ahead", noon.Add(26 * time.Hour), 30 * time.Minute},
		{"passed", noon.Add(-time.Minute), 30 * time.Minute},
		{"now", noon, 30 * time.Minute},
		{"unset", time.Time{}, 30 * time.Minute},
	} {
		fortest.Equal(t, expiry(c.retryAfter, noon, 30).Sub(noon), c.want, "%s: expiry in", c.name)
	}
}

func TestHosted(t *testing.T) {
	const page = "https://pay.test/p"
	for raw, want := range map[string]string{
		"https://pay.test/p/T1":             "https://pay.test/p/T1",
		"https://pay.test/p/T1?lang=de":     "https://pay.test/p/T1?lang=de",
		"https://pay.test/p":                "",
		"https://pay.test/pp/T1":            "",
		"https://pay.test/q/T1":             "",
		"https://pay.test/p/../admin":       "",
		"https://pay.test/p/%2e%2e/admin":   "",
		"http://pay.test/p/T1":              "",
		"https://pay.test.evil.test/p/T1":   "",
		"https://evil.test/p/T1":            "",
		"https://user@pay.test/p/T1":        "",
		"https://pay.test:8443/p/T1":        "",
		"https://pay.test@evil.test/p/T1":   "",
		"//pay.test/p/T1":                   "",
		"/p/T1":                             "",
		"javascript:alert(1)//pay.test/p/":  "",
		"https://pay.test\\@evil.test/p/T1": "",
		"https://pay.test/p/T1\n":           "",
		"":                                  "",
	} {
		fortest.Equal(t, HostedURL(raw, page), want, "hosted(%q)", raw)
		fortest.Equal(t, HostedURL(raw, ""), "", "hosted(%q) without a page", raw)
	}
}

func TestExplorer(t *testing.T) {
	for raw, want := range map[string]string{
		"https://tronscan.org/#/transaction/a": "https://tronscan.org/#/transaction/a",
		"http://tronscan.org/a":                "",
		"javascript:alert(1)":                  "",
		"data:text/html,x":                     "",
		"https://u:p@tronscan.org/":            "",
		"https:///x":                           "",
		"https:opaque":                         "",
		"//tronscan.org/a":                     "",
		"":                                     "",
	} {
		fortest.Equal(t, ExplorerURL(raw), want, "explorer(%q)", raw)
	}
}
