package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/big"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"coinslot/bff/fortest"
	"coinslot/bff/gateway"
	"coinslot/bff/payment"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/shopspring/decimal"
)

// The targets here give whole HTTP answers to a client and compare what it
// makes of them with an independent reading by another JSON decoder. What must
// never happen: an answer that proves nothing counts as done or as refused, a
// value that was not in the answer appears, or a value changes on its way.

const fuzzKey = "mk_live_fuzz-0123456789"

// canned is a transport that gives one answer to everything.
type canned struct {
	status int
	header http.Header
	body   []byte
}

func (c *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: c.status,
		Header:     c.header,
		Body:       io.NopCloser(bytes.NewReader(c.body)),
		Request:    r,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: int64(len(c.body)),
	}, nil
}

// cannedClient returns a client that gets what is put into the canned.
func cannedClient(f *testing.F) (*canned, *gateway.Client) {
	f.Helper()
	answer := &canned{header: http.Header{}}
	c := fortest.Must(gateway.New(gateway.Config{
		URL: "https://gateway.example", Key: fuzzKey, Transport: answer,
		Now: func() time.Time { return fuzzNow },
	}))(f)
	return answer, c
}

var fuzzNow = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// say makes the next answer and returns what reads it elsewhere.
func (c *canned) say(status int, body []byte) *reading {
	c.status, c.body = status, body
	return &reading{http: status, body: body}
}

// reading is an independent reading of an answer. json/v2 matches names
// exactly and refuses repeated ones by itself.
type reading struct {
	http     int
	body     []byte
	read     bool // the fields below are set: only what claims something is read twice
	clean    bool // one JSON document of the envelope's shape
	envelope struct {
		Status jsontext.Value `json:"status"`
		Data   jsontext.Value `json:"data"`
	}
}

func (r *reading) look() {
	if !r.read {
		r.read = true
		r.clean = utf8.Valid(r.body) &&
			json.Unmarshal(r.body, &r.envelope, jsontext.AllowInvalidUTF8(true)) == nil
	}
}

// done reports whether the answer may count as done.
func (r *reading) done() bool {
	r.look()
	status := string(r.envelope.Status)
	return r.http/100 == 2 && r.clean && (status == "200" || plainText(r.envelope.Status) == "200")
}

// refused reports whether the answer may count as refused.
func (r *reading) refused() bool {
	switch r.http {
	case 401, 429:
		return true
	}
	r.look()
	n, err := strconv.Atoi(string(r.envelope.Status))
	return (r.http/100 == 2 || r.http/100 == 4) && r.http != 408 && r.http != 425 &&
		r.clean && err == nil && n/100 == 4 && n != 408 && n != 425
}

// object reads a JSON object's members; nil if it is none.
func object(v jsontext.Value) map[string]jsontext.Value {
	var members map[string]jsontext.Value
	if v.Kind() != '{' || json.Unmarshal(v, &members, jsontext.AllowInvalidUTF8(true)) != nil {
		return nil
	}
	return members
}

// plainText is what a JSON string or number says, "" for anything else.
func plainText(v jsontext.Value) string {
	switch v.Kind() {
	case '0':
		return strings.TrimSpace(string(v))
	case '"':
		var s string
		if json.Unmarshal(v, &s, jsontext.AllowInvalidUTF8(true)) != nil {
			return ""
		}
		return s
	}
	return ""
}

// judged holds an outcome against the reading and reports whether it is done.
func judged(t *testing.T, r *reading, err error) bool {
	t.Helper()
	refused, no := errors.AsType[*payment.RefusedError](err)
	unknown, open := errors.AsType[*payment.UnknownError](err)
	switch {
	case err == nil:
		if !r.done() {
			t.Fatalf("done with HTTP %d and envelope status %s", r.http, r.envelope.Status)
		}
		return true
	case no && !r.refused():
		t.Fatalf("refused (%s) with HTTP %d and envelope status %s", refused.Reason, r.http,
			r.envelope.Status)
	case no == open:
		t.Fatalf("error is neither refused nor unknown: %v", err)
	case open && unknown.Err == nil:
		t.Fatal("unknown without a cause")
	}
	text := err.Error()
	if len(text) > 2000 || strings.Contains(text, fuzzKey) ||
		strings.ContainsAny(text, "\r\n\x00") {
		t.Fatalf("error is long, shows the key or breaks a line: %q", text)
	}
	return false
}

