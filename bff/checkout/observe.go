package checkout

import (
	"errors"
	"strconv"
	"time"

	"coinslot/app/wire"

	"github.com/shopspring/decimal"
)

// errNotMine is returned for a record of another transaction than the one
// asked about.
var errNotMine = errors.New("record of another transaction")

// observe applies r, a record just read for attempt number n from the gateway
// env, to s. It is the only place that a gateway's word changes an attempt.
func (s *Session) observe(n int, r Record, env string, now time.Time) error {
	a := s.Attempt(n)
	if a == nil || a.TrackingCode == "" || r.TrackingCode != a.TrackingCode {
		return errNotMine
	}
	s.CheckedAt = now
	if a.State == Confirmed {
		if s.Environment == env {
			s.reconsider(a, r, now)
		}
		return nil
	}
	s.reappear(a, now)
	a.see(r)
	switch r.Status {
	case "confirmed":
		s.reported(a, r, env, now)
	case "expired":
		s.end(a, Expired, now)
	case "cancelled", "canceled":
		s.end(a, Cancelled, now)
	}
	return nil
}

// regressionsToTell is how many answers in a row must take a confirmation back
// before the merchant is told, and regressFor how long they must go on: one may
// come from a copy that lags behind.
const (
	regressionsToTell = 3
	regressFor        = 10 * time.Minute
)

// reconsider compares a confirmed attempt with a later record of it. It stays
// confirmed whatever comes: what differs is told to the merchant, who decides.
func (s *Session) reconsider(a *Attempt, r Record, now time.Time) {
	if r.PaidReadable && r.Paid.GreaterThan(a.Paid) {
		a.Paid, a.Alert = r.Paid, reasonPaidMore
		s.note(now, "gateway", "attempt.paid_more", plain(r.Paid))
	}
	switch {
	case r.Status == "confirmed":
		a.Regressions, a.RegressedAt = 0, time.Time{}
		return
	case r.Status != "pending" && !over(r.Status):
		return
	}
	if a.Regressions++; a.Regressions == 1 {
		a.RegressedAt = now
	}
	if a.Regressions >= regressionsToTell && now.Sub(a.RegressedAt) >= regressFor && a.Alert != reasonRegressed {
		a.Alert = reasonRegressed
		s.note(now, "gateway", "attempt.regressed", r.Status)
	}
}

// over reports whether a gateway's status says that a transaction has ended
// unconfirmed. Any other that is not documented says nothing.
func over(status string) bool {
	return status == "expired" || status == "cancelled" || status == "canceled"
}

// see copies what a record may tell in any state: amounts only grow.
func (a *Attempt) see(r Record) {
	if r.PaidReadable && r.Paid.GreaterThan(a.Paid) {
		a.Paid = r.Paid
	}
	if r.TxID != "" {
		a.TxID, a.TxURL = r.TxID, r.TxURL
	}
	if !r.PaidAt.IsZero() {
		a.PaidAt = r.PaidAt
	}
	a.seeWindow(r)
}

// seeWindow takes the length of the payment window from r, and its beginning
// from our own clock: the gateway's may be wrong by hours.
func (a *Attempt) seeWindow(r Record) {
	length := r.ExpiresAt.Sub(r.CreatedAt)
	most := time.Duration(a.TTLMinutes)*time.Minute + windowSlack
	if a.State != Waiting || r.CreatedAt.IsZero() || r.ExpiresAt.IsZero() || length <= 0 || length > most {
		return
	}
	if end := a.StartedAt.Add(length); end.Sub(a.ExpiresAt).Abs() > time.Minute {
		a.ExpiresAt = end
	}
}

// reported handles a record that says confirmed.
func (s *Session) reported(a *Attempt, r Record, env string, now time.Time) {
	why := unproven(s, a, r, env)
	if why == "" {
		if a.Reason == reasonPaidExcess {
			a.Paid = r.Paid // the gateway has corrected an amount that was not believed
		}
		s.confirm(a, "gateway", now)
		return
	}
	s.doubt(a, why, now)
}

// confirm is the one function that writes Confirmed, on the word of who. It has two
// callers: one was just told by the confirm gate that the payment is proven, the
// other by a person who has settled it, see settle.
func (s *Session) confirm(a *Attempt, who string, now time.Time) {
	a.Late = !a.EndedAt.IsZero()
	a.State, a.Reason, a.EndedAt, a.Rechecks = Confirmed, "", now, 0
	a.RecheckedAt = time.Time{} // who asked has the answer
	s.Notice = Notice{}
	s.note(now, who, "attempt.confirmed", a.TrackingCode)
}

// doubt puts an attempt into review: reported paid, not proven. What the
// merchant has settled as cancelled is not raised again for the same reason.
// That its transaction has paid another session outweighs every other reason.
func (s *Session) doubt(a *Attempt, why string, now time.Time) {
	if a.SharedTxID != "" && a.SharedTxID == a.TxID {
		why = reasonTxUsed
	}
	if (a.State == InReview || a.State == Cancelled) && a.Reason == why {
		return
	}
	if a.State != InReview {
		a.DoubtedAt = now
	}
	a.Settled = a.settlings()
	a.State, a.Reason = InReview, why
	s.Notice = Notice{}
	s.note(now, "gateway", "attempt.review", why)
}

