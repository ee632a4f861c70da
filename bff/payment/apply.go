package payment

import (
	"errors"
	"slices"
	"time"

	"coinslot/app/wire"

	"github.com/shopspring/decimal"
)

// ErrOtherTransaction means that a record is of another transaction than was requested.
var ErrOtherTransaction = errors.New("record of another transaction")

// Apply applies r, a record just read for attempt n from gateway env, to s. It is the only
// place where a gateway record changes an attempt.
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

// clearAbsence undoes the effects of CountAbsence: the gateway knows the transaction after all.
func (s *Session) clearAbsence(a *Attempt, now time.Time) {
	a.Absences = 0
	a.AbsentAt = time.Time{}
	if !a.IsAbsent() {
		return
	}
	a.State = Waiting
	a.Reason = ""
	a.Reappeared++
	s.AppendTimeline(now, "gateway", "attempt.reappeared", a.TrackingCode)
}

// reconsider compares a confirmed attempt with a later record. It stays confirmed; differences
// are reported to the merchant, who decides.
func (s *Session) reconsider(a *Attempt, r Record, now time.Time) {
	if a.SharedTxID == "" {
		a.noteTx(r.TxID, r.TxURL)
	}
	if a.paidLessThan(r) {
		a.Paid = r.Paid
		a.Alert = reasonPaidMore
		s.AppendTimeline(now, "gateway", "attempt.paid_more", FormatAmount(r.Paid))
	}

	switch {
	case r.Status == "confirmed":
		a.Regressions = 0
		a.RegressedAt = time.Time{}
		if a.DoubtSettled { // what was settled was not there; it is now
			a.DoubtSettled = false
			a.Settled = decimal.Zero
		}
		return
	case r.Status != "pending" && !HasEnded(r.Status):
		return
	}
	a.Regressions++
	if a.Regressions == 1 {
		a.RegressedAt = now
	}
	if a.Regressions >= minRegressions && now.Sub(a.RegressedAt) >= regressFor &&
		a.Alert != reasonRegressed {
		a.Alert = reasonRegressed
		s.AppendTimeline(now, "gateway", "attempt.regressed", r.Status)
	}
}

// IsTakenBack reports whether a was confirmed, by the gateway or an operator, and the gateway says
// since that it is not paid: the goods may be unpaid. False once an operator has settled that.
func (a *Attempt) IsTakenBack() bool {
	return a.State == Confirmed && a.Alert == reasonRegressed && a.Regressions >= minRegressions &&
		!a.DoubtSettled
}

// paidLessThan reports whether r shows a larger payment than a has.
func (a *Attempt) paidLessThan(r Record) bool {
	return r.PaidReadable && r.Paid.GreaterThan(a.Paid)
}

// mergeRecord copies what a record may show in any state: amounts only grow.
func (a *Attempt) mergeRecord(r Record) {
	if a.paidLessThan(r) {
		a.Paid = r.Paid
	}
	if r.TxID != "" {
		a.noteTx(r.TxID, r.TxURL)
		a.TxID = r.TxID
		a.TxURL = r.TxURL
	}
	if !r.PaidAt.IsZero() {
		a.PaidAt = r.PaidAt
	}

	a.mergeWindow(r)
}

// mergeWindow takes the length of the payment window from r, and its start from our own clock:
// the gateway's may be off by hours.
func (a *Attempt) mergeWindow(r Record) {
	length := r.ExpiresAt.Sub(r.CreatedAt)
	most := time.Duration(a.TTLMinutes)*time.Minute + windowSlack
	if a.State != Waiting || r.CreatedAt.IsZero() || r.ExpiresAt.IsZero() || length <= 0 ||
		length > most {
		return
	}
	end := a.StartedAt.Add(length)
	if end.Sub(a.ExpiresAt).Abs() > time.Minute {
		a.ExpiresAt = end
	}
}

func (s *Session) applyConfirmed(a *Attempt, r Record, env string, now time.Time) {
	why := checkGate(s, a, r, env)
	if why == "" {
		if a.Reason == reasonPaidExcess {
			a.Paid = r.Paid // the gateway corrected an excessive amount
		}
		s.confirm(a, "gateway", now)
		return
	}
	s.startReview(a, why, now)
}

