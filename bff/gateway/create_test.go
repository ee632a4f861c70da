package gateway

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// sent is a request as the server saw it.
type sent struct {
	method, path, body string
	contentType        string
	query              url.Values
}

// record answers every request with body and returns what it saw.
func record(t *testing.T, body string) (*Client, <-chan sent) {
	t.Helper()
	seen := make(chan sent, 1)
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		seen <- sent{r.Method, r.URL.Path, string(b), r.Header.Get("Content-Type"), r.URL.Query()}
		io.WriteString(w, body)
	})
	return c, seen
}

func TestCreate(t *testing.T) {
	c, seen := record(t, done(createdJSON))
	got := fortest.Must(c.Create(t.Context(), goodCreate()))(t)
	want := payment.Created{
		TrackingCode: "TRK1",
		PaymentURL:   "https://pay.example/TRK1",
		Status:       "pending",
		OrderID:      123456,
		CurrencyName: "Tether", CurrencySymbol: "USDT", NetworkCode: "trc20", NetworkName: "Tron",
		AmountUSD: dec("19.99"), PayAmount: dec("20.1"), PayAmountText: "20.10000000",
		TolerancePercent: dec("0.5"), Address: "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE",
		ExpiresAt: time.Unix(1760001800, 0).UTC(),
	}
	fortest.Diff(t, got, want, "Create")
	req := <-seen
	if req.method != "POST" || req.path != "/api/v1/merchant/transaction/create" ||
		req.contentType != "application/json" {
		t.Errorf("request is %s %s as %q", req.method, req.path, req.contentType)
	}
	wantBody := `{"currency_symbol":"USDT","network_code":"trc20","amount_usd":19.99,"ttl":30,"order_id":123456,` +
		`"email":"payer@shop.example","comment":"cs-abc O'Reilly; DROP TABLE","callback_url":"https://shop.example/return"}`
	fortest.Equal(t, req.body, wantBody, "body")
	wantQuery := url.Values{
		"currency_symbol": {"USDT"},
		"network_code":    {"trc20"},
		"amount_usd":      {"19.99"},
		"ttl":             {"30"},
		"order_id":        {"123456"},
		"comment":         {"cs-abc"},
		"callback_url":    {"https://shop.example/return"},
	}
	fortest.Diff(t, req.query, wantQuery, "query")
}

// TestCreateLeastRequest: empty fields are sent nowhere.
func TestCreateLeastRequest(t *testing.T) {
	c, seen := record(t, done(createdJSON))
	_, err := c.Create(t.Context(), payment.CreateRequest{
		CurrencySymbol: "ETH",
		NetworkCode:    "erc20",
		AmountUSD:      dec("5"),
		TTL:            1,
	})
	req := <-seen
	want := `{"currency_symbol":"ETH","network_code":"erc20","amount_usd":5,"ttl":1}`
	if err != nil || req.body != want || len(req.query) != 4 {
		t.Errorf("Create = %v, body %s, query %v", err, req.body, req.query)
	}
}

// TestCreateAmountDigits: the amount goes out digit for digit.
func TestCreateAmountDigits(t *testing.T) {
	c, seen := record(t, done(createdJSON))
	for in, want := range map[string]string{
		"19.99":                                 "19.99",
		"19.90":                                 "19.90",
		"0.1":                                   "0.1",
		"0.000000000000000001":                  "0.000000000000000001",
		"1e3":                                   "1000",
		"100":                                   "100",
		"123456789012345678.123456789012345678": "123456789012345678.123456789012345678",
		"9007199254740993":                      "9007199254740993",
	} {
		r := goodCreate()
		r.AmountUSD = dec(in)
		if _, err := c.Create(t.Context(), r); err != nil {
			t.Errorf("Create of %s: %v", in, err)
			continue
		}
		req := <-seen
		var body struct {
			Amount json.RawMessage `json:"amount_usd"`
		}
		if err := json.Unmarshal(
			[]byte(req.body),
			&body,
		); err != nil || string(body.Amount) != want || req.query.Get("amount_usd") != want {
			t.Errorf("amount %s was sent as %s and %s; want %s", in, body.Amount,
				req.query.Get("amount_usd"), want)
		}
	}
}

