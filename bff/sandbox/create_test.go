package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"coinslot/bff/fortest"

	"github.com/btcsuite/btcd/btcutil/base58"
	"github.com/google/go-cmp/cmp"
)

// with returns a valid body for create with some members replaced; "" removes.
func with(t testing.TB, changes map[string]string) string {
	t.Helper()
	members := map[string]json.RawMessage{
		"currency_symbol": json.RawMessage(`"USDT"`), "network_code": json.RawMessage(`"trc20"`),
		"amount_usd": json.RawMessage(`25`), "ttl": json.RawMessage(`15`),
	}
	for name, raw := range changes {
		members[name] = json.RawMessage(raw)
		if raw == "" {
			delete(members, name)
		}
	}
	return string(fortest.Must(json.Marshal(members))(t))
}

func TestCreateRefused(t *testing.T) {
	long := `"` + strings.Repeat("x", 256) + `"`
	tests := []struct {
		name, member, raw string
		message           string // a part of it
	}{
		{"no currency", "currency_symbol", "", "currency_symbol field is required"},
		{"null currency", "currency_symbol", "null", "currency_symbol field is required"},
		{"empty currency", "currency_symbol", `" "`, "currency_symbol field is required"},
		{"unknown currency", "currency_symbol", `"XMR"`, "currency_symbol is not enabled"},
		{"currency is a number", "currency_symbol", `7`, "currency_symbol must be a string"},
		{"no network", "network_code", "", "network_code field is required"},
		{"unknown network", "network_code", `"sol"`, "network_code is not enabled for USDT"},
		{
			"network of another currency",
			"network_code",
			`"arbitrum"`,
			"network_code is not enabled for USDT",
		},
		{"network is a list", "network_code", `["trc20"]`, "network_code must be a string"},
		{"no amount", "amount_usd", "", "amount_usd field is required"},
		{"null amount", "amount_usd", "null", "amount_usd field is required"},
		{"amount is text", "amount_usd", `"25"`, "amount_usd must be a number"},
		{"amount is true", "amount_usd", `true`, "amount_usd must be a number"},
		{"amount of nine digits", "amount_usd", `25.000000001`, "at most 8 decimal places"},
		{
			"amount as floats come out",
			"amount_usd",
			`0.30000000000000004`,
			"at most 8 decimal places",
		},
		{"amount with a huge exponent", "amount_usd", `1e999999999`, "at most 8 decimal places"},
		{"amount with a tiny exponent", "amount_usd", `1e-999999999`, "at most 8 decimal places"},
		{
			"amount of endless digits",
			"amount_usd",
			strings.Repeat("1", 50),
			"at most 8 decimal places",
		},
		{"amount negative", "amount_usd", `-25`, "the minimum is $1.00"},
		{"amount zero", "amount_usd", `0`, "the minimum is $1.00"},
		{"amount just below", "amount_usd", `0.99999999`, "the minimum is $1.00"},
		{"amount just above", "amount_usd", `10000.00000001`, "the maximum is $10000.00"},
		{"no ttl", "ttl", "", "ttl field is required"},
		{"ttl zero", "ttl", `0`, "ttl must be at least 1"},
		{"ttl negative", "ttl", `-5`, "ttl must be at least 1"},
		{"ttl too long", "ttl", `61`, "ttl must not be greater than 60"},
		{"ttl a fraction", "ttl", `1.5`, "ttl must be an integer"},
		{"ttl with exponent", "ttl", `1e1`, "ttl must be an integer"},
		{"ttl is text", "ttl", `"15"`, "ttl must be a number"},
		{"ttl beyond 64 bits", "ttl", `99999999999999999999`, "ttl must be an integer"},
		{"order id of five digits", "order_id", `99999`, "order_id must be 6 digits"},
		{"order id of seven digits", "order_id", `1000000`, "order_id must be 6 digits"},
		{"order id negative", "order_id", `-123456`, "order_id must be 6 digits"},
		{"order id is text", "order_id", `"123456"`, "order_id must be a number"},
		{"email without at", "email", `"payer"`, "valid email address"},
		{"email with a name", "email", `"Payer <payer@example.com>"`, "valid email address"},
		{
			"email too long",
			"email",
			`"` + strings.Repeat("x", 250) + `@example.com"`,
			"valid email address",
		},
		{"comment too long", "comment", long, "comment must not be greater than 255"},
		{"comment is an object", "comment", `{}`, "comment must be a string"},
		{"callback is not a URL", "callback_url", `"shop"`, "callback_url must be a valid URL"},
		{
			"callback is a script",
			"callback_url",
			`"javascript:alert(1)"`,
			"callback_url must be a valid URL",
		},
		{"callback without TLS", "callback_url", `"http://shop.example/back"`, "public HTTPS URL"},
		{
			"callback on this machine",
			"callback_url",
			`"https://localhost/back"`,
			"public HTTPS URL",
		},
		{"callback on a short name", "callback_url", `"https://shop/back"`, "public HTTPS URL"},
		{
			"callback on a private address",
			"callback_url",
			`"https://192.168.1.4/back"`,
			"public HTTPS URL",
		},
		{"callback on loopback", "callback_url", `"https://[::1]/back"`, "public HTTPS URL"},
		{
			"callback with a password",
			"callback_url",
			`"https://a:b@shop.example/"`,
			"public HTTPS URL",
		},
		{
			"callback too long",
			"callback_url",
			`"https://shop.example/` + strings.Repeat("x", 2048) + `"`,
			"valid URL",
		},
	}
	s := New(Config{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := call(t, s, "POST", createPath, with(t, map[string]string{tt.member: tt.raw}))
			if got.Status != http.StatusUnprocessableEntity ||
				!strings.Contains(got.Message, tt.message) {
				t.Errorf("create = %d %q; want 422 %q", got.Status, got.Message, tt.message)
			}
			if string(got.Data) != "null" {
				t.Errorf("data of a refusal = %s", got.Data)
			}
		})
	}
	fortest.Equal(t, len(s.Transactions()), 0, "transactions after nothing but refusals")
}

