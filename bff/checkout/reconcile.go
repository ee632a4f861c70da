package checkout

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"coinslot/app/wire"

	"github.com/shopspring/decimal"
)

const (
	// searchSpan is how far either side of an attempt's start the list is
	// searched: the time zone and inclusiveness of its dates are not documented.
	searchSpan = 48 * time.Hour
	// searchPages bounds a search whose pages never end.
	searchPages = 200
)

// assumeLost declares that the process which sent create is gone, or that its
// answer is: from now on the list is searched.
func (c *Service) assumeLost(ctx context.Context, id string, n int) error {
	_, err := c.change(ctx, id, func(s *Session, now time.Time) error {
		a := s.Attempt(n)
		if a.State != Creating {
			return ErrUnchanged
		}
		a.State = Unknown
		s.note(now, "coinslot", "attempt.unknown", "no answer to create was recorded")
		return nil
	})
	return err
}

// Recover declares lost every create that is under way, so that its search
// begins now and not after Pace.Answer. It is for a process that has just
// started and is alone on its database; beside another process it would
// search for what that one is still creating. Errors: the store's.
func (c *Service) Recover(ctx context.Context) error {
	for f := (Filter{Status: string(wire.Preparing), Limit: 100}); ; {
		page, err := c.Store.List(ctx, f)
		if err != nil {
			return fmt.Errorf("looking for creates under way: %w", err)
		}
		for _, s := range page.Sessions {
			if a := s.Current(); a == nil || a.State != Creating {
				continue
			} else if err := c.assumeLost(ctx, s.ID, a.Number); err != nil {
				return err
			}
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			return nil
		}
	}
}

// search looks for the transaction that an unanswered create may have opened.
// Since only create tells the address, one that is found is cancelled and
// replaced; one that cannot be cancelled is handed over by its hosted page.
// Two searches, some time apart, that find nothing prove that there is none.
func (c *Service) search(ctx context.Context, s Session, a Attempt) error {
	if a.TrackingCode == "" {
		r, found, err := c.find(ctx, a)
		if err != nil {
			return err
		}
		if !found {
			return c.miss(ctx, s.ID, a)
		}
		if s, err = c.adopt(ctx, s.ID, a.Number, r); err != nil {
			return err
		}
		a = *s.Attempt(a.Number)
	}
	if a.State != Unknown {
		return nil // its answer has come meanwhile
	}
	return c.replaceOrphan(ctx, s, a)
}

// adopt stores the tracking code that a search has found.
func (c *Service) adopt(ctx context.Context, id string, n int, r Record) (Session, error) {
	return c.change(ctx, id, func(s *Session, now time.Time) error {
		a := s.Attempt(n)
		if a.TrackingCode != "" {
			return ErrUnchanged
		}
		a.TrackingCode, a.ExpiresAt = r.TrackingCode, expiry(r.ExpiresAt, now, a.TTLMinutes)
		a.PaymentURL = hosted(r.PaymentURL, c.PaymentPage)
		s.note(now, "coinslot", "attempt.found", r.TrackingCode)
		return nil
	})
}

// replaceOrphan cancels a found transaction whose address is not known and
// starts another attempt for the same coin.
func (c *Service) replaceOrphan(ctx context.Context, s Session, a Attempt) error {
	cancelErr := c.Gateway.Cancel(ctx, a.TrackingCode)
	r, err := c.Gateway.Status(ctx, a.TrackingCode)
	if err != nil {
		return err
	}
	if r.Status != "confirmed" && !over(r.Status) && (r.Status != "pending" || !final(cancelErr)) {
		return errors.Join(cancelErr, c.touch(ctx, s)) // not proven either way: next time
	}
	return c.replace(ctx, s.ID, func(s *Session, now time.Time) error {
		return s.orphaned(a.Number, r, c.Gateway.Environment(), now)
	})
}

// final reports whether err says no to a cancellation for good, and not only
// for now.
func final(err error) bool {
	var refused *RefusedError
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.Reason {
	case ReasonBusy, ReasonUnsent, ReasonKey:
		return false
	}
	return true
}

// orphaned decides what becomes of an attempt whose transaction was found but
// whose address is lost, given a record read after the cancellation was tried.
func (s *Session) orphaned(n int, r Record, env string, now time.Time) error {
	a := s.Attempt(n)
	if a.State != Unknown {
		return ErrUnchanged
	}
	switch r.Status {
	case "confirmed":
		return s.observe(n, r, env, now)
	case "pending":
		s.handOver(a, r, now)
		return nil
	}
	a.EndedAt, s.CheckedAt = now, now
	s.giveUp(a, now)
	return nil
}

// handOver lets a transaction that cannot be cancelled be paid at its hosted
// page. One whose page may not be shown is replaced, since nobody can know its
// address; that it is cancelled is tried again until it has ended.
func (s *Session) handOver(a *Attempt, r Record, now time.Time) {
	s.CheckedAt = now
	if a.PaymentURL == "" {
		s.giveUp(a, now)
		return
	}
	a.State, a.PayAmount, a.PayText = Waiting, r.PayAmount, plain(r.PayAmount)
	s.note(now, "coinslot", "attempt.handed_over", a.TrackingCode)
}

