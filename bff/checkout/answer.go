package checkout

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// trackingCode is what a tracking code may look like: the gateway's page shows
// a UUID and a short code, so anything that is safe in a URL will do.
var trackingCode = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// Terms is what an answer to create is checked against.
type Terms struct {
	Price decimal.Decimal // of the coin in USDT; zero = not known
	Fee   decimal.Decimal // of the network
	// Page is the address of the gateway's hosted pages; empty = none is shown.
	Page  string
	Coins Coins
}

// doubtful returns why the answer c to create must not be shown for a, or nil.
func doubtful(a *Attempt, c Created, terms Terms) error {
	switch {
	case !trackingCode.MatchString(c.TrackingCode):
		return fmt.Errorf("tracking code is not well formed")
	case c.Status != "pending":
		return fmt.Errorf("status is %.20q, not pending", c.Status)
	case !c.AmountUSD.Equal(a.AmountUSD):
		return fmt.Errorf("amount_usd is %s, asked for %s", c.AmountUSD, a.AmountUSD)
	case a.OrderID != 0 && c.OrderID != a.OrderID:
		return fmt.Errorf("order_id is %d, asked for %d", c.OrderID, a.OrderID)
	case !SameName(c.CurrencySymbol, a.CurrencySymbol):
		return fmt.Errorf("currency is %.20q, asked for %q", c.CurrencySymbol, a.CurrencySymbol)
	case !SameName(c.NetworkCode, a.NetworkCode):
		return fmt.Errorf("network is %.20q, asked for %q", c.NetworkCode, a.NetworkCode)
	}
	if err := terms.Coins.CheckAddress(a.NetworkCode, c.Address); err != nil {
		return fmt.Errorf("network %.64q: %w", a.NetworkCode, err)
	}
	return insane(c.PayAmount, a.AmountUSD, terms.Price, terms.Fee)
}

// insane reports an amount that is off by more than any spread or fee
// explains: a unit or decimals mistake. How the gateway computes pay_amount is
// not documented, so the bounds are wide: half to twice the order's value, plus
// twice the fee whichever unit that is in.
func insane(pay, usd, price, fee decimal.Decimal) error {
	if !pay.IsPositive() {
		return fmt.Errorf("pay_amount %s is not positive", pay)
	}
	if !pay.Equal(pay.Truncate(8)) { // the documented number, which tolerance and rest are rounded to
		return fmt.Errorf("pay_amount %s has more than eight fractional digits", pay)
	}
	if !price.IsPositive() {
		return nil
	}
	two := decimal.NewFromInt(2)
	worth := pay.Mul(price)
	extra := fee.Mul(decimal.Max(price, decimal.NewFromInt(1))).Mul(two)
	if worth.LessThan(usd.Div(two)) || worth.GreaterThan(usd.Mul(two).Add(extra)) {
		return fmt.Errorf("pay_amount %s at %s USDT is not worth %s USD", pay, price, usd)
	}
	return nil
}

// accept takes an answer that is not doubtful.
func (a *Attempt) accept(c Created, now time.Time, pageURL string) {
	a.State = Waiting
	a.TrackingCode, a.Address = c.TrackingCode, c.Address
	a.PayAmount, a.PayText = c.PayAmount, c.PayAmountText
	a.Tolerance = capTolerance(c.TolerancePercent)
	a.PaymentURL = hosted(c.PaymentURL, pageURL)
	a.ExpiresAt = expiry(c.ExpiresAt, now, a.TTLMinutes)
	if c.CurrencyName != "" {
		a.CurrencyName = c.CurrencyName
	}
	if c.NetworkName != "" {
		a.NetworkName = c.NetworkName
	}
}

// windowSlack is how much longer than asked for a payment window may be.
const windowSlack = 5 * time.Minute

// expiry trusts the gateway's end of the window only as far as it can be
// right; otherwise, and when its clock is off, the window is ttl from now.
func expiry(told, now time.Time, ttlMinutes int) time.Time {
	ttl := time.Duration(ttlMinutes) * time.Minute
	if left := told.Sub(now); told.IsZero() || left <= 0 || left > ttl+windowSlack {
		return now.Add(ttl)
	}
	return told
}

// hosted returns raw if it lies below page, the hosted payment page's address,
// else "": a link to anywhere else is not shown.
func hosted(raw, page string) string {
	if !plainURL(raw) {
		return ""
	}
	u, err := url.Parse(raw)
	p, perr := url.Parse(page)
	if err != nil || perr != nil || page == "" || u.User != nil {
		return ""
	}
	below := strings.HasPrefix(u.Path, strings.TrimSuffix(p.Path, "/")+"/") && !strings.Contains(u.Path, "..")
	if u.Scheme != p.Scheme || u.Host != p.Host || !below {
		return ""
	}
	return u.String()
}

// plainURL reports whether raw has only characters that a URL can have: none
// that could end an attribute or a quotation.
func plainURL(raw string) bool {
	return !strings.ContainsFunc(raw, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune("\"<>\\^`{|}", r)
	})
}

// explorer returns raw if it is a plain https link, else "".
func explorer(raw string) string {
	if !plainURL(raw) {
		return ""
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	return u.String()
}
