package payment

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"coinslot/app/wire"

	"github.com/shopspring/decimal"
)

// ApplyCreateAnswer applies the outcome of create to attempt n: done, refused or, by
// default, unknown.
func (s *Session) ApplyCreateAnswer(
	n int, created Created, err error, terms Terms, now time.Time,
) error {
	a := s.Attempt(n)
	if a == nil || a.TrackingCode != "" ||
		(a.State != Creating && a.State != Unknown && a.State != Abandoned) {
		return ErrUnchanged
	}
	var refused *RefusedError
	switch {
	case a.State == Abandoned:
		return s.keepLateAnswer(a, created, err, now)
	case errors.As(err, &refused):
		if !s.postponeCreate(a, refused, now) {
			s.refuse(a, refused, now)
		}
	case err != nil:
		a.State, a.UnknownAt = Unknown, now
		s.AppendTimeline(now, "gateway", "attempt.unknown", err.Error())
	default:
		s.applyAnswer(a, created, terms, now)
	}
	return nil
}

// keepLateAnswer keeps the tracking code of a transaction whose attempt was
// given up and replaced in the meantime, so that it is cancelled.
func (s *Session) keepLateAnswer(a *Attempt, created Created, err error, now time.Time) error {
	if err != nil || !IsTrackingCode(created.TrackingCode) {
		return ErrUnchanged
	}
	a.TrackingCode = created.TrackingCode
	s.AppendTimeline(now, "gateway", "attempt.late_answer", created.TrackingCode)
	return nil
}

// applyAnswer takes or rejects an answer that says it was done.
func (s *Session) applyAnswer(a *Attempt, created Created, terms Terms, now time.Time) {
	if why := answerProblem(a, created, terms); why != nil {
		a.State, a.Reason = Rejected, why.Error()
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

// refuse closes an attempt that is proven not to exist at the gateway.
func (s *Session) refuse(a *Attempt, e *RefusedError, now time.Time) {
	a.State, a.Reason, a.EndedAt = Refused, string(e.Reason), now
	code := wire.CodePaymentRefused
	switch e.Reason {
	case ReasonUnsent, ReasonBusy, ReasonKey:
		code = wire.CodeGatewayUnavailable
	}
	s.Notice = Notice{Code: code}
	s.AppendTimeline(now, "gateway", "attempt.refused", e.Error())
}

const (
	// maxRetries is how often a create is sent again that the gateway has answered
	// with 429, before the shopper is asked to choose again.
	maxRetries = 5
	// firstRetryWait is the wait if the gateway does not say; it doubles each time.
	firstRetryWait = 2 * time.Second
)

// postponeCreate plans to send the create of a again, and reports whether it may: the
// gateway has answered that it takes no requests now, so nothing was created and
// there is nothing to search for. a stays in state Creating.
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

// ResumeCreate allows the create of attempt n, which was put off, to be sent again.
// Whoever commits this change sends it, and nobody else does. If the session has
// been paid meanwhile, nothing may be sent: the attempt is closed and resume
// reports false. ErrUnchanged if it is too soon, or another process sends it.
func (s *Session) ResumeCreate(n int, now time.Time) (send bool, err error) {
	a := s.Attempt(n)
	if a == nil || a.State != Creating || a.RetryAt.IsZero() || now.Before(a.RetryAt) {
		return false, ErrUnchanged
	}
	a.RetryAt = time.Time{}
	without := s.without(n)
	if err := without.mayOpen(now); err != nil && !errors.Is(err, errTooMany) {
		a.State, a.Reason, a.EndedAt = Refused, string(ReasonBusy), now
		s.AppendTimeline(now, "coinslot", "attempt.not_sent", err.Error())
		return false, nil
	}
	a.StartedAt = now // nothing was opened before
	return true, nil
}

// errTooMany says that a session has used up its attempts. One that was put off is
// counted already.
var errTooMany = NewError(wire.CodeTooManyAttempts, "")

// Coins is what the rules need to know of coins and networks; the registry that is built in
// has it, whatever the operator's file says.
//
// Whether a payment counts is decided by amounts alone: the gateway's pay_amount, its
// tolerance, eight digits ([LeastPaid]). An answer to create is believed only if its address
// passes the built-in checks, and what merchants are told is missing or too much is rounded
// to built-in digits. So an operator's file of coins cannot let a payment through, an address
// in, or change a webhook. It decides what a shopper sees: the amount rounded up to what the
// token carries, never below pay_amount.
type Coins interface {
	// Places returns how many fractional digits a coin can carry on a network.
	Places(symbol, network string) int32
	// CheckAddress returns nil if address is well formed for the network and its
	// checksum, where the network's addresses have one, is right.
	CheckAddress(network, address string) error
}

// IsTrackingCode reports whether code may be a tracking code: the gateway's page shows
// a UUID and a short code, so anything that is safe in a URL will do.
func IsTrackingCode(code string) bool { return trackingCodeText.MatchString(code) }

var trackingCodeText = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// Terms is what an answer to create is checked against.
type Terms struct {
	Price decimal.Decimal // of the coin in USDT; zero = not known
	Fee   decimal.Decimal // of the network
	// Page is the address of the gateway's hosted pages; empty = none is shown.
	Page  string
	Coins Coins
}

// answerProblem returns why the answer c to create must not be shown for a, or nil.
func answerProblem(a *Attempt, c Created, terms Terms) error {
	switch {
	case !IsTrackingCode(c.TrackingCode):
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
	return amountProblem(c.PayAmount, a.AmountUSD, terms.Price, terms.Fee)
}

// amountProblem reports an amount that is off by more than any spread or fee
// explains: a unit or decimals mistake. How the gateway computes pay_amount is
// not documented, so the bounds are wide: half to twice the order's value, plus
// twice the fee whichever unit that is in.
func amountProblem(pay, usd, price, fee decimal.Decimal) error {
	if !pay.IsPositive() {
		return fmt.Errorf("pay_amount %s is not positive", pay)
	}
	// the documented number, which tolerance and rest are rounded to
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

// accept takes an answer that is not doubtful.
func (a *Attempt) accept(c Created, now time.Time, pageURL string) {
	a.State = Waiting
	a.TrackingCode, a.Address = c.TrackingCode, c.Address
	a.PayAmount, a.PayText = c.PayAmount, c.PayAmountText
	a.Tolerance = capTolerance(c.TolerancePercent)
	a.PaymentURL = HostedURL(c.PaymentURL, pageURL)
	a.ExpiresAt = expiry(c.ExpiresAt, now, a.TTLMinutes)
	if c.CurrencyName != "" {
		a.CurrencyName = c.CurrencyName
	}
	if c.NetworkName != "" {
		a.NetworkName = c.NetworkName
	}
}

// HostedURL returns raw if it lies below page, the hosted payment page's address,
// else "": a link to anywhere else is not shown.
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

// plainURL reports whether raw has only characters that a URL can have: none
// that could end an attribute or a quotation.
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