// TestCreateAnswers changes one member of a good answer at a time.
func TestCreateAnswers(t *testing.T) {
	type created = payment.Created
	for _, tt := range []struct {
		old, new string
		ok       bool
		check    func(created) bool // nil = not looked at
	}{
		{
			`"amount_usd": "19.99000000"`,
			`"amount_usd": 19.990`,
			true,
			func(c created) bool { return c.AmountUSD.Equal(dec("19.99")) },
		},
		{
			`"pay_amount": "20.10000000"`,
			`"pay_amount": 20.100`,
			true,
			func(c created) bool { return c.PayAmountText == "20.100" },
		},
		{`"pay_amount": "20.10000000"`, `"pay_amount": "0.100000000000000000000000000001"`, true,
			func(c created) bool {
				return c.PayAmount.Equal(dec("0.100000000000000000000000000001"))
			}},
		{
			`"order_id": 123456`,
			`"order_id": "123456"`,
			true,
			func(c created) bool { return c.OrderID == 123456 },
		},
		{
			`"order_id": 123456`,
			`"order_id": null`,
			true,
			func(c created) bool { return c.OrderID == 0 },
		},
		{
			`"order_id": 123456`,
			`"order_id": ""`,
			true,
			func(c created) bool { return c.OrderID == 0 },
		},
		{`"order_id": 123456,`, ``, true, func(c created) bool { return c.OrderID == 0 }},
		{
			`"status": "pending"`,
			`"status": "PENDING"`,
			true,
			func(c created) bool { return c.Status == "pending" },
		},
		{
			`"status": "pending"`,
			`"status": "brand new"`,
			true,
			func(c created) bool { return c.Status == "brand new" },
		},
		{
			`"status": "pending"`,
			`"status": null`,
			true,
			func(c created) bool { return c.Status == "" },
		},
		{
			`"currency_symbol": "USDT"`,
			`"currency_symbol": "usDt"`,
			true,
			func(c created) bool { return c.CurrencySymbol == "usDt" },
		},
		{
			`"payment_tolerance_percent": 0.5`,
			`"payment_tolerance_percent": "0.5"`,
			true,
			func(c created) bool { return c.TolerancePercent.Equal(dec("0.5")) },
		},
		{
			`"payment_tolerance_percent": 0.5`,
			`"payment_tolerance_percent": 5e-1`,
			true,
			func(c created) bool { return c.TolerancePercent.Equal(dec("0.5")) },
		},
		{
			`"payment_tolerance_percent": 0.5`,
			`"payment_tolerance_percent": -1`,
			true,
			func(c created) bool { return c.TolerancePercent.IsZero() },
		},
		{
			`"currency_name": "Tether"`,
			`"currency_name": ["x"]`,
			true,
			func(c created) bool { return c.CurrencyName == "" },
		},
		{`"qr_code": ""`, `"qr_code": {"a": [1]}`, true, nil},
		{
			`"expired_at": 1760001800`,
			`"expired_at": "1760001800000"`,
			true,
			func(c created) bool { return c.ExpiresAt.Unix() == 1760001800 },
		},
		{
			`"expired_at": 1760001800`,
			`"expired_at": []`,
			true,
			func(c created) bool { return c.ExpiresAt.IsZero() },
		},
		{
			`"wallet_address": "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE"`,
			`"wallet_address": ""`,
			true,
			func(c created) bool { return c.Address == "" },
		},

		{
			`"wallet_address": "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE"`,
			`"wallet_address": ["T"]`,
			false,
			nil,
		},
		{
			`"wallet_address": "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE"`,
			`"wallet_address": "T\u0000"`,
			false,
			nil,
		},
		{`"tracking_code": "TRK1"`, `"tracking_code": ""`, false, nil},
		{`"tracking_code": "TRK1"`, `"tracking_code": "a/../b"`, false, nil},
		{`"tracking_code": "TRK1",`, ``, false, nil},
		{`"status": "pending",`, ``, false, nil},
		{`"status": "pending"`, `"status": true`, false, nil},
		{`"order_id": 123456`, `"order_id": "abc"`, false, nil},
		{`"order_id": 123456`, `"order_id": -123456`, false, nil},
		{`"order_id": 123456`, `"order_id": 123456.5`, false, nil},
		{`"order_id": 123456`, `"order_id": 99999999999999999999`, false, nil},
		{`"order_id": 123456`, `"order_id": []`, false, nil},
		{`"amount_usd": "19.99000000",`, ``, false, nil},
		{`"amount_usd": "19.99000000"`, `"Amount_usd": "19.99000000"`, false, nil},
		{
			`"amount_usd": "19.99000000"`,
			`"amount_usd": "19.99000000", "AMOUNT_USD": "0.01"`,
			false,
			nil,
		},
		{`"amount_usd": "19.99000000"`, `"amount_usd": null`, false, nil},
		{`"amount_usd": "19.99000000"`, `"amount_usd": ""`, false, nil},
		{`"amount_usd": "19.99000000"`, `"amount_usd": true`, false, nil},
		{`"amount_usd": "19.99000000"`, `"amount_usd": ["19.99"]`, false, nil},
		{
			`"amount_usd": "19.99000000"`,
			`"amount_usd": 1.999e1`,
			true,
			func(c created) bool { return c.AmountUSD.Equal(dec("19.99")) },
		},
		{`"amount_usd": "19.99000000"`, `"amount_usd": "1.999e1"`, false, nil},
		{
			`"pay_amount": "20.10000000"`,
			`"pay_amount": 2.01e+1`,
			true,
			func(c created) bool { return c.PayAmountText == "20.1" },
		},
		{`"amount_usd": "19.99000000"`, `"amount_usd": "1999e-2"`, false, nil},
		{`"amount_usd": "19.99000000"`, `"amount_usd": "-19.99"`, false, nil},
		{`"amount_usd": "19.99000000"`, `"amount_usd": "$19.99"`, false, nil},
		{`"amount_usd": "19.99000000"`, `"amount_usd": "1,999"`, false, nil},
		{`"amount_usd": "19.99000000"`, `"amount_usd": " 19.99"`, false, nil},
		{`"amount_usd": "19.99000000"`, `"amount_usd": "NaN"`, false, nil},
		{`"pay_amount": "20.10000000"`, `"pay_amount": {}`, false, nil},
		{
			`"pay_amount": "20.10000000"`,
			`"pay_amount": "1234567890123456789012345678901"`,
			false,
			nil,
		},
	} {
		body := edited(t, createdJSON, tt.old, tt.new)
		got, err := serveText(t, done(body)).Create(t.Context(), goodCreate())
		wantRead(t, "Create with "+tt.new, err, tt.ok)
		if err == nil && tt.check != nil && !tt.check(got) {
			t.Errorf("Create with %s = %+v", tt.new, got)
		}
	}
}

