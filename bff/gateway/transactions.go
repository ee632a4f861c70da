package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

// Status returns the record of one transaction. That it is the one asked for
// is for the caller to check; see the confirm gate.
//
// Errors: *[payment.RefusedError], with ReasonAbsent if there is no such transaction of this
// merchant; *[payment.UnknownError], also for a record without readable amounts.
//
// Source: gateway-api.md, "GET /api/v1/merchant/transaction/status".
func (c *Client) Status(ctx context.Context, trackingCode string) (payment.Record, error) {
	if !validTracking(trackingCode) {
		return payment.Record{}, invalid(errTracking)
	}
	k := call{
		name: "status", method: http.MethodGet, path: "/api/v1/merchant/transaction/status",
		query: url.Values{"tracking_code": {trackingCode}}, single: true,
	}
	return fetch(ctx, c, k, func(data any) (payment.Record, error) {
		return readRecord(data, (*fields).money)
	})
}

// Recheck asks the gateway to verify an expired or cancelled transaction on the chain again. It is
// a GET that does something, so it is sent on a connection of its own, once. Read Status
// afterwards: the answer's status is not defined.
//
// Errors: those of Status.
//
// Source: gateway-api.md, "GET /api/v1/merchant/transaction/recheck".
func (c *Client) Recheck(ctx context.Context, trackingCode string) error {
	if !validTracking(trackingCode) {
		return invalid(errTracking)
	}
	k := call{
		name: "recheck", method: http.MethodGet, path: "/api/v1/merchant/transaction/recheck",
		query: url.Values{"tracking_code": {trackingCode}}, effect: true, single: true,
	}
	return c.do(ctx, k, checkSame(trackingCode))
}

// Cancel asks for a pending transaction to be cancelled. Read Status afterwards, as for Recheck.
//
// Errors: those of Status.
//
// Source: gateway-api.md, "POST /api/v1/merchant/transaction/cancel".
func (c *Client) Cancel(ctx context.Context, trackingCode string) error {
	if !validTracking(trackingCode) {
		return invalid(errTracking)
	}
	body, err := json.Marshal(map[string]string{"tracking_code": trackingCode})
	if err != nil {
		return invalid(err)
	}
	k := call{
		name: "cancel", method: http.MethodPost, path: "/api/v1/merchant/transaction/cancel",
		query: url.Values{"tracking_code": {trackingCode}}, body: body, effect: true, single: true,
	}
	return c.do(ctx, k, checkSame(trackingCode))
}

// Transactions returns one page of the merchant's transactions. From and To are sent as the
// calendar dates that they have in their own locations. In a list an amount that is absent or empty
// is zero: lists are no evidence, and one old row must not hide the others. Items is never nil.
//
// Errors: *[payment.RefusedError], with ReasonInvalid if q breaks a
// documented limit; *[payment.UnknownError], also if any item or the last
// page's number cannot be read: a search in such a page would prove nothing.
//
// Source: gateway-api.md, "GET /api/v1/merchant/transaction/list".
func (c *Client) Transactions(
	ctx context.Context, q payment.ListQuery,
) (payment.RecordPage, error) {
	k, err := listCall(q)
	if err != nil {
		return payment.RecordPage{}, err
	}
	return fetch(ctx, c, k, readPage)
}

// listCall is the request for a page of the list. Errors: q breaks a documented limit.
func listCall(q payment.ListQuery) (call, error) {
	if err := checkList(q, "pending", "confirmed", "expired", "cancelled"); err != nil {
		return call{}, invalid(err)
	}
	return call{
		name: "transactions", method: http.MethodGet, path: "/api/v1/merchant/transaction/list",
		query: listValues(q),
	}, nil
}

// checkSame reads the answer to an operation: some record, and not that of another transaction.
func checkSame(trackingCode string) func(any) error {
	return func(data any) error {
		f := open(data)
		if code := f.text("tracking_code"); f.err == nil && code != "" && code != trackingCode {
			return errors.New("record of another transaction")
		}
		return f.err
	}
}

func readRecord(data any, money func(*fields, string) decimal.Decimal) (payment.Record, error) {
	f := open(data)
	r := payment.Record{
		TrackingCode: f.present("tracking_code"), Status: f.status(),
		OrderID: f.integer("order_id"), PaymentURL: f.label("payment_url"),
		CurrencyCode: f.text("currency_code"), NetworkCode: f.text("network_code"),
		AmountUSD: money(f, "amount_usd"), PayAmount: money(f, "pay_amount"),
		PaidAmount: f.verbatim("paid_amount"), CancelledByUser: f.boolean("is_canceled_by_user"),
		TxID: f.label("tx_id"), TxURL: f.label("tx_explorer_url"), Comment: f.label("comment"),
		PaidAt: f.timestamp("paid_at"), CreatedAt: f.timestamp("created_at"),
		ExpiresAt: f.timestamp("expired_at"),
	}
	if f.err == nil && r.TrackingCode == "" {
		f.fail("tracking_code", "empty")
	}
	if f.err != nil {
		return payment.Record{}, f.err
	}
	if paid, ok := numeral(f.object["paid_amount"]); ok {
		r.PaidAmount = paid
	}
	r.Paid, r.PaidReadable = parseDecimal(r.PaidAmount)
	return r, nil
}

func listValues(s payment.ListQuery) url.Values {
	q := url.Values{}
	setNumber(q, "limit", s.Limit)
	setNumber(q, "page", s.Page)
	if !s.From.IsZero() {
		q.Set("from_date", s.From.Format(time.DateOnly))
		q.Set("to_date", s.To.Format(time.DateOnly))
	}
	setText(q, "status", s.Status)
	return q
}

// readPage reads the data of a list answer, item by item. The number of the last page must be
// there: without it a search would end too early. Source: gateway-api.md, "Pagination object".
func readPage(data any) (payment.RecordPage, error) {
	f := open(data)
	rows, err := list(f.object["items"])
	if err != nil {
		return payment.RecordPage{}, fmt.Errorf("reading items: %w", err)
	}
	items := make([]payment.Record, 0, len(rows))
	for i, row := range rows {
		item, err := readRecord(row, (*fields).optional)
		if err != nil {
			return payment.RecordPage{}, fmt.Errorf("reading item %d: %w", i, err)
		}
		items = append(items, item)
	}
	g := open(f.object["pagination"])
	g.present("last_page")
	page := payment.RecordPage{
		Items: items, Page: g.integer("page"), LastPage: g.integer("last_page"),
		Total: g.integer("total"),
	}
	if g.err != nil {
		return payment.RecordPage{}, fmt.Errorf("reading pagination: %w", g.err)
	}
	return page, nil
}
