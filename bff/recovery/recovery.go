// Package recovery finds the transactions of creates whose answers were lost: it searches the
// gateway's list for the marker that every create carries. Only the answer to create holds the
// address, so a found transaction is canceled and replaced; one that is proven absent is
// replaced; one that cannot be searched for is abandoned after ten minutes.
package recovery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/internal/background"
	"coinslot/bff/listing"
	"coinslot/bff/payment"
)

// Config configures a [Service].
type Config struct {
	Gateway Gateway
	// Background reads the gateway's list with the lowest priority; nil = Gateway does.
	Background listing.Lister
	Store      Store
	Sessions   Sessions
	// PaymentPage is the base URL of the gateway's hosted pages; empty = none is shown.
	PaymentPage string
	Schedule    payment.Schedule
	Now         func() time.Time
	Log         *slog.Logger
}

// Gateway is what a [Service] needs of the gateway; see checkout.Gateway.
type Gateway interface {
	listing.Lister
	Status(ctx context.Context, trackingCode string) (payment.Record, error)
	Cancel(ctx context.Context, trackingCode string) error
	Environment() string
}

// Store is what a [Service] needs of the database; see checkout.Store.
type Store interface {
	FindAttempts(ctx context.Context, keys []string) ([]payment.AttemptRef, error)
	List(ctx context.Context, f payment.Filter) (payment.Page, error)
	Touch(ctx context.Context, s payment.Session, checkedAt, dueAt time.Time) error
}

// Sessions is what a [Service] needs of the checkout.
type Sessions interface {
	Session(ctx context.Context, id string) (payment.Session, error)
	// Change changes a session in a transaction; see checkout.Service.Change.
	Change(ctx context.Context, old payment.Session,
		fn func(s *payment.Session, now time.Time) error) (payment.Session, error)
	// Replace is Change with an fn that may append an attempt, for which it sends create.
	Replace(ctx context.Context, old payment.Session,
		fn func(s *payment.Session, now time.Time) error) error
	// Touch records that a session was checked, and schedules its next check.
	Touch(ctx context.Context, s payment.Session) error
}

// Service finds the transactions of creates without an answer.
type Service struct {
	Config
	searches searches
	running  background.Group // searches

	closing context.Context // ends with Close
	end     context.CancelFunc
}

// New returns a service. It starts nothing by itself.
func New(c Config) *Service {
	closing, end := context.WithCancel(context.Background())
	return &Service{
		Config: c, searches: searches{byWindow: map[window]*search{}}, closing: closing, end: end,
	}
}

// Close stops searches after the page they are reading. It may be called again; no new search
// starts.
func (c *Service) Close() {
	c.end()
	c.running.Wait()
}

// MarkUnknown records that create has no answer: from now on the list is searched. Postponed
// creates stay as they are.
func (c *Service) MarkUnknown(ctx context.Context, s payment.Session, n int) error {
	_, err := c.Sessions.Change(ctx, s, func(s *payment.Session, now time.Time) error {
		return s.MarkUnknown(n, now)
	})
	return err
}

// Recover marks every create in flight as unknown, so that its search starts now instead of
// after Schedule.CreateTimeout. Call it only in a process that has just started and is alone on
// its database; otherwise it would search for creates in flight elsewhere. Errors: the store's.
func (c *Service) Recover(ctx context.Context) error {
	for f := (payment.Filter{Status: string(wire.Preparing), Limit: 100}); ; {
		page, err := c.Store.List(ctx, f)
		if err != nil {
			return fmt.Errorf("listing creates in flight: %w", err)
		}
		for _, s := range page.Sessions {
			if a := s.Current(); a == nil || a.State != payment.Creating {
				continue
			} else if err := c.MarkUnknown(ctx, s, a.Number); err != nil {
				return err
			}
		}
		f.Cursor = page.Next
		if f.Cursor == "" {
			return nil
		}
	}
}

// Search looks for the transaction of an unanswered create, and abandons the attempt after
// failing for long.
func (c *Service) Search(ctx context.Context, s payment.Session, a payment.Attempt) error {
	err := c.findOrReplace(ctx, s, a)
	now := c.Now()
	if err != nil && (a.UnknownAt.After(now) || now.Sub(a.UnknownAt) >= payment.GiveUpAfter) {
		_, abandonErr := c.Sessions.Change(ctx, s, func(s *payment.Session, now time.Time) error {
			return s.Abandon(a.Number, now)
		})
		if abandonErr != nil {
			return errors.Join(err, abandonErr)
		}
	}
	if !errors.Is(err, errStillReading) {
		return err
	}
	if err := c.Store.Touch(ctx, s, s.CheckedAt, c.Now().Add(searchPatience)); err != nil {
		return fmt.Errorf("rescheduling a search: %w", err)
	}
	return nil
}

