package payment

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"coinslot/app/wire"

	"github.com/shopspring/decimal"
)

// ApplyCreateAnswer applies the answer to create to attempt n: done, refused or, by default,
// unknown.
func (s *Session) ApplyCreateAnswer(
	n int, created Created, err error, terms Terms, now time.Time,
) error {
	a := s.Attempt(n)
	if a == nil || a.TrackingCode != "" ||
		(a.State != Creating && a.State != Unknown && a.State != Abandoned) {
		return ErrUnchanged
	}

	refused, isRefused := errors.AsType[*RefusedError](err)
	switch {
	case a.State == Abandoned:
		return s.keepLateAnswer(a, created, err, now)
	case isRefused:
		if !s.postponeCreate(a, refused, now) {
			s.refuse(a, refused, now)
		}
	case err != nil:
		a.State = Unknown
		a.UnknownAt = now
		s.AppendTimeline(now, "gateway", "attempt.unknown", err.Error())
	default:
		s.applyAnswer(a, created, terms, now)
	}

	return nil
}

// keepLateAnswer stores the tracking code of a transaction whose attempt was abandoned in the
// meantime, so that it gets canceled.
func (s *Session) keepLateAnswer(a *Attempt, created Created, err error, now time.Time) error {
	if err != nil || !IsTrackingCode(created.TrackingCode) {
		return ErrUnchanged
	}
	a.TrackingCode = created.TrackingCode
	s.AppendTimeline(now, "gateway", "attempt.late_answer", created.TrackingCode)
	return nil
}

func (s *Session) applyAnswer(a *Attempt, created Created, terms Terms, now time.Time) {
	if why := answerProblem(a, created, terms); why != nil {
		a.State = Rejected
		a.Reason = why.Error()
		if IsTrackingCode(created.TrackingCode) {
			a.TrackingCode = created.TrackingCode
		}
		s.Notice = Notice{Code: wire.CodePaymentRefused}
		s.AppendTimeline(now, "coinslot", "attempt.rejected", why.Error())
		return
	}

	a.accept(created, now, terms.Page)
	s.CheckedAt = now
	s.AppendTimeline(now, "gateway", "attempt.pending", created.TrackingCode)
}

// refuse closes an attempt that is known not to exist at the gateway.
func (s *Session) refuse(a *Attempt, e *RefusedError, now time.Time) {
	a.State = Refused
	a.Reason = string(e.Reason)
	a.EndedAt = now
	code := wire.CodePaymentRefused
	if e.Reason.temporary() {
		code = wire.CodeGatewayUnavailable
	}
	s.Notice = Notice{Code: code}
	s.AppendTimeline(now, "gateway", "attempt.refused", e.Error())
}

const (
	// maxRetries bounds the retries of a create after 429 answers; then the shopper has to
	// choose again.
	maxRetries = 5
	// firstRetryWait is the wait without a Retry-After; it doubles each time.
	firstRetryWait = 2 * time.Second
)

// postponeCreate schedules a retry of the create of a, and reports whether it may: the gateway
// rate-limited it, so nothing was created. a stays in state Creating.
func (s *Session) postponeCreate(a *Attempt, e *RefusedError, now time.Time) bool {
	wait := e.RetryAfter
	if wait <= 0 {
		wait = firstRetryWait << a.Retries
	}
	if e.Reason != ReasonBusy || a.State != Creating || a.Retries >= maxRetries ||
		wait > maxRetryWait {
		return false
	}

	a.Retries++
	a.RetryAt = now.Add(wait)
	s.AppendTimeline(now, "gateway", "attempt.put_off", wait.String())
	return true
}

// ResumeCreate permits the retry of a postponed create. Only the caller that commits this
// change sends it. If the session was paid meanwhile, the attempt is closed and send is false.
// ErrUnchanged if it is too early, or another process sends it.
func (s *Session) ResumeCreate(n int, now time.Time) (send bool, err error) {
	a := s.Attempt(n)
	if a == nil || a.State != Creating || a.RetryAt.IsZero() || now.Before(a.RetryAt) {
		return false, ErrUnchanged
	}

	a.RetryAt = time.Time{}
	without := s.withState(n, Refused)
	err = without.mayOpen(now)
	if err != nil && !errors.Is(err, errTooMany) {
		a.State = Refused
		a.Reason = string(ReasonBusy)
		a.EndedAt = now
		s.AppendTimeline(now, "coinslot", "attempt.not_sent", err.Error())
		return false, nil
	}

	a.StartedAt = now // nothing was opened before
	return true, nil
}

