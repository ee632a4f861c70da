package wire

import (
	"errors"
	"slices"

	"coinslot/app/json"
)

// View is everything that a page shows of one session. The zero View is not
// valid; the BFF always fills Session, Status and Order.
type View struct {
	// Version grows by at least one with every change of the session and never
	// shrinks. Zero: the session is stored nowhere yet (an order token or a
	// catalogue item whose shopper has not chosen a coin).
	Version int64 `json:"version"`
	// Session is the id ("cs_…"), empty while Version is zero.
	Session string `json:"session"`
	Status  Status `json:"status"`
	// Test is set when no real money moves; the page then says so.
	Test  bool  `json:"test"`
	Order Order `json:"order"`
	// Currencies is what can be chosen, in the order to be shown. Networks that
	// cannot be chosen are listed too, with a reason.
	Currencies []Currency `json:"currencies"`
	// Attempt is the latest attempt; nil before the first choice.
	Attempt *Attempt `json:"attempt"`
	// Actions are the things that the shopper can do now; never nil.
	Actions []Action `json:"actions"`
	// CheckedMsAgo is how long ago the gateway was last asked and answered, in
	// milliseconds; -1 if that has not happened yet.
	CheckedMsAgo int64 `json:"checked_ms_ago"`
	// Notice says why the last choice led nowhere; nil if there is nothing to say.
	Notice *Notice `json:"notice,omitempty"`
	// SuccessURL and CancelURL are where the merchant wants the shopper to go
	// afterwards, http(s) only; empty if not set.
	SuccessURL string `json:"success_url,omitempty"`
	CancelURL  string `json:"cancel_url,omitempty"`
	// Receipt proves a confirmed payment to the merchant: a JWT signed with EdDSA
	// (docs/verify.md); empty in every other status.
	Receipt string `json:"receipt,omitempty"`
	// Support is where the merchant answers shoppers, an https: or mailto: URL;
	// empty if not set.
	Support string `json:"support,omitempty"`

	// WillUpdate is set by a page that will be told the view again once CheckedMsAgo has
	// grown to [JustNow], or sooner if there is news: until then it need not count.
	WillUpdate bool `json:"-"`
}

// JustNow is how old the gateway's answer may be, in milliseconds, without a page
// counting its age aloud, and a socket silent. static/program.js knows it too.
const JustNow = 5000

// Timeless returns v without what changes while nothing happens: the times, and
// whether they are told. v stays as it is.
func (v View) Timeless() View {
	v.CheckedMsAgo, v.WillUpdate = 0, false
	if v.Attempt != nil {
		a := *v.Attempt
		a.ExpiresInMs = 0
		v.Attempt = &a
	}
	return v
}

// ParseView reads a View's JSON. What is valid JSON and no View, such as null,
// is an error too: taken for one, it would empty the page.
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

// Can reports whether a is among the possible actions.
func (v View) Can(a Action) bool {
	return slices.Contains(v.Actions, a)
}

// Order is what is being paid for, as the merchant has set it.
type Order struct {
	Ref         string `json:"ref"`         // the merchant's own reference; may be empty
	Title       string `json:"title"`       // one line; may be empty
	Description string `json:"description"` // plain text; may be empty
	AmountUSD   string `json:"amount_usd"`  // decimal text with two places, "25.00"
}

// Currency is a coin that the merchant accepts.
type Currency struct {
	Symbol   string    `json:"symbol"`   // as the gateway spells it, "USDT"
	Name     string    `json:"name"`     // "Tether"
	Icon     string    `json:"icon"`     // path on the BFF's origin; empty if there is none
	Networks []Network `json:"networks"` // never empty
}

// Network is one way to send a Currency.
type Network struct {
	Code string `json:"code"` // as the gateway spells it, "trc20"
	Name string `json:"name"` // "TRON"
	// decimal text as the gateway gave it; unit not documented there
	Fee        string `json:"fee"`
	MinimumUSD string `json:"minimum_usd"` // inclusive; empty = none known
	MaximumUSD string `json:"maximum_usd"` // inclusive; empty = none known
	// about what would have to be paid, in the coin; empty = unknown
	Estimate  string `json:"estimate"`
	Available bool   `json:"available"` // can be chosen for this order
	// why not, a sentence in the page's language; empty if Available
	Reason string `json:"reason"`
	// path of the network's mark on the BFF's origin; empty if there is none
	Mark string `json:"mark"`
	// no other network of this coin that can be chosen has a lower fee
	Lowest    bool `json:"lowest"`
	Exchanges bool `json:"exchanges"` // most exchanges send this coin on this network
}