// exactly fails if d is not the number that v writes out. Absent stands for
// zero where the caller allows it.
func exactly(t *testing.T, name string, d decimal.Decimal, v jsontext.Value, absent bool) {
	t.Helper()
	text := plainText(v)
	if absent && text == "" && (v == nil || v.Kind() == 'n' || string(v) == `""`) {
		text = "0"
	}
	digits := "0123456789."
	if v.Kind() == '0' { // a JSON number may have an exponent
		digits += "eE+-"
	}
	want, ok := new(big.Rat).SetString(text)
	if !ok || strings.Trim(text, digits) != "" || want.Cmp(d.Rat()) != 0 {
		t.Fatalf("%s is %s, but the answer says %s", name, d, v)
	}
}

// writes reports whether text is v as it was written, less an exponent.
func writes(text string, v jsontext.Value) bool {
	if v.Kind() == '0' && bytes.ContainsAny(v, "eE") {
		return !strings.ContainsAny(text, "eE")
	}
	return text == plainText(v)
}

// known fails if a status of the protocol was made of another one.
func known(t *testing.T, got string, v jsontext.Value) {
	t.Helper()
	said := strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, strings.TrimSpace(plainText(v)))
	if slices.Contains([]string{"pending", "confirmed", "expired", "cancelled"}, got) &&
		got != said {
		t.Fatalf("status %q was read from %s", got, v)
	}
}

// plausible fails for a time that is neither unset nor of this century.
func plausible(t *testing.T, at time.Time) {
	t.Helper()
	if !at.IsZero() && (at.Year() < 2009 || at.Year() > 2099) || at.Location() != time.UTC {
		t.Fatalf("time %v", at)
	}
}

// stamp writes a time so that it is read back; zero as 0.
func stamp(at time.Time) jsontext.Value {
	if at.IsZero() {
		return jsontext.Value("0")
	}
	return jsontext.Value(strconv.FormatInt(at.UnixNano(), 10))
}

func encode(t *testing.T, data any) []byte {
	t.Helper()
	return fortest.Must(json.Marshal(map[string]any{
		"status":  200,
		"data":    data,
		"message": "success",
	}))(t)
}

const goodCreated = `{"payment_url":"https://pay.example/TRK1","tracking_code":"TRK1","status":"pending","order_id":123456,` +
	`"currency_name":"Tether","currency_symbol":"USDT","network":"TRON","network_code":"trc20","network_name":"Tron",` +
	`"amount_usd":"19.99000000","pay_amount":"20.10000000","platform_share":"0.2","merchant_share":"19.79",` +
	`"payment_fee_percent":1,"payment_tolerance_percent":0.5,"wallet_address":"TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE","qr_code":"","expired_at":1795262400}`

const goodRecord = `{"order_id":123456,"status":"pending","tracking_code":"TRK1","payment_url":"https://pay.example/TRK1",` +
	`"currency_code":"usdt_trc20","network_code":"trc20","pay_amount":"20.10000000","amount_usd":"19.99000000","paid_amount":"",` +
	`"is_canceled_by_user":false,"tx_id":"","tx_explorer_url":"","comment":"cs-abc","paid_at":0,"created_at":1795262400,"expired_at":1795264200}`

const goodPage = `{"items":[` + goodRecord +
	`],"pagination":{"page":1,"limit":50,"total":1,"last_page":1}}`

func inEnvelope(data string) string {
	return `{"status":200,"data":` + data + `,"message":"success"}`
}

