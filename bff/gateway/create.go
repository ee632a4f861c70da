package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"coinslot/bff/payment"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/shopspring/decimal"
)

// Create opens a transaction for r. The answer is the only message that ever holds the address:
// save it before showing it. An empty or odd address, status or tolerance is for the caller to
// judge; an answer whose tracking code or amounts cannot be read is unknown. An email that the
// gateway may refuse is not sent.
//
// Errors: *[payment.RefusedError]; ReasonInvalid if r breaks a documented limit and was not sent.
// Else *[payment.UnknownError]: a transaction may exist, look for it before asking again.
//
// Source: gateway-api.md, "POST /api/v1/merchant/transaction/create".
func (c *Client) Create(ctx context.Context, r payment.CreateRequest) (payment.Created, error) {
	if err := checkCreate(r); err != nil {
		return payment.Created{}, invalid(err)
	}
	if !isStrictEmail(r.Email) {
		r.Email = ""
	}

	body, err := createBody(r)
	if err != nil {
		return payment.Created{}, invalid(err)
	}

	k := call{
		name:   "create",
		method: http.MethodPost,
		path:   "/api/v1/merchant/transaction/create",
		query:  createQuery(r),
		body:   body,
		effect: true,
	}
	return fetch(ctx, c, k, readCreated)
}

// createBody writes r as JSON. The amount is a JSON number with the decimal's
// own digits: it never was a float.
func createBody(r payment.CreateRequest) ([]byte, error) {
	body, err := json.Marshal(struct {
		CurrencySymbol string      `json:"currency_symbol"`
		NetworkCode    string      `json:"network_code"`
		AmountUSD      json.Number `json:"amount_usd"`
		TTL            int         `json:"ttl"`
		OrderID        int         `json:"order_id,omitempty"`
		Email          string      `json:"email,omitempty"`
		Comment        string      `json:"comment,omitempty"`
		CallbackURL    string      `json:"callback_url,omitempty"`
	}{
		r.CurrencySymbol, r.NetworkCode, json.Number(digitsOf(r.AmountUSD)), r.TTL,
		r.OrderID, r.Email, r.Comment, r.CallbackURL,
	})
	if err != nil {
		return nil, fmt.Errorf("encoding create request: %w", err)
	}

	return body, nil
}

// createQuery repeats the body's parameters, since the gateway's page shows
// both and does not say which one counts. Email and the shopper's comment stay
// out: URLs end up in the access logs of everything on the way, and firewalls
// reject some texts in them. The marker is enough to find the transaction.
func createQuery(r payment.CreateRequest) url.Values {
	q := url.Values{
		"currency_symbol": {r.CurrencySymbol},
		"network_code":    {r.NetworkCode},
		"amount_usd":      {digitsOf(r.AmountUSD)},
		"ttl":             {strconv.Itoa(r.TTL)},
	}
	setNumber(q, "order_id", r.OrderID)
	setText(q, "comment", r.Marker)
	setText(q, "callback_url", r.CallbackURL)
	return q
}

func setText(q url.Values, name, value string) {
	if value != "" {
		q.Set(name, value)
	}
}

func setNumber(q url.Values, name string, n int) {
	if n != 0 {
		q.Set(name, strconv.Itoa(n))
	}
}

// digitsOf writes d in plain notation with all of its places: 19.90 stays 19.90.
func digitsOf(d decimal.Decimal) string { return d.StringFixed(max(0, -d.Exponent())) }

// createAnswer is the data of a create answer. Source: gateway-api.md, "Created transaction".
type createAnswer struct {
	TrackingCode     text      `json:"tracking_code"`
	PaymentURL       label     `json:"payment_url"`
	Status           status    `json:"status"`
	OrderID          number    `json:"order_id"`
	CurrencyName     label     `json:"currency_name"`
	CurrencySymbol   text      `json:"currency_symbol"`
	NetworkCode      text      `json:"network_code"`
	NetworkName      label     `json:"network_name"`
	AmountUSD        amount    `json:"amount_usd"`
	PayAmount        amount    `json:"pay_amount"`
	TolerancePercent estimate  `json:"payment_tolerance_percent"`
	Address          text      `json:"wallet_address"`
	ExpiresAt        timestamp `json:"expired_at"`
}

func readCreated(data jsontext.Value) (payment.Created, error) {
	var a createAnswer
	if err := decode(data, &a); err != nil {
		return payment.Created{}, err
	}
	if err := checkAmounts(a.AmountUSD, a.PayAmount); err != nil {
		return payment.Created{}, err
	}

	switch {
	case !validTracking(string(a.TrackingCode)):
		return payment.Created{}, errors.New("reading tracking_code: not well formed")
	case !a.Status.given:
		return payment.Created{}, errors.New("reading status: missing")
	}

	return payment.Created{
		TrackingCode:     string(a.TrackingCode),
		PaymentURL:       string(a.PaymentURL),
		Status:           a.Status.text,
		OrderID:          a.OrderID.value,
		CurrencyName:     string(a.CurrencyName),
		CurrencySymbol:   string(a.CurrencySymbol),
		NetworkCode:      string(a.NetworkCode),
		NetworkName:      string(a.NetworkName),
		AmountUSD:        a.AmountUSD.value,
		PayAmount:        a.PayAmount.value,
		PayAmountText:    a.PayAmount.text,
		TolerancePercent: decimal.Decimal(a.TolerancePercent),
		Address:          string(a.Address),
		ExpiresAt:        time.Time(a.ExpiresAt),
	}, nil
}
