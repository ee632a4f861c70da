package gateway

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"

	"github.com/google/go-cmp/cmp"
)

func wantRecord() payment.Record {
	return payment.Record{
		TrackingCode: "TRK1",
		Status:       "pending",
		OrderID:      123456,
		PaymentURL:   "https://pay.example/TRK1",
		CurrencyCode: "usdt_trc20",
		NetworkCode:  "trc20",
		AmountUSD:    dec("19.99"),
		PayAmount:    dec("20.1"),
		Comment:      "cs-abc",
		CreatedAt:    time.Unix(1760000000, 0).UTC(),
		ExpiresAt:    time.Unix(1760001800, 0).UTC(),

		PlatformShare: "0.20000000",
		MerchantShare: "19.79000000",
		FeePercent:    "1",
	}
}

func TestStatus(t *testing.T) {
	c, seen := record(t, done(recordJSON))
	got := fortest.Must(c.Status(t.Context(), "TRK1"))(t)
	fortest.Diff(t, got, wantRecord(), "Status")
	req := <-seen
	if req.method != "GET" || req.path != "/api/v1/merchant/transaction/status" || req.body != "" {
		t.Errorf("request is %s %s with body %q", req.method, req.path, req.body)
	}
	fortest.Diff(t, req.query, url.Values{"tracking_code": {"TRK1"}}, "query")
}

