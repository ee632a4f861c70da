package payment

import (
	"time"

	"coinslot/app/wire"
)

// Close records that by closes the session; who is the actor in the timeline. An attempt that is
// postponed is not created any more. ErrUnchanged if it is closed already.
func (s *Session) Close(by Closer, who string, now time.Time) error {
	s.withdrawPostponed(now)
	status := s.status()
	switch {
	case status == wire.Confirmed:
		return NewError(wire.CodeSessionPaid, "")
	case status.Waiting():
		return NewError(wire.CodePaymentInProgress, "")
	case status.Final() && (by == ClosedByShopper || s.ClosedBy == by):
		return ErrUnchanged
	}

	s.ClosedBy = by
	s.Notice = Notice{}
	s.AppendTimeline(now, who, "session.cancelled", "")
	return nil
}

// Expire closes a session in which no coin was chosen in time; ErrUnchanged if it is too early.
func (s *Session) Expire(now time.Time) error {
	if s.status() != wire.Open || now.Before(s.ExpiresAt) {
		return ErrUnchanged
	}
	s.ClosedBy = ClosedByTime
	s.Notice = Notice{Code: wire.CodeSessionExpired}
	s.AppendTimeline(now, "coinslot", "session.expired", "")
	return nil
}

// Actions returns what a shopper may do now, except [wire.Extend]: that depends on what the
// gateway offers, see [Session.ExtendMinutes].
func (s *Session) Actions(now time.Time) []wire.Action {
	list := []wire.Action{}
	for _, action := range s.Status.Actions() {
		if s.allows(action, now) {
			list = append(list, action)
		}
	}
	return list
}

// allows reports whether the session permits an action of its status.
func (s *Session) allows(action wire.Action, now time.Time) bool {
	a := s.Current()
	switch action {
	case wire.Choose:
		return s.mayOpen(now) == nil && now.Before(s.ExpiresAt)
	case wire.Retry:
		return s.mayOpen(now) == nil
	case wire.Change:
		return s.mayChange(a.Number, now) == nil
	case wire.Cancel:
		if s.Status == wire.Open || a.Postponed() {
			return true
		}
		return s.Status == wire.Pending && !a.Paid.IsPositive()
	case wire.Recheck:
		return a != nil
	case wire.Extend, wire.Resolve, wire.Erase: // see Actions; the others are the merchant's
	}

	return false
}