func TestCreateBodyRefused(t *testing.T) {
	s := New(Config{})
	for _, body := range []string{"[]", "null", `"x"`, "{", `{} {}`, "amount_usd=25"} {
		got := call(t, s, "POST", createPath, body)
		if got.Status != 422 || !strings.Contains(got.Message, "JSON object") {
			t.Errorf("create %s = %d %q", body, got.Status, got.Message)
		}
	}
	huge := with(t, map[string]string{"comment": `"` + strings.Repeat("x", maxBodyBytes) + `"`})
	if got := call(t, s, "POST", createPath, huge); got.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("create with a huge body = %d %q", got.Status, got.Message)
	}
	r := httptest.NewRequest("POST", createPath, strings.NewReader(with(t, nil)))
	r.Header.Set("X-Api-Key", DefaultKey)
	r.Header.Set("Content-Type", "text/plain")
	if got := do(t, s, r); got.Status != 422 || !strings.Contains(got.Message, "Content-Type") {
		t.Errorf("create as text = %d %q", got.Status, got.Message)
	}
}

func TestCreateBoundsInclusive(t *testing.T) {
	for _, changes := range []map[string]string{
		{"amount_usd": "1"},
		{"amount_usd": "10000"},
		{"amount_usd": "1.00000000"},
		{"amount_usd": "1e3"},
		{"ttl": "1"},
		{"ttl": "60"},
		{"order_id": "100000"},
		{"order_id": "999999"},
		{"order_id": "null"},
		{"currency_symbol": `"usdt"`, "network_code": `"TRC20"`},
		{"email": `""`},
		{"unknown": `{"x":1}`},
		{"comment": `"` + strings.Repeat("é", 255) + `"`},
		{"callback_url": `"https://shop.example/back?x=1"`},
	} {
		got := call(t, New(Config{}), "POST", createPath, with(t, changes))
		if got.Status != http.StatusOK {
			t.Errorf("create with %v = %d %q", changes, got.Status, got.Message)
		}
	}
}

