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

// Config is what a [Service] is made of.
type Config struct {
	Gateway Gateway
	// Background reads the gateway's list behind every payment; nil = Gateway does.
	Background listing.Lister
	Store      Store
	Sessions   Sessions
	// PaymentPage is the address of the gateway's hosted pages; empty = none is shown.
	PaymentPage string
	Schedule    payment.Schedule
	Now         func() time.Time
	Log         *slog.Logger
}

// Gateway is what a [Service] needs of the gateway; checkout.Gateway explains it.
type Gateway interface {
	listing.Lister
	Status(ctx context.Context, trackingCode string) (payment.Record, error)
	Cancel(ctx context.Context, trackingCode string) error
	Environment() string
}

// Store is what a [Service] needs of the database; checkout.Store explains it.
type Store interface {
	FindAttempts(ctx context.Context, keys []string) ([]payment.AttemptRef, error)
	List(ctx context.Context, f payment.Filter) (payment.Page, error)
	Touch(ctx context.Context, s payment.Session, checkedAt, dueAt time.Time) error
}

// Sessions is what a [Service] needs of the checkout.
type Sessions interface {
	Session(ctx context.Context, id string) (payment.Session, error)
	// Change changes a session in a transaction; see checkout.Service.Change.
	Change(
		ctx context.Context, old payment.Session,
		fn func(s *payment.Session, now time.Time) error,
	) (payment.Session, error)
	// Replace is Change by an fn that may append an attempt, for which create is sent then.
	Replace(
		ctx context.Context, old payment.Session,
		fn func(s *payment.Session, now time.Time) error,
	) error
	// Touch notes that a session was checked, and plans its next check.
	Touch(ctx context.Context, s payment.Session) error
}

// Service finds the transactions that creates have opened whose answers were lost.
type Service struct {
	Config
	searches searches
	running  background.Group // searches

	closing context.Context // ends with Close
	end     context.CancelFunc
}

// New returns a finder that begins nothing by itself.
func New(c Config) *Service {
	closing, end := context.WithCancel(context.Background())
	return &Service{
		Config: c, searches: searches{byWindow: map[window]*search{}}, closing: closing, end: end,
	}
}

// Close breaks off the searches under way after the page that each is reading. It may be
// called again; no search begins any more.
func (c *Service) Close() {
	c.end()
	c.running.Wait()
}

// MarkUnknown declares that the process which sent create is gone, or that its
// answer is: from now on the list is searched. A create that was put off is not
// lost.
func (c *Service) MarkUnknown(ctx context.Context, s payment.Session, n int) error {
	_, err := c.Sessions.Change(ctx, s, func(s *payment.Session, now time.Time) error {
		return s.MarkUnknown(n, now)
	})
	return err
}

// Recover declares lost every create that is under way, so that its search
// begins now and not after Schedule.CreateTimeout. It is for a process that has just
// started and is alone on its database; beside another process it would
// search for what that one is still creating. Errors: the store's.
func (c *Service) Recover(ctx context.Context) error {
	for f := (payment.Filter{Status: string(wire.Preparing), Limit: 100}); ; {
		page, err := c.Store.List(ctx, f)
		if err != nil {
			return fmt.Errorf("looking for creates under way: %w", err)
		}
		for _, s := range page.Sessions {
			if a := s.Current(); a == nil || a.State != payment.Creating {
				continue
			} else if err := c.MarkUnknown(ctx, s, a.Number); err != nil {
				return err
			}
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			return nil
		}
	}
}

// Search looks for the transaction that an unanswered create may have opened, and
// gives the attempt up if that fails and has failed for long.
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
	if errors.Is(err, errStillReading) {
		return c.retrySoon(ctx, s)
	}
	return err
}

// findOrReplace is Search without giving up.
// Since only create tells the address, a transaction that is found is cancelled and
// replaced; one that cannot be cancelled is handed over by its hosted page.
// Two searches, some time apart, that find nothing prove that there is none.
// Errors: errStillReading; the gateway's; the store's.
func (c *Service) findOrReplace(ctx context.Context, s payment.Session, a payment.Attempt) error {
	if a.TrackingCode == "" {
		notBefore := a.UnknownAt
		if a.Misses > 0 {
			notBefore = a.MissedAt.Add(c.Schedule.SearchGap)
		}
		// A clock that was ahead may have written these.
		if now := c.Now(); a.UnknownAt.After(now) || a.MissedAt.After(now) {
			notBefore = now
		}
		found, asOf, err := c.locate(ctx, s, a, notBefore)
		if err != nil {
			return err
		}
		if a = *found.Attempt(a.Number); a.TrackingCode == "" {
			return c.countMiss(ctx, s, a, asOf)
		}
	}
	if a.State != payment.Unknown {
		return nil // its answer has come meanwhile
	}
	return c.replaceOrphan(ctx, s, a)
}

