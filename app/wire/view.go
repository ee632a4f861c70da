package wire

import (
	"errors"
	"slices"

	"coinslot/app/json"
)

// View is everything that a page shows of one session. The zero View is invalid; the BFF always
// sets Session, Status and Order.
type View struct {
	// Version grows with every change of the session. Zero: the session is not stored yet (an
	// order token or catalog item whose shopper has not chosen a coin).
	Version int64 `json:"version"`
	// Session is the id ("cs_…"), empty while Version is zero.
	Session string `json:"session"`
	Status  Status `json:"status"`
	// Test is set in the sandbox, where no real money moves.
	Test  bool  `json:"test"`
	Order Order `json:"order"`
	// Currencies are in the order of the screen. Unavailable networks are listed too, with a
	// reason.
	Currencies []Currency `json:"currencies"`
	// Attempt is the latest attempt; nil before the first choice.
	Attempt *Attempt `json:"attempt"`
	// Actions are what the shopper can do now; never nil.
	Actions []Action `json:"actions"`
	// CheckedMsAgo is the time since the gateway's last answer, in milliseconds; -1 = none yet.
	CheckedMsAgo int64 `json:"checked_ms_ago"`
	// Notice says why the last choice failed; may be nil.
	Notice *Notice `json:"notice,omitempty"`
	// SuccessURL and CancelURL are where the shopper goes afterwards, http(s) only; may be empty.
	SuccessURL string `json:"success_url,omitempty"`
	CancelURL  string `json:"cancel_url,omitempty"`
	// Receipt proves a confirmed payment to the merchant: a JWT signed with EdDSA
	// (docs/verify.md); empty in every other status.
	Receipt string `json:"receipt,omitempty"`
	// Refunds are what the merchant has sent back, the oldest first.
	Refunds []Refund `json:"refunds,omitempty"`
	// Support is the merchant's support, an https: or mailto: URL; may be empty.
	Support string `json:"support,omitempty"`

	// WillUpdate is set by a page whose socket delivers the view again once CheckedMsAgo reaches
	// [JustNow], or sooner after a change. Until then the page need not count.
	WillUpdate bool `json:"-"`
}

// JustNow is the age of the gateway's answer, in milliseconds, below which a page does not show the
// age and a socket may be silent. static/program.js has the same number.
const JustNow = 5000

// Timeless returns a copy of v without what changes while nothing happens: times and WillUpdate.
func (v View) Timeless() View {
	v.CheckedMsAgo = 0
	v.WillUpdate = false
	if v.Attempt != nil {
		a := *v.Attempt
		a.ExpiresInMs = 0
		v.Attempt = &a
	}
	return v
}

// ParseView parses a View's JSON. Other valid JSON, such as null, is an error: as a View, it would
// empty the page.
func ParseView(message []byte) (View, error) {
	var v View
	if err := json.Unmarshal(message, &v); err != nil {
		return View{}, errors.New("decoding a view: " + err.Error())
	}
	if v.Status == "" {
		return View{}, errors.New("decoding a view: it has no status")
	}
	return v, nil
}

// Can reports whether the shopper can do a now.
func (v View) Can(a Action) bool { return slices.Contains(v.Actions, a) }

// LatestAttempt returns *v.Attempt, or the zero Attempt if there is none.
func (v View) LatestAttempt() (a Attempt) {
	if v.Attempt != nil {
		a = *v.Attempt
	}
	return a
}

// Order is what is paid for, as set by the merchant.
type Order struct {
	Ref         string `json:"ref"`         // the merchant's own reference; may be empty
	Title       string `json:"title"`       // one line; may be empty
	Description string `json:"description"` // plain text; may be empty
	// Amount is the price in the shop's Currency (ISO 4217), decimal text with the currency's places.
	// AmountUSD is what is charged, with two places; Rate is how it was converted, nil if in dollars.
	Amount    string `json:"amount"`
	Currency  string `json:"currency"`
	AmountUSD string `json:"amount_usd"`
	Rate      *Rate  `json:"rate"`
	// Price is the price as people of the page's language write it, and Charge what it is converted
	// to and how; "" if the price is in dollars.
	Price  string `json:"price"`
	Charge string `json:"charge,omitempty"`
	// ShopName is the shop's name as shoppers know it; empty if the merchant has set none.
	ShopName string `json:"shop_name,omitempty"`
}

