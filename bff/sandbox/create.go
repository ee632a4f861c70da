package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shopspring/decimal"
)

const (
	maxTextLength = 255  // of email and comment; not documented, chosen here
	maxURLLength  = 2048 // of callback_url; not documented, chosen here
)

// params are the parameters of one request: members of its JSON body, and what the query says where
// the body has no such member. The gateway's page shows both and does not say which counts.
type params struct {
	body  map[string]json.RawMessage
	query url.Values
}

// readParams reads the body as a JSON object. An empty body has no members.
func readParams(r *http.Request, body []byte) (params, *refusal) {
	p := params{query: r.URL.Query()}
	if len(bytes.TrimSpace(body)) == 0 {
		return p, nil
	}

	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return p, invalid("The Content-Type header must be application/json.")
	}

	decoder := json.NewDecoder(bytes.NewReader(body))
	err = decoder.Decode(&p.body)
	if err != nil || p.body == nil {
		return p, invalid("The body must be a JSON object.")
	}
	if _, err := decoder.Token(); err != io.EOF {
		return p, invalid("The body must be one JSON object.")
	}

	return p, nil
}

// text returns a string parameter, "" if it is missing, null or empty.
func (p params) text(name string) (string, *refusal) {
	raw, ok := p.body[name]
	if !ok || string(raw) == "null" {
		return strings.TrimSpace(p.query.Get(name)), nil
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", invalid("The %s must be a string.", name)
	}
	return strings.TrimSpace(s), nil
}

// number returns the digits of a number parameter as they were sent, "" if it
// is missing or null. A JSON string is not a number.
func (p params) number(name string) (string, *refusal) {
	raw, ok := p.body[name]
	if !ok || string(raw) == "null" {
		return strings.TrimSpace(p.query.Get(name)), nil
	}
	if c := raw[0]; c != '-' && (c < '0' || c > '9') {
		return "", invalid("The %s must be a number.", name)
	}
	return string(raw), nil
}

type order struct {
	currency    *Currency
	network     *Network
	amount      decimal.Decimal
	ttl         int   // minutes
	id          int64 // zero = not given
	email       string
	comment     string
	callbackURL string
}

func (s *Server) parseOrder(p params) (order, *refusal) {
	var o order
	for _, step := range []func(params) *refusal{
		func(p params) *refusal { return o.parseCoin(p, s.currencies) },
		o.parseAmount, o.parseTTL, o.parseID, o.parseEmail, o.parseComment,
		o.parseCallback,
	} {
		if refused := step(p); refused != nil {
			return order{}, refused
		}
	}
	return o, nil
}

func (o *order) parseCoin(p params, currencies []Currency) *refusal {
	symbol, refused := p.text("currency_symbol")
	if refused != nil {
		return refused
	}

	code, refused := p.text("network_code")
	switch {
	case refused != nil:
		return refused
	case symbol == "":
		return invalid("The currency_symbol field is required.")
	case code == "":
		return invalid("The network_code field is required.")
	}

	o.currency = findCurrency(currencies, symbol)
	if o.currency == nil {
		return invalid("The selected currency_symbol is not enabled.")
	}

	o.network = o.currency.network(code)
	if o.network == nil {
		return invalid("The selected network_code is not enabled for %s.", o.currency.Symbol)
	}

	return nil
}

func (o *order) parseAmount(p params) *refusal {
	text, refused := p.number("amount_usd")
	if refused != nil {
		return refused
	}
	if text == "" {
		return invalid("The amount_usd field is required.")
	}

	amount, ok := parseDecimal(text)
	low := o.network.MinimumUSD
	high := o.network.MaximumUSD
	switch {
	case !ok:
		return invalid("The amount_usd must be a number with at most %d decimal places.", places)
	case amount.LessThan(low):
		return invalid("The amount_usd must be at least %s: the minimum is $%s.",
			low, low.StringFixed(2))
	case amount.GreaterThan(high):
		return invalid("The amount_usd must not be greater than %s: the maximum is $%s.",
			high, high.StringFixed(2))
	}

	o.amount = amount
	return nil
}

// parseDecimal reads a JSON number with at most eight fractional digits, exactly. The bounds on its
// length and exponent come first, since arithmetic on 1e999999999 would take all memory.
func parseDecimal(text string) (decimal.Decimal, bool) {
	if len(text) > 40 || !json.Valid([]byte(text)) {
		return decimal.Zero, false
	}
	d, err := decimal.NewFromString(text)
	if err != nil || d.Exponent() > 20 || d.Exponent() < -40 || !d.Equal(d.Truncate(places)) {
		return decimal.Zero, false
	}
	return d, true
}

