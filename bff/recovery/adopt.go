package recovery

import (
	"context"
	"fmt"
	"time"

	"coinslot/bff/payment"
)

// adoptPage stores unknown transactions that have one of our markers. It returns the markers
// whose transactions are known now, and the records without a comment that no session has: a
// gateway may drop it. Errors: the store's.
func (c *Service) adoptPage(
	ctx context.Context, records []payment.Record,
) (known []string, unmarked []payment.Record, err error) {
	owners, codes, err := c.owners(ctx, records)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range records {
		if r.Comment == "" && !codes[r.TrackingCode] {
			unmarked = append(unmarked, r)
		}
		marker := payment.MarkerText.FindString(r.Comment)
		h, ours := owners[marker]
		if !ours || !payment.IsTrackingCode(r.TrackingCode) {
			continue
		}
		known = append(known, marker)
		if h.TrackingCode == r.TrackingCode {
			continue
		}
		if _, err := c.adopt(ctx, payment.Session{ID: h.Session}, h.Number, r); err != nil {
			return nil, nil, err
		}
	}
	return known, unmarked, nil
}

// owners returns the attempts whose markers are in records, by marker, and which tracking codes
// of records without a comment are known.
func (c *Service) owners(
	ctx context.Context, records []payment.Record,
) (owners map[string]payment.AttemptRef, codes map[string]bool, err error) {
	var keys []string
	for _, r := range records {
		if m := payment.MarkerText.FindString(r.Comment); m != "" {
			keys = append(keys, m)
		} else if r.Comment == "" {
			keys = append(keys, r.TrackingCode)
		}
	}
	if keys == nil {
		return nil, nil, nil
	}
	held, err := c.Store.FindAttempts(ctx, keys)
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

// adopt stores the transaction found by the marker of attempt n. If the attempt has another one
// already, it is stored as a duplicate, to be canceled and never shown.
func (c *Service) adopt(
	ctx context.Context, s payment.Session, n int, r payment.Record,
) (payment.Session, error) {
	return c.Sessions.Change(ctx, s, func(s *payment.Session, now time.Time) error {
		return s.Adopt(n, r, c.PaymentPage, now)
	})
}