func TestCreateAnswer(t *testing.T) {
	c := newClock()
	s := New(Config{Now: c.now, PageURL: "https://pay.example/p/", Seed: 1})
	got := createWith(t, s, with(t, map[string]string{
		"amount_usd":   "19.99",
		"order_id":     "123456",
		"email":        `"payer@example.com"`,
		"comment":      `"<mark> & 1"`,
		"callback_url": `"https://shop.example/back"`,
	}))
	if !regexp.MustCompile(`^T[1-9A-HJ-NP-Za-km-z]{33}$`).MatchString(got.WalletAddress) {
		t.Errorf("wallet_address = %q", got.WalletAddress)
	}
	agreed := terms{
		PaymentURL:   "https://pay.example/p/" + got.TrackingCode,
		TrackingCode: got.TrackingCode,
		Status:       Pending,
		OrderID:      123456,
		CurrencyName: "Tether", NetworkCode: "trc20", NetworkName: "TRON (TRC20)",
		AmountUSD:     "19.99000000",
		PayAmount:     "19.99000000",
		PlatformShare: "0.19990000",
		MerchantShare: "19.79010000",
		FeePercent:    "1", TolerancePercent: "1", ExpiredAt: c.now().Unix() + 15*60,
	}
	want := createdRecord{
		terms:          agreed,
		CurrencySymbol: "USDT",
		Network:        "TRON",
		WalletAddress:  got.WalletAddress,
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(want)); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	wantRecord := transactionRecord{
		terms:        agreed,
		CurrencyCode: "usdt_trc20",
		Email:        "payer@example.com",
		Comment:      "<mark> & 1",
		CreatedAt:    c.now().Unix(),
	}
	if diff := cmp.Diff(wantRecord, status(t, s, got.TrackingCode),
		cmp.AllowUnexported(wantRecord)); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	journal := s.Transactions()[0]
	if journal.WalletAddress != got.WalletAddress ||
		journal.CallbackURL != "https://shop.example/back" || journal.TTL != 15 {
		t.Errorf("journal = %+v", journal)
	}
}

// TestCreateAnswerShape holds the names and JSON kinds of the documentation.
func TestCreateAnswerShape(t *testing.T) {
	got := call(t, New(Config{}), "POST", createPath, with(t, nil))
	var data map[string]any
	got.into(t, &data)
	compareKinds(t, data, map[string]string{
		"payment_url":               "string",
		"tracking_code":             "string",
		"status":                    "string",
		"order_id":                  "number",
		"currency_name":             "string",
		"currency_symbol":           "string",
		"network":                   "string",
		"network_code":              "string",
		"network_name":              "string",
		"amount_usd":                "string",
		"pay_amount":                "string",
		"platform_share":            "string",
		"merchant_share":            "string",
		"payment_fee_percent":       "number",
		"payment_tolerance_percent": "number",
		"wallet_address":            "string",
		"qr_code":                   "string",
		"expired_at":                "number",
	})
}

// compareKinds compares the kinds of an object's members with what is wanted.
func compareKinds(t *testing.T, object map[string]any, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for name, value := range object {
		switch value.(type) {
		case string:
			got[name] = "string"
		case float64:
			got[name] = "number"
		case bool:
			got[name] = "boolean"
		case []any:
			got[name] = "array"
		default:
			got[name] = "other"
		}
	}
	fortest.Diff(t, got, want, "members")
}

