package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

func TestKey(t *testing.T) {
	s := New(Config{Key: "mine"})
	for _, e := range s.endpoints() {
		for _, key := range []string{"", DefaultKey, "Mine", "mine "} {
			r := httptest.NewRequest(e.method, apiPrefix+e.path, nil)
			if key != "" {
				r.Header["X-Api-Key"] = []string{key}
			}
			fortest.Equal(t, do(t, s, r).Status, http.StatusUnauthorized,
				"%s with key %q", e.name, key)
		}
	}
	r := httptest.NewRequest("GET", "/api/v1/merchant/currencies/list", nil)
	r.Header.Set("x-api-key", "mine")
	if got := do(t, s, r); got.Status != http.StatusOK || got.Message != "success" {
		t.Errorf("with the key = %d %q", got.Status, got.Message)
	}
}

func TestRoutes(t *testing.T) {
	s := New(Config{})
	for _, e := range s.endpoints() {
		other := map[string]string{"GET": "POST", "POST": "GET"}[e.method]
		got := call(t, s, other, apiPrefix+e.path, "")
		if got.Status != 405 || got.Header.Get("Allow") != e.method {
			t.Errorf("%s %s = %d, Allow %q", other, e.path, got.Status, got.Header.Get("Allow"))
		}
	}
	for _, path := range []string{
		"/api/", "/api/v2/merchant/currencies/list", "/api/v1/merchant/transaction/refund",
		"/api/v1/merchant/transaction/status/",
	} {
		fortest.Equal(t, call(t, s, "GET", path, "").Status, http.StatusNotFound, "GET %s", path)
	}
}

func TestCurrencies(t *testing.T) {
	got := call(t, New(Config{}), "GET", "/api/v1/merchant/currencies/list", "")
	var list []map[string]any
	got.into(t, &list)
	for _, c := range list {
		networks, _ := c["supported_networks"].([]any)
		compareKinds(t, c, map[string]string{
			"currency_name":   "string",
			"currency_symbol": "string",
			"currency_type":   "string",
			"price_in_usdt":   "number",
			"icon":            "string", "supported_networks": "array",
		})
		for _, n := range networks {
			compareKinds(t, n.(map[string]any), map[string]string{
				"network_name":    "string",
				"network_symbol":  "string",
				"network_code":    "string",
				"network_fee":     "number",
				"minimum_pay_usd": "number",
				"maximum_pay_usd": "number",
				"max_ttl":         "number",
				"icon":            "string",
			})
		}
	}
	var symbols []string
	for _, c := range defaultCurrencies() {
		for _, n := range c.Networks {
			symbols = append(symbols, c.Symbol+"_"+n.Code)
		}
	}
	want := []string{
		"USDT_trc20", "USDT_erc20", "USDT_bep20", "USDT_ton", "USDC_erc20", "USDC_bep20",
		"USDC_polygon", "ETH_eth", "ETH_arbitrum", "BNB_bep20", "GRAM_ton", "BTC_bitcoin",
		"SOL_solana", "TRX_tron", "LTC_litecoin", "DOGE_dogecoin",
	}
	fortest.Diff(t, symbols, want, "coins")
	fortest.Has(t, fmt.Sprintf("prices are not exact: %s", got.Data), string(got.Data),
		`"price_in_usdt":0.9998,`)
}

func TestStatusShape(t *testing.T) {
	s := New(Config{})
	code := create(t, s).TrackingCode
	fortest.OK(t, s.Pay(code, KindPay))
	var data map[string]any
	call(t, s, "GET", statusPath+code, "").into(t, &data)
	compareKinds(t, data, map[string]string{
		"order_id":                  "number",
		"status":                    "string",
		"tracking_code":             "string",
		"payment_url":               "string",
		"currency_code":             "string",
		"currency_name":             "string",
		"network_code":              "string",
		"network_name":              "string",
		"pay_amount":                "string",
		"amount_usd":                "string",
		"platform_share":            "string",
		"merchant_share":            "string",
		"payment_fee_percent":       "number",
		"payment_tolerance_percent": "number",
		"paid_amount":               "string",
		"is_canceled_by_user":       "boolean",
		"tx_id":                     "string",
		"tx_explorer_url":           "string",
		"email":                     "string",
		"comment":                   "string",
		"paid_at":                   "number",
		"created_at":                "number",
		"expired_at":                "number",
	})
}