// findOrReplace is Search without abandoning. A found transaction is canceled and replaced,
// since its address is lost; one that cannot be canceled is paid at its hosted page. Two
// searches, SearchGap apart, that find nothing prove that there is none.
// Errors: errStillReading; the gateway's; the store's.
func (c *Service) findOrReplace(ctx context.Context, s payment.Session, a payment.Attempt) error {
	if a.TrackingCode == "" {
		notBefore := a.UnknownAt
		if a.Misses > 0 {
			notBefore = a.MissedAt.Add(c.Schedule.SearchGap)
		}
		// a clock that was ahead may have stored these
		if now := c.Now(); a.UnknownAt.After(now) || a.MissedAt.After(now) {
			notBefore = now
		}
		found, asOf, err := c.locate(ctx, s, a, notBefore)
		if err != nil {
			return err
		}
		if a = *found.Attempt(a.Number); a.TrackingCode == "" {
			return c.Sessions.Replace(ctx, s, func(s *payment.Session, now time.Time) error {
				return s.CountMiss(a.Number, c.Schedule.SearchGap, asOf, now)
			})
		}
	}
	if a.State != payment.Unknown {
		return nil // its answer has arrived
	}
	return c.replaceOrphan(ctx, s, a)
}

// replaceOrphan cancels a found transaction whose address is lost and starts another attempt in
// the same coin. If it cannot be canceled, shoppers see its amount: two reads must agree on it.
func (c *Service) replaceOrphan(ctx context.Context, s payment.Session, a payment.Attempt) error {
	cancelErr := c.Gateway.Cancel(ctx, a.TrackingCode)
	r, err := c.Gateway.Status(ctx, a.TrackingCode)
	if err != nil {
		return err
	}
	decided := r.Status == "confirmed" || payment.HasEnded(r.Status)
	if r.Status == "pending" && payment.FinalRefusal(cancelErr) {
		again, err := c.Gateway.Status(ctx, a.TrackingCode)
		decided = err == nil && again.PayAmount.Equal(r.PayAmount)
	}
	if !decided {
		return errors.Join(cancelErr, c.Sessions.Touch(ctx, s)) // try again
	}
	return c.Sessions.Replace(ctx, s, func(s *payment.Session, now time.Time) error {
		return s.ApplyToOrphan(a.Number, r, c.Gateway.Environment(), now)
	})
}

// SearchOrphan searches again for the transaction of an abandoned create, if it is time.
// Errors: the gateway's; the store's.
func (c *Service) SearchOrphan(ctx context.Context, s payment.Session, a payment.Attempt) error {
	due := a.SearchDue(c.Schedule, c.Now())
	if !payment.IsDue(due, c.Now()) {
		return nil
	}
	found, _, err := c.locate(ctx, s, a, due)
	if errors.Is(err, errStillReading) {
		return c.Sessions.Touch(ctx, s) // not urgent
	}
	if err != nil || found.Attempt(a.Number).TrackingCode != "" {
		return err
	}
	_, err = c.Sessions.Change(ctx, s, func(s *payment.Session, _ time.Time) error {
		return s.CountChecks(a, a.ChecksDone+1)
	})
	return err
}

// locate looks for a in the gateway's list and returns the current session: a has a tracking
// code if it was found. If not, it was absent at asOf, which is notBefore or later, or now.
// Errors: errStillReading; the gateway's; the store's.
func (c *Service) locate(
	ctx context.Context, s payment.Session, a payment.Attempt, notBefore time.Time,
) (now payment.Session, asOf time.Time, err error) {
	now, err = c.Sessions.Session(ctx, s.ID)
	if err != nil || now.Attempt(a.Number).TrackingCode != "" {
		return now, asOf, err // found by another search
	}
	asOf, unmarked, searchErr := c.searchList(ctx, a, notBefore)
	for _, r := range unmarked { // a's lacks its comment, matches in all else, and has no owner
		if !a.Resembles(r) {
			continue
		}
		held, err := c.Store.FindAttempts(ctx, []string{r.TrackingCode})
		if err != nil {
			return s, asOf, fmt.Errorf("looking up the owner of a transaction: %w", err)
		}
		if len(held) == 0 {
			now, err = c.adopt(ctx, s, a.Number, r)
			return now, asOf, err
		}
	}
	now, err = c.Sessions.Session(ctx, s.ID)
	if err != nil || now.Attempt(a.Number).TrackingCode != "" {
		return now, asOf, err
	}
	return now, asOf, searchErr
}