// TestStatusAnswers changes one member of a good record at a time.
func TestStatusAnswers(t *testing.T) {
	type rec = payment.Record
	paid := `"paid_amount": ""`
	for _, tt := range []struct {
		old, new string
		ok       bool
		check    func(rec) bool
	}{
		{
			paid,
			`"paid_amount": "20.10"`,
			true,
			func(r rec) bool {
				return r.PaidReadable && r.Paid.Equal(dec("20.1")) && r.PaidAmount == "20.10"
			},
		},
		{
			paid,
			`"paid_amount": 20.10`,
			true,
			func(r rec) bool { return r.PaidReadable && r.PaidAmount == "20.10" },
		},
		{
			paid,
			`"paid_amount": "0"`,
			true,
			func(r rec) bool { return r.PaidReadable && r.Paid.IsZero() },
		},
		{
			paid,
			`"paid_amount": null`,
			true,
			func(r rec) bool { return !r.PaidReadable && r.PaidAmount == "" },
		},
		{paid + `, `, ``, true, func(r rec) bool { return !r.PaidReadable && r.PaidAmount == "" }},
		{
			paid,
			`"paid_amount": "20.10 USDT"`,
			true,
			func(r rec) bool { return !r.PaidReadable && r.PaidAmount == "20.10 USDT" },
		},
		{
			paid,
			`"paid_amount": "2e1"`,
			true,
			func(r rec) bool { return !r.PaidReadable && r.Paid.IsZero() },
		},
		{
			paid,
			`"paid_amount": -20.1`,
			true,
			func(r rec) bool { return !r.PaidReadable && r.PaidAmount == "-20.1" },
		},
		{
			paid,
			`"paid_amount": {"usdt": [1.50, true]}`,
			true,
			func(r rec) bool { return !r.PaidReadable && r.PaidAmount == `{"usdt":[1.50,true]}` },
		},
		{
			`"status": "pending"`,
			`"status": "Confirmed"`,
			true,
			func(r rec) bool { return r.Status == "confirmed" },
		},
		{
			`"status": "pending"`,
			`"status": "completed"`,
			true,
			func(r rec) bool { return r.Status == "completed" },
		},
		{`"status": "pending"`, `"status": ""`, true, func(r rec) bool { return r.Status == "" }},
		{
			`"tracking_code": "TRK1"`,
			`"tracking_code": "OTHER"`,
			true,
			func(r rec) bool { return r.TrackingCode == "OTHER" },
		},
		{
			`"tracking_code": "TRK1"`,
			`"tracking_code": 123`,
			true,
			func(r rec) bool { return r.TrackingCode == "123" },
		},
		{
			`"is_canceled_by_user": false`,
			`"is_canceled_by_user": true`,
			true,
			func(r rec) bool { return r.CancelledByUser },
		},
		{
			`"is_canceled_by_user": false`,
			`"is_canceled_by_user": 1`,
			true,
			func(r rec) bool { return r.CancelledByUser },
		},
		{
			`"is_canceled_by_user": false`,
			`"is_canceled_by_user": "True"`,
			true,
			func(r rec) bool { return r.CancelledByUser },
		},
		{
			`"is_canceled_by_user": false`,
			`"is_canceled_by_user": "0"`,
			true,
			func(r rec) bool { return !r.CancelledByUser },
		},
		{
			`"is_canceled_by_user": false`,
			`"is_canceled_by_user": []`,
			true,
			func(r rec) bool { return !r.CancelledByUser },
		},
		{
			`"paid_at": 0`,
			`"paid_at": "2026-08-01T10:00:00+02:00"`,
			true,
			func(r rec) bool { return r.PaidAt.Equal(time.Date(2026, 8, 1, 8, 0, 0, 0, time.UTC)) },
		},
		{`"paid_at": 0`, `"paid_at": null`, true, func(r rec) bool { return r.PaidAt.IsZero() }},
		{`"tx_id": ""`, `"tx_id": null`, true, func(r rec) bool { return r.TxID == "" }},
		{`"tx_id": ""`, `"tx_id": "0xAbC"`, true, func(r rec) bool { return r.TxID == "0xAbC" }},
		{
			`"tx_explorer_url": ""`,
			`"tx_explorer_url": "javascript:x"`,
			true,
			func(r rec) bool { return r.TxURL == "javascript:x" },
		},
		{
			`"comment": "cs-abc"`,
			`"comment": "cs-abc\n\u0000\ud83d x"`,
			true,
			func(r rec) bool {
				return strings.HasPrefix(r.Comment, "cs-abc ") && strings.HasSuffix(r.Comment, " x")
			},
		},
		{
			`"currency_code": "usdt_trc20"`,
			`"currency_code": "USDT_TRC20"`,
			true,
			func(r rec) bool { return r.CurrencyCode == "USDT_TRC20" },
		},

		{`"tracking_code": "TRK1"`, `"tracking_code": null`, false, nil},
		{`"tracking_code": "TRK1",`, ``, false, nil},
		{`"status": "pending",`, ``, false, nil},
		{`"status": "pending"`, `"status": ["confirmed"]`, false, nil},
		{`"status": "pending"`, `"status": "pending", "Status": "confirmed"`, false, nil},
		{`"currency_code": "usdt_trc20"`, `"currency_code": {}`, false, nil},
		{`"amount_usd": "19.99000000"`, `"amount_usd": ""`, false, nil},
		{`"amount_usd": "19.99000000"`, `"amount_usd": "1e1"`, false, nil},
		{`"pay_amount": "20.10000000",`, ``, false, nil},
		{`"pay_amount": "20.10000000"`, `"pay_amount": false`, false, nil},
		{`"order_id": 123456`, `"order_id": 1.5`, false, nil},
	} {
		body := edited(t, recordJSON, tt.old, tt.new)
		got, err := serveText(t, done(body)).Status(t.Context(), "TRK1")
		wantRead(t, "Status with "+tt.new, err, tt.ok)
		if err == nil && tt.check != nil && !tt.check(got) {
			t.Errorf("Status with %s = %+v", tt.new, got)
		}
	}
}