func TestCreateLimits(t *testing.T) {
	sends := 0
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		sends++
		io.WriteString(w, done(createdJSON))
	})
	type request = payment.CreateRequest
	try := func(name, want string, change func(*request)) {
		t.Helper()
		r := goodCreate()
		change(&r)
		before := sends
		_, err := c.Create(t.Context(), r)
		if got := outcome(t, err); got != want || (sends > before) != (want == "done") {
			t.Errorf("%s: %s (%v), sent %t; want %s", name, got, err, sends > before, want)
		}
	}
	for _, symbol := range []string{
		"", "US DT", "USDT/x", "USDT?", "ÜSD", "U\n", strings.Repeat("U", 33),
	} {
		try("symbol "+symbol, "invalid", func(r *request) { r.CurrencySymbol = symbol })
		try("network "+symbol, "invalid", func(r *request) { r.NetworkCode = symbol })
	}
	try("upper-case network", "done", func(r *request) { r.NetworkCode = "TRC20" })
	try("odd network", "done", func(r *request) { r.NetworkCode = "bep-20_x.1" })
	for _, amount := range []string{
		"0", "-1", "-0.01", "1e18", "1e1000", "1e-19", "0.1234567890123456789",
	} {
		try("amount "+amount, "invalid", func(r *request) { r.AmountUSD = dec(amount) })
	}
	for ttl, want := range map[int]string{-1: "invalid", 0: "invalid", 1: "done", 100000: "done"} {
		try("ttl", want, func(r *request) { r.TTL = ttl })
	}
	for id, want := range map[int]string{
		-1:      "invalid",
		0:       "done",
		1:       "invalid",
		99999:   "invalid",
		100000:  "done",
		999999:  "done",
		1000000: "invalid",
	} {
		try("order id", want, func(r *request) { r.OrderID = id })
	}
	for comment, want := range map[string]string{
		"": "done", "müsli\n& <b>": "done", strings.Repeat("x", 1000): "done",
		strings.Repeat("x", 1001): "invalid", "\xff": "invalid",
	} {
		try("comment", want, func(r *request) { r.Comment = comment })
	}
}

