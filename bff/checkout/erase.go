package checkout

import (
	"context"
	"fmt"
	"time"

	"coinslot/bff/payment"
)

// EraseByRequest erases the personal data of a session now. Errors: ErrNotFound; the database's.
func EraseByRequest(ctx context.Context, e Eraser, id string, now time.Time) error {
	_, err := e.Erase(ctx, id, now, func(s payment.Session, _ bool) payment.Erasure {
		if s.Tombstone() {
			return payment.EraseNothing // nothing is left
		}
		return payment.ErasePersonal
	})
	if err != nil {
		return fmt.Errorf("erasing personal data: %w", err)
	}
	return nil
}

// UnpaidItems finds sessions of the catalog.
type UnpaidItems interface {
	// UnpaidItems returns ids of sessions of the catalog that ended unpaid, or with late or partial
	// money, and were created before a time, the oldest first, from after a cursor on. next is empty
	// at the end. What is set aside as unreadable is left out.
	UnpaidItems(
		ctx context.Context, before time.Time, cursor string, limit int,
	) (ids []string, next string, err error)
}

// Eraser erases sessions; storetest.Run is the contract. Its errors are the database's
// unless they are named.
type Eraser interface {
	// Erasable returns ids of finished sessions that were created before a time, the
	// oldest of each status first, from after a cursor on: without those that are
	// deleted, or paid and erased. It looks at no more than limit of them, and may return
	// fewer ids. next is empty at the end. What is set aside as unreadable is left out.
	Erasable(
		ctx context.Context, before time.Time, cursor string, limit int,
	) (ids []string, next string, err error)
	// Erase asks decide how much of a session to erase, with whether webhooks of it are
	// still to be delivered, and does that in one transaction: in the session, its
	// events, deliveries, search index and console actions. The newest event of the
	// log is never deleted, since its position must not be used again. decide may run
	// more than once. Errors: ErrNotFound.
	Erase(ctx context.Context, id string, now time.Time,
		decide func(s payment.Session, undelivered bool) payment.Erasure) (payment.Erasure, error)
	// SessionsWithEmail returns the ids of the sessions with an e-mail, in any case.
	SessionsWithEmail(ctx context.Context, email string) ([]string, error)
	// EraseActions erases addresses and details of console actions before a time, and
	// deletes those that are about no session. It reports how many, at most limit.
	EraseActions(ctx context.Context, before time.Time, limit int) (int, error)
	// Truncate removes what was erased from the files of the database. Errors: readers
	// keep it from being done now.
	Truncate(ctx context.Context) error
}
