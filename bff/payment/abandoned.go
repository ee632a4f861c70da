package payment

import (
	"errors"
	"time"

	"coinslot/app/wire"
)

// GiveUpAfter is how long an attempt whose answer is unknown keeps its session from
// another one while nothing comes of the search.
const GiveUpAfter = 10 * time.Minute

// MarkUnknown makes the outcome of a create unknown whose answer was never recorded.
// ErrUnchanged if it has come, or if the create was put off.
func (s *Session) MarkUnknown(n int, now time.Time) error {
	a := s.Attempt(n)
	if a.State != Creating || !a.RetryAt.IsZero() {
		return ErrUnchanged
	}
	a.State, a.UnknownAt = Unknown, now
	s.AppendTimeline(now, "coinslot", "attempt.unknown", "no answer to create was recorded")
	return nil
}

// Abandon gives up an attempt that has been in doubt for long, without a replacement:
// its shopper may choose again. Nobody has seen its address, or will: it is searched for
// further, and cancelled when it is found.
func (s *Session) Abandon(n int, now time.Time) error {
	a := s.Attempt(n)
	if a == nil || a.State != Unknown {
		return ErrUnchanged
	}
	if a.UnknownAt.After(now) { // by a clock that was ahead: count anew
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

// ApplyToOrphan decides what becomes of an attempt whose transaction was found but
// whose address is lost, given a record read after the cancellation was tried.
func (s *Session) ApplyToOrphan(n int, r Record, env string, now time.Time) error {
	a := s.Attempt(n)
	if a.State != Unknown {
		return ErrUnchanged
	}
	switch r.Status {
	case "confirmed":
		return s.Apply(n, r, env, now)
	case "pending":
		s.useHostedPage(a, r, now)
		return nil
	}
	a.EndedAt, s.CheckedAt = now, now
	s.abandonAndReplace(a, now)
	return nil
}

// useHostedPage lets a transaction that cannot be cancelled be paid at its hosted
// page. One whose page may not be shown is replaced, since nobody can know its
// address; that it is cancelled is tried again until it has ended.
func (s *Session) useHostedPage(a *Attempt, r Record, now time.Time) {
	s.CheckedAt = now
	if a.PaymentURL == "" {
		s.abandonAndReplace(a, now)
		return
	}
	a.State, a.PayAmount, a.PayText = Waiting, r.PayAmount, FormatAmount(r.PayAmount)
	s.AppendTimeline(now, "coinslot", "attempt.handed_over", a.TrackingCode)
}

// abandonAndReplace closes a and, if the session still waits for a payment, appends its
// replacement.
func (s *Session) abandonAndReplace(a *Attempt, now time.Time) {
	a.State = Abandoned
	s.AppendTimeline(now, "coinslot", "attempt.lost", a.TrackingCode)
	if a.Number != s.latest() || s.ClosedBy != NotClosed {
		return
	}
	if err := s.mayOpen(now); err != nil {
		if errors.Is(err, NewError(wire.CodeTooManyAttempts, "")) {
			s.Notice = Notice{Code: wire.CodeTooManyAttempts}
		}
		return
	}
	s.add(Attempt{
		State: Creating, CurrencySymbol: a.CurrencySymbol, CurrencyName: a.CurrencyName,
		NetworkCode: a.NetworkCode, NetworkName: a.NetworkName, TTLMinutes: a.TTLMinutes,
		Email: a.Email, Comment: a.Comment,
	}, now)
}

// CountMiss notes that the gateway's list did not have attempt n at asOf. The second time,
// absent or more after the first, gives it up. ErrUnchanged if it is not searched for.
func (s *Session) CountMiss(n int, absent time.Duration, asOf, now time.Time) error {
	a := s.Attempt(n)
	if a == nil || a.State != Unknown || a.TrackingCode != "" {
		return ErrUnchanged
	}
	if a.UnknownAt.After(now) || a.MissedAt.After(now) { // by a clock that was ahead: begin anew
		a.UnknownAt, a.MissedAt, a.Misses = asOf, time.Time{}, 0
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

// Adopt is the same for a session; page is the address of the gateway's hosted pages.
func (s *Session) Adopt(n int, r Record, page string, now time.Time) error {
	a := s.Attempt(n)
	switch {
	case a == nil || s.hasTrackingCode(r.TrackingCode):
		return ErrUnchanged
	case a.TrackingCode != "":
		return s.addDuplicate(*a, r, now)
	}
	a.TrackingCode, a.ExpiresAt = r.TrackingCode, expiry(r.ExpiresAt, now, a.TTLMinutes)
	a.PaymentURL = HostedURL(r.PaymentURL, page)
	s.AppendTimeline(now, "coinslot", "attempt.found", r.TrackingCode)
	return nil
}

// addDuplicate appends a second transaction that bears the marker of a.
func (s *Session) addDuplicate(a Attempt, r Record, now time.Time) error {
	if len(s.Attempts) >= 2*maxAttempts {
		return ErrUnchanged // a gateway that makes more than these cannot be helped
	}
	s.Attempts = append(s.Attempts, Attempt{
		Number: len(s.Attempts) + 1, State: Duplicate, TrackingCode: r.TrackingCode,
		AmountUSD:      a.AmountUSD,
		CurrencySymbol: a.CurrencySymbol, CurrencyName: a.CurrencyName, NetworkCode: a.NetworkCode,
		NetworkName: a.NetworkName,
		TTLMinutes:  a.TTLMinutes, StartedAt: now,
		ExpiresAt: expiry(r.ExpiresAt, now, a.TTLMinutes),
	})
	s.AppendTimeline(now, "coinslot", "attempt.stray", r.TrackingCode)
	return nil
}

// Resembles reports whether r, which has no comment, is of a by everything else that was
// sent: then it is a's if no session has its tracking code.
func (a *Attempt) Resembles(r Record) bool {
	return r.Comment == "" && a.Drawn && r.OrderID == a.OrderID &&
		r.AmountUSD.Equal(a.AmountUSD) && sameCoin(a, r) &&
		IsTrackingCode(r.TrackingCode)
}

// FinalRefusal reports whether err says no to a cancellation for good, and not only
// for now.
func FinalRefusal(err error) bool {
	var refused *RefusedError
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.Reason {
	case ReasonBusy, ReasonUnsent, ReasonKey:
		return false
	}
	return true
}