func (o *order) parseTTL(p params) *refusal {
	minutes, given, refused := p.integer("ttl")
	switch {
	case refused != nil:
		return refused
	case !given:
		return invalid("The ttl field is required.")
	case minutes < 1:
		return invalid("The ttl must be at least 1.")
	case minutes > int64(o.network.MaxTTL):
		return invalid("The ttl must not be greater than %d.", o.network.MaxTTL)
	}

	o.ttl = int(minutes)
	return nil
}

func (o *order) parseID(p params) *refusal {
	id, given, refused := p.integer("order_id")
	if refused != nil || !given {
		return refused
	}
	if id < 100000 || id > 999999 {
		return invalid("The order_id must be 6 digits.")
	}
	o.id = id
	return nil
}

func (p params) integer(name string) (n int64, given bool, refused *refusal) {
	text, refused := p.number(name)
	if refused != nil || text == "" {
		return 0, false, refused
	}
	n, refused = wholeNumber(name, text)
	return n, true, refused
}

func (o *order) parseEmail(p params) *refusal {
	email, refused := p.text("email")
	if refused != nil || email == "" {
		return refused
	}
	address, err := mail.ParseAddress(email)
	if err != nil || address.Address != email || len(email) > maxTextLength {
		return invalid("The email must be a valid email address.")
	}
	o.email = email
	return nil
}

func (o *order) parseComment(p params) *refusal {
	comment, refused := p.text("comment")
	if refused != nil {
		return refused
	}
	if utf8.RuneCountInString(comment) > maxTextLength {
		return invalid("The comment must not be greater than %d characters.", maxTextLength)
	}
	o.comment = comment
	return nil
}

func (o *order) parseCallback(p params) *refusal {
	callback, refused := p.text("callback_url")
	if refused != nil || callback == "" {
		return refused
	}

	u, err := url.Parse(callback)
	if err != nil || u.Host == "" || len(callback) > maxURLLength ||
		(u.Scheme != "https" && u.Scheme != "http") {
		return invalid("The callback_url must be a valid URL.")
	}
	if u.Scheme != "https" || u.User != nil || !public(u.Hostname()) {
		return invalid("The callback_url must be a public HTTPS URL.")
	}

	o.callbackURL = callback
	return nil
}

// public reports whether a host can be one of the public internet, as far as its name shows.
func public(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsGlobalUnicast() && !ip.IsPrivate()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	private := []string{".localhost", ".local", ".internal", ".test", ".invalid"}
	return strings.Contains(host, ".") && !slices.ContainsFunc(private,
		func(end string) bool { return strings.HasSuffix(host, end) })
}

// open makes the transaction that o asks for. s.mu must be held. pageURL is the
// address of the hosted payment page.
func (s *Server) open(o order, pageURL string) *Transaction {
	now := s.now()
	t := &Transaction{
		TrackingCode:     newCode(s.random),
		Status:           Pending,
		OrderID:          o.id,
		OrderIDGiven:     o.id != 0,
		CurrencySymbol:   o.currency.Symbol,
		CurrencyName:     o.currency.Name,
		NetworkCode:      o.network.Code,
		NetworkName:      o.network.Name,
		Chain:            o.network.Chain,
		Family:           o.network.Family,
		Decimals:         min(o.network.Decimals, places),
		AmountUSD:        o.amount,
		PriceInUSDT:      o.currency.PriceInUSDT,
		FeePercent:       s.feePercent,
		TolerancePercent: dec(tolerancePercent),
		ExplorerURL:      o.network.ExplorerURL,
		WalletAddress:    newAddress(o.network.Family, s.random),
		Email:            o.email,
		Comment:          o.comment,
		CallbackURL:      o.callbackURL,
		TTL:              o.ttl,
		CreatedAt:        now,
		ExpiredAt:        now.Truncate(time.Second).Add(time.Duration(o.ttl) * time.Minute),
	}
	if !t.OrderIDGiven {
		t.OrderID = int64(1000001 + len(s.transactions))
	}

	t.PaymentURL = fmt.Sprintf("%s/%s", strings.TrimSuffix(pageURL, "/"), t.TrackingCode)
	t.price()
	s.transactions = append(s.transactions, t)
	s.byCode[t.TrackingCode] = t
	return t
}

// What the platform keeps of a payment, and how much may be missing from one.
const (
	defaultFee       = "1"
	tolerancePercent = "1"
)
