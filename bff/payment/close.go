package payment

import (
	"time"

	"coinslot/app/wire"
)

// Close records that by wants no payment any more, who being its name in the
// trail; ErrUnchanged if it is so.
func (s *Session) Close(by Closer, who string, now time.Time) error {
	switch s.status() {
	case wire.Confirmed:
		return NewError(wire.CodeSessionPaid, "")
	case wire.Review, wire.Preparing, wire.Pending:
		return NewError(wire.CodePaymentInProgress, "")
	case wire.Expired, wire.Cancelled:
		if by == ClosedByShopper || s.ClosedBy == by {
			return ErrUnchanged
		}
	}
	s.ClosedBy, s.Notice = by, Notice{}
	s.Note(now, who, "session.cancelled", "")
	return nil
}

// Expire is the same for a session; ErrUnchanged if it is not over.
func (s *Session) Expire(now time.Time) error {
	if s.status() != wire.Open || now.Before(s.ExpiresAt) {
		return ErrUnchanged
	}
	s.ClosedBy, s.Notice = ClosedByTime, Notice{Code: wire.CodeSessionExpired}
	s.Note(now, "coinslot", "session.expired", "")
	return nil
}

// Actions lists what would not be refused now.
func (s *Session) Actions(now time.Time) []wire.Action {
	a := s.Current()
	var list []wire.Action
	add := func(ok bool, action wire.Action) {
		if ok {
			list = append(list, action)
		}
	}
	switch s.Status {
	case wire.Open:
		add(s.mayOpen(now) == nil && now.Before(s.ExpiresAt), wire.Choose)
		add(true, wire.Cancel)
	case wire.Pending:
		add(!a.Paid.IsPositive(), wire.Cancel)
		add(s.MayChange(a.Number, now) == nil, wire.Change)
	case wire.Expired, wire.Cancelled:
		add(a != nil, wire.Recheck)
		add(s.mayOpen(now) == nil, wire.Retry)
	case wire.Review:
		add(true, wire.Recheck)
	}
	if list == nil {
		return []wire.Action{}
	}
	return list
}
