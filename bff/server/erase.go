package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"coinslot/bff/checkout"
	"coinslot/bff/console"
	"coinslot/bff/gateway"
	"coinslot/bff/payment"
	"coinslot/bff/store"
)

// keepItems is how long a never-paid session of the catalog stays after its end, whatever
// COINSLOT_RETENTION says: longer than late money is looked for.
const keepItems = 7 * 24 * time.Hour

// retention erases sessions after their retention time.
func (s *Server) retention(keep time.Duration, log *slog.Logger) *checkout.Retention {
	return s.eraser("retention", keep, log)
}

// unpaidItems deletes never-paid sessions of the catalog.
func (s *Server) unpaidItems(log *slog.Logger) *checkout.Retention {
	service := s.eraser("unpaid_items", keepItems, log)
	service.Items = s.store
	return service
}

// eraser returns a service that alternates between instances by a bucket in the database.
func (s *Server) eraser(name string, keep time.Duration, log *slog.Logger) *checkout.Retention {
	bucket := s.store.Bucket(name, 1)
	service := withFailpoints(checkout.Retention{
		Eraser:  s.store,
		Keep:    keep,
		Hold:    bucket.Pause,
		Changed: s.sessionChanged,
		Now:     s.store.Now,
		Log:     log,
		Acquire: func(ctx context.Context) (bool, error) {
			_, err := bucket.Take(ctx, 0)
			if errors.Is(err, gateway.ErrFull) {
				return false, nil
			}
			return err == nil, err
		},
	})
	return &service
}

// Eraser erases personal data on request, also while a server runs. Close it.
type Eraser struct {
	db *store.DB
	by string
}

// NewEraser opens a database (COINSLOT_DATABASE); by is the name for the audit log. Errors: it cannot
// be opened, or is of another release.
func NewEraser(ctx context.Context, database, by string) (*Eraser, error) {
	db, err := store.OpenBeside(ctx, store.Config{DSN: database})
	if err != nil {
		return nil, fmt.Errorf("COINSLOT_DATABASE: %w", err)
	}
	return &Eraser{db, by}, nil
}

// Close removes erased data from the files and closes the database.
func (e *Eraser) Close() error {
	return errors.Join(e.db.Truncate(context.Background()), e.db.Close())
}

// Erase erases the personal data of a session, or of all sessions with an e-mail address, and
// returns their ids. The audit log has each before and after. Errors: [payment.ErrNotFound];
// [payment.ErrUnreadable] of sessions to repair first; the database's.
func (e *Eraser) Erase(ctx context.Context, subject string) (done []string, err error) {
	ids := []string{subject}
	if strings.Contains(subject, "@") {
		ids, err = e.db.SessionsWithEmail(ctx, subject)
		if err != nil {
			return nil, err
		}
	}

	var unreadable []error // none of these keeps the others
	for _, id := range ids {
		err := e.session(ctx, id)
		if errors.Is(err, payment.ErrUnreadable) {
			unreadable = append(unreadable, err)
			continue
		}
		if err != nil {
			return done, err
		}
		done = append(done, id)
	}
	if len(unreadable) > 0 {
		return done, errors.Join(unreadable...)
	}

	return done, nil
}

func (e *Eraser) session(ctx context.Context, id string) error {
	if _, err := e.db.Session(ctx, id); err != nil {
		return fmt.Errorf("reading session %q: %w", id, err)
	}
	if err := e.record(ctx, console.EraseRecord, id); err != nil {
		return err
	}
	if err := checkout.EraseByRequest(ctx, e.db, id, e.db.Now().UTC()); err != nil {
		return err
	}
	return e.record(ctx, console.EraseRecorded, id)
}

func (e *Eraser) record(ctx context.Context, what, id string) error {
	return e.db.Record(ctx, console.Action{By: e.by, What: what, Session: id})
}

// Recorded returns the sessions that were erased on request, the oldest first: they have to be
// erased again after a restore.
func (e *Eraser) Recorded(ctx context.Context) (ids []string, err error) {
	q := console.ActionQuery{Limit: 100}
	for {
		page, err := e.db.Actions(ctx, q)
		if err != nil {
			return nil, err
		}

		for _, a := range page.Actions {
			asked := a.What == console.EraseRecord || a.What == console.EraseRecorded
			if asked && !slices.Contains(ids, a.Session) {
				ids = append(ids, a.Session)
			}
		}

		q.Cursor = page.Next
		if q.Cursor == "" {
			slices.Reverse(ids)
			return ids, nil
		}
	}
}