// giveUp closes a and, if the session still waits for a payment, appends its
// replacement.
func (s *Session) giveUp(a *Attempt, now time.Time) {
	a.State = Lost
	s.note(now, "coinslot", "attempt.lost", a.TrackingCode)
	if a.Number != len(s.Attempts) || s.ClosedBy != NotClosed {
		return
	}
	if err := s.mayOpen(now); err != nil {
		if errors.Is(err, problem(wire.CodeTooManyAttempts, "")) {
			s.Notice = Notice{Code: wire.CodeTooManyAttempts}
		}
		return
	}
	s.add(Attempt{
		State: Creating, CurrencySymbol: a.CurrencySymbol, CurrencyName: a.CurrencyName,
		NetworkCode: a.NetworkCode, NetworkName: a.NetworkName, TTLMinutes: a.TTLMinutes,
		Email: a.Email, Comment: a.Comment,
	}, now)
}

// replace runs fn, which may give an attempt up, and makes the create call of
// the replacement if this very change has appended one: whoever finds it there
// already must not send it a second time.
func (c *Service) replace(ctx context.Context, id string, fn func(s *Session, now time.Time) error) error {
	appended := false
	s, err := c.intend(ctx, id, func(s *Session, now time.Time) error {
		before := len(s.Attempts)
		err := fn(s, now)
		appended = err == nil && len(s.Attempts) > before
		return err
	})
	if err != nil || !appended {
		return err
	}
	price, fee := c.quote(ctx, s.Attempts[len(s.Attempts)-1])
	_, err = c.start(ctx, s, price, fee)
	return err
}

// quote returns price and fee of an attempt's coin, zero if they are not known.
func (c *Service) quote(ctx context.Context, a Attempt) (price, fee decimal.Decimal) {
	currencies, err := c.Currencies(ctx)
	if err != nil {
		return price, fee
	}
	for _, o := range offers(Order{}, currencies) {
		if a.in(o) {
			return o.Currency.PriceInUSDT, o.Network.Fee
		}
	}
	return price, fee
}

// miss notes a search that found nothing. The second one, long enough after
// the first, gives the attempt up.
func (c *Service) miss(ctx context.Context, id string, a Attempt) error {
	return c.replace(ctx, id, func(s *Session, now time.Time) error {
		return s.missed(a.Number, c.Pace.Absent, now)
	})
}

func (s *Session) missed(n int, absent time.Duration, now time.Time) error {
	a := s.Attempt(n)
	if a.State != Unknown || a.TrackingCode != "" {
		return ErrUnchanged
	}
	a.Misses++
	if a.Misses == 1 {
		a.MissedAt = now
	}
	if a.Misses > 1 && now.Sub(a.MissedAt) >= absent {
		s.giveUp(a, now)
	}
	return nil
}

// tendOrphan searches again for what a given-up create may have opened after
// all, ends it when it is known, and looks at it late like at any other.
func (c *Service) tendOrphan(ctx context.Context, s Session, a Attempt, due time.Time) error {
	if due.IsZero() || c.Now().Before(due) && !a.EndedAt.IsZero() {
		return nil
	}
	if a.TrackingCode == "" {
		return c.searchOrphan(ctx, s, a, due)
	}
	if !a.EndedAt.IsZero() {
		return c.lookLate(ctx, s, a)
	}
	if err := c.Gateway.Cancel(ctx, a.TrackingCode); err != nil {
		c.Log.Warn("cancelling an orphan", "session", s.ID, "attempt", a.Number, "error", err)
	}
	r, err := c.Gateway.Status(ctx, a.TrackingCode)
	if err != nil {
		return err
	}
	_, err = c.record(ctx, s, a.Number, r)
	return err
}

func (c *Service) searchOrphan(ctx context.Context, s Session, a Attempt, due time.Time) error {
	if c.Now().Before(due) {
		return nil
	}
	r, found, err := c.find(ctx, a)
	if err != nil {
		return err
	}
	if found {
		_, err := c.adopt(ctx, s.ID, a.Number, r)
		return err
	}
	return c.count(ctx, s.ID, a)
}

// find reads the gateway's list around the start of a, every status and page,
// for a record that is a's. Pages may shift while they are read, which repeats
// records but hides none that is older than the search.
func (c *Service) find(ctx context.Context, a Attempt) (Record, bool, error) {
	q := ListQuery{Limit: 50, From: a.StartedAt.Add(-searchSpan), To: a.StartedAt.Add(searchSpan)}
	for q.Page = 1; q.Page <= searchPages; q.Page++ {
		page, err := c.Gateway.Transactions(ctx, q)
		if err != nil {
			return Record{}, false, err
		}
		for _, r := range page.Items {
			mine, err := c.belongs(ctx, r, a)
			if mine || err != nil {
				return r, mine, err
			}
		}
		if len(page.Items) == 0 || q.Page >= page.LastPage {
			break
		}
	}
	return Record{}, false, nil
}

// belongs reports whether r is what the create of a has opened: by the marker,
// or, if the gateway gave no comment back, by everything else that was sent.
func (c *Service) belongs(ctx context.Context, r Record, a Attempt) (bool, error) {
	if strings.Contains(r.Comment, a.Marker) {
		return trackingCode.MatchString(r.TrackingCode), nil
	}
	alike := r.Comment == "" && a.Drawn && r.OrderID == a.OrderID && r.AmountUSD.Equal(a.AmountUSD) && sameCoin(&a, r)
	if !alike || !trackingCode.MatchString(r.TrackingCode) {
		return false, nil
	}
	_, err := c.Store.Lookup(ctx, r.TrackingCode)
	if errors.Is(err, ErrNotFound) {
		return true, nil
	}
	return false, err
}
