// Package verify checks Coinslot's receipts with Go's standard library.
package verify

import (
	"cmp"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Keys is what GET /.well-known/jwks.json of your checkout answers.
type Keys struct {
	Keys []struct{ Kty, Crv, Kid, X string }
}

// Order is what your own database says of the order that is claimed to be paid.
type Order struct {
	Ref      string // order_ref of POST /v1/sessions or of your order token
	Amount   string // with all digits of its currency: "25.00", "2980" of JPY
	Currency string // ISO 4217 code; empty = USD
	Test     bool   // true takes receipts of play money; never in production
}

// Claims is what a receipt says. Amounts are decimal text.
type Claims struct {
	Issuer         string `json:"iss"`    // COINSLOT_PUBLIC_URL of the checkout
	Session        string `json:"sub"`    // "cs_…"
	ConfirmedAt    int64  `json:"iat"`    // seconds since 1970
	Status         string `json:"status"` // "confirmed"
	Test           bool   `json:"test"`   // play money
	OrderRef       string `json:"order_ref"`
	Amount         string `json:"amount"`      // the price
	Currency       string `json:"currency"`    // of the price: ISO 4217 code
	AmountUSD      string `json:"amount_usd"`  // what was charged
	Rate           *Rate  `json:"rate"`        // how it was converted; nil = in dollars
	PaidAmount     string `json:"paid_amount"` // in the coin
	CurrencySymbol string `json:"currency_symbol"`
	NetworkCode    string `json:"network_code"`
	TrackingCode   string `json:"tracking_code"` // the gateway's name of the payment
	TxID           string `json:"tx_id"`         // on the blockchain; empty = none told
}

// Rate is what a price in another currency than dollars was converted at.
type Rate struct {
	USDPerUnit    string `json:"usd_per_unit"`       // ten digits
	Exact         string `json:"usd_per_unit_exact"` // a fraction, "1.0921/163.27"
	Source        string `json:"source"`             // "ecb", "json" or "fixed"
	AsOf          string `json:"as_of"`              // RFC 3339
	SpreadPercent string `json:"spread_percent"`
}

// Receipt returns what a receipt says if it proves that order is paid. issuer is
// the COINSLOT_PUBLIC_URL of your checkout; keys are of there, and never of
// anywhere that the receipt itself names. Errors say which of the claims, or what
// else, does not fit: then nothing is proven, and the claims are not to be used.
func Receipt(text string, keys Keys, issuer string, order Order) (Claims, error) {
	var claims Claims
	var header struct{ Alg, Typ, Kid string }
	part := strings.Split(text, ".")
	if len(part) != 3 {
		return claims, errors.New("receipt: not three parts")
	}
	if err := decode(part[0], &header); err != nil {
		return claims, err
	}
	if header.Alg != "EdDSA" || header.Typ != "coinslot-receipt+jwt" {
		return claims, fmt.Errorf("receipt: algorithm %q, type %q", header.Alg, header.Typ)
	}

	key, err := keys.find(header.Kid)
	if err != nil {
		return claims, err
	}

	signature, err := base64.RawURLEncoding.Strict().DecodeString(part[2])
	if err != nil || !ed25519.Verify(key, []byte(part[0]+"."+part[1]), signature) {
		return claims, errors.New("receipt: the signature does not match")
	}
	if err := decode(part[1], &claims); err != nil {
		return claims, err
	}

	return claims, claims.prove(issuer, order)
}

// prove returns why the claims do not prove that order is paid.
func (c Claims) prove(issuer string, order Order) error {
	switch {
	case c.Issuer != issuer:
		return errors.New("receipt: of another checkout")
	case c.Status != "confirmed":
		return errors.New("receipt: not confirmed")
	case order.Ref == "" || c.OrderRef != order.Ref:
		return errors.New("receipt: of another order")
	case c.Amount != order.Amount || c.Currency != cmp.Or(order.Currency, "USD"):
		return errors.New("receipt: of another amount")
	case c.Test && !order.Test:
		return errors.New("receipt: no real money has moved")
	}

	return nil
}

func (k Keys) find(id string) (ed25519.PublicKey, error) {
	for _, key := range k.Keys {
		x, err := base64.RawURLEncoding.DecodeString(key.X)
		if key.Kid == id && key.Kty == "OKP" && key.Crv == "Ed25519" &&
			err == nil && len(x) == ed25519.PublicKeySize {
			return x, nil
		}
	}
	return nil, errors.New("receipt: signed with a key that is not known")
}

func decode(part string, into any) error {
	text, err := base64.RawURLEncoding.Strict().DecodeString(part)
	if err != nil {
		return fmt.Errorf("receipt: reading it: %w", err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("receipt: reading it: %w", err)
	}
	return nil
}