// Currency is a coin that the merchant accepts.
type Currency struct {
	Symbol   string    `json:"symbol"`   // as the gateway spells it, "USDT"
	Name     string    `json:"name"`     // "Tether"
	Icon     string    `json:"icon"`     // path on the BFF's origin; empty if there is none
	Networks []Network `json:"networks"` // never empty
	// DisplaySymbol is the present symbol of a renamed coin, "GRAM"; empty if it is Symbol.
	DisplaySymbol string `json:"display_symbol,omitempty"`
	// Formerly is what a renamed coin was called before, "Toncoin (TON)"; empty for all others.
	Formerly string `json:"formerly,omitempty"`
}

// Shown is the symbol that shoppers read. Programs compare Symbol.
func (c *Currency) Shown() string {
	if c.DisplaySymbol != "" {
		return c.DisplaySymbol
	}
	return c.Symbol
}

// Network is one way to send a Currency.
type Network struct {
	Code string `json:"code"` // as the gateway spells it, "trc20"
	Name string `json:"name"` // "TRON"
	// Decimal text from the gateway, which does not document the unit.
	Fee        string `json:"fee"`
	MinimumUSD string `json:"minimum_usd"` // inclusive; empty = none known
	MaximumUSD string `json:"maximum_usd"` // inclusive; empty = none known
	// Approximate amount in the coin; empty = unknown.
	Estimate  string `json:"estimate"`
	Available bool   `json:"available"` // can be chosen for this order
	// Why not, in the page's language; empty if Available.
	Reason string `json:"reason"`
	// Path of the network's logo on the BFF's origin; may be empty.
	Mark string `json:"mark"`
	// No other available network of this coin has a lower fee.
	Lowest    bool `json:"lowest"`
	Exchanges bool `json:"exchanges"` // most exchanges send this coin on this network
}

// Family is a kind of address, which tells some networks apart.
type Family string

// The kinds of addresses.
const (
	EVM         Family = "evm"  // 0x and 40 hexadecimal digits
	TRON        Family = "tron" // T and 33 characters of base58
	TON         Family = "ton"  // 48 characters of base64url, or 0: and hexadecimal digits
	OtherFamily Family = ""     // unknown
)