func TestPaymentIsVisible(t *testing.T) {
	c := newClock()
	s := New(Config{Now: c.now})
	code := create(t, s).TrackingCode
	r := status(t, s, code)
	if r.PaidAmount != "" || r.TxID != "" || r.TxExplorerURL != "" || r.PaidAt != 0 {
		t.Errorf("before a payment: %+v", r)
	}
	c.advance(time.Minute)
	fortest.OK(t, s.Pay(code, KindHalf))
	half := status(t, s, code)
	if half.Status != Pending || half.PaidAmount != "12.50000000" || half.TxID == "" ||
		half.PaidAt != 0 {
		t.Errorf("after half: %+v", half)
	}
	c.advance(time.Minute)
	fortest.OK(t, s.PayAmount(code, dec("12.5")))
	whole := status(t, s, code)
	if whole.Status != Confirmed || whole.PaidAmount != "25.00000000" || whole.TxID == half.TxID ||
		whole.PaidAt != c.now().Unix() {
		t.Errorf("after both: %+v", whole)
	}
	fortest.Equal(t, "https://tronscan.org/#/transaction/"+whole.TxID, whole.TxExplorerURL,
		"tx_explorer_url = %q; want", whole.TxExplorerURL)
}

// TestMoneyAfterConfirmation is on the chain but not in the record.
func TestMoneyAfterConfirmation(t *testing.T) {
	s := New(Config{})
	code := create(t, s).TrackingCode
	for range 2 {
		fortest.OK(t, s.PayAmount(code, dec("25")))
	}
	fortest.Equal(t, status(t, s, code).PaidAmount, "25.00000000",
		"paid_amount (that of the first payment)")
	fortest.Equal(t, len(s.Transactions()[0].Transfers), 2, "transfers in the journal")
}

func TestExpiry(t *testing.T) {
	c := newClock()
	s := New(Config{Now: c.now})
	code := create(t, s).TrackingCode
	end := status(t, s, code).ExpiredAt
	c.advance(time.Unix(end, 0).Sub(c.now()) - 1)
	fortest.Equal(t, status(t, s, code).Status, Pending, "just before expired_at")
	c.advance(1)
	fortest.Equal(t, status(t, s, code).Status, Expired, "at expired_at")
	fortest.Equal(t, s.Transactions()[0].Status, Expired, "in the journal")
	if got := call(t, s, "POST", cancelPath+code, cancelBody(code)); got.Status != 422 {
		t.Errorf("cancel after the end = %d %q", got.Status, got.Message)
	}
}

// TestExpiryUnread expires by the clock although no request comes before the money comes.
func TestExpiryUnread(t *testing.T) {
	c := newClock()
	s := New(Config{Now: c.now})
	code := create(t, s).TrackingCode
	c.advance(16 * time.Minute)
	fortest.OK(t, s.Pay(code, KindPay))
	if r := status(t, s, code); r.Status != Expired || r.PaidAmount != "" {
		t.Errorf("late money: %s, paid %q", r.Status, r.PaidAmount)
	}
	got := call(t, s, "GET", recheckPath+code, "")
	var body transactionRecord
	got.into(t, &body)
	if got.Status != 200 || !strings.Contains(got.Message, "confirmed") || body.Status != Pending {
		t.Errorf("recheck = %d %q, data.status %s; want the sample's pending next to success",
			got.Status, got.Message, body.Status)
	}
	if r := status(
		t,
		s,
		code,
	); r.Status != Confirmed || r.PaidAmount != "25.00000000" || r.PaidAt != c.now().Unix() {
		t.Errorf("after recheck: %+v", r)
	}
}

func TestCancel(t *testing.T) {
	s := New(Config{})
	code := create(t, s).TrackingCode
	got := call(t, s, "POST", cancelPath+code, cancelBody(code))
	var body transactionRecord
	got.into(t, &body)
	if got.Status != 200 || !strings.Contains(got.Message, "cancelled") || body.Status != Pending ||
		body.TrackingCode != code {
		t.Errorf("cancel = %d %q %+v", got.Status, got.Message, body)
	}
	if r := status(t, s, code); r.Status != Cancelled || r.CancelledByUser {
		t.Errorf("after the merchant's cancel: %s, by user %t", r.Status, r.CancelledByUser)
	}
	byPayer := create(t, s).TrackingCode
	fortest.OK(t, s.Pay(byPayer, KindCancel))
	if r := status(t, s, byPayer); r.Status != Cancelled || !r.CancelledByUser {
		t.Errorf("after the payer's cancel: %s, by user %t", r.Status, r.CancelledByUser)
	}
}