// FuzzCreateAnswer: the answer whose misreading costs most. Done means every
// value is exactly the answer's, and that the same values, written anew, are
// done again; otherwise no value comes back at all.
func FuzzCreateAnswer(f *testing.F) {
	for _, data := range []string{
		goodCreated, "{}", "[]", "null", strings.Replace(goodCreated, `"19.99000000"`, "19.99", 1),
	} {
		f.Add(200, []byte(inEnvelope(data)))
	}
	f.Add(422, []byte(`{"status":422,"data":null,"message":"no"}`))
	answer, c := cannedClient(f)
	request := payment.CreateRequest{
		CurrencySymbol: "USDT",
		NetworkCode:    "trc20",
		AmountUSD:      decimal.New(1999, -2),
		TTL:            30,
	}
	ctx := context.Background()
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		r := answer.say(status, body)
		got, err := c.Create(ctx, request)
		if !judged(t, r, err) {
			if got != (payment.Created{}) {
				t.Fatalf("not done, but %+v", got)
			}
			return
		}
		said := object(r.envelope.Data)
		exactly(t, "amount_usd", got.AmountUSD, said["amount_usd"], false)
		exactly(t, "pay_amount", got.PayAmount, said["pay_amount"], false)
		known(t, got.Status, said["status"])
		plausible(t, got.ExpiresAt)
		if got.TrackingCode == "" || len(got.TrackingCode) > 128 ||
			got.TrackingCode != plainText(said["tracking_code"]) ||
			got.Address != plainText(said["wallet_address"]) ||
			!writes(got.PayAmountText, said["pay_amount"]) {
			t.Fatalf("%+v of %s", got, body)
		}
		if got.OrderID < 0 || got.TolerancePercent.IsNegative() ||
			strings.ContainsAny(got.PaymentURL+got.Address+got.CurrencyName+got.NetworkName,
				"\x00\r\n") {
			t.Fatalf("%+v of %s", got, body)
		}
		answer.say(200, encode(t, canonicalCreated(got)))
		again, err := c.Create(ctx, request)
		if err != nil || !sameCreated(got, again) {
			t.Fatalf("%+v written anew is %+v, %v", got, again, err)
		}
	})
}

func canonicalCreated(c payment.Created) map[string]any {
	return map[string]any{
		"tracking_code":             c.TrackingCode,
		"payment_url":               c.PaymentURL,
		"status":                    c.Status,
		"order_id":                  c.OrderID,
		"currency_name":             c.CurrencyName,
		"currency_symbol":           c.CurrencySymbol,
		"network_code":              c.NetworkCode,
		"network_name":              c.NetworkName,
		"amount_usd":                c.AmountUSD.StringFixed(30),
		"pay_amount":                c.PayAmountText,
		"payment_tolerance_percent": c.TolerancePercent.StringFixed(30),
		"wallet_address":            c.Address,
		"expired_at":                stamp(c.ExpiresAt),
	}
}

func sameCreated(a, b payment.Created) bool {
	same := a.AmountUSD.Equal(b.AmountUSD) && a.PayAmount.Equal(b.PayAmount) &&
		a.TolerancePercent.Equal(b.TolerancePercent)
	for _, c := range []*payment.Created{&a, &b} {
		c.AmountUSD = decimal.Decimal{}
		c.PayAmount = decimal.Decimal{}
		c.TolerancePercent = decimal.Decimal{}
	}
	return same && a == b
}

// FuzzStatusAnswer: a record is evidence for the confirm gate, and the answers
// to cancel and recheck may not be about another transaction.
func FuzzStatusAnswer(f *testing.F) {
	for _, data := range []string{
		goodRecord, strings.Replace(goodRecord, `"paid_amount":""`, `"paid_amount":20.1`, 1),
		`{"tracking_code":"TRK2"}`, "[]",
	} {
		f.Add(200, []byte(inEnvelope(data)))
	}
	f.Add(404, []byte(`{"status":404,"message":"no"}`))
	answer, c := cannedClient(f)
	ctx := context.Background()
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		r := answer.say(status, body)
		got, err := c.Status(ctx, "TRK1")
		if judged(t, r, err) {
			checkRecord(t, got, object(r.envelope.Data), false)
		} else if got != (payment.Record{}) {
			t.Fatalf("not done, but %+v", got)
		}
		if !r.done() {
			return // both judge an answer as Status does
		}
		for _, err := range []error{c.Cancel(ctx, "TRK1"), c.Recheck(ctx, "TRK1")} {
			if !judged(t, r, err) {
				continue
			}
			said := object(r.envelope.Data)
			code := plainText(said["tracking_code"])
			if said == nil || code != "" && code != "TRK1" {
				t.Fatalf("done by the record of %q", code)
			}
		}
	})
}

