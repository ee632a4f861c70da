package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
	"coinslot/bff/webhook"
)

// Session is one order, to be paid once, as the server writes it.
type Session = payment.Object

// Status is the state of a session: "open", "preparing", "pending", "confirmed", "expired",
// "cancelled" or "review".
type Status = wire.Status

// Confirmed is the status of a session that is paid.
const Confirmed = wire.Confirmed

// Rate is the exchange rate at which a session's price was converted into dollars.
type Rate = wire.Rate

// NewSession is an order to open a session for. Only its price is required: either AmountUSD, or
// Amount and Currency. docs/api.md has the limits.
type NewSession struct {
	AmountUSD string `json:"amount_usd,omitempty"` // "25.00"
	// Amount is a price in Currency, with at most the digits of that: "17.00", "2980" of JPY.
	Amount      string            `json:"amount,omitempty"`
	Currency    string            `json:"currency,omitempty"`  // ISO 4217 code, "EUR"
	OrderRef    string            `json:"order_ref,omitempty"` // your reference, unique
	OrderID     int               `json:"order_id,omitempty"`  // six digits; zero = any
	ShopName    string            `json:"shop_name,omitempty"` // shown; none = COINSLOT_SHOP_NAME
	Title       string            `json:"title,omitempty"`
	Description string            `json:"description,omitempty"`
	Email       string            `json:"email,omitempty"`
	Metadata    map[string]string `json:"metadata,omitempty"`    // returned to you
	Currencies  []string          `json:"currencies,omitempty"`  // "USDT", "USDT_trc20"; none = all
	TTLMinutes  int               `json:"ttl_minutes,omitempty"` // to pay; zero = 30
	// to choose a coin; zero = 1440
	ExpiresInMinutes int    `json:"expires_in_minutes,omitempty"`
	SuccessURL       string `json:"success_url,omitempty"`
	CancelURL        string `json:"cancel_url,omitempty"`
	Lang             string `json:"lang,omitempty"` // BCP 47 tag
	// IdempotencyKey makes the request safe to repeat; an OrderRef does, too. Empty = none.
	IdempotencyKey string `json:"-"`
}

// NewRefund is money that you sent back by a wallet of your own. Only Reason and ConfirmExcess may
// be left out.
type NewRefund struct {
	Amount         string `json:"amount"` // "2.5", in the coin
	CurrencySymbol string `json:"currency_symbol"`
	NetworkCode    string `json:"network_code"`
	TxID           string `json:"tx_id"` // on the blockchain
	Reason         string `json:"reason,omitempty"`
	// ConfirmExcess allows that more went back than arrived in this coin.
	ConfirmExcess bool `json:"confirm_excess,omitempty"`
}

// ListedRate is what one unit of a currency is worth now. Numbers are decimal text.
type ListedRate struct {
	Currency   string     `json:"currency"`           // ISO 4217 code, "EUR"
	USDPerUnit string     `json:"usd_per_unit"`       // ten digits; empty = there was no rate yet
	Exact      string     `json:"usd_per_unit_exact"` // a fraction, "1.0921/163.27"
	Source     string     `json:"source"`             // "ecb", "json" or "fixed"
	AsOf       *time.Time `json:"as_of"`              // nil = there was no rate yet
	ValidUntil *time.Time `json:"valid_until"`        // nil = without limit
	Usable     bool       `json:"usable"`             // sessions can be opened in it
	// Reason is why not: "too_old", "held", "absent" or "invalid"; empty = it is usable.
	Reason string `json:"reason"`
}

// SessionQuery selects sessions; empty fields do not restrict.
type SessionQuery struct {
	Status   Status
	OrderRef string
}

// Latest as EventQuery.After skips all events that are in the log already.
const Latest = webhook.Latest

// EventQuery selects events.
type EventQuery struct {
	After   string // Next of an earlier page, or Latest; empty = from the first event
	Session string // id; empty = of all
}

// EventPage is a part of the event log.
type EventPage struct {
	Events []Event `json:"data"`
	Next   string  `json:"next_cursor"` // for EventQuery.After
	More   bool    `json:"has_more"`    // later events are there already
}

// Event is what happened to a session, from the event log or a webhook. Ignore types that you do
// not know.
type Event struct {
	ID        string          `json:"id,omitempty"` // "evt_…", the same in each delivery
	Type      string          `json:"type"`         // "checkout.confirmed"
	Timestamp time.Time       `json:"timestamp"`
	Data      json.RawMessage `json:"data"` // see Session
}

// Session returns the session as it was when the event happened.
func (e Event) Session() (s Session, err error) {
	err = json.Unmarshal(e.Data, &s)
	return s, err
}

// VerifyWebhook returns the event of a webhook that the checkout has sent within five minutes.
// Give it the body byte for byte. secret is COINSLOT_WEBHOOK_SECRET, while it is changed the new
// and the old one, separated by a comma. Store the event's ID: the same event can arrive again.
//
// Errors: an invalid secret, a wrong signature or an old message. Answer them with 401.
func VerifyWebhook(secret string, h http.Header, body []byte) (e Event, err error) {
	h = canonical(h)
	keys, err := webhook.ParseKeys(strings.Split(secret, ","))
	if err == nil {
		err = keys.Verify(h, body, time.Now())
	}
	if err != nil {
		return Event{}, fmt.Errorf("verifying a webhook: %w", err)
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return Event{}, fmt.Errorf("reading a webhook: %w", err)
	}

	e.ID = h.Get("webhook-id")
	return e, nil
}

// canonical returns h with canonical names, as Get needs them: a function behind an API gateway
// makes its header from a map.
func canonical(h http.Header) http.Header {
	all := http.Header{}
	for name, values := range h {
		name = http.CanonicalHeaderKey(name)
		all[name] = append(all[name], values...)
	}
	return all
}
