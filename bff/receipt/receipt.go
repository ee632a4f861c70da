// Package receipt signs what proves to a merchant's server, without a call, that an order is paid:
// a JWT with the session's claims, by EdDSA with keys that are derived from the merchant's own
// secret keys. Start at [New] and [Signer.Receipt]; docs/verify.md is for those who check one.
package receipt

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"coinslot/app/wire"
	"coinslot/bff/payment"

	"github.com/golang-jwt/jwt/v5"
)

// Type is the "typ" of a receipt's header: no other token that the same keys may
// ever sign has it (RFC 8725, 3.11).
const Type = "coinslot-receipt+jwt"

// purpose separates the signing key from whatever else is made of a secret key.
const purpose = "coinslot receipt, ed25519, 1"

const minSecret = 32

var errShort = errors.New("deriving a key for receipts: the secret is shorter than 32 bytes")

// Signer signs receipts; it is safe for concurrent use. The zero Signer signs none.
type Signer struct {
	issuer string
	key    ed25519.PrivateKey // nil = nothing is signed
	id     string
	public []byte
}

// New returns a signer for the checkout whose origin is issuer. The first of secrets signs;
// [Signer.KeySet] has the public keys of all, so that receipts of earlier keys verify for as
// long as their secrets are listed. Without secrets there are no receipts.
//
// Errors: a secret of less than 32 bytes. The public key is published, so an attacker could
// find a short secret by trying.
func New(issuer string, secrets []string) (*Signer, error) {
	s := &Signer{issuer: issuer}
	known := make([]publicKey, 0, len(secrets)) // never nil: "keys" is a list in JSON
	for _, secret := range secrets {
		if len(secret) < minSecret {
			return nil, errShort
		}
		seed, err := hkdf.Key(sha256.New, []byte(secret), nil, purpose, ed25519.SeedSize)
		if err != nil {
			return nil, fmt.Errorf("deriving a key for receipts: %w", err)
		}
		key := ed25519.NewKeyFromSeed(seed)
		public := publicKeyOf(key.Public().(ed25519.PublicKey))
		if s.key == nil {
			s.key, s.id = key, public.ID
		}
		known = append(known, public)
	}
	s.public = encode(map[string][]publicKey{"keys": known})
	return s, nil
}

// KeySet is the public keys as a JWK Set (RFC 7517), the signing one first; its
// "keys" are empty if nothing is signed.
func (s *Signer) KeySet() []byte { return s.public }

type publicKey struct {
	Type      string `json:"kty"`
	Curve     string `json:"crv"`
	X         string `json:"x"`
	ID        string `json:"kid"`
	Use       string `json:"use"`
	Algorithm string `json:"alg"`
}

// publicKeyOf returns the JWK of a key, whose id is its thumbprint: it says nothing
// of the secret, and is the same wherever the same secret is used.
// Sources: RFC 7638; RFC 8037, 2 and appendix A.3.
func publicKeyOf(public ed25519.PublicKey) publicKey {
	x := base64.RawURLEncoding.EncodeToString(public)
	print := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + x + `"}`))
	return publicKey{
		Type:      "OKP",
		Curve:     "Ed25519",
		X:         x,
		ID:        base64.RawURLEncoding.EncodeToString(print[:]),
		Use:       "sig",
		Algorithm: "EdDSA",
	}
}

// claims are what a receipt says, under the names of the merchant's API. There
// is no "exp", because a payment does not pass, and nothing personal, because
// the text travels through browsers and addresses.
type claims struct {
	jwt.RegisteredClaims             // iss, sub, iat
	Status               wire.Status `json:"status"`
	Test                 bool        `json:"test"`
	OrderRef             string      `json:"order_ref"`
	// Amount, Currency and Rate are the merchant's price; Rate is nil if that is in dollars.
	Amount         string     `json:"amount"`
	Currency       string     `json:"currency"`
	AmountUSD      string     `json:"amount_usd"`
	Rate           *wire.Rate `json:"rate"`
	PaidAmount     string     `json:"paid_amount"`
	CurrencySymbol string     `json:"currency_symbol"`
	NetworkCode    string     `json:"network_code"`
	TrackingCode   string     `json:"tracking_code"`
	TxID           string     `json:"tx_id"`
	// all transactions in order, if there are several
	TxIDs []string `json:"tx_ids,omitempty"`
}

// Receipt returns the receipt of a confirmed session and "" for every other: this
// is the only place that decides. It is a pure function of session and key: its
// "iat" is the moment of the confirmation.
func (s *Signer) Receipt(session *payment.Session) string {
	a := session.Current()
	if s.key == nil || session.Status != wire.Confirmed || a == nil ||
		a.State != payment.Confirmed {
		return ""
	}
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, s.claims(session, a))
	token.Header["typ"], token.Header["kid"] = Type, s.id
	text, err := token.SignedString(s.key)
	if err != nil {
		// plain data and a good key: cannot fail
		panic(fmt.Sprintf("signing the receipt of %s: %v", session.ID, err))
	}
	return text
}

func (s *Signer) claims(session *payment.Session, a *payment.Attempt) claims {
	o := session.Object(payment.EventOptions{})
	paid := o.Attempts[a.Number-1]
	var several []string
	for _, tx := range paid.Transactions {
		if len(paid.Transactions) > 1 {
			several = append(several, tx.ID)
		}
	}
	return claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer:   s.issuer,
			Subject:  o.ID,
			IssuedAt: jwt.NewNumericDate(a.EndedAt),
		},
		Status:         o.Status,
		Test:           o.Test,
		OrderRef:       o.OrderRef,
		Amount:         o.Amount,
		Currency:       o.Currency,
		AmountUSD:      o.AmountUSD,
		Rate:           o.Rate,
		PaidAmount:     paid.PaidAmount,
		CurrencySymbol: paid.CurrencySymbol,
		NetworkCode:    paid.NetworkCode,
		TrackingCode:   paid.TrackingCode,
		TxID:           paid.TxID,
		TxIDs:          several,
	}
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encoding the public keys: %v", err))
	}
	return text
}
