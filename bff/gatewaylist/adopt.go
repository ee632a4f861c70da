package gatewaylist

import (
	"context"
	"fmt"
	"time"

	"coinslot/bff/payment"
)

// adoptPage stores unknown transactions that have one of our markers; those are no longer wanted
// of s. It keeps the records without a comment that no session has: a gateway may drop it.
// Errors: the store's.
func (f *Finder) adoptPage(ctx context.Context, s *search, records []payment.Record) error {
	owners, codes, err := f.owners(ctx, records)
	if err != nil {
		return err
	}

	var found []string
	for _, r := range records {
		marker := payment.MarkerText.FindString(r.Comment)
		owner, ours := owners[marker]
		if !ours || !payment.IsTrackingCode(r.TrackingCode) {
			continue
		}
		found = append(found, marker)
		if owner.TrackingCode == r.TrackingCode {
			continue
		}
		if _, err := f.adopt(ctx, owner.Session, owner.Number, r); err != nil {
			return err
		}
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	for _, marker := range found {
		delete(s.wanted, marker)
	}
	for _, r := range records {
		if r.Comment == "" && !codes[r.TrackingCode] {
			s.unmarked[r.TrackingCode] = r
		}
	}
	return nil
}

// owners returns the attempts whose markers are in records, by marker, and which tracking codes
// of records without a comment are known.
func (f *Finder) owners(
	ctx context.Context, records []payment.Record,
) (owners map[string]payment.AttemptRef, codes map[string]bool, err error) {
	var keys []string
	for _, r := range records {
		if marker := payment.MarkerText.FindString(r.Comment); marker != "" {
			keys = append(keys, marker)
		} else if r.Comment == "" {
			keys = append(keys, r.TrackingCode)
		}
	}
	if keys == nil {
		return nil, nil, nil
	}

	held, err := f.Store.FindAttempts(ctx, keys)
	if err != nil {
		return nil, nil, fmt.Errorf("looking up the owners of transactions: %w", err)
	}
	owners, codes = map[string]payment.AttemptRef{}, map[string]bool{}
	for _, h := range held {
		owners[h.Marker], codes[h.TrackingCode] = h, true
	}
	delete(owners, "") // duplicates have no marker
	return owners, codes, nil
}

// adoptUnmarked stores the first of unmarked that matches a in all but its comment and has no
// owner, if there is one. Errors: the store's.
func (f *Finder) adoptUnmarked(
	ctx context.Context, s payment.Session, a payment.Attempt, unmarked []payment.Record,
) (adopted bool, current payment.Session, err error) {
	for _, r := range unmarked {
		if !a.Resembles(r) {
			continue
		}
		held, err := f.Store.FindAttempts(ctx, []string{r.TrackingCode})
		if err != nil {
			return false, s, fmt.Errorf("looking up the owner of a transaction: %w", err)
		}
		if len(held) == 0 {
			current, err = f.adopt(ctx, s.ID, a.Number, r)
			return true, current, err
		}
	}
	return false, s, nil
}

// adopt stores the transaction that was found for attempt n of a session. If the attempt has another
// one already, it is stored as a duplicate, to be canceled and never shown.
func (f *Finder) adopt(
	ctx context.Context, session string, n int, r payment.Record,
) (payment.Session, error) {
	return f.Sessions.Change(ctx, session, func(s *payment.Session, now time.Time) error {
		return s.Adopt(n, r, f.PaymentPage, now)
	})
}