func TestCreateBodyBeforeQuery(t *testing.T) {
	s := New(Config{})
	query := url.Values{
		"currency_symbol": {"USDT"},
		"network_code":    {"bep20"},
		"amount_usd":      {"30.5"},
		"ttl":             {"20"},
		"comment":         {"q"},
	}
	for body, want := range map[string]string{
		"":   "bep20 30.50000000 20 q",
		"{}": "bep20 30.50000000 20 q",
		`{"network_code":"trc20","amount_usd":7,"ttl":null}`: "trc20 7.00000000 20 q",
		`{"ttl":5,"comment":""}`:                             "bep20 30.50000000 5 ",
	} {
		got := call(t, s, "POST", createPath+"?"+query.Encode(), body)
		if got.Status != http.StatusOK {
			t.Errorf("create %s = %d %q", body, got.Status, got.Message)
			continue
		}
		all := s.Transactions()
		last := all[len(all)-1]
		if got := fmt.Sprintf("%s %s %d %s", last.NetworkCode, fixed(last.AmountUSD), last.TTL,
			last.Comment); got != want {
			t.Errorf("create %s = %q; want %q", body, got, want)
		}
	}
}

func TestOrderIDWithout(t *testing.T) {
	s := New(Config{})
	first, second := create(t, s), create(t, s)
	if first.OrderID != 1000001 || second.OrderID != 1000002 {
		t.Errorf("order ids = %d, %d; want seven digits, ascending", first.OrderID, second.OrderID)
	}
}

// startsWith asks for a base58check address with that prefix.
func startsWith(prefix string) func(string) bool {
	return func(address string) bool {
		account, _, err := base58.CheckDecode(address)
		return err == nil && len(account) == 20 && strings.HasPrefix(address, prefix)
	}
}

// TestEveryCurrency opens a payment of the least and of the greatest amount in every coin on
// every network.
func TestEveryCurrency(t *testing.T) {
	s := New(Config{})
	valid := map[Family]func(string) bool{TRON: validTRON, EVM: validEVM, TON: validTON,
		Bitcoin: startsWith("1"), Litecoin: startsWith("L"), Dogecoin: startsWith("D"),
		Solana: func(a string) bool { return len(base58.Decode(a)) == 32 }}
	for _, c := range defaultCurrencies() {
		for _, n := range c.Networks {
			for _, amount := range []string{n.MinimumUSD.String(), n.MaximumUSD.String()} {
				got := createWith(t, s, with(t, map[string]string{
					"currency_symbol": `"` + c.Symbol + `"`,
					"network_code":    `"` + n.Code + `"`,
					"amount_usd":      amount,
				}))
				if !valid[n.Family](got.WalletAddress) || got.Network != n.Chain {
					t.Errorf("%s on %s: address %q, network %q", c.Symbol, n.Code,
						got.WalletAddress, got.Network)
				}
				err := s.Pay(got.TrackingCode, KindPay)
				if err != nil || status(t, s, got.TrackingCode).Status != Confirmed {
					t.Errorf("paying %s in %s on %s: %v", amount, c.Symbol, n.Code, err)
				}
			}
		}
	}
}

// FuzzCreate sends any body: the answer is always an envelope, and what is
// created keeps every limit.
func FuzzCreate(f *testing.F) {
	f.Add(with(f, nil))
	f.Add(with(f, map[string]string{"amount_usd": "1e999999999", "order_id": "123456"}))
	f.Add(`{"currency_symbol":"GRAM","network_code":"ton","amount_usd":0.1,"ttl":1e2}`)
	f.Add(`{"amount_usd":{"a":[1]},"ttl":"\u0000"}`)
	f.Fuzz(func(t *testing.T, body string) {
		s := New(Config{})
		got := call(t, s, "POST", createPath, body)
		switch got.Status {
		case http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge:
			return
		case http.StatusOK:
		default:
			t.Fatalf("create %q = %d %q", body, got.Status, got.Message)
		}
		last := s.Transactions()[0]
		n := findCurrency(s.currencies, last.CurrencySymbol).network(last.NetworkCode)
		if last.AmountUSD.LessThan(n.MinimumUSD) || last.AmountUSD.GreaterThan(n.MaximumUSD) ||
			last.TTL < 1 || last.TTL > n.MaxTTL {
			t.Fatalf("create %q opened %+v", body, last)
		}
		if !last.PlatformShare.Add(last.MerchantShare).Equal(last.AmountUSD) ||
			!last.PayAmount.IsPositive() {
			t.Fatalf("create %q opened %+v", body, last)
		}
	})
}
