package gateway

import (
	"context"
	"errors"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

const testKey = "mk_live_S3cr3tK3y-0123456789"

// newClientFor returns a client of url; its log is checked for the key when the test ends.
func newClientFor(t testing.TB, url string, change ...func(*Config)) *Client {
	t.Helper()
	book := new(fortest.Log)
	config := Config{
		URL: url, Key: testKey,
		Log: slog.New(slog.NewJSONHandler(book, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, f := range change {
		f(&config)
	}
	c := fortest.Must(New(config))(t)
	t.Cleanup(func() {
		c.Close()
		fortest.Lacks(t, "log holds the key", book.String(), testKey)
	})
	return c
}

// serve starts a server with that handler and returns a client of it.
func serve(t testing.TB, h http.HandlerFunc, change ...func(*Config)) *Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return newClientFor(t, server.URL, change...)
}

// serveText answers every request with HTTP 200 and that body.
func serveText(t testing.TB, body string) *Client {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) })
}

func within(d time.Duration) func(*Config) { return func(c *Config) { c.Timeout = d } }

func done(data string) string { return `{"status":200,"data":` + data + `,"message":"success"}` }

// recordJSON is a Transaction record as the gateway's page describes it.
const recordJSON = `{
	"order_id": 123456, "status": "pending", "tracking_code": "TRK1",
	"payment_url": "https://pay.example/TRK1", "currency_code": "usdt_trc20", "currency_name": "Tether",
	"network_code": "trc20", "network_name": "Tron", "pay_amount": "20.10000000", "amount_usd": "19.99000000",
	"platform_share": "0.20000000", "merchant_share": "19.79000000", "payment_fee_percent": 1,
	"payment_tolerance_percent": 0.5, "paid_amount": "", "is_canceled_by_user": false, "tx_id": "",
	"tx_explorer_url": "", "email": "a@b.example", "comment": "cs-abc", "paid_at": 0,
	"created_at": 1760000000, "expired_at": 1760001800 }`

// createdJSON is a Created transaction as the gateway's page describes it.
const createdJSON = `{
	"payment_url": "https://pay.example/TRK1", "tracking_code": "TRK1", "status": "pending", "order_id": 123456,
	"currency_name": "Tether", "currency_symbol": "USDT", "network": "TRON", "network_code": "trc20",
	"network_name": "Tron", "amount_usd": "19.99000000", "pay_amount": "20.10000000",
	"platform_share": "0.20000000", "merchant_share": "19.79000000", "payment_fee_percent": 1,
	"payment_tolerance_percent": 0.5, "wallet_address": "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE", "qr_code": "",
	"expired_at": 1760001800 }`

// edited returns a document with one text in it replaced.
func edited(t testing.TB, document, old, replacement string) string {
	t.Helper()
	body := strings.Replace(document, old, replacement, 1)
	if body == document {
		t.Fatalf("%s is not in the document", old)
	}
	return body
}

// wantRead fails unless a call whose answer could be read is done, and another one unknown.
func wantRead(t testing.TB, what string, err error, readable bool) {
	t.Helper()
	want := "unknown"
	if readable {
		want = "done"
	}
	if got := outcome(t, err); got != want {
		t.Errorf("%s: %s (%v); want %s", what, got, err, want)
	}
}

func goodCreate() payment.CreateRequest {
	return payment.CreateRequest{
		CurrencySymbol: "USDT",
		NetworkCode:    "trc20",
		AmountUSD:      dec("19.99"),
		TTL:            30,
		OrderID:        123456,
		Email:          "payer@shop.example",
		Comment:        "cs-abc O'Reilly; DROP TABLE",
		Marker:         "cs-abc",
		CallbackURL:    "https://shop.example/return",
	}
}

func dec(s string) decimal.Decimal { return decimal.RequireFromString(s) }

// outcome names the class of err: "done", "unknown" or the reason of a
// refusal. Any other error, and one that holds the key, fails the test.
func outcome(t testing.TB, err error) string {
	t.Helper()
	for e := err; e != nil; e = errors.Unwrap(e) {
		fortest.Lacks(t, "error holds the key", e.Error(), testKey)
	}
	if err == nil {
		return "done"
	}
	if refused, ok := errors.AsType[*payment.RefusedError](err); ok {
		return string(refused.Reason)
	}
	if unknown, ok := errors.AsType[*payment.UnknownError](err); ok && unknown.Err != nil {
		return "unknown"
	}
	t.Fatalf("error is neither refused nor unknown: %v", err)
	return ""
}

// everyCall is each endpoint once.
func everyCall() map[string]func(context.Context, *Client) error {
	return map[string]func(context.Context, *Client) error{
		"currencies": func(ctx context.Context, c *Client) error {
			_, err := c.Currencies(ctx)
			return err
		},
		"create": func(ctx context.Context, c *Client) error {
			_, err := c.Create(ctx, goodCreate())
			return err
		},
		"status": func(ctx context.Context, c *Client) error {
			_, err := c.Status(ctx, "TRK1")
			return err
		},
		"recheck": func(ctx context.Context, c *Client) error { return c.Recheck(ctx, "TRK1") },
		"cancel":  func(ctx context.Context, c *Client) error { return c.Cancel(ctx, "TRK1") },
		"transactions": func(ctx context.Context, c *Client) error {
			_, err := c.Transactions(ctx, payment.ListQuery{})
			return err
		},
		"withdrawals": func(ctx context.Context, c *Client) error {
			_, err := c.Withdrawals(ctx, payment.ListQuery{})
			return err
		},
	}
}

// wantEach fails for each endpoint whose call has another outcome, or an error without text.
func wantEach(t *testing.T, c *Client, want, text string) {
	t.Helper()
	for name, f := range everyCall() {
		err := f(t.Context(), c)
		got := outcome(t, err)
		if got != want || err != nil && !strings.Contains(err.Error(), text) {
			t.Errorf("%s at %s: %s (%v); want %s with %q", name, c.base, got, err, want, text)
		}
	}
}

// quiet is a server log for tests that break handshakes on purpose.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

func logTo(book *fortest.Log) func(*Config) {
	return func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(book, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
}