// confirm is the only function that sets Confirmed, on behalf of who. Its two callers: the
// confirm gate found the payment proven, or an operator resolved a review.
func (s *Session) confirm(a *Attempt, who string, now time.Time) {
	a.Late = !a.EndedAt.IsZero()
	a.State = Confirmed
	a.Reason = ""
	a.EndedAt = now
	a.ChecksDone = 0
	a.RecheckAskedAt = time.Time{} // no further follow-ups
	s.Notice = Notice{}
	s.AppendTimeline(now, who, "attempt.confirmed", a.TrackingCode)
}

// startReview moves an attempt into review: reported paid, not proven. The reason that an
// operator resolved as unpaid is not raised again. A transaction that paid another session
// outweighs every other reason.
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

	a.State = InReview
	a.Reason = why
	s.Notice = Notice{}
	s.AppendTimeline(now, "gateway", "attempt.review", why)
}

// end closes a waiting attempt. One that has ended, is in review or was abandoned keeps its state.
func (s *Session) end(a *Attempt, as State, now time.Time) {
	switch a.State {
	case Waiting, Creating, Unknown:
		a.State = as
		a.EndedAt = now
		s.AppendTimeline(now, "gateway", "attempt."+string(as), a.TrackingCode)
	case Abandoned, Rejected, Duplicate:
		if a.EndedAt.IsZero() {
			a.EndedAt = now
		}
	}
}

// ReviewReusedTx moves attempt n into review because the transaction id of r confirmed another
// session. ErrUnchanged if attempt n is confirmed itself.
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

// ReviewSharedTx does the same for the current attempt, which must be in review.
func (s *Session) ReviewSharedTx(now time.Time) error {
	a := s.Current()
	if a == nil || a.State != InReview {
		return NewError(wire.CodeNotPossible, "")
	}
	s.reviewSharedTx(a, now)
	return nil
}

func (s *Session) reviewSharedTx(a *Attempt, now time.Time) {
	a.SharedTxID = a.TxID
	s.startReview(a, ReasonTxUsed, now)
}

// same reports whether a and b agree in everything that a record can change.
func (a *Attempt) same(b *Attempt) bool {
	return a.State == b.State && a.Reason == b.Reason && a.Absences == b.Absences &&
		a.Regressions == b.Regressions && a.Alert == b.Alert && a.Paid.Equal(b.Paid) &&
		a.TxID == b.TxID && a.TxURL == b.TxURL &&
		slices.Equal(a.Txs, b.Txs) && a.PaidAt.Equal(b.PaidAt) &&
		a.ExpiresAt.Equal(b.ExpiresAt) && a.EndedAt.Equal(b.EndedAt)
}

// NeedsUpdate reports whether r, a status record of attempt n, requires an update of s;
// otherwise touching the row is enough. Errors: those of Apply.
func (s *Session) NeedsUpdate(n int, r Record, env string, now time.Time) (bool, error) {
	changed, err := s.changedBy(n, r, env, now)
	if err != nil || changed {
		return changed, err
	}
	state := s.Attempt(n).State
	return state != Waiting && state != InReview, nil // the others count their checks
}

// changedBy reports whether r, as a status record, would change attempt n. Errors: those of Apply.
func (s *Session) changedBy(n int, r Record, env string, now time.Time) (bool, error) {
	probe := s.Snapshot()
	probe.Timeline = slices.Clip(s.Timeline)
	if err := probe.Apply(n, r, env, now); err != nil {
		return false, err
	}
	return !probe.Attempt(n).same(s.Attempt(n)), nil
}

func (a *Attempt) underpaid() bool {
	return a.State != Confirmed && a.Paid.IsPositive() &&
		a.Paid.LessThan(LeastPaid(a.PayAmount, a.Tolerance))
}

// hasUncountedMoney reports whether a payment arrived that confirms nothing: too little, or for
// an attempt that has ended at the gateway.
func (a *Attempt) hasUncountedMoney() bool {
	ended := a.State == Expired || a.State == Cancelled
	return a.underpaid() || ended && a.Paid.IsPositive()
}

// AmountDue returns what is still to be sent, rounded up to digits; zero = nothing.
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
