package payment

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"coinslot/app/wire"
	"coinslot/bff/currency"

	"github.com/shopspring/decimal"
)

// Order is what is to be paid once, priced by the merchant alone. Only the price is required;
// [Order.Validate] enforces the limits, docs/api.md documents them.
type Order struct {
	// AmountUSD is what is charged, as from [ParseAmount]. It is zero for a price in another
	// currency that was not converted yet: see [Order.InDollars].
	AmountUSD decimal.Decimal `json:"amount_usd"`
	// Amount and Currency are a price in another currency than dollars, zero and "" for one in
	// dollars. Currency is an ISO 4217 code. Rate is what Amount was converted at; nil = not yet.
	Amount   decimal.Decimal `json:"amount,omitzero"`
	Currency string          `json:"currency,omitempty"`
	Rate     *wire.Rate      `json:"rate,omitempty"`
	// the merchant's reference, unique if not empty
	Ref string `json:"ref,omitempty"`
	// six digits to give to the gateway; zero = draw a free one
	OrderID int `json:"order_id,omitempty"`
	// the shop's name as shoppers know it, one line; empty = COINSLOT_SHOP_NAME
	ShopName    string `json:"shop_name,omitempty"`
	Title       string `json:"title,omitempty"` // one line, shown to the shopper as plain text
	Description string `json:"description,omitempty"`
	// the shopper's, given to the gateway
	Email    string            `json:"email,omitempty"`
	Metadata map[string]string `json:"metadata,omitempty"` // the merchant's own, never shown
	// allow list of "USDT" or "USDT_trc20"; empty = all
	Currencies []string `json:"currencies,omitempty"`
	// of each attempt; zero = 30, never above the network's maximum
	TTLMinutes int `json:"ttl_minutes,omitempty"`
	// of the session, until a coin is chosen; zero = 24 h
	ExpiresIn time.Duration `json:"expires_in,omitempty"`
	// http(s) link shown once it is paid; empty = none
	SuccessURL string `json:"success_url,omitempty"`
	// http(s) link back to the shop in every other state; empty = none
	CancelURL string `json:"cancel_url,omitempty"`
	Lang      string `json:"lang,omitempty"` // BCP 47 tag; empty = the browser's
	// of the catalog; empty = the merchant's server has set the price
	Item string `json:"item,omitempty"`
}

// InDollars reports whether the merchant's price is in dollars.
func (o Order) InDollars() bool { return o.Currency == "" }

// Price returns the merchant's price: the amount, and the ISO 4217 code of its currency.
func (o Order) Price() (amount decimal.Decimal, code string) {
	if o.InDollars() {
		return o.AmountUSD, currency.USD
	}
	return o.Amount, o.Currency
}

// PriceText returns the merchant's price as decimal text with all digits of its currency.
func (o Order) PriceText() string {
	amount, code := o.Price()
	return currency.Text(amount, code)
}

// Complete fills in defaults, so that equal orders have equal Digests.
func (o Order) Complete() Order {
	if o.ExpiresIn == 0 {
		o.ExpiresIn = DefaultExpiry
	}
	return o
}

// Limits of an order. They bound the size of a row, a page and a webhook.
const (
	maxRef         = 128
	maxShopName    = 80
	maxTitle       = 200
	maxDescription = 2000
	maxLang        = 200
	maxURL         = 2000
	maxMetadata    = 20
	maxMetaKey     = 64
	maxMetaValue   = 500
	maxCurrencies  = 50
	maxTTLMinutes  = 7 * 24 * 60
	MaxExpiresIn   = 90 * 24 * time.Hour
	MaxRateAge     = 24 * time.Hour // how long a session may keep its exchange rate
	defaultTTL     = 30             // minutes
	DefaultExpiry  = 24 * time.Hour
)

var (
	amountText   = regexp.MustCompile(`^(0|[1-9][0-9]{0,8})(\.[0-9]{1,2})?$`)
	currencyText = regexp.MustCompile(`^[A-Za-z0-9]{1,16}(_[A-Za-z0-9-]{1,32})?$`)
)

// ParseAmount parses US dollars: decimal text, at most two fractional digits, more than zero,
// below one billion. Errors: *wire.Error with CodeAmountRequired or CodeAmountInvalid and Param
// "amount_usd".
func ParseAmount(text string) (decimal.Decimal, error) {
	if text == "" {
		return decimal.Zero, NewError(wire.CodeAmountRequired, "amount_usd")
	}
	if !amountText.MatchString(text) {
		return decimal.Zero, NewError(wire.CodeAmountInvalid, "amount_usd")
	}
	d, err := decimal.NewFromString(text)
	if err != nil || !d.IsPositive() {
		return decimal.Zero, NewError(wire.CodeAmountInvalid, "amount_usd")
	}
	return d, nil
}

// Validate returns nil, or a *wire.Error for the first invalid member.
func (o Order) Validate() error {
	for _, c := range []struct {
		param string
		ok    bool
	}{
		{"amount_usd", o.validCharge()},
		{"amount", o.InDollars() || o.Amount.IsPositive()},
		{"order_ref", isLine(o.Ref, maxRef)},
		{"order_id", o.OrderID == 0 || o.OrderID >= 100_000 && o.OrderID <= 999_999},
		{"shop_name", isTitle(o.ShopName, maxShopName)},
		{"title", isTitle(o.Title, maxTitle)},
		{"description", isText(o.Description, maxDescription)},
		{"email", o.Email == "" || validEmail(o.Email)},
		{"metadata", validMetadata(o.Metadata)},
		{"currencies", validCurrencies(o.Currencies)},
		{"ttl_minutes", o.TTLMinutes >= 0 && o.TTLMinutes <= maxTTLMinutes},
		{"expires_in_minutes", o.ExpiresIn >= 0 && o.ExpiresIn <= o.maxExpiresIn()},
		{"success_url", validURL(o.SuccessURL)},
		{"cancel_url", validURL(o.CancelURL)},
		{"lang", isLine(o.Lang, maxLang)},
	} {
		if !c.ok {
			return NewError(wire.CodeInvalid, c.param)
		}
	}

	return nil
}

