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

// maxToken bounds a token: it travels in a URL.
const maxToken = 6000

// claims are what an order token says: the order, and the registered claims
// of RFC 7519. The library compares exp and nbf with the clock, but it also
// accepts a number in quotes; the types here do not.
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

// maxAhead is how far ahead exp may be. Tokens live for minutes to months; a
// later exp is a time in milliseconds or a typing error.
const maxAhead = 400 * 24 * time.Hour

// expAhead is the detail of a refused exp. Date.now() is in milliseconds, so
// JavaScript is where most of these come from.
const expAhead = "exp is more than 400 days ahead; it is probably in milliseconds: " +
	"send seconds since 1970, in JavaScript Math.floor(Date.now() / 1000) + 3600"

// date is a NumericDate of RFC 7519: whole seconds since 1970, without a fraction. What is too
// far away to be a time is math.MaxInt64.
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

// ParseToken verifies an order token and returns its order. Only HS256 with
// key is accepted, exp and order_ref are required, exp is at most 400 days
// ahead, and an empty key refuses every token.
//
// Errors: *wire.Error with CodeOrderInvalid, whose Param is "order" or the
// claim that is wrong. Sources: RFC 7515, RFC 7519; the public contract, 3.
func ParseToken(token string, key []byte, now time.Time) (payment.Order, error) {
	// Go's base64 reads over line ends; a token has none.
	if len(key) == 0 || token == "" || len(token) > maxToken || strings.ContainsAny(token, "\r\n") {
		return payment.Order{}, refuse(wire.CodeOrderInvalid, "order")
	}
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"HS256"}), jwt.WithExpirationRequired(),
		jwt.WithStrictDecoding(), jwt.WithTimeFunc(func() time.Time { return now }),
		jwt.WithLeeway(30*time.Second))
	if _, err := parser.ParseWithClaims(token, &jwt.RegisteredClaims{}, keyFunc(key)); err != nil {
		return payment.Order{}, refuse(wire.CodeOrderInvalid, "order")
	}
	return readOrder(token, now)
}

// keyFunc gives the key for tokens whose header asks for nothing beyond RFC 7515:
// what is critical, or changes how the payload is read, has to be refused by
// whoever does not know it. Sources: RFC 7515, 4.1.11; RFC 7797.
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

// readOrder reads the order from the claims of a verified token.
func readOrder(token string, now time.Time) (payment.Order, error) {
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil {
		return payment.Order{}, refuse(wire.CodeOrderInvalid, "order")
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
		return o, refuse(wire.CodeOrderInvalid, "order_ref")
	}
	return o, nil
}

// invalid keeps the claim's name and makes the code that of a bad token.
func invalid(err error) error {
	var e *wire.Error
	if errors.As(err, &e) && e.Param != "" {
		return refuse(wire.CodeOrderInvalid, e.Param)
	}
	return refuse(wire.CodeOrderInvalid, "order")
}

// Mint signs an order token for trying out: amount and ref as in the contract,
// valid for ttl from now, at most 400 days. Errors: those of the values.
func Mint(
	key []byte, amountUSD, ref, title string, ttl time.Duration, now time.Time,
) (string, error) {
	if _, err := payment.ParseAmount(amountUSD); err != nil {
		return "", err
	}
	if ref == "" {
		return "", refuse(wire.CodeInvalid, "order_ref")
	}
	if ttl > maxAhead {
		return "", errors.New("token would be valid for more than 400 days: choose a shorter time")
	}
	c := jwt.MapClaims{"amount_usd": amountUSD, "order_ref": ref, "exp": now.Add(ttl).Unix()}
	if title != "" {
		c["title"] = title
	}
	return jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString(key)
}