func TestRefusals(t *testing.T) {
	s := New(Config{})
	pending := create(t, s).TrackingCode
	paid := create(t, s).TrackingCode
	unpaid := create(t, s).TrackingCode
	for code, kind := range map[string]Kind{paid: KindPay, unpaid: KindExpire} {
		fortest.OK(t, s.Pay(code, kind))
	}
	tests := []struct {
		method, target, body string
		status               int
		message              string
	}{
		{"GET", statusPath, "", 422, "required"},
		{"GET", statusPath + "nobody", "", 404, "not found"},
		{"GET", statusPath + strings.ToLower(pending), "", 404, "not found"},
		{"GET", recheckPath, "", 422, "required"},
		{"GET", recheckPath + "nobody", "", 404, "not found"},
		{"GET", recheckPath + pending, "", 422, "Only expired or cancelled"},
		{"GET", recheckPath + paid, "", 422, "Only expired or cancelled"},
		{"GET", recheckPath + unpaid, "", 422, "No completed payment"},
		{"POST", cancelPath + "nobody", cancelBody("nobody"), 404, "not found"},
		{"POST", cancelPath + paid, cancelBody(paid), 422, "Only pending"},
		{"POST", cancelPath + unpaid, cancelBody(unpaid), 422, "Only pending"},
		{"POST", cancelPath + pending, "", 422, "body"},
		{"POST", cancelPath + pending, "{}", 422, "body"},
		{"POST", cancelPath + pending, cancelBody(paid), 422, "the same"},
		{"POST", cancelPath, cancelBody(pending), 422, "the same"},
		{"POST", cancelPath, cancelBody(""), 422, "required"},
		{"POST", cancelPath + pending, `{"tracking_code":1}`, 422, "the same"},
		{"POST", cancelPath + pending, `[]`, 422, "JSON object"},
	}
	for _, tt := range tests {
		got := call(t, s, tt.method, tt.target, tt.body)
		if got.Status != tt.status || !strings.Contains(got.Message, tt.message) {
			t.Errorf("%s %s %s = %d %q; want %d %q", tt.method, tt.target, tt.body, got.Status,
				got.Message, tt.status, tt.message)
		}
	}
	fortest.Equal(t, status(t, s, pending).Status, Pending, "after refusals only")
}

func TestListRefused(t *testing.T) {
	s := New(Config{})
	tests := []struct{ query, message string }{
		{"limit=0", "limit must be between 1 and 50"},
		{"limit=51", "limit must be between 1 and 50"},
		{"limit=-1", "limit must be"},
		{"limit=ten", "limit must be an integer"},
		{"limit=1.0", "limit must be an integer"},
		{"limit=%2B5", "limit must be an integer"},
		{"page=0", "page must be"}, {"page=x", "page must be an integer"},
		{"status=paid", "status is invalid"}, {"status=Pending", "status is invalid"},
		{"from_date=2026-03-01", "to_date field is required"},
		{"to_date=2026-03-01", "from_date field is required"},
		{"from_date=2026-3-1&to_date=2026-03-02", "from_date does not match"},
		{"from_date=2026-03-01&to_date=02.03.2026", "to_date does not match"},
		{"from_date=2026-02-30&to_date=2026-03-02", "from_date does not match"},
		{"from_date=2026-03-02&to_date=2026-03-01", "after or equal"},
		{"from_date=2026-03-01&to_date=2026-04-01", "30 days"},
	}
	for _, tt := range tests {
		for _, path := range []string{listPath, "/api/v1/merchant/withdrawals/list"} {
			got := call(t, s, "GET", path+"?"+tt.query, "")
			if got.Status != 422 || !strings.Contains(got.Message, tt.message) {
				t.Errorf("%s?%s = %d %q; want 422 %q", path, tt.query, got.Status, got.Message,
					tt.message)
			}
		}
	}
	for _, status := range []string{"processing", "expired"} {
		a := call(t, s, "GET", listPath+"?status="+status, "")
		b := call(t, s, "GET", "/api/v1/merchant/withdrawals/list?status="+status, "")
		if (a.Status == 200) == (b.Status == 200) {
			t.Errorf("status %q is taken by both lists or none: %d, %d", status, a.Status, b.Status)
		}
	}
}