func TestTrackingCodeLimits(t *testing.T) {
	c := serve(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s was sent", r.URL) })
	for _, code := range []string{
		"", "a b", "a/b", "../x", "a&b=c", "a%20", "é", "a\n", strings.Repeat("a", 129),
	} {
		_, err := c.Status(t.Context(), code)
		for name, err := range map[string]error{
			"status":  err,
			"recheck": c.Recheck(t.Context(), code),
			"cancel":  c.Cancel(t.Context(), code),
		} {
			fortest.Equal(t, outcome(t, err), "invalid", "%s of %q", name, code)
		}
	}
}

func TestCancelAndRecheck(t *testing.T) {
	for name, want := range map[string]sent{
		"cancel": {
			"POST",
			"/api/v1/merchant/transaction/cancel",
			`{"tracking_code":"TRK1"}`,
			"application/json",
			url.Values{"tracking_code": {"TRK1"}},
		},
		"recheck": {
			"GET",
			"/api/v1/merchant/transaction/recheck",
			"",
			"",
			url.Values{"tracking_code": {"TRK1"}},
		},
	} {
		c, seen := record(t, done(recordJSON))
		fortest.OK(t, everyCall()[name](t.Context(), c))
		if d := cmp.Diff(want, <-seen, cmp.AllowUnexported(sent{})); d != "" {
			t.Errorf("%s request (-want +got):\n%s", name, d)
		}
		for data, want := range map[string]string{
			`{}`: "done", `{"pay_amount":true}`: "done", `{"tracking_code":"TRK2"}`: "unknown",
			`{"tracking_code":{}}`: "unknown",
			`[]`:                   "unknown",
			`null`:                 "unknown",
			`"ok"`:                 "unknown",
		} {
			fortest.Equal(t, outcome(t, everyCall()[name](t.Context(), serveText(t, done(data)))),
				want, "%s answered %s", name, data)
		}
	}
}

func day(m time.Month, d int) time.Time { return time.Date(2026, m, d, 23, 59, 59, 0, time.UTC) }

func TestTransactions(t *testing.T) {
	pages := `"pagination":{"page":"2","limit":50,"total":77,"last_page":"2"}`
	old := strings.NewReplacer(`"20.10000000"`, `null`, `"TRK1"`, `"TRK0"`).Replace(recordJSON)
	c, seen := record(t, done(`{"items":[`+recordJSON+`,`+old+`],`+pages+`}`))
	got := fortest.Must(c.Transactions(t.Context(), payment.ListQuery{
		Limit: 50, Page: 2, From: day(7, 31), To: day(8, 30), Status: "expired",
	}))(t)
	second := wantRecord()
	second.TrackingCode, second.PayAmount = "TRK0", dec("0")
	want := payment.RecordPage{
		Items:    []payment.Record{wantRecord(), second},
		Page:     2,
		LastPage: 2,
		Total:    77,
	}
	fortest.Diff(t, got, want, "Transactions")
	wantSent := sent{method: "GET", path: "/api/v1/merchant/transaction/list", query: url.Values{
		"limit":     {"50"},
		"page":      {"2"},
		"from_date": {"2026-07-31"},
		"to_date":   {"2026-08-30"},
		"status":    {"expired"},
	}}
	if d := cmp.Diff(wantSent, <-seen, cmp.AllowUnexported(sent{})); d != "" {
		t.Errorf("request (-want +got):\n%s", d)
	}
}

func TestTransactionsAnswers(t *testing.T) {
	page := `"pagination":{"page":1,"limit":50,"total":0,"last_page":1}`
	for data, want := range map[string]string{
		`{"items":[],` + page + `}`:                                         "done",
		`{"items":[],"pagination":{"last_page":0}}`:                         "done",
		`{"items":null,` + page + `}`:                                       "unknown",
		`{"items":{},` + page + `}`:                                         "unknown",
		`{` + page + `}`:                                                    "unknown",
		`{"items":[1],` + page + `}`:                                        "unknown",
		`{"items":[{}],` + page + `}`:                                       "unknown",
		`{"items":[` + recordJSON + `,null],` + page + `}`:                  "unknown",
		`{"items":[]}`:                                                      "unknown",
		`{"items":[],"pagination":null}`:                                    "unknown",
		`{"items":[],"pagination":[]}`:                                      "unknown",
		`{"items":[],"pagination":{"page":1}}`:                              "unknown",
		`{"items":[],"pagination":{"page":1,"last_page":"many"}}`:           "unknown",
		`{"items":[],"pagination":{"page":1,"last_page":-1}}`:               "unknown",
		`{"items":[],"pagination":{"page":1,"last_page":1,"Last_Page":99}}`: "unknown",
		`{"items":[` + strings.Replace(recordJSON, `"19.99000000"`, `"x"`, 1) + `],` + page +
			`}`: "unknown",
	} {
		got, err := serveText(t, done(data)).Transactions(t.Context(), payment.ListQuery{})
		if o := outcome(t, err); o != want {
			t.Errorf("Transactions answered %.80s: %s (%v); want %s", data, o, err, want)
		}
		if err == nil && got.Items == nil {
			t.Errorf("Transactions answered %.80s: nil items", data)
		}
	}
}

func TestListLimits(t *testing.T) {
	east := time.FixedZone("east", 14*3600)
	for i, tt := range []struct {
		q    payment.ListQuery
		want string
	}{
		{payment.ListQuery{}, "done"},
		{payment.ListQuery{Limit: 1, Page: 1}, "done"},
		{payment.ListQuery{Limit: 50, Page: 1 << 30}, "done"},
		{payment.ListQuery{Limit: 51}, "invalid"},
		{payment.ListQuery{Limit: -1}, "invalid"},
		{payment.ListQuery{Page: -1}, "invalid"},
		{payment.ListQuery{From: day(8, 1), To: day(8, 1)}, "done"},
		{
			payment.ListQuery{From: day(8, 1), To: day(8, 1).Add(-time.Hour)},
			"done",
		}, // the same date
		{payment.ListQuery{From: day(8, 1), To: day(8, 31)}, "done"},
		{payment.ListQuery{From: day(8, 1), To: day(9, 1)}, "invalid"},
		{payment.ListQuery{From: day(8, 2), To: day(8, 1)}, "invalid"},
		{payment.ListQuery{From: day(8, 1)}, "invalid"},
		{payment.ListQuery{To: day(8, 1)}, "invalid"},
		{payment.ListQuery{From: day(8, 1).In(east), To: day(9, 1)}, "done"}, // 2 August there
		{payment.ListQuery{Status: "pending"}, "done"},
		{payment.ListQuery{Status: "Pending"}, "invalid"},
		{payment.ListQuery{Status: "processing"}, "invalid"},
	} {
		c := serveText(t, done(`{"items":[],"pagination":{"last_page":1}}`))
		_, err := c.Transactions(t.Context(), tt.q)
		if got := outcome(t, err); got != tt.want {
			t.Errorf("%d: Transactions(%+v): %s (%v); want %s", i, tt.q, got, err, tt.want)
		}
	}
}

// TestLogLine: one line per call, with nothing of the answer or the payer.
func TestLogLine(t *testing.T) {
	server := func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(422)
		fmt.Fprintf(w, `{"status":422,"message":"secret words %s payer@shop.example"}`, testKey)
	}
	book := new(fortest.Log)
	c := serve(t, server, logTo(book))
	_, _ = c.Create(t.Context(), goodCreate())
	line := book.String()
	if strings.Count(line, "\n") != 1 ||
		!strings.Contains(line, `endpoint=create outcome="refused: refused" status=422 took=`) {
		t.Errorf("log = %q; want one line", line)
	}
	fortest.Lacks(t, "log", line, testKey, "secret words", "payer@", "cs-abc", "shop.example")
	quietCall := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, done("[]"))
	},
		func(c *Config) { c.Log = nil })
	fortest.Must(quietCall.Currencies(t.Context()))(t)
}

