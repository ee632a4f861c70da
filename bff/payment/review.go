package payment

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"coinslot/app/wire"
)

// Resolution is somebody's word about a session in review.
type Resolution struct {
	As     wire.Status // wire.Confirmed or wire.Cancelled
	Reason string      // in their own words, for the audit trail: one line
	By     string      // the trail's By; [Console] makes one
	// ReviewID is that of the session which they have looked at, as from
	// [Session.ReviewID]: another one is not settled. Empty = whichever there is.
	ReviewID string
}

// Validate returns CodeInvalid for an empty or overlong Reason.
func (by Resolution) Validate() error {
	if by.Reason == "" || !isLine(by.Reason, maxMetaValue) {
		return NewError(wire.CodeInvalid, "reason")
	}
	return nil
}

// Resolve is Settle. What is settled as not paid is over: it is looked at late like
// everything that is, since the gateway may prove it yet.
func (s *Session) Resolve(by Resolution, now time.Time) error {
	a := s.Current()
	switch {
	case a == nil || a.State != InReview:
		return NewError(wire.CodeNotPossible, "")
	case by.ReviewID != "" && by.ReviewID != s.ReviewID():
		return NewError(wire.CodeReviewChanged, "")
	}
	switch {
	case by.As == wire.Confirmed:
		// an exchange may pay two orders at once; the id stays the first one's
		if a.Reason == ReasonTxUsed {
			s.AppendTimeline(now, "coinslot", "attempt.shares_transaction", a.TxID)
			a.TxID = ""
		}
		s.confirm(a, by.By, now)
	case by.As == wire.Cancelled:
		a.State, a.EndedAt, a.ChecksDone = Cancelled, now, 0
		s.ClosedBy = ClosedByMerchant
	default:
		return NewError(wire.CodeInvalid, "as")
	}
	a.ResolvedCount++
	s.AppendTimeline(now, by.By, "session.resolved", string(by.As)+": "+by.Reason)
	s.ErasedAt = time.Time{} // the reason may name a person
	return nil
}

// ReviewID is a mark of what somebody decides about who settles s: which attempt is in
// review, for what, and what has been seen of its money; empty = none is in review. Looks
// that tell nothing new leave it, although they may write a new version.
func (s *Session) ReviewID() string {
	a := s.Current()
	if a == nil || a.State != InReview {
		return ""
	}
	sum := sha256.Sum256(
		[]byte(
			strings.Join(
				[]string{
					strconv.Itoa(a.Number), strconv.Itoa(a.ResolvedCount), a.Reason,
					a.Paid.String(),
					a.TxID,
				},
				"\n",
			),
		),
	)
	return hex.EncodeToString(sum[:8])
}
