package checkout

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"coinslot/app/wire"
)

// Settlement is somebody's word about a session in review.
type Settlement struct {
	As     wire.Status // wire.Confirmed or wire.Cancelled
	Reason string      // in their own words, for the audit trail: one line
	By     string      // the trail's By; [Console] makes one
	// Review is that of the session which they have looked at, as from
	// [Session.Review]: another one is not settled. Empty = whichever there is.
	Review string
}

// validate returns CodeInvalid for an empty or overlong Reason.
func (by Settlement) validate() error {
	if by.Reason == "" || !line(by.Reason, maxMetaValue) {
		return problem(wire.CodeInvalid, "reason")
	}
	return nil
}

// Resolve is Settle for the merchant's server.
func (c *Service) Resolve(ctx context.Context, id string, as wire.Status, reason string) (Session, error) {
	return c.Settle(ctx, id, Settlement{As: as, Reason: reason, By: merchant})
}

// Settle settles a session in review by hand. What is settled as not paid never
// turns confirmed by itself: money that is proven later goes to review again.
//
// Errors: *wire.Error with CodeNotPossible if the session is not in review,
// CodeInvalid for another As or an empty or overlong Reason, CodeReviewChanged if
// it is not the session that was looked at, or if the transaction turns out to have
// paid another one: then that is the reason of the review from now on.
func (c *Service) Settle(ctx context.Context, id string, by Settlement) (Session, error) {
	if err := by.validate(); err != nil {
		return Session{}, err
	}
	s, err := c.change(ctx, Session{ID: id}, func(s *Session, now time.Time) error {
		return s.settle(by, now)
	})
	if errors.Is(err, ErrTxUsed) {
		return c.shared(ctx, id)
	}
	return s, err
}

// settle is Settle. What is settled as not paid is over: it is looked at late like
// everything that is, since the gateway may prove it yet.
func (s *Session) settle(by Settlement, now time.Time) error {
	a := s.Current()
	switch {
	case a == nil || a.State != InReview:
		return problem(wire.CodeNotPossible, "")
	case by.Review != "" && by.Review != s.Review():
		return problem(wire.CodeReviewChanged, "")
	}
	switch by.As {
	case wire.Confirmed:
		if a.Reason == reasonTxUsed { // an exchange may pay two orders at once; the id stays the first one's
			s.note(now, "coinslot", "attempt.shares_transaction", a.TxID)
			a.TxID = ""
		}
		s.confirm(a, by.By, now)
	case wire.Cancelled:
		a.State, a.EndedAt, a.Rechecks = Cancelled, now, 0
		s.ClosedBy = ClosedByMerchant
	default:
		return problem(wire.CodeInvalid, "as")
	}
	a.Settled++
	s.note(now, by.By, "session.resolved", string(by.As)+": "+by.Reason)
	s.ErasedAt = time.Time{} // the reason may name a person
	return nil
}

// Review is a mark of what somebody decides about who settles s: which attempt is in
// review, for what, and what has been seen of its money; empty = none is in review. Looks
// that tell nothing new leave it, although they may write a new version.
func (s *Session) Review() string {
	a := s.Current()
	if a == nil || a.State != InReview {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{strconv.Itoa(a.Number), strconv.Itoa(a.Settled), a.Reason, a.Paid.String(), a.TxID}, "\n")))
	return hex.EncodeToString(sum[:8])
}

// shared notes that the payment in review was made by a transaction which another
// session was confirmed with. Whoever wanted to settle it did not know that, and is
// refused this once.
func (c *Service) shared(ctx context.Context, id string) (Session, error) {
	s, err := c.change(ctx, Session{ID: id}, func(s *Session, now time.Time) error {
		return s.shareReview(now)
	})
	if err != nil {
		return s, err
	}
	return s, problem(wire.CodeReviewChanged, "")
}

// shareReview is shared for a session.
func (s *Session) shareReview(now time.Time) error {
	a := s.Current()
	if a == nil || a.State != InReview {
		return problem(wire.CodeNotPossible, "")
	}
	s.share(a, now)
	return nil
}

// share puts a into review since its transaction has confirmed another session.
func (s *Session) share(a *Attempt, now time.Time) {
	a.SharedTxID = a.TxID
	s.doubt(a, reasonTxUsed, now)
}

// settledUnpaid reports whether a person has said that s is not paid: nothing of
// it is confirmed by itself any more.
func (s *Session) settledUnpaid() bool {
	return slices.ContainsFunc(s.Attempts, func(a Attempt) bool { return a.settlings() > 0 && a.State != Confirmed })
}

// settlings is how often a person has settled anything of s.
func (s *Session) settlings() (n int) {
	for i := range s.Attempts {
		n += s.Attempts[i].settlings()
	}
	return n
}

// settlings is how often a person has settled a. Rows are there from before that was
// counted: in those, what a person has cancelled has kept the reason of its review.
func (a *Attempt) settlings() int {
	if a.Settled == 0 && a.State == Cancelled && a.Reason != "" {
		return 1
	}
	return a.Settled
}

// ByHand reports whether a is confirmed by somebody's word, and not by the gateway's.
func (a *Attempt) ByHand() bool { return a.State == Confirmed && a.Settled > 0 }