func TestList(t *testing.T) {
	c := newClock()
	s := New(Config{Now: c.now})
	var codes []string // newest first
	for range 23 {
		codes = append([]string{create(t, s).TrackingCode}, codes...)
		c.advance(time.Hour)
	}
	c.advance(-time.Hour) // 2026-03-05 08:00; the first of 2026-03-04 10:00
	fortest.OK(t, s.Pay(codes[0], KindPay))
	tests := []struct {
		query string
		want  []string
		page  pagination
	}{
		{"", codes[:10], pagination{1, 10, 23, 3}},
		{"limit=&page=", codes[:10], pagination{1, 10, 23, 3}},
		{"page=3", codes[20:], pagination{3, 10, 23, 3}},
		{"page=4", nil, pagination{4, 10, 23, 3}},
		{"page=2147483647&limit=50", nil, pagination{2147483647, 50, 23, 1}},
		{"limit=50", codes, pagination{1, 50, 23, 1}},
		{"limit=23", codes, pagination{1, 23, 23, 1}},
		{"limit=1&page=23", codes[22:], pagination{23, 1, 23, 23}},
		{"status=confirmed", codes[:1], pagination{1, 10, 1, 1}},
		{"status=pending", nil, pagination{1, 10, 0, 1}},
		{"status=expired&limit=50", codes[1:], pagination{1, 50, 22, 1}},
		{"from_date=2026-03-04&to_date=2026-03-04&limit=50", codes[9:], pagination{1, 50, 14, 1}},
		{"from_date=2026-03-05&to_date=2026-03-05", codes[:9], pagination{1, 10, 9, 1}},
		{"from_date=2026-02-03&to_date=2026-03-05&limit=50", codes, pagination{1, 50, 23, 1}},
		{"from_date=2026-03-06&to_date=2026-04-05", nil, pagination{1, 10, 0, 1}},
	}
	for _, tt := range tests {
		var page listPage[transactionRecord]
		call(t, s, "GET", listPath+"?"+tt.query, "").into(t, &page)
		var got []string
		for _, item := range page.Items {
			got = append(got, item.TrackingCode)
		}
		fortest.Diff(t, got, tt.want, "list?%s", tt.query)
		if page.Pagination != tt.page {
			t.Errorf("list?%s: %+v; want %+v", tt.query, page.Pagination, tt.page)
		}
	}
	empty := call(t, New(Config{}), "GET", listPath, "")
	if want := `{"items":[],"pagination":{"page":1,"limit":10,"total":0,"last_page":1}}`; string(empty.Data) != want {
		t.Errorf("empty list = %s; want %s", empty.Data, want)
	}
}

func TestWithdrawals(t *testing.T) {
	c := newClock()
	s := New(Config{Now: c.now})
	var page listPage[map[string]any]
	call(t, s, "GET", "/api/v1/merchant/withdrawals/list", "").into(t, &page)
	want := map[string]any{
		"tracking_code": "W1", "currency_name": "Tether", "network_name": "TRON (TRC20)",
		"destination_address": "T…", "amount_usd": "$96.40", "status": "Pending", "tx_id": "",
		"tx_explorer_url": "", "created_at": float64(c.now().Add(-2 * time.Hour).Unix()),
	}
	page.Items[0]["tracking_code"], page.Items[0]["destination_address"] = "W1", "T…" // random
	fortest.Diff(t, page.Items[0], want, "withdrawal")
	for query, want := range map[string]int{
		"status=processing": 1,
		"status=pending":    1,
		"limit=1":           1,
		"from_date=2026-03-01&to_date=2026-03-01": 1,
	} {
		call(t, s, "GET", "/api/v1/merchant/withdrawals/list?"+query, "").into(t, &page)
		fortest.Equal(t, len(page.Items), want, "withdrawals?%s items", query)
	}
}

func TestRequestLog(t *testing.T) {
	s := New(Config{})
	create(t, s)
	call(t, s, "GET", statusPath+"nobody", "")
	call(t, s, "GET", "/api/v1/merchant/nothing?a=b", "")
	var got []string
	for _, q := range s.Requests() {
		got = append(got,
			fmt.Sprintf("%s %s %d %t %s", q.Endpoint, q.Query, q.Status, q.Processed, q.Outcome))
	}
	want := []string{
		"create  200 true success",
		"status tracking_code=nobody 404 true Transaction not found.",
		" a=b 404 true The route could not be found.",
	}
	fortest.Diff(t, got, want, "log")
	text, err := json.Marshal(s.Requests())
	if err != nil || strings.Contains(string(text), DefaultKey) ||
		!strings.Contains(string(text), "X-Api-Key") {
		t.Errorf("log must name the key's header and not hold the key: %s, %v", text, err)
	}
	for range maxRequests {
		call(t, s, "GET", "/api/v1/merchant/currencies/list", "")
	}
	if all := s.Requests(); len(all) != maxRequests || all[0].Endpoint != "currencies" {
		t.Errorf("log holds %d, the oldest of %s", len(all), all[0].Endpoint)
	}
}