// retrySoon has s tended again when the list may have been read.
func (c *Service) retrySoon(ctx context.Context, s payment.Session) error {
	if err := c.Store.Touch(ctx, s, s.CheckedAt, c.Now().Add(searchPatience)); err != nil {
		return fmt.Errorf("waiting for the transaction list: %w", err)
	}
	return nil
}

// replaceOrphan cancels a found transaction whose address is not known and
// starts another attempt for the same coin.
func (c *Service) replaceOrphan(ctx context.Context, s payment.Session, a payment.Attempt) error {
	cancelErr := c.Gateway.Cancel(ctx, a.TrackingCode)
	r, err := c.Gateway.Status(ctx, a.TrackingCode)
	if err != nil {
		return err
	}
	if r.Status != "confirmed" && !payment.HasEnded(r.Status) &&
		(r.Status != "pending" || !payment.FinalRefusal(cancelErr)) {
		return errors.Join(cancelErr, c.Sessions.Touch(ctx, s)) // not proven either way: next time
	}
	return c.Sessions.Replace(ctx, s, func(s *payment.Session, now time.Time) error {
		return s.ApplyToOrphan(a.Number, r, c.Gateway.Environment(), now)
	})
}

// countMiss notes that the list did not have a at asOf. The second time, long enough after
// the first, gives the attempt up.
func (c *Service) countMiss(
	ctx context.Context, s payment.Session, a payment.Attempt, asOf time.Time,
) error {
	return c.Sessions.Replace(ctx, s, func(s *payment.Session, now time.Time) error {
		return s.CountMiss(a.Number, c.Schedule.SearchGap, asOf, now)
	})
}

// SearchOrphan searches again for what a given-up create may have opened, if it is time.
// Errors: the gateway's; the store's.
func (c *Service) SearchOrphan(ctx context.Context, s payment.Session, a payment.Attempt) error {
	due := a.SearchDue(c.Schedule, c.Now())
	if !payment.IsDue(due, c.Now()) {
		return nil
	}
	found, _, err := c.locate(ctx, s, a, due)
	if errors.Is(err, errStillReading) {
		return c.Sessions.Touch(ctx, s) // nobody waits for it
	}
	if err != nil || found.Attempt(a.Number).TrackingCode != "" {
		return err
	}
	_, err = c.Sessions.Change(ctx, s, func(s *payment.Session, _ time.Time) error {
		return s.CountChecks(a, a.ChecksDone+1)
	})
	return err
}

// locate looks for a in the gateway's list, and returns the session as it is afterwards:
// a has a tracking code if it was found. If not, it was not there at asOf, which is
// notBefore or later, or now. Errors: errStillReading; the gateway's; the store's.
func (c *Service) locate(
	ctx context.Context, s payment.Session, a payment.Attempt, notBefore time.Time,
) (now payment.Session, asOf time.Time, err error) {
	now, err = c.Sessions.Session(ctx, s.ID)
	if err != nil || now.Attempt(a.Number).TrackingCode != "" {
		return now, asOf, err // another's search has found it
	}
	asOf, unmarked, searchErr := c.searchList(ctx, a, notBefore)
	for _, r := range unmarked {
		mine, err := c.matchesWithoutComment(ctx, r, a)
		if err != nil {
			return s, asOf, err
		}
		if mine {
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

// matchesWithoutComment reports whether r, which a gateway has given back without its comment,
// is a by everything else that was sent.
func (c *Service) matchesWithoutComment(
	ctx context.Context, r payment.Record, a payment.Attempt,
) (bool, error) {
	if !a.Resembles(r) {
		return false, nil
	}
	held, err := c.Store.FindAttempts(ctx, []string{r.TrackingCode})
	if err != nil {
		return false, fmt.Errorf("looking for the owner of a transaction: %w", err)
	}
	return len(held) == 0, nil
}
