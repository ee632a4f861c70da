package payment

import (
	"errors"
	"slices"
	"time"

	"coinslot/app/wire"

	"github.com/shopspring/decimal"
)

// ErrOtherTransaction is returned for a record of another transaction than the one
// asked about.
var ErrOtherTransaction = errors.New("record of another transaction")

// Apply applies r, a record just read for attempt number n from the gateway
// env, to s. It is the only place that a gateway's word changes an attempt.
func (s *Session) Apply(n int, r Record, env string, now time.Time) error {
	a := s.Attempt(n)
	if a == nil || a.TrackingCode == "" || r.TrackingCode != a.TrackingCode {
		return ErrOtherTransaction
	}
	s.CheckedAt = now
	if a.State == Confirmed {
		if s.Environment == env {
			s.reconsider(a, r, now)
		}
		return nil
	}
	s.clearAbsence(a, now)
	a.mergeRecord(r)
	switch r.Status {
	case "confirmed":
		s.applyConfirmed(a, r, env, now)
	case "expired":
		s.end(a, Expired, now)
	case "cancelled", "canceled":
		s.end(a, Cancelled, now)
	}
	return nil
}

// clearAbsence takes back what absent has made of a, since the gateway knows its
// transaction after all.
func (s *Session) clearAbsence(a *Attempt, now time.Time) {
	a.Absences, a.AbsentAt = 0, time.Time{}
	if !a.IsAbsent() {
		return
	}
	a.State, a.Reason = Waiting, ""
	a.Reappeared++
	s.AppendTimeline(now, "gateway", "attempt.reappeared", a.TrackingCode)
}

// reconsider compares a confirmed attempt with a later record of it. It stays
// confirmed whatever comes: what differs is told to the merchant, who decides.
func (s *Session) reconsider(a *Attempt, r Record, now time.Time) {
	if r.PaidReadable && r.Paid.GreaterThan(a.Paid) {
		a.Paid, a.Alert = r.Paid, reasonPaidMore
		s.AppendTimeline(now, "gateway", "attempt.paid_more", FormatAmount(r.Paid))
	}
	switch {
	case r.Status == "confirmed":
		a.Regressions, a.RegressedAt = 0, time.Time{}
		return
	case r.Status != "pending" && !HasEnded(r.Status):
		return
	}
	if a.Regressions++; a.Regressions == 1 {
		a.RegressedAt = now
	}
	if a.Regressions >= minRegressions && now.Sub(a.RegressedAt) >= regressFor &&
		a.Alert != reasonRegressed {
		a.Alert = reasonRegressed
		s.AppendTimeline(now, "gateway", "attempt.regressed", r.Status)
	}
}

// mergeRecord copies what a record may tell in any state: amounts only grow.
func (a *Attempt) mergeRecord(r Record) {
	if r.PaidReadable && r.Paid.GreaterThan(a.Paid) {
		a.Paid = r.Paid
	}
	if r.TxID != "" {
		a.TxID, a.TxURL = r.TxID, r.TxURL
	}
	if !r.PaidAt.IsZero() {
		a.PaidAt = r.PaidAt
	}
	a.mergeWindow(r)
}

// mergeWindow takes the length of the payment window from r, and its beginning
// from our own clock: the gateway's may be wrong by hours.
func (a *Attempt) mergeWindow(r Record) {
	length := r.ExpiresAt.Sub(r.CreatedAt)
	most := time.Duration(a.TTLMinutes)*time.Minute + windowSlack
	if a.State != Waiting || r.CreatedAt.IsZero() || r.ExpiresAt.IsZero() || length <= 0 ||
		length > most {
		return
	}
	if end := a.StartedAt.Add(length); end.Sub(a.ExpiresAt).Abs() > time.Minute {
		a.ExpiresAt = end
	}
}

// applyConfirmed handles a record that says confirmed.
func (s *Session) applyConfirmed(a *Attempt, r Record, env string, now time.Time) {
	why := checkGate(s, a, r, env)
	if why == "" {
		if a.Reason == reasonPaidExcess {
			a.Paid = r.Paid // the gateway has corrected an amount that was not believed
		}
		s.confirm(a, "gateway", now)
		return
	}
	s.startReview(a, why, now)
}

// confirm is the one function that writes Confirmed, on the word of who. It has two
// callers: one was just told by the confirm gate that the payment is proven, the
// other by a person who has settled it, see settle.
func (s *Session) confirm(a *Attempt, who string, now time.Time) {
	a.Late = !a.EndedAt.IsZero()
	a.State, a.Reason, a.EndedAt, a.ChecksDone = Confirmed, "", now, 0
	a.RecheckAskedAt = time.Time{} // who asked has the answer
	s.Notice = Notice{}
	s.AppendTimeline(now, who, "attempt.confirmed", a.TrackingCode)
}