// errTooMany means that a session has used up its attempts. A postponed attempt counts already.
var errTooMany = NewError(wire.CodeTooManyAttempts, "")

// Coins is what the rules need to know of coins and networks. Its implementation is always the
// built-in registry, whatever the operator's file says.
//
// A payment counts by amounts alone: the gateway's pay_amount and tolerance, at eight digits
// ([LeastPaid]). The answer to create is accepted only if its address passes the built-in
// checks, and missing or excess amounts reported to merchants are rounded to built-in digits.
// So an operator's file of coins cannot confirm a payment, accept an address or change a
// webhook. It affects only what a shopper sees: the amount rounded up to what the token can
// carry, never below pay_amount.
type Coins interface {
	// Places returns how many fractional digits a coin can carry on a network.
	Places(symbol, network string) int32
	// CheckAddress returns nil if address is well formed for the network and its checksum, if
	// it has one, is right.
	CheckAddress(network, address string) error
	// Decimals is Places without the gateway's bound of eight digits.
	Decimals(symbol, network string) int32
	// OtherSymbols returns the symbols besides this one that a coin has or had on a network.
	OtherSymbols(symbol, network string) []string
	// TransactionKey returns what is the same for every way to write the id of one transaction.
	// It fails for what is no id on the network.
	TransactionKey(network, id string) (string, error)
}

// IsTrackingCode reports whether code may be a tracking code. The gateway's docs show a UUID
// and a short code, so any URL-safe text is accepted.
func IsTrackingCode(code string) bool { return trackingCodeText.MatchString(code) }

var trackingCodeText = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// Terms is what the answer to create is validated against.
type Terms struct {
	Price decimal.Decimal // of the coin in USDT; zero = unknown
	Fee   decimal.Decimal // of the network
	// Page is the base URL of the gateway's hosted pages; empty = none is shown.
	Page  string
	Coins Coins
}

// answerProblem returns why the answer c to create must not be shown for a, or nil.
func answerProblem(a *Attempt, c Created, terms Terms) error {
	switch {
	case !IsTrackingCode(c.TrackingCode):
		return fmt.Errorf("malformed tracking code")
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

	return amountProblem(c.PayAmount, a.AmountUSD, terms.Price, terms.Fee)
}

// amountProblem returns an error for an amount that no spread or fee explains: a unit or
// decimals mistake. How the gateway computes pay_amount is not documented, so the bounds are
// wide: half to twice the order's value, plus twice the fee in either unit.
func amountProblem(pay, usd, price, fee decimal.Decimal) error {
	if !pay.IsPositive() {
		return fmt.Errorf("pay_amount %s is not positive", pay)
	}
	// the documented precision
	if !pay.Equal(pay.Truncate(8)) {
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

func (a *Attempt) accept(c Created, now time.Time, pageURL string) {
	a.State = Waiting
	a.TrackingCode = c.TrackingCode
	a.Address = c.Address
	a.PayAmount = c.PayAmount
	a.PayText = c.PayAmountText
	a.Tolerance = capTolerance(c.TolerancePercent)
	a.PaymentURL = HostedURL(c.PaymentURL, pageURL)
	a.ExpiresAt = expiry(c.ExpiresAt, now, a.TTLMinutes)
	a.CurrencyName = cmp.Or(c.CurrencyName, a.CurrencyName)
	a.NetworkName = cmp.Or(c.NetworkName, a.NetworkName)
}

// HostedURL returns raw if it is below page, the base URL of the hosted payment page, else "":
// links elsewhere are not shown.
func HostedURL(raw, page string) string {
	if !plainURL(raw) {
		return ""
	}

	u, err := url.Parse(raw)
	p, perr := url.Parse(page)
	if err != nil || perr != nil || page == "" || u.User != nil {
		return ""
	}

	below := strings.HasPrefix(u.Path, strings.TrimSuffix(p.Path, "/")+"/") &&
		!strings.Contains(u.Path, "..")
	if u.Scheme != p.Scheme || u.Host != p.Host || !below {
		return ""
	}

	return u.String()
}

// plainURL reports whether raw has only URL characters: none that could end an attribute or a
// quotation.
func plainURL(raw string) bool {
	return !strings.ContainsFunc(raw, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune("\"<>\\^`{|}", r)
	})
}

// ExplorerURL returns raw if it is a plain https link, else "".
func ExplorerURL(raw string) string {
	if !plainURL(raw) {
		return ""
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	return u.String()
}