// end closes a waiting attempt. One that has ended already, is in review or
// was given up stays what it is.
func (s *Session) end(a *Attempt, as State, now time.Time) {
	switch a.State {
	case Waiting, Creating, Unknown:
		a.State, a.EndedAt = as, now
		s.note(now, "gateway", "attempt."+string(as), a.TrackingCode)
	case Lost, Rejected, Stray:
		if a.EndedAt.IsZero() {
			a.EndedAt = now
		}
	}
}

// status derives the session's status from its attempts.
func (s *Session) status() wire.Status {
	a := s.Current()
	switch {
	case a != nil && a.State == Confirmed:
		return wire.Confirmed
	case a != nil && a.State == InReview:
		return wire.Review
	case s.ClosedBy == ClosedByTime:
		return wire.Expired
	case s.ClosedBy != NotClosed:
		return wire.Cancelled
	case a == nil:
		return wire.Open
	}
	switch a.State {
	case Creating, Unknown:
		return wire.Preparing
	case Waiting:
		return wire.Pending
	case Expired:
		return wire.Expired
	case Cancelled:
		return wire.Cancelled
	}
	return wire.Open // Refused, Lost, Rejected: choose again
}

// mark is what turn compares a session with.
type mark struct {
	status   wire.Status
	number   int
	paid     map[int]decimal.Decimal // by attempt number
	reviewed map[int]string          // by attempt number: the reason; empty = not in review
	alerts   map[int]string          // by attempt number
}

// mark remembers s before a change.
func (s *Session) mark() mark {
	m := mark{status: s.Status, paid: map[int]decimal.Decimal{}, reviewed: map[int]string{}, alerts: map[int]string{}}
	if a := s.Current(); a != nil {
		m.number = a.Number
	}
	for _, a := range s.Attempts {
		m.paid[a.Number], m.alerts[a.Number] = a.Paid, a.Alert
		if a.State == InReview {
			m.reviewed[a.Number] = a.Reason
		}
	}
	return m
}

// turn finishes a change: it derives Status and returns the events that tell
// the merchant what is different from before.
func (s *Session) turn(before mark, now time.Time, telling Telling) []Event {
	s.Status = s.status()
	var events []Event
	for i := range s.Attempts {
		a := &s.Attempts[i]
		more := a.Paid.GreaterThan(before.paid[a.Number])
		switch distinct := strconv.Itoa(a.Number) + " " + a.Paid.String(); {
		case a.State == InReview && (more || a.reviewIsNews(before.reviewed[a.Number])):
			events = append(events, newEvent(s, telling, EventReview, now, distinct+a.afterSettling()))
		case a.State == Confirmed && a.Alert != "" && (more || a.Alert != before.alerts[a.Number]):
			events = append(events, newEvent(s, telling, EventReview, now, distinct+" "+a.Alert))
		case a.uncounted() && more:
			events = append(events, newEvent(s, telling, EventPartial, now, distinct))
		}
	}
	t, told := eventOf[s.Status]
	current := s.Current()
	if told && (s.Status != before.status || (current != nil && current.Number != before.number)) {
		events = append(events, newEvent(s, telling, t, now, s.distinct()))
	}
	return events
}

// reviewIsNews reports whether the merchant has to hear of a review; was is the
// reason that it had before the change.
func (a *Attempt) reviewIsNews(was string) bool {
	different := was != a.Reason
	return was == "" || different && (a.Reason == reasonSettled || was == reasonTxAbsent)
}

// afterSettling tells reviews after a person has settled the session apart from
// those before, and those of an absent transaction from all others.
func (a *Attempt) afterSettling() string {
	if a.Reason == reasonTxAbsent {
		return " " + a.Reason + " " + strconv.Itoa(a.Settled) + " " + strconv.Itoa(a.Reappeared)
	}
	if a.Settled == 0 && a.Reason != reasonSettled {
		return ""
	}
	return " " + strconv.Itoa(a.Settled) + " " + a.Reason
}

// eventOf is the event that announces a status; other statuses are not told.
// A review is told of each attempt and amount, also when another attempt was
// confirmed.
var eventOf = map[wire.Status]EventType{
	wire.Pending:   EventPending,
	wire.Confirmed: EventConfirmed,
	wire.Expired:   EventExpired,
	wire.Cancelled: EventCancelled,
}

// distinct tells two events of one type and session apart: a session can
// expire with each of its attempts, but it is confirmed only once.
func (s *Session) distinct() string {
	a := s.Current()
	if a == nil || s.Status == wire.Confirmed {
		return ""
	}
	which := strconv.Itoa(a.Number) + " " + a.Marker // it may have the number of one that was never sent
	if a.Reappeared > 0 {
		which += " reappeared " + strconv.Itoa(a.Reappeared)
	}
	switch settled := s.settlings(); {
	case settled > 1:
		return which + " after review " + strconv.Itoa(settled)
	case settled == 1 || !a.DoubtedAt.IsZero():
		return which + " after review" // settled by hand, perhaps as what it was before
	}
	return which
}

// short reports whether something was paid, but not enough.
func (a *Attempt) short() bool {
	return a.State != Confirmed && a.Paid.IsPositive() && a.Paid.LessThan(leastPaid(a.PayAmount, a.Tolerance))
}

// uncounted reports whether money has come that confirms nothing: too little,
// or to an attempt that is over for the gateway.
func (a *Attempt) uncounted() bool {
	ended := a.State == Expired || a.State == Cancelled
	return a.short() || ended && a.Paid.IsPositive()
}