// startReview puts an attempt into review: reported paid, not proven. What the
// merchant has settled as cancelled is not raised again for the same reason.
// That its transaction has paid another session outweighs every other reason.
func (s *Session) startReview(a *Attempt, why string, now time.Time) {
	if a.SharedTxID != "" && a.SharedTxID == a.TxID {
		why = ReasonTxUsed
	}
	if (a.State == InReview || a.State == Cancelled) && a.Reason == why {
		return
	}
	if a.State != InReview {
		a.ReviewedAt = now
	}
	a.ResolvedCount = a.resolvedCount()
	a.State, a.Reason = InReview, why
	s.Notice = Notice{}
	s.AppendTimeline(now, "gateway", "attempt.review", why)
}

// end closes a waiting attempt. One that has ended already, is in review or
// was given up stays what it is.
func (s *Session) end(a *Attempt, as State, now time.Time) {
	switch a.State {
	case Waiting, Creating, Unknown:
		a.State, a.EndedAt = as, now
		s.AppendTimeline(now, "gateway", "attempt."+string(as), a.TrackingCode)
	case Abandoned, Rejected, Duplicate:
		if a.EndedAt.IsZero() {
			a.EndedAt = now
		}
	}
}

// ReviewReusedTx puts attempt n into review because the transaction id of r has confirmed
// another session. ErrUnchanged if it is confirmed itself.
func (s *Session) ReviewReusedTx(n int, r Record, now time.Time) error {
	a := s.Attempt(n)
	if a.State == Confirmed {
		return ErrUnchanged
	}
	s.CheckedAt = now
	a.mergeRecord(r)
	s.reviewSharedTx(a, now)
	return nil
}

// ReviewSharedTx is shared for a session.
func (s *Session) ReviewSharedTx(now time.Time) error {
	a := s.Current()
	if a == nil || a.State != InReview {
		return NewError(wire.CodeNotPossible, "")
	}
	s.reviewSharedTx(a, now)
	return nil
}

// reviewSharedTx puts a into review since its transaction has confirmed another session.
func (s *Session) reviewSharedTx(a *Attempt, now time.Time) {
	a.SharedTxID = a.TxID
	s.startReview(a, ReasonTxUsed, now)
}

// same reports whether nothing that a record can tell differs.
func (a *Attempt) same(b *Attempt) bool {
	return a.State == b.State && a.Reason == b.Reason && a.Absences == b.Absences &&
		a.Paid.Equal(b.Paid) &&
		a.Regressions == b.Regressions && a.Alert == b.Alert && a.ExpiresAt.Equal(b.ExpiresAt) &&
		a.TxID == b.TxID && a.TxURL == b.TxURL && a.PaidAt.Equal(b.PaidAt) &&
		a.EndedAt.Equal(b.EndedAt)
}

// steady reports whether a's schedule needs nothing but the clock.
func (a *Attempt) steady() bool { return a.State == Waiting || a.State == InReview }

// NeedsUpdate reports whether r, a status record of attempt n, needs a change of s; if not,
// a touch of the row will do. Errors: those of Apply.
func (s *Session) NeedsUpdate(n int, r Record, env string, now time.Time) (bool, error) {
	probe := *s // shares nothing that Apply changes
	probe.Attempts, probe.Timeline = slices.Clone(s.Attempts), slices.Clip(s.Timeline)
	if err := probe.Apply(n, r, env, now); err != nil {
		return false, err
	}
	return !probe.Attempt(n).same(s.Attempt(n)) || !s.Attempt(n).steady(), nil
}

// underpaid reports whether something was paid, but not enough.
func (a *Attempt) underpaid() bool {
	return a.State != Confirmed && a.Paid.IsPositive() && a.Paid.LessThan(
		LeastPaid(a.PayAmount, a.Tolerance),
	)
}

// hasUncountedMoney reports whether money has come that confirms nothing: too little,
// or to an attempt that is over for the gateway.
func (a *Attempt) hasUncountedMoney() bool {
	ended := a.State == Expired || a.State == Cancelled
	return a.underpaid() || ended && a.Paid.IsPositive()
}

// AmountDue returns what has to be sent now, rounded up to digits; zero if nothing has
// to be.
func (a *Attempt) AmountDue(digits int32) decimal.Decimal {
	switch {
	case a.State != Waiting:
		return decimal.Zero
	case a.underpaid():
		return a.PayAmount.Sub(a.Paid).RoundCeil(digits)
	case a.Paid.IsPositive():
		return decimal.Zero
	}
	return a.PayAmount.RoundCeil(digits)
}
