package order

import (
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/golang-jwt/jwt/v5"
)

// maxToken bounds a token: it travels in a URL.
const maxToken = 6000

// claims are what an order token says: the order, and the registered claims
// of RFC 7519: exp and nbf are held against the clock by the library, which
// would also take a number in quotes; the others have to be of their type.
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

// date is a NumericDate of RFC 7519, which only has to be a number here: what it
// says, the library holds against the clock.
type date struct{}

// UnmarshalJSON refuses what is no number.
func (*date) UnmarshalJSON(text []byte) error {
	if jsontext.Value(text).Kind() != '0' {
		return errors.New("not a number")
	}
	return nil
}

// ParseToken verifies an order token and returns its order. Only HS256 with
// key is accepted, exp and order_ref are required, and an empty key refuses
// every token.
//
// Errors: *wire.Error with CodeOrderInvalid, whose Param is "order" or the
// claim that is wrong. Sources: RFC 7515, RFC 7519; the public contract, 3.
func ParseToken(token string, key []byte, now time.Time) (checkout.Order, error) {
	// Go's base64 reads over line ends; a token has none.
	if len(key) == 0 || token == "" || len(token) > maxToken || strings.ContainsAny(token, "\r\n") {
		return checkout.Order{}, refuse(wire.CodeOrderInvalid, "order")
	}
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"HS256"}), jwt.WithExpirationRequired(),
		jwt.WithStrictDecoding(), jwt.WithTimeFunc(func() time.Time { return now }), jwt.WithLeeway(30*time.Second))
	if _, err := parser.ParseWithClaims(token, &jwt.RegisteredClaims{}, plain(key)); err != nil {
		return checkout.Order{}, refuse(wire.CodeOrderInvalid, "order")
	}
	return orderOf(token)
}

// plain gives the key for tokens whose header asks for nothing beyond RFC 7515:
// what is critical, or changes how the payload is read, has to be refused by
// whoever does not know it. Sources: RFC 7515, 4.1.11; RFC 7797.
func plain(key []byte) jwt.Keyfunc {
	return func(token *jwt.Token) (any, error) {
		for _, name := range []string{"crit", "b64"} {
			if _, given := token.Header[name]; given {
				return nil, jwt.ErrTokenUnverifiable
			}
		}
		return key, nil
	}
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
	if errors.As(err, &e) && e.Param != "" {
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
