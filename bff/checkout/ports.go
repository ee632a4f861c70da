package checkout

import (
	"context"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

// Gateway is what this package needs of the gateway's merchant API. Methods block until the
// answer is known, or until their context or the client's own deadline ends. They return nil
// (done), a *[payment.RefusedError] (definitely not done) or another error, usually a
// *[payment.UnknownError], which means: maybe done. Implementations never retry Create,
// Cancel or Recheck.
type Gateway interface {
	// Currencies returns the enabled currencies.
	Currencies(ctx context.Context) ([]payment.Currency, error)
	// Create opens a transaction. Only its answer ever holds the address.
	Create(ctx context.Context, req payment.CreateRequest) (payment.Created, error)
	// Status returns the record of one transaction, the only evidence for the confirm gate.
	Status(ctx context.Context, trackingCode string) (payment.Record, error)
	// Recheck asks the gateway to verify on the blockchain again. Its answer proves nothing:
	// read Status afterwards.
	Recheck(ctx context.Context, trackingCode string) error
	// Cancel asks to cancel a pending transaction. Read Status afterwards, as for Recheck.
	Cancel(ctx context.Context, trackingCode string) error
	// Transactions returns one page of the merchant's transactions.
	Transactions(ctx context.Context, q payment.ListQuery) (payment.RecordPage, error)
	// Environment identifies gateway and merchant: the base URL and a fingerprint of the key,
	// never the key.
	Environment() string
}

// Rates converts prices in other currencies into dollars.
type Rates interface {
	// Convert returns what amount is charged as now, up to the next cent, and the rate that proves
	// it. It reads stored rates and asks no source.
	//
	// Errors: *wire.Error with CodeCurrencyUnsupported, or with CodeRateUnavailable if no rate can
	// be trusted now; the store's.
	Convert(
		ctx context.Context, amount decimal.Decimal, currency string,
	) (dollars decimal.Decimal, rate wire.Rate, err error)
}

// StoredSession is a session as the store returns it, with what no rule of it knows.
type StoredSession struct {
	payment.Session
	// WatchedUntil is until when a shopper has the page open, as far as any instance knows: a
	// watched session is due sooner. Zero = never.
	WatchedUntil time.Time
	// Epoch counts the claims of the session, from 1. It is a fencing token: once the session was
	// claimed again, the store rejects writes with the old one. Zero = the session was only read,
	// and nothing fences its writes.
	Epoch int64
}

// Store keeps sessions and the outbox of events. storetest.Run tests this contract for every
// implementation.
//
// Any error other than those named means that the outcome is unknown: a failed commit may have
// been written. Read again before reporting it.
type Store interface {
	// Insert stores a new session with Version 1. If its Order.Ref or IdempotencyKey is taken,
	// nothing is written and the session that has it is returned with ErrExists; the key takes
	// precedence.
	Insert(ctx context.Context, s payment.Session) (payment.Session, error)
	// Load returns a session without claiming it, or ErrNotFound.
	Load(ctx context.Context, id string) (StoredSession, error)
	// Update runs change on the current session in a write transaction and stores the result,
	// with Version incremented, together with the returned events. change may run more than
	// once, so it must have no side effects. If change returns an error, nothing is written and
	// Update returns that error; after ErrUnchanged it returns the session as it is with a nil
	// error. Events whose id is already stored are skipped.
	//
	// epoch is that of the caller's claim; zero = not claimed. change is not run if the session was
	// claimed again since.
	//
	// Errors: ErrNotFound; ErrFenced after another claim; ErrTaken if a drawn OrderID belongs to
	// another live attempt; ErrTxUsed if the TxID of a confirmed attempt belongs to a confirmed
	// attempt of another session; ErrTrackingUsed if a tracking code does.
	Update(
		ctx context.Context, id string, epoch int64,
		change func(*payment.Session) ([]payment.Event, error),
	) (payment.Session, error)
	// Touch sets CheckedAt and DueAt without a new version, and ends the lease if s has an Epoch.
	// It does nothing if the version has changed, or s has an Epoch and was claimed again.
	Touch(ctx context.Context, s StoredSession, checkedAt, dueAt time.Time) error
	// Hold claims one session, whatever its lease and due time. Errors: ErrNotFound.
	Hold(
		ctx context.Context, id string, now time.Time, lease time.Duration,
	) (StoredSession, error)
	// Release ends the lease of s, as returned by Claim or Hold, and sets DueAt to dueAt if it
	// has not changed since. It does nothing if the lease is not s's any more.
	Release(ctx context.Context, s StoredSession, dueAt time.Time) error
	// FindAttempts returns the attempts with the given tracking codes and markers, in no order;
	// unknown keys are skipped.
	FindAttempts(ctx context.Context, keys []string) ([]payment.AttemptRef, error)
	// List returns sessions, newest first.
	List(ctx context.Context, f payment.Filter) (payment.Page, error)
}
