package checkout

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"coinslot/bff/crash"
)

// markerText is what newMarker writes, wherever a gateway puts it in a comment.
var markerText = regexp.MustCompile(`cs-[a-z2-7]{20}`)

// adoptPage makes known what bears one of our markers and was not known. It returns
// the markers whose transactions are known now, and the records without a comment
// that nobody here has: a gateway may lose it. Errors: the store's.
func (c *Service) adoptPage(
	ctx context.Context, records []Record,
) (known []string, bare []Record, err error) {
	owners, codes, err := c.owners(ctx, records)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range records {
		if r.Comment == "" && !codes[r.TrackingCode] {
			bare = append(bare, r)
		}
		marker := markerText.FindString(r.Comment)
		h, ours := owners[marker]
		if !ours || !trackingCode.MatchString(r.TrackingCode) {
			continue
		}
		known = append(known, marker)
		if h.TrackingCode == r.TrackingCode {
			continue
		}
		crash.Point("search.found")
		if _, err := c.adopt(ctx, Session{ID: h.Session}, h.Number, r); err != nil {
			return nil, nil, err
		}
		crash.Point("search.adopted")
	}
	return known, bare, nil
}

// owners returns the attempts whose markers are in records, by marker, and which of
// the tracking codes of those without a comment somebody here has.
func (c *Service) owners(
	ctx context.Context, records []Record,
) (owners map[string]Held, codes map[string]bool, err error) {
	var keys []string
	for _, r := range records {
		if m := markerText.FindString(r.Comment); m != "" {
			keys = append(keys, m)
		} else if r.Comment == "" {
			keys = append(keys, r.TrackingCode)
		}
	}
	if keys == nil {
		return nil, nil, nil
	}
	held, err := c.Store.Held(ctx, keys)
	if err != nil {
		return nil, nil, fmt.Errorf("looking for the owners of transactions: %w", err)
	}
	owners, codes = map[string]Held{}, map[string]bool{}
	for _, h := range held {
		owners[h.Marker], codes[h.TrackingCode] = h, true
	}
	delete(owners, "") // of transactions that have no marker of their own
	return owners, codes, nil
}

// adopt stores a tracking code that was found by the marker of attempt n. If the
// attempt has another one already, the gateway has opened two: the second is
// kept as a stray, to be ended and never shown.
func (c *Service) adopt(ctx context.Context, s Session, n int, r Record) (Session, error) {
	return c.change(ctx, s, func(s *Session, now time.Time) error {
		return s.adopt(n, r, c.PaymentPage, now)
	})
}

// adopt is the same for a session; page is the address of the gateway's hosted pages.
func (s *Session) adopt(n int, r Record, page string, now time.Time) error {
	a := s.Attempt(n)
	switch {
	case a == nil || s.has(r.TrackingCode):
		return ErrUnchanged
	case a.TrackingCode != "":
		return s.stray(*a, r, now)
	}
	a.TrackingCode, a.ExpiresAt = r.TrackingCode, expiry(r.ExpiresAt, now, a.TTLMinutes)
	a.PaymentURL = hosted(r.PaymentURL, page)
	s.note(now, "coinslot", "attempt.found", r.TrackingCode)
	return nil
}

// has reports whether an attempt of s has that tracking code.
func (s *Session) has(code string) bool {
	for i := range s.Attempts {
		if s.Attempts[i].TrackingCode == code {
			return true
		}
	}
	return false
}

// stray appends a second transaction that bears the marker of a.
func (s *Session) stray(a Attempt, r Record, now time.Time) error {
	if len(s.Attempts) >= 2*maxAttempts {
		return ErrUnchanged // a gateway that makes more than these cannot be helped
	}
	s.Attempts = append(s.Attempts, Attempt{
		Number: len(s.Attempts) + 1, State: Stray, TrackingCode: r.TrackingCode, AmountUSD: a.AmountUSD,
		CurrencySymbol: a.CurrencySymbol, CurrencyName: a.CurrencyName, NetworkCode: a.NetworkCode, NetworkName: a.NetworkName,
		TTLMinutes: a.TTLMinutes, StartedAt: now, ExpiresAt: expiry(r.ExpiresAt, now, a.TTLMinutes),
	})
	s.note(now, "coinslot", "attempt.stray", r.TrackingCode)
	return nil
}