// checkRecord holds a record against the object that it was read from. In a
// list, amounts may be absent.
func checkRecord(t *testing.T, got payment.Record, said map[string]jsontext.Value, listed bool) {
	t.Helper()
	exactly(t, "amount_usd", got.AmountUSD, said["amount_usd"], listed)
	exactly(t, "pay_amount", got.PayAmount, said["pay_amount"], listed)
	known(t, got.Status, said["status"])
	if got.TrackingCode == "" || got.TrackingCode != plainText(said["tracking_code"]) ||
		got.OrderID < 0 {
		t.Fatalf("record %+v of %s", got, said)
	}
	if got.PaidReadable {
		exactly(t, "paid_amount", got.Paid, said["paid_amount"], false)
	} else if !got.Paid.IsZero() {
		t.Fatalf("unreadable paid_amount %q is %s", got.PaidAmount, got.Paid)
	}
	if strings.ContainsAny(got.TxID+got.TxURL+got.PaymentURL+got.Comment, "\x00\r\n") {
		t.Fatalf("record %+v breaks a line", got)
	}
	for _, at := range []time.Time{got.PaidAt, got.CreatedAt, got.ExpiresAt} {
		plausible(t, at)
	}
}

// FuzzListAnswer: a page that is done holds every row of the answer, and says
// how many pages there are; otherwise a search in it would prove nothing.
func FuzzListAnswer(f *testing.F) {
	for _, data := range []string{
		goodPage, `{"items":[],"pagination":{"last_page":0}}`, `{"items":null,"pagination":{}}`,
		`{"items":[{}],"pagination":{"last_page":1}}`, "[]",
	} {
		f.Add(200, []byte(inEnvelope(data)))
	}
	f.Add(
		200,
		[]byte(inEnvelope(`{"items":[{"tracking_code":"W1","amount_usd":"$1,250.00","status":"Processing"}],"pagination":{"page":1,"total":1,"last_page":1}}`)),
	)
	answer, c := cannedClient(f)
	ctx := context.Background()
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		r := answer.say(status, body)
		page, err := c.Transactions(ctx, payment.ListQuery{})
		if judged(t, r, err) {
			rows := checkPage(t, r, len(page.Items), page.Page, page.LastPage, page.Total)
			for i, item := range page.Items {
				checkRecord(t, item, object(rows[i]), true)
			}
		} else if page.Items != nil || page.LastPage != 0 {
			t.Fatalf("not done, but %+v", page)
		}
		if !r.done() {
			return // judged as the other list is
		}
		payouts, err := c.Withdrawals(ctx, payment.ListQuery{})
		if judged(t, r, err) {
			for _, w := range payouts.Items {
				if w.AmountUSD.IsNegative() || !w.AmountKnown && !w.AmountUSD.IsZero() {
					t.Fatalf("withdrawal %+v", w)
				}
			}
		}
	})
}

// checkPage holds a page that is done against its answer, and returns the rows.
func checkPage(t *testing.T, r *reading, items, page, last, total int) (rows []jsontext.Value) {
	t.Helper()
	data := object(r.envelope.Data)
	if json.Unmarshal(data["items"], &rows, jsontext.AllowInvalidUTF8(true)) != nil {
		t.Fatalf("done without items: %s", data)
	}
	if _, paged := object(data["pagination"])["last_page"]; !paged || data["items"].Kind() != '[' {
		t.Fatalf("done without items or last_page: %s", data)
	}
	if len(rows) != items || page < 0 || last < 0 || total < 0 {
		t.Fatalf("%d items of %d rows, page %d of %d, %d in all", items, len(rows), page, last,
			total)
	}
	return rows
}