// Family is a kind of address, by which a shopper can tell networks apart.
type Family string

const (
	EVM         Family = "evm"  // 0x and 40 hexadecimal digits
	TRON        Family = "tron" // T and 33 characters of base58
	TON         Family = "ton"  // 48 characters of base64url, or 0: and hexadecimal digits
	OtherFamily Family = ""     // not known
)

// Attempt is one transaction opened at the gateway for the session.
type Attempt struct {
	Number         int    `json:"number"` // from 1
	CurrencySymbol string `json:"currency_symbol"`
	CurrencyName   string `json:"currency_name"`
	NetworkCode    string `json:"network_code"`
	NetworkName    string `json:"network_name"`
	// Address is where to pay; empty while unknown, and when the attempt can
	// only be paid at PaymentURL.
	Address string `json:"address"`
	// PayAmount is what the gateway asks for, in its own digits; PayableAmount
	// is the same rounded up to what the token can carry, and is what is shown.
	PayAmount     string `json:"pay_amount"`
	PayableAmount string `json:"payable_amount"`
	// PaidAmount, MissingAmount and OverpaidAmount are in the coin, empty
	// when nothing was paid, nothing is missing, nothing is too much.
	PaidAmount       string `json:"paid_amount"`
	MissingAmount    string `json:"missing_amount"`
	OverpaidAmount   string `json:"overpaid_amount"`
	TolerancePercent string `json:"tolerance_percent"`
	// ExpiresInMs is the time left to pay, counted from the sending of this
	// View; zero once it has passed.
	ExpiresInMs int64 `json:"expires_in_ms"`
	// Late is set when the money came after expiry or cancellation.
	Late bool `json:"late"`
	// the gateway's hosted page; empty if it may not be shown
	PaymentURL string `json:"payment_url"`
	// URI is a payment link for wallets ("ethereum:…"), for what is due now;
	// empty where none is standard. TokenURI is set if it names a token's
	// contract as well, which some wallets misread.
	URI      string `json:"uri"`
	TokenURI bool   `json:"token_uri"`
	// Call is the same for a wallet in the browser (EIP-1193); nil where there is none.
	Call   *Call  `json:"call,omitempty"`
	TxID   string `json:"tx_id"`
	TxURL  string `json:"tx_url"`  // https only; empty otherwise
	PaidAt string `json:"paid_at"` // RFC 3339 in UTC; empty if not paid or not told
	// TrackingCode is the gateway's name of the transaction, for asking about it.
	TrackingCode string `json:"tracking_code"`
	// path of the network's mark on the BFF's origin; may be empty
	NetworkMark string `json:"network_mark"`
	Family      Family `json:"family"` // of the address
	// ExtendMinutes is the time to pay that [Extend] gives, counted anew; zero if
	// it is not possible.
	ExtendMinutes int `json:"extend_minutes,omitempty"`
}

// Call is a transaction for eth_sendTransaction, all but its sender. All values
// but To are "0x" and hexadecimal digits.
// Sources: EIP-1193, EIP-1474, EIP-20 (transfer).
type Call struct {
	ChainID string `json:"chain_id"` // "0x1"
	To      string `json:"to"`       // the address to pay, or the token's contract
	Value   string `json:"value"`    // in the chain's smallest unit; "0x0" for a token
	// transfer(address,uint256) of a token; "0x" for the chain's own coin
	Data string `json:"data"`
}

// Notice is a sentence for the shopper with its stable code.
type Notice struct {
	Code    Code   `json:"code"` // empty = news, not an error
	Message string `json:"message"`
}

// Choice is the body of POST …/attempts.
type Choice struct {
	CurrencySymbol string `json:"currency_symbol"`
	NetworkCode    string `json:"network_code"`
	Email          string `json:"email,omitempty"`
	Comment        string `json:"comment,omitempty"`
}
