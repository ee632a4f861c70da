package payment

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"coinslot/app/wire"
)

// Resolution is an operator's decision about a session in review.
type Resolution struct {
	As     wire.Status // wire.Confirmed or wire.Cancelled
	Reason string      // for the timeline: one line of free text
	By     string      // of the timeline entry; see [Console]
	// ReviewID is the review that the operator saw, from [Session.ReviewID]: another one is not
	// resolved. Empty = any.
	ReviewID string
}

// Validate returns CodeInvalid for an empty or overlong Reason.
func (r Resolution) Validate() error {
	if r.Reason == "" || !isLine(r.Reason, maxMetaValue) {
		return NewError(wire.CodeInvalid, "reason")
	}
	return nil
}

// Resolve resolves the review of s as paid or unpaid. An unpaid one ends and gets late checks like
// any other, since the gateway may still prove it. Errors: *wire.Error with CodeNotPossible without
// a review, CodeReviewChanged for another ReviewID, CodeInvalid for another As.
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
		// an exchange may pay two orders at once: the first order keeps the id
		if a.Reason == ReasonTxUsed {
			s.AppendTimeline(now, "coinslot", "attempt.shares_transaction", a.TxID)
			a.TxID = ""
		}
		s.confirm(a, by.By, now)
	case by.As == wire.Cancelled:
		a.State = Cancelled
		a.EndedAt = now
		a.ChecksDone = 0
		s.ClosedBy = ClosedByMerchant
	default:
		return NewError(wire.CodeInvalid, "as")
	}

	a.ResolvedCount++
	s.AppendTimeline(now, by.By, "session.resolved", string(by.As)+": "+by.Reason)
	s.ErasedAt = time.Time{} // the reason may name a person
	return nil
}

// ReviewID identifies what an operator decides about: the attempt in review, the reason and
// the money seen; empty = no review. Checks without news do not change it, although they may
// write a new version.
func (s *Session) ReviewID() string {
	a := s.Current()
	if a == nil || a.State != InReview {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%d\n%s\n%s\n%s",
		a.Number, a.ResolvedCount, a.Reason, a.Paid, a.TxID))
	return hex.EncodeToString(sum[:8])
}