// FuzzCurrencyList: what cannot be read is left out, never offered with bounds
// that the answer does not have.
func FuzzCurrencyList(f *testing.F) {
	const network = `{"network_name":"Tron","network_code":"trc20","network_fee":1,"minimum_pay_usd":1.50,"maximum_pay_usd":"1000","max_ttl":60}`
	for _, data := range []string{
		`[{"currency_name":"Tether","currency_symbol":"USDT","price_in_usdt":1,"supported_networks":[` +
			network + `]}]`,
		`[{"currency_symbol":"a b"},{"currency_symbol":"TON","supported_networks":null}]`, "{}",
		"[[]]",
	} {
		f.Add(200, []byte(inEnvelope(data)))
	}
	answer, c := cannedClient(f)
	ctx := context.Background()
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		r := answer.say(status, body)
		list, err := c.Currencies(ctx)
		if !judged(t, r, err) {
			return
		}
		for _, currency := range list {
			if !sendable(currency.Symbol) || currency.PriceInUSDT.IsNegative() {
				t.Fatalf("currency %+v", currency)
			}
			for _, n := range currency.Networks {
				if !sendable(n.Code) || n.MaxTTL < 0 || n.MinimumUSD.IsNegative() ||
					n.MaximumUSD.IsNegative() || n.Fee.IsNegative() {
					t.Fatalf("network %+v", n)
				}
				if n.MinimumUSD.IsPositive() &&
					!bytes.Contains(r.envelope.Data, []byte("minimum_pay_usd")) &&
					!bytes.ContainsRune(body, '\\') {
					t.Fatalf("minimum %s of nothing", n.MinimumUSD)
				}
			}
		}
	})
}

// sendable reports whether a name of the list can be sent back in a create.
func sendable(s string) bool {
	return s != "" && len(s) <= 32 &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}

// FuzzRetryAfter: no header makes the client wait long, and digits are believed digit for digit.
func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{
		"", "0", "7", "301", "-1", "1e3", strings.Repeat("9", 60), "Sat, 21 Nov 2026 12:01:30 GMT",
		"Sat, 32 Nov 2026 12:00:00 GMT",
	} {
		f.Add(s)
	}
	answer, c := cannedClient(f)
	ctx := context.Background()
	f.Fuzz(func(t *testing.T, header string) {
		answer.header.Set("Retry-After", header)
		answer.say(http.StatusTooManyRequests, nil)
		_, err := c.Status(ctx, "TRK1")
		refused, ok := errors.AsType[*payment.RefusedError](err)
		if !ok || refused.Reason != payment.ReasonBusy {
			t.Fatalf("Status = %v; want busy", err)
		}
		got := refused.RetryAfter
		if got != 0 && (got < time.Second || got > 5*time.Minute) {
			t.Fatalf("Retry-After %q is %v", header, got)
		}
		if n, err := strconv.ParseUint(header, 10, 32); err == nil && header[0] != '+' {
			want := min(max(time.Duration(n)*time.Second, time.Second), 5*time.Minute)
			if got != want {
				t.Fatalf("Retry-After %q is %v; want %v", header, got, want)
			}
		}
	})
}

// FuzzCallback: the address that the gateway sends a payer's browser to is
// https at a public host, without a name and password in front of it.
func FuzzCallback(f *testing.F) {
	for _, s := range []string{
		"https://shop.example/return", "http://shop.example", "https://user@shop.example",
		"https://127.1/", "https://[::ffff:10.0.0.1]/", "https://localhost/",
		`https://a.example\@b.example/`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if !gateway.ValidCallback(raw) {
			return
		}
		u, err := url.Parse(raw)
		if err != nil || u.Scheme != "https" || u.User != nil || u.Opaque != "" ||
			len(raw) > 1000 || strings.ContainsAny(raw, "\r\n\t\x00") {
			t.Fatalf("ValidCallback(%q): %+v, %v", raw, u, err)
		}
		if strings.ContainsAny(u.Host, `\@/?# `) || !strings.ContainsAny(u.Hostname(), ".:") {
			t.Fatalf("ValidCallback(%q): host %q", raw, u.Host)
		}
		if ip, err := netip.ParseAddr(u.Hostname()); err == nil &&
			(ip.Unmap().IsPrivate() || ip.Unmap().IsLoopback() || ip.Unmap().IsLinkLocalUnicast() ||
				ip.Unmap().IsMulticast()) {
			t.Fatalf("ValidCallback(%q): address %v", raw, ip)
		}
		again, err := url.Parse(u.String())
		if err != nil || again.Host != u.Host ||
			!gateway.ValidCallback(u.String()) && len(u.String()) <= 1000 {
			t.Fatalf("ValidCallback(%q), but not of %q", raw, u)
		}
	})
}