func BenchmarkStatusDecode(b *testing.B) {
	a := answer{status: 200, body: []byte(done(recordJSON))}
	c := newClientFor(b, "https://gateway.example")
	b.SetBytes(int64(len(a.body)))
	b.ReportAllocs()
	for b.Loop() {
		data := fortest.Must(c.judge(call{}, a))(b)
		fortest.Must(readStatus(data))(b)
	}
}

const withdrawalJSON = `{"tracking_code":"W1","currency_name":"Tether","network_name":"Tron",
	"destination_address":"TQn9","amount_usd":"$1,250.50","status":"Processing","tx_id":"","tx_explorer_url":null,
	"created_at":1760000000}`

func TestWithdrawals(t *testing.T) {
	c, seen := record(
		t,
		done(`{"items":[`+withdrawalJSON+
			`],"pagination":{"page":1,"limit":10,"total":1,"last_page":1}}`),
	)
	got := fortest.Must(c.Withdrawals(t.Context(), payment.ListQuery{
		Limit: 10, Page: 1, From: day(8, 1), To: day(8, 2), Status: "processing",
	}))(t)
	want := gatewaylist.Page[gatewaylist.Withdrawal]{
		Paging: gatewaylist.Paging{Page: 1, Limit: 10, LastPage: 1, Total: 1},
		Items: []gatewaylist.Withdrawal{{
			TrackingCode: "W1", CurrencyName: "Tether", NetworkName: "Tron", Destination: "TQn9",
			AmountText: "$1,250.50", AmountUSD: dec("1250.5"), AmountKnown: true,
			Status: "processing", CreatedAt: time.Unix(1760000000, 0).UTC(),
		}}}
	fortest.Diff(t, got, want, "Withdrawals")
	wantSent := sent{method: "GET", path: "/api/v1/merchant/withdrawals/list", query: url.Values{
		"limit":     {"10"},
		"page":      {"1"},
		"from_date": {"2026-08-01"},
		"to_date":   {"2026-08-02"},
		"status":    {"processing"},
	}}
	if d := cmp.Diff(wantSent, <-seen, cmp.AllowUnexported(sent{})); d != "" {
		t.Errorf("request (-want +got):\n%s", d)
	}
}

