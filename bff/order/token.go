package order

import (
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"

	"github.com/golang-jwt/jwt/v5"
)

// maxToken bounds a token: it travels in a URL.
const maxToken = 6000

// claims are what an order token says: the order, and the registered claims
// of RFC 7519, of which only exp, nbf and iat are looked at.
type claims struct {
	body
	Exp any `json:"exp"`
	Nbf any `json:"nbf"`
	Iat any `json:"iat"`
	Iss any `json:"iss"`
	Sub any `json:"sub"`
	Aud any `json:"aud"`
	Jti any `json:"jti"`
}

// ParseToken verifies an order token and returns its order. Only HS256 with
// key is accepted, exp and order_ref are required, and an empty key refuses
// every token.
//
// Errors: *wire.Error with CodeOrderInvalid, whose Param is "order" or the
// claim that is wrong. Sources: RFC 7515, RFC 7519; the public contract, 3.
func ParseToken(token string, key []byte, now time.Time) (checkout.Order, error) {
	if len(key) == 0 || token == "" || len(token) > maxToken {
		return checkout.Order{}, refuse(wire.CodeOrderInvalid, "order")
	}
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"HS256"}), jwt.WithExpirationRequired(),
		jwt.WithStrictDecoding(), jwt.WithTimeFunc(func() time.Time { return now }), jwt.WithLeeway(30*time.Second))
	if _, err := parser.ParseWithClaims(token, &jwt.RegisteredClaims{}, func(*jwt.Token) (any, error) { return key, nil }); err != nil {
		return checkout.Order{}, refuse(wire.CodeOrderInvalid, "order")
	}
	return orderOf(token)
}

// orderOf reads the order from the claims of a verified token.
func orderOf(token string) (checkout.Order, error) {
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil {
		return checkout.Order{}, refuse(wire.CodeOrderInvalid, "order")
	}
	var c claims
	if err := Strict(payload, &c); err != nil {
		return checkout.Order{}, invalid(err)
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
	if errors.As(err, &e) {
		return refuse(wire.CodeOrderInvalid, e.Param)
	}
	return refuse(wire.CodeOrderInvalid, "order")
}

// Mint signs an order token for trying out: amount and ref as in the contract,
// valid for ttl from now. Errors: those of the values.
func Mint(key []byte, amountUSD, ref, title string, ttl time.Duration, now time.Time) (string, error) {
	if _, err := checkout.ParseAmount(amountUSD); err != nil {
		return "", err
	}
	if ref == "" {
		return "", refuse(wire.CodeInvalid, "order_ref")
	}
	c := jwt.MapClaims{"amount_usd": amountUSD, "order_ref": ref, "exp": now.Add(ttl).Unix()}
	if title != "" {
		c["title"] = title
	}
	return jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString(key)
}