// Attempt is one transaction opened at the gateway for the session.
type Attempt struct {
	Number         int    `json:"number"`          // from 1
	CurrencySymbol string `json:"currency_symbol"` // as the gateway spells it
	CurrencyName   string `json:"currency_name"`
	// DisplaySymbol and Formerly are as in [Currency].
	DisplaySymbol string `json:"display_symbol,omitempty"`
	Formerly      string `json:"formerly,omitempty"`
	NetworkCode   string `json:"network_code"`
	NetworkName   string `json:"network_name"`
	// Address is empty while unknown, and when the attempt can only be paid at PaymentURL.
	Address string `json:"address"`
	// PayAmount is what the gateway asks for, in its own digits. PayableAmount, which is shown, is
	// the same rounded up to the token's decimals.
	PayAmount     string `json:"pay_amount"`
	PayableAmount string `json:"payable_amount"`
	// PaidAmount, MissingAmount and OverpaidAmount are in the coin; empty = none. OverpaidAmount is
	// without what was sent back.
	PaidAmount       string `json:"paid_amount"`
	MissingAmount    string `json:"missing_amount"`
	OverpaidAmount   string `json:"overpaid_amount"`
	TolerancePercent string `json:"tolerance_percent"`
	// ExpiresInMs is the time left to pay when this View was sent; zero once it is over.
	ExpiresInMs int64 `json:"expires_in_ms"`
	// Late is set when the money came after expiry or cancellation.
	Late bool `json:"late"`
	// The gateway's hosted page; empty if it may not be shown.
	PaymentURL string `json:"payment_url"`
	// URI is a payment link for wallets ("ethereum:…") of the amount due now; empty where there is
	// no standard. TokenURI is set if it names a token's contract, which some wallets misread.
	URI      string `json:"uri"`
	TokenURI bool   `json:"token_uri"`
	// QR is what the QR code holds unless the shopper asks for the other: "uri" where most wallets
	// read the amount from a link, or "address", which may be left out.
	QR string `json:"qr,omitempty"`
	// Call is the same for a browser wallet (EIP-1193); nil where there is none.
	Call *Call `json:"call,omitempty"`
	// Wallets are links of wallets for phones: those that fill in the payment, then those that open
	// the page, the likeliest of each first. Nil while nothing is due.
	Wallets []WalletLink `json:"wallets,omitempty"`
	TxID    string       `json:"tx_id"`
	TxURL   string       `json:"tx_url"` // https only; empty otherwise
	// Transactions are all that have been reported, in order; TxID is one of them.
	Transactions []Transaction `json:"transactions,omitempty"`
	PaidAt       string        `json:"paid_at"` // RFC 3339 in UTC; empty if not paid or unknown
	// TrackingCode is the gateway's id of the transaction, for support requests.
	TrackingCode string `json:"tracking_code"`
	// Path of the network's logo on the BFF's origin; may be empty.
	NetworkMark string `json:"network_mark"`
	Family      Family `json:"family"` // of the address
	// ExtendMinutes is the new time to pay after [Extend]; zero if that is not possible.
	ExtendMinutes int `json:"extend_minutes,omitempty"`
}

// Shown is the symbol that shoppers read. Programs compare CurrencySymbol.
func (a *Attempt) Shown() string {
	if a.DisplaySymbol != "" {
		return a.DisplaySymbol
	}
	return a.CurrencySymbol
}

// Transaction is one on the blockchain.
type Transaction struct {
	TxID  string `json:"tx_id"`
	TxURL string `json:"tx_url"` // https only; empty otherwise
}

// Refund is money that the merchant has sent back.
type Refund struct {
	Amount string `json:"amount"` // in the coin
	Symbol string `json:"symbol"` // of the coin, as shoppers read it
	Day    string `json:"day"`    // as people of the page's language write it
	TxID   string `json:"tx_id"`
	TxURL  string `json:"tx_url"` // https only; empty otherwise
}

// Call is a transaction for eth_sendTransaction without its sender. All values are "0x" and
// hexadecimal digits.
// Sources: EIP-1193, EIP-1474, EIP-20 (transfer).
type Call struct {
	ChainID string `json:"chain_id"` // "0x1"
	To      string `json:"to"`       // the address to pay, or the token's contract
	Value   string `json:"value"`    // in the chain's smallest unit; "0x0" for a token
	// transfer(address,uint256) of a token; "0x" for the chain's own coin
	Data string `json:"data"`
}

// WalletLink opens a wallet that can pay the amount due. It is the same for every reader.
type WalletLink struct {
	ID   string `json:"id"`   // "trust"
	Name string `json:"name"` // "Trust Wallet"
	Mark string `json:"mark"` // one or two letters, in place of a logo
	Link string `json:"link"` // https; if not Fills, it may have the wallet's own scheme
	// Fills is set if the wallet shows a form with address, coin and amount. Otherwise it opens the
	// payment page in its own browser.
	Fills bool `json:"fills"`
}

// Notice is a sentence for the shopper with its stable code.
type Notice struct {
	Code    Code   `json:"code"` // empty = information, not an error
	Message string `json:"message"`
}

// Choice is the body of POST …/attempts.
type Choice struct {
	CurrencySymbol string `json:"currency_symbol"`
	NetworkCode    string `json:"network_code"`
	Email          string `json:"email,omitempty"`
	Comment        string `json:"comment,omitempty"`
}