// validCharge reports whether the dollars can be charged; they are unknown before a conversion.
func (o Order) validCharge() bool {
	if !o.InDollars() && o.Rate == nil {
		return o.AmountUSD.IsZero()
	}
	return o.AmountUSD.IsPositive() && amountText.MatchString(o.AmountUSD.String())
}

// Digest is equal for two orders exactly if the merchant meant the same: a price in another
// currency is compared as the merchant sent it, whatever the rate.
func (o Order) Digest() string {
	var amountUSD string
	if o.InDollars() {
		amountUSD = o.AmountUSD.Truncate(2).StringFixed(2) // "25" and "25.00" are one amount
	}
	o.Rate = nil
	text, err := json.Marshal(struct {
		Order
		AmountUSD string `json:"amount_usd"`
	}{o, amountUSD})
	if err != nil {
		panic("encoding an order: " + err.Error()) // plain data: cannot fail
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (o Order) maxExpiresIn() time.Duration {
	if o.InDollars() {
		return MaxExpiresIn
	}
	return MaxRateAge
}

// validEmail reports whether s is an address as [Email] returns it.
func validEmail(s string) bool {
	address, ok := Email(s)
	return ok && address == s
}

// isLine reports whether s is valid UTF-8 of at most limit characters, without control
// characters or ones that change the text direction.
func isLine(s string, limit int) bool {
	return isTitle(s, limit) && strings.IndexFunc(s, isMark) < 0
}

// isTitle is isLine for people: directional marks are allowed.
func isTitle(s string, limit int) bool {
	return isText(s, limit) && !strings.ContainsAny(s, "\n\r\t")
}

// isText is isTitle with tabs and line breaks allowed.
func isText(s string, limit int) bool {
	if !utf8.ValidString(s) || utf8.RuneCountInString(s) > limit {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool {
		return unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r) ||
			unicode.Is(unicode.Bidi_Control, r) && !isMark(r)
	}) < 0
}

// isMark reports whether r is a directional mark, which editors insert: it is like an invisible
// letter of its direction. Embeddings, overrides and isolates reorder the text that follows.
// Source: Unicode Standard Annex #9, section 2.
func isMark(r rune) bool { return r == '\u200e' || r == '\u200f' || r == '\u061c' }

func validMetadata(m map[string]string) bool {
	if len(m) > maxMetadata {
		return false
	}
	for k, v := range m {
		if k == "" || !isLine(k, maxMetaKey) || !isText(v, maxMetaValue) {
			return false
		}
	}
	return true
}

func validCurrencies(list []string) bool {
	for _, name := range list {
		if !currencyText.MatchString(name) {
			return false
		}
	}
	return len(list) <= maxCurrencies
}

// validURL reports whether s is empty or an absolute http(s) URL safe to send a shopper to.
func validURL(s string) bool {
	if s == "" {
		return true
	}
	u, err := url.Parse(s)
	if err != nil || !isLine(s, maxURL) || len(s) > maxURL || strings.ContainsAny(s, "\\ ") {
		return false
	}
	return (u.Scheme == "https" || u.Scheme == "http") && u.User == nil && CheckHost(u) == nil
}

// CheckHost validates the host and port of u as written: a DNS name without a trailing dot, in
// any script, or an IP address in its usual form; a port, if any, from 1 to 65535. The error's
// text never holds the value.
func CheckHost(u *url.URL) error {
	host := strings.ToLower(u.Hostname())
	last := host[strings.LastIndexByte(host, '.')+1:]
	if strings.HasPrefix(u.Host, "[") || numericLabel.MatchString(last) {
		// 127.1, 0x7f.1, 0177.0.0.1 and the like mean different things to different resolvers.
		a, err := netip.ParseAddr(host)
		if err != nil || a.Zone() != "" {
			return errors.New("its host is an IP address in an unusual form")
		}
		return checkPort(u)
	}
	if len(host) > 253 {
		return errors.New("its host is too long")
	}

	for label := range strings.SplitSeq(host, ".") {
		if !hostLabel.MatchString(label) {
			return errors.New("its host is not a DNS name (no dot at the end)")
		}
	}

	return checkPort(u)
}

// hostLabel matches one label of a lower-case DNS name. Underscores exist in practice.
var hostLabel = regexp.MustCompile(`^[\pL0-9_]([\pL\pM0-9_-]{0,61}[\pL\pM0-9_])?$`)

// numericLabel matches a decimal or hexadecimal number: resolvers may read a host that ends
// in one as an IPv4 address. Source: WHATWG URL, "ends in a number".
var numericLabel = regexp.MustCompile(`^([0-9]+|0x[0-9a-f]*)$`)

func checkPort(u *url.URL) error {
	text := u.Port()
	if text == "" && !strings.HasSuffix(u.Host, ":") {
		return nil
	}
	_, err := strconv.ParseUint(text, 10, 16)
	if err != nil || text[0] == '0' {
		return errors.New("its port is not a number from 1 to 65535")
	}
	return nil
}
