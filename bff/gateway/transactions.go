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

	"github.com/go-json-experiment/json/jsontext"
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
		name:   "status",
		method: http.MethodGet,
		path:   "/api/v1/merchant/transaction/status",
		query:  url.Values{"tracking_code": {trackingCode}},
		single: true,
	}
	return fetch(ctx, c, k, readStatus)
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
		name:   "recheck",
		method: http.MethodGet,
		path:   "/api/v1/merchant/transaction/recheck",
		query:  url.Values{"tracking_code": {trackingCode}},
		effect: true,
		single: true,
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
		name:   "cancel",
		method: http.MethodPost,
		path:   "/api/v1/merchant/transaction/cancel",
		query:  url.Values{"tracking_code": {trackingCode}},
		body:   body,
		effect: true,
		single: true,
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
		name:   "transactions",
		method: http.MethodGet,
		path:   "/api/v1/merchant/transaction/list",
		query:  listValues(q),
	}, nil
}

// checkSame reads the answer to an operation: some record, and not that of another transaction.
func checkSame(trackingCode string) func(jsontext.Value) error {
	return func(data jsontext.Value) error {
		var same struct {
			TrackingCode text `json:"tracking_code"`
		}
		if err := decode(data, &same); err != nil {
			return err
		}
		code := string(same.TrackingCode)
		if code != "" && code != trackingCode {
			return errors.New("record of another transaction")
		}
		return nil
	}
}

// transaction is a Transaction record. Source: gateway-api.md, "Transaction record".
type transaction struct {
	TrackingCode    text      `json:"tracking_code"`
	Status          status    `json:"status"`
	OrderID         number    `json:"order_id"`
	PaymentURL      label     `json:"payment_url"`
	CurrencyCode    text      `json:"currency_code"`
	NetworkCode     text      `json:"network_code"`
	AmountUSD       amount    `json:"amount_usd"`
	PayAmount       amount    `json:"pay_amount"`
	PaidAmount      verbatim  `json:"paid_amount"`
	CancelledByUser flag      `json:"is_canceled_by_user"`
	TxID            label     `json:"tx_id"`
	TxURL           label     `json:"tx_explorer_url"`
	Comment         label     `json:"comment"`
	PlatformShare   shown     `json:"platform_share"`
	MerchantShare   shown     `json:"merchant_share"`
	FeePercent      shown     `json:"payment_fee_percent"`
	PaidAt          timestamp `json:"paid_at"`
	CreatedAt       timestamp `json:"created_at"`
	ExpiresAt       timestamp `json:"expired_at"`
}

// readStatus reads the data of a status answer, which is evidence: its amounts must be there.
func readStatus(data jsontext.Value) (payment.Record, error) {
	var t transaction
	if err := decode(data, &t); err != nil {
		return payment.Record{}, err
	}
	if err := checkAmounts(t.AmountUSD, t.PayAmount); err != nil {
		return payment.Record{}, err
	}
	return t.record()
}

// checkAmounts refuses an answer without the amounts of its transaction.
func checkAmounts(amountUSD, payAmount amount) error {
	switch {
	case amountUSD.text == "":
		return errors.New("reading amount_usd: missing")
	case payAmount.text == "":
		return errors.New("reading pay_amount: missing")
	}
	return nil
}

// record returns t as a record. Errors: its tracking code or its status is missing.
func (t transaction) record() (payment.Record, error) {
	switch {
	case t.TrackingCode == "":
		return payment.Record{}, errors.New("reading tracking_code: missing")
	case !t.Status.given:
		return payment.Record{}, errors.New("reading status: missing")
	}

	paid, readable := parseDecimal(string(t.PaidAmount))
	return payment.Record{
		TrackingCode:    string(t.TrackingCode),
		Status:          t.Status.text,
		OrderID:         t.OrderID.value,
		PaymentURL:      string(t.PaymentURL),
		CurrencyCode:    string(t.CurrencyCode),
		NetworkCode:     string(t.NetworkCode),
		AmountUSD:       t.AmountUSD.value,
		PayAmount:       t.PayAmount.value,
		PaidAmount:      string(t.PaidAmount),
		Paid:            paid,
		PaidReadable:    readable,
		CancelledByUser: bool(t.CancelledByUser),
		TxID:            string(t.TxID),
		TxURL:           string(t.TxURL),
		Comment:         string(t.Comment),
		PlatformShare:   shorten(string(t.PlatformShare), maxShown),
		MerchantShare:   shorten(string(t.MerchantShare), maxShown),
		FeePercent:      shorten(string(t.FeePercent), maxShown),
		PaidAt:          time.Time(t.PaidAt),
		CreatedAt:       time.Time(t.CreatedAt),
		ExpiresAt:       time.Time(t.ExpiresAt),
	}, nil
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

// listAnswer is the data of an answer with a list.
type listAnswer struct {
	Items      jsontext.Value `json:"items"`
	Pagination jsontext.Value `json:"pagination"`
}

// readList returns the items of a list answer and its pagination. Errors: the data is no list.
func readList(data jsontext.Value) (rows []jsontext.Value, pages jsontext.Value, err error) {
	var list listAnswer
	if err := decode(data, &list); err != nil {
		return nil, nil, err
	}
	rows, err = decodeList(list.Items)
	if err != nil {
		return nil, nil, fmt.Errorf("reading items: %w", err)
	}
	return rows, list.Pagination, nil
}

// pagination is where a page stands in its list. Source: gateway-api.md, "Pagination object".
type pagination struct {
	Page     number `json:"page"`
	Total    number `json:"total"`
	LastPage number `json:"last_page"`
}

// readPage reads the data of a list answer, item by item. The number of the last page must be
// there: without it a search would end too early.
func readPage(data jsontext.Value) (payment.RecordPage, error) {
	rows, pages, err := readList(data)
	if err != nil {
		return payment.RecordPage{}, err
	}

	items := make([]payment.Record, 0, len(rows))
	for i, row := range rows {
		item, err := readItem(row)
		if err != nil {
			return payment.RecordPage{}, fmt.Errorf("reading item %d: %w", i, err)
		}
		items = append(items, item)
	}

	var p pagination
	err = decode(pages, &p)
	switch {
	case err != nil:
		return payment.RecordPage{}, fmt.Errorf("reading pagination: %w", err)
	case !p.LastPage.given:
		return payment.RecordPage{}, errors.New("reading pagination: reading last_page: missing")
	}

	return payment.RecordPage{
		Items:    items,
		Page:     p.Page.value,
		LastPage: p.LastPage.value,
		Total:    p.Total.value,
	}, nil
}

// readItem reads a record of a list, whose amounts may be missing.
func readItem(row jsontext.Value) (payment.Record, error) {
	var t transaction
	if err := decode(row, &t); err != nil {
		return payment.Record{}, err
	}
	return t.record()
}