func TestWithdrawalLimitsAndAnswers(t *testing.T) {
	c := serveText(
		t,
		done(`{"items":[`+strings.Replace(withdrawalJSON, `"$1,250.50"`, `[]`, 1)+
			`],"pagination":{"last_page":1}}`),
	)
	got, err := c.Withdrawals(t.Context(), payment.ListQuery{})
	if err != nil || got.Items[0].AmountKnown {
		t.Errorf("Withdrawals = %+v, %v; want an unknown amount", got, err)
	}
	_, err = c.Withdrawals(t.Context(), payment.ListQuery{Status: "expired"})
	fortest.Equal(t, outcome(t, err), "invalid", "Withdrawals of status expired")
	_, err = serveText(t, done(`{"items":[7],"pagination":{"last_page":1}}`)).Withdrawals(
		t.Context(),
		payment.ListQuery{},
	)
	fortest.Equal(t, outcome(t, err), "unknown", "Withdrawals of a number")
}

func TestParseDollars(t *testing.T) {
	for in, want := range map[string]string{
		"$12.50":        "12.5",
		"$1,250.00":     "1250",
		"$1,234,567.89": "1234567.89",
		"1250":          "1250",
		"1250.5":        "1250.5",
		"$0.00":         "0",
		"":              "",
		"$":             "",
		"$$1":           "",
		"-$1.00":        "",
		"$-1":           "",
		"$12,50":        "",
		"$1,2345":       "",
		"$,123":         "",
		"$1,":           "",
		"$1.2.3":        "",
		"1234,567":      "", "12.50 USD": "", "€12.50": "", "$1e3": "", "$1,234.": "", "$.5": "",
	} {
		got, ok := parseDollars(in)
		if ok != (want != "") || ok && !got.Equal(dec(want)) {
			t.Errorf("parseDollars(%q) = %s, %t; want %q", in, got, ok, want)
		}
	}
}
