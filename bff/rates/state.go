package rates

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"time"

	"coinslot/bff/currency"

	"github.com/shopspring/decimal"
)

// State is what all instances know of the rates; it is stored as one document. The zero State has
// none yet. Methods do not change it: they return another.
type State struct {
	Source string    `json:"source"`
	AsOf   time.Time `json:"as_of"` // of the last table
	// Currencies are those of which the source has ever had a rate, by code, without the dollar.
	Currencies map[string]Entry `json:"currencies"`
	Schedule   Schedule         `json:"schedule"`
}

// Entry is what is known of one currency.
type Entry struct {
	// Rate is the last one in use, perhaps too old by now; zero = there was none.
	Rate Rate `json:"rate,omitzero"`
	// Held jumped away from Rate, and waits for an operator; nil = none.
	Held *Rate `json:"held,omitempty"`
	// Reason is why the last table has no rate: Absent or Invalid; "" = it has one.
	Reason Reason `json:"reason,omitempty"`
}

// Reason is why a currency cannot be converted now. Reasons are part of the API.
type Reason string

// The reasons.
const (
	TooOld  Reason = "too_old" // the rate is not valid any more
	Held    Reason = "held"    // likewise; the next one jumped, and waits for an operator
	Absent  Reason = "absent"  // the source has no rate of it any more, or was not read yet
	Invalid Reason = "invalid" // the source's number is not a rate
)

// Apply returns the state after a table of its source.
//
// A rate that jumps away from the last one in use, which may be too old by now, is held: see
// [Entry]. A rate that does not jump replaces both. A currency without a rate in the table cannot
// be used until it has one again. A table older than the last one changes nothing, unless it is
// a file, which counts as it is. With a table of another source, the state starts anew.
func (s State) Apply(t Table) State {
	if s.Source != t.Source {
		s = State{Source: t.Source, Schedule: s.Schedule}
	}
	if t.AsOf.Before(s.AsOf) && t.Source != Fixed {
		return s
	}

	s.AsOf = t.AsOf
	s.Currencies = maps.Clone(s.Currencies)
	if s.Currencies == nil {
		s.Currencies = map[string]Entry{}
	}
	for code, e := range s.Currencies {
		s.Currencies[code] = Entry{Rate: e.Rate, Held: e.Held, Reason: Absent}
	}
	for code := range t.Invalid {
		e := s.Currencies[code]
		s.Currencies[code] = Entry{Rate: e.Rate, Held: e.Held, Reason: Invalid}
	}
	for code, rate := range t.Rates {
		s.Currencies[code] = s.Currencies[code].next(rate)
	}
	return s
}

// next returns e after the source has published a rate.
func (e Entry) next(rate Rate) Entry {
	if e.Rate.IsZero() || !jumps(e.Rate, rate) {
		return Entry{Rate: rate}
	}
	return Entry{Rate: e.Rate, Held: &rate}
}

// jumps reports whether a rate is more than a tenth above the last one, or the last one more than
// a tenth above it. So it does not matter which way round a rate is quoted.
func jumps(last, next Rate) bool {
	before, err := last.value()
	if err != nil {
		return true
	}
	after, err := next.value()
	if err != nil {
		return true
	}
	most := big.NewRat(11, 10)
	rise := new(big.Rat).Quo(after, before)
	fall := new(big.Rat).Quo(before, after)
	return rise.Cmp(most) > 0 || fall.Cmp(most) > 0
}

// Change returns how far the held rate is from the one in use, in percent with a sign and one
// decimal: "+12.0"; "" = none is held, or one of them cannot be read.
func (e Entry) Change() string {
	if e.Held == nil {
		return ""
	}
	before, err := e.Rate.value()
	if err != nil {
		return ""
	}
	after, err := e.Held.value()
	if err != nil {
		return ""
	}

	change := new(big.Rat).Sub(after, before)
	change.Quo(change, before)
	change.Mul(change, big.NewRat(100, 1))
	percent := decimal.NewFromBigRat(change, 1).StringFixed(1)
	if change.Sign() > 0 {
		return "+" + percent
	}
	return percent
}

// ErrNotHeld means that the rate to accept is not held any more.
var ErrNotHeld = errors.New("this rate is not held any more: look at the current one")

// Accept returns the state with the held rate of a currency in use. fraction is the one that the
// operator saw. Errors: ErrNotHeld.
func (s State) Accept(code, fraction string) (State, error) {
	e := s.Currencies[code]
	if e.Held == nil || e.Held.Fraction != fraction {
		return s, ErrNotHeld
	}
	s.Currencies = maps.Clone(s.Currencies)
	s.Currencies[code] = Entry{Rate: *e.Held, Reason: e.Reason}
	return s, nil
}

// Usable returns the rate that serves at now, or why there is none.
func (e Entry) Usable(now time.Time) (Rate, Reason) {
	switch {
	case e.Reason != "":
		return Rate{}, e.Reason
	case e.Rate.IsZero():
		return Rate{}, Absent
	case e.Rate.ValidUntil.IsZero() || now.Before(e.Rate.ValidUntil):
		return e.Rate, ""
	case e.Held != nil:
		return Rate{}, Held
	}
	return Rate{}, TooOld
}

// Supported returns the currencies that sessions may be opened in, sorted: the dollar, and those of
// which the source has ever had a rate.
func (s State) Supported() []string {
	codes := []string{currency.USD}
	for code := range s.Currencies {
		if _, known := currency.Digits(code); known {
			codes = append(codes, code)
		}
	}
	slices.Sort(codes)
	return codes
}

// ErrUnsupported means that a code is not a currency in use, or that the source has never had a
// rate of it.
var ErrUnsupported = errors.New("the currency is not supported")

// UnavailableError means that a currency has no rate that serves now.
type UnavailableError struct {
	Currency   string
	Reason     Reason
	RetryAfter time.Duration // until the source has been read again, about
}

// Error names the currency and the reason.
func (e *UnavailableError) Error() string {
	return fmt.Sprintf("no exchange rate of %s can be used now: %s", e.Currency, e.Reason)
}

// Quote converts an amount into dollars at the rate that serves at now, plus a spread in percent, and
// returns both. There is no rate of the dollar itself.
//
// Errors: ErrUnsupported, *UnavailableError, ErrTooLarge.
func (s State) Quote(
	amount decimal.Decimal, code string, spreadPercent decimal.Decimal, now time.Time,
) (decimal.Decimal, Rate, error) {
	e, offered := s.Currencies[code]
	_, known := currency.Digits(code)
	if !known || code == currency.USD || !offered && len(s.Currencies) > 0 {
		return decimal.Zero, Rate{}, ErrUnsupported
	}

	rate, reason := e.Usable(now)
	if reason != "" {
		return decimal.Zero, Rate{}, &UnavailableError{code, reason, s.retryAfter(now)}
	}
	dollars, err := Charge(amount, rate, spreadPercent)
	if errors.Is(err, ErrTooLarge) {
		return decimal.Zero, Rate{}, err
	}
	if err != nil { // it was stored by another release
		return decimal.Zero, Rate{}, &UnavailableError{code, Invalid, s.retryAfter(now)}
	}
	return dollars, rate, nil
}

// retryAfter returns in how long the source will have been read again: more than the time that it
// takes, and no longer than its interval, whatever a wrong clock has stored.
func (s State) retryAfter(now time.Time) time.Duration {
	wait := s.Schedule.Next.Sub(now) + fetchTimeout
	return min(max(wait, fetchTimeout), Interval(s.Source))
}
