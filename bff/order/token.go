package order

import (
	"encoding/base64"
	"errors"
	"math"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/golang-jwt/jwt/v5"
	"github.com/shopspring/decimal"
)

// maxToken bounds a token: it is part of a URL.
const maxToken = 6000

// claims are those of an order token: the order, and the registered claims of RFC 7519. The JWT
// library checks exp and nbf, but it also accepts a number in quotes; the types here do not.
type claims struct {
	body
	Exp *date `json:"exp"`
	Nbf *date `json:"nbf"`
	Iat *date `json:"iat"`
	Iss any   `json:"iss"`
	Sub any   `json:"sub"`
	Aud any   `json:"aud"`
	Jti any   `json:"jti"`
}

// maxAhead is how far ahead exp may be: a later one is in milliseconds or a typing error.
const maxAhead = 400 * 24 * time.Hour

// expAhead is the detail of a rejected exp. Date.now() is in milliseconds, so most of these
// come from JavaScript.
const expAhead = "exp is more than 400 days ahead; it is probably in milliseconds: " +
	"send seconds since 1970, in JavaScript Math.floor(Date.now() / 1000) + 3600"

// date is a NumericDate of RFC 7519: whole seconds since 1970, without a fraction;
// math.MaxInt64 if it is too large.
type date int64

// mostDateDigits is how many digits a time in seconds may have; with 15, a year has eight.
const mostDateDigits = 15

// UnmarshalJSON accepts JSON numbers only.
func (d *date) UnmarshalJSON(text []byte) error {
	if jsontext.Value(text).Kind() != '0' {
		return errors.New("not a number")
	}
	n, err := decimal.NewFromString(string(text))
	if err != nil {
		return errors.New("not a date")
	}
	switch digits := n.NumDigits() + int(n.Exponent()); { // of the whole part
	case digits > mostDateDigits:
		*d = math.MaxInt64
	case digits > 0:
		*d = date(n.IntPart())
	default:
		*d = 0
	}
	return nil
}

// ParseToken verifies an order token and returns its order. It accepts only HS256 with key,
// requires exp and order_ref, and exp at most 400 days ahead; an empty key rejects every token.
//
// Errors: *wire.Error with CodeOrderInvalid, whose Param is "order" or the invalid claim.
// Sources: RFC 7515, RFC 7519; the public contract, section 3.
func ParseToken(token string, key []byte, now time.Time) (payment.Order, error) {
	// Go's base64 ignores line breaks.
	if len(key) == 0 || token == "" || len(token) > maxToken || strings.ContainsAny(token, "\r\n") {
		return payment.Order{}, payment.NewError(wire.CodeOrderInvalid, "order")
	}
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"HS256"}), jwt.WithExpirationRequired(),
		jwt.WithStrictDecoding(), jwt.WithTimeFunc(func() time.Time { return now }),
		jwt.WithLeeway(30*time.Second))
	if _, err := parser.ParseWithClaims(token, &jwt.RegisteredClaims{}, keyFunc(key)); err != nil {
		return payment.Order{}, payment.NewError(wire.CodeOrderInvalid, "order")
	}
	return readOrder(token, now)
}

// keyFunc returns the key for tokens whose header requires no extension: "crit" and "b64" must
// be rejected if unsupported. Sources: RFC 7515, 4.1.11; RFC 7797.
func keyFunc(key []byte) jwt.Keyfunc {
	return func(token *jwt.Token) (any, error) {
		for _, name := range []string{"crit", "b64"} {
			if _, given := token.Header[name]; given {
				return nil, jwt.ErrTokenUnverifiable
			}
		}
		return key, nil
	}
}

func readOrder(token string, now time.Time) (payment.Order, error) {
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil {
		return payment.Order{}, payment.NewError(wire.CodeOrderInvalid, "order")
	}
	var c claims
	if err := Strict(payload, &c); err != nil {
		return payment.Order{}, invalid(err)
	}
	if c.Exp != nil && int64(*c.Exp) > now.Add(maxAhead).Unix() {
		refused := &wire.Error{Code: wire.CodeOrderInvalid, Param: "exp", Detail: expAhead}
		return payment.Order{}, refused
	}
	o, err := c.order()
	if err != nil {
		return o, invalid(err)
	}
	if o.Ref == "" {
		return o, payment.NewError(wire.CodeOrderInvalid, "order_ref")
	}
	return o, nil
}

// invalid keeps the name of the claim and sets the code of an invalid token.
func invalid(err error) error {
	if e, ok := errors.AsType[*wire.Error](err); ok && e.Param != "" {
		return payment.NewError(wire.CodeOrderInvalid, e.Param)
	}
	return payment.NewError(wire.CodeOrderInvalid, "order")
}

// NewToken is an order token to sign.
type NewToken struct {
	Amount   string // decimal text
	Currency string // of Amount, an ISO 4217 code; empty = USD
	Ref      string // the order's reference
	Title    string // empty = none
	TTL      time.Duration
}

// Mint signs an order token for testing, which is valid for its TTL from now, at most 400 days.
// Errors: those of the values.
func Mint(key []byte, t NewToken, now time.Time) (string, error) {
	c := jwt.MapClaims{"order_ref": t.Ref, "exp": now.Add(t.TTL).Unix()}
	var err error
	if t.Currency == "" {
		c["amount_usd"] = t.Amount
		_, err = readPrice(&t.Amount, nil, nil)
	} else {
		c["amount"] = t.Amount
		c["currency"] = t.Currency
		_, err = readPrice(nil, &t.Amount, &t.Currency)
	}
	if err != nil {
		return "", err
	}
	if t.Ref == "" {
		return "", payment.NewError(wire.CodeInvalid, "order_ref")
	}
	if t.TTL > maxAhead {
		return "", errors.New("token would be valid for more than 400 days: choose a shorter time")
	}
	if t.Title != "" {
		c["title"] = t.Title
	}
	return jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString(key)
}
