package payment

import (
	"errors"
	"slices"
	"time"

	"coinslot/app/wire"
)

// GiveUpAfter is how long an attempt with an unknown answer blocks its session while the search
// finds nothing.
const GiveUpAfter = 10 * time.Minute

// MarkUnknown marks a create whose answer was never recorded. ErrUnchanged if it was recorded,
// or the create was postponed.
func (s *Session) MarkUnknown(n int, now time.Time) error {
	a := s.Attempt(n)
	if a.State != Creating || !a.RetryAt.IsZero() {
		return ErrUnchanged
	}
	a.State = Unknown
	a.UnknownAt = now
	s.AppendTimeline(now, "coinslot", "attempt.unknown", "no answer to create was recorded")
	return nil
}

// Abandon gives up an attempt whose outcome stays unknown, without a replacement: the shopper
// may choose again. The search continues, and what it finds is canceled.
func (s *Session) Abandon(n int, now time.Time) error {
	a := s.Attempt(n)
	if a == nil || a.State != Unknown {
		return ErrUnchanged
	}
	if a.UnknownAt.After(now) { // the clock was ahead: start over
		a.UnknownAt = now
		return nil
	}
	if now.Sub(a.UnknownAt) < GiveUpAfter {
		return ErrUnchanged
	}

	a.State = Abandoned
	s.AppendTimeline(now, "coinslot", "attempt.abandoned", a.TrackingCode)
	if s.status() == wire.Open {
		s.Notice = Notice{Code: wire.CodeGatewayUnavailable}
	}

	return nil
}

// ApplyToOrphan decides about an attempt whose transaction was found but whose address is lost,
// given a record read after trying to cancel it. It is replaced unless it was paid, or can be
// paid at its hosted page; canceling is retried until it has ended.
func (s *Session) ApplyToOrphan(n int, r Record, env string, now time.Time) error {
	a := s.Attempt(n)
	if a.State != Unknown {
		return ErrUnchanged
	}

	switch r.Status {
	case "confirmed":
		return s.Apply(n, r, env, now)
	case "pending": // cannot be canceled: let shoppers pay it at its hosted page
		s.CheckedAt = now
		if a.PaymentURL != "" {
			a.State = Waiting
			a.PayAmount = r.PayAmount
			a.PayText = FormatAmount(r.PayAmount)
			s.AppendTimeline(now, "coinslot", "attempt.handed_over", a.TrackingCode)
			return nil
		}
	default:
		a.EndedAt = now
		s.CheckedAt = now
	}

	s.abandonAndReplace(a, now)
	return nil
}

// abandonAndReplace closes a and, if the session still awaits payment, appends its replacement.
func (s *Session) abandonAndReplace(a *Attempt, now time.Time) {
	a.State = Abandoned
	s.AppendTimeline(now, "coinslot", "attempt.replaced", a.TrackingCode)
	if a.Number != s.latest() || s.ClosedBy != NotClosed {
		return
	}
	if err := s.mayOpen(now); err != nil {
		if errors.Is(err, errTooMany) {
			s.Notice = Notice{Code: wire.CodeTooManyAttempts}
		}
		return
	}

	s.add(Attempt{
		State:          Creating,
		CurrencySymbol: a.CurrencySymbol,
		CurrencyName:   a.CurrencyName,
		NetworkCode:    a.NetworkCode,
		NetworkName:    a.NetworkName,
		TTLMinutes:     a.TTLMinutes,
		Email:          a.Email,
		Comment:        a.Comment,
	}, now)
}

// CountMiss counts that the gateway's list did not have attempt n as of asOf. The second miss, at
// least absent after the first, abandons the attempt. ErrUnchanged if it is not searched for.
func (s *Session) CountMiss(n int, absent time.Duration, asOf, now time.Time) error {
	a := s.Attempt(n)
	if a == nil || a.State != Unknown || a.TrackingCode != "" {
		return ErrUnchanged
	}
	if a.UnknownAt.After(now) || a.MissedAt.After(now) { // the clock was ahead: start over
		a.UnknownAt = asOf
		a.MissedAt = time.Time{}
		a.Misses = 0
	}
	if asOf.Before(a.UnknownAt) {
		return ErrUnchanged
	}

	a.Misses++
	if a.Misses == 1 {
		a.MissedAt = asOf
	}
	if a.Misses > 1 && asOf.Sub(a.MissedAt) >= absent {
		s.abandonAndReplace(a, now)
	}

	return nil
}

// Adopt stores the transaction that was found for attempt n; page is the base URL of the
// gateway's hosted pages. A second transaction is added as a duplicate.
func (s *Session) Adopt(n int, r Record, page string, now time.Time) error {
	a := s.Attempt(n)
	switch {
	case a == nil || slices.ContainsFunc(s.Attempts, func(b Attempt) bool {
		return b.TrackingCode == r.TrackingCode
	}):
		return ErrUnchanged
	case a.TrackingCode != "":
		return s.addDuplicate(*a, r, now)
	}

	a.TrackingCode = r.TrackingCode
	a.ExpiresAt = expiry(r.ExpiresAt, now, a.TTLMinutes)
	a.PaymentURL = HostedURL(r.PaymentURL, page)
	s.AppendTimeline(now, "coinslot", "attempt.found", r.TrackingCode)
	return nil
}

func (s *Session) addDuplicate(a Attempt, r Record, now time.Time) error {
	if len(s.Attempts) >= s.mostAttempts()+maxAttempts {
		return ErrUnchanged // bounds the damage of a broken gateway
	}

	s.Attempts = append(s.Attempts, Attempt{
		Number:         len(s.Attempts) + 1,
		State:          Duplicate,
		TrackingCode:   r.TrackingCode,
		AmountUSD:      a.AmountUSD,
		CurrencySymbol: a.CurrencySymbol,
		CurrencyName:   a.CurrencyName,
		NetworkCode:    a.NetworkCode,
		NetworkName:    a.NetworkName,
		TTLMinutes:     a.TTLMinutes,
		StartedAt:      now,
		ExpiresAt:      expiry(r.ExpiresAt, now, a.TTLMinutes),
	})
	s.AppendTimeline(now, "coinslot", "attempt.duplicate", r.TrackingCode)
	return nil
}

// Resembles reports whether r, which has no comment, matches everything else that was sent for
// a: it is of a if no session has its tracking code.
func (a *Attempt) Resembles(r Record) bool {
	return r.Comment == "" && a.Drawn && r.OrderID == a.OrderID &&
		r.AmountUSD.Equal(a.AmountUSD) && sameCoin(a, r) &&
		IsTrackingCode(r.TrackingCode)
}

// FinalRefusal reports whether err refuses a cancellation or a recheck permanently.
func FinalRefusal(err error) bool {
	refused, ok := errors.AsType[*RefusedError](err)
	return ok && !refused.Reason.temporary()
}