// TestCreateEmail: an address that the gateway may refuse is left out, because it would stop the
// sale.
func TestCreateEmail(t *testing.T) {
	c, seen := record(t, done(createdJSON))
	for email, isSent := range map[string]bool{
		"": false, "a@b.example": true, "a.b+c@shop.co.example": true, "ü@bücher.example": true,
		"taro..yamada@docomo.ne.jp": false, ".foo@ezweb.ne.jp": false, "root@localhost": false,
		"a": false, "Ann <a@b.example>": false, "a@b.example\nBcc: x@y.example": false,
		"a@b.": false, `"a b"@c.example`: false, strings.Repeat("a", 250) + "@b.example": false,
	} {
		r := goodCreate()
		r.Email = email
		fortest.Must(c.Create(t.Context(), r))(t)
		req := <-seen
		sent := strings.Contains(req.body, `"email":"`+email+`"`)
		if sent != isSent || !isSent && strings.Contains(req.body, "email") {
			t.Errorf("with the email %q, the body is %s", email, req.body)
		}
	}
}

func TestValidCallback(t *testing.T) {
	for u, want := range map[string]bool{
		"https://shop.example/return":                       true,
		"https://shop.example:8443/r?x=1":                   true,
		"https://203.0.113.7/r":                             true,
		"https://[2001:db8::1]/r":                           true,
		"https://xn--bcher-kva.example":                     true,
		"http://shop.example/r":                             false,
		"ftp://shop.example":                                false,
		"javascript:alert(1)":                               false,
		"//shop.example/r":                                  false,
		"shop.example/r":                                    false,
		"https:///r":                                        false,
		"https://":                                          false,
		"https://shop/r":                                    false,
		"https://shop./r":                                   false,
		"https://.example/r":                                false,
		"https://a..example/r":                              false,
		"https://user@shop.example/":                        false,
		"https://user:pw@shop.example/":                     false,
		"https://localhost/r":                               false,
		"https://localhost./r":                              false,
		"https://x.LocalHost/r":                             false,
		"https://printer.local/r":                           false,
		"https://db.internal/r":                             false,
		"https://127.0.0.1/r":                               false,
		"https://127.1/r":                                   false,
		"https://10.0x1/r":                                  false,
		"https://10.1.2.3/r":                                false,
		"https://192.168.0.1/r":                             false,
		"https://172.16.0.1/r":                              false,
		"https://169.254.169.254/r":                         false,
		"https://0.0.0.0/r":                                 false,
		"https://224.0.0.1/r":                               false,
		"https://[::1]/r":                                   false,
		"https://[::ffff:10.0.0.1]/r":                       false,
		"https://[fd00::1]/r":                               false,
		"https://[fe80::1]/r":                               false,
		"https://shop.example/\nx":                          false,
		"https://shop.example/%zz":                          false,
		"https://shop.example/" + strings.Repeat("x", 1000): false,
		"https://shop.example@evil.example/":                false,
		"https://shop.example/return?next=http%3A%2F%2F10.0.0.1": true,
	} {
		fortest.Equal(t, ValidCallback(u), want, "ValidCallback(%.60q)", u)
	}
}
