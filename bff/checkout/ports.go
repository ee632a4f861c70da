package checkout

import (
	"context"
	"time"

	"coinslot/bff/payment"
)

// Gateway is what this package needs of the gateway's merchant API. Every
// method blocks until the answer is known or its context or the client's own
// total deadline ends, and returns nil (done), a *[RefusedError] (proven not
// done) or any other error, most often an *[UnknownError], which means: may or
// may not have happened. Implementations never repeat Create, Cancel or
// Recheck by themselves.
type Gateway interface {
	// Currencies returns what the merchant has enabled.
	Currencies(ctx context.Context) ([]payment.Currency, error)
	// Create opens a transaction. Only its answer ever holds the address.
	Create(ctx context.Context, req payment.CreateRequest) (payment.Created, error)
	// Status returns the record of one transaction; the only evidence that
	// the confirm gate takes.
	Status(ctx context.Context, trackingCode string) (payment.Record, error)
	// Recheck asks the gateway to look at the chain again. Its answer proves
	// nothing and is not returned: read Status afterwards.
	Recheck(ctx context.Context, trackingCode string) error
	// Cancel asks for a pending transaction to be cancelled. Read Status
	// afterwards, as for Recheck.
	Cancel(ctx context.Context, trackingCode string) error
	// Transactions returns one page of the merchant's transactions.
	Transactions(ctx context.Context, q payment.ListQuery) (payment.RecordPage, error)
	// Environment identifies gateway and merchant: base URL and a fingerprint
	// of the key. It never holds the key itself.
	Environment() string
}

// Store keeps sessions and the outbox of events. storetest.Run is this
// contract as tests; every implementation runs it.
//
// A returned error other than the sentinels below means that the outcome is
// not known: a failed commit may have been written. Read again before telling
// anyone.
type Store interface {
	// Insert stores a new session with Version 1. If its Order.Ref or
	// IdempotencyKey is taken, nothing is written and the session that holds it is
	// returned with ErrExists, the holder of the key if there are two.
	Insert(ctx context.Context, s payment.Session) (payment.Session, error)
	// Session returns the session of that id, or ErrNotFound.
	Session(ctx context.Context, id string) (payment.Session, error)
	// Update runs change on the current session inside a write transaction and
	// stores what it leaves, with Version one higher, together with the
	// events it returns. change may run more than once, so it has no effects
	// outside its argument. If change returns an error, nothing is written and
	// Update returns that error; ErrUnchanged makes Update return the
	// session as it is with a nil error. An event whose id is stored already
	// is left out. It returns ErrNotFound; ErrTaken if an attempt's drawn
	// OrderID belongs to another live attempt; ErrTxUsed if the TxID of a
	// confirmed attempt belongs to a confirmed attempt of another session;
	// ErrTrackingUsed if a tracking code does.
	Update(
		ctx context.Context, id string, change func(*payment.Session) ([]payment.Event, error),
	) (payment.Session, error)
	// Touch sets CheckedAt and DueAt without a new version, and ends the lease of
	// an s that was claimed. It does nothing if the session's version is not s's
	// any more, or if s was claimed and has been claimed anew since.
	Touch(ctx context.Context, s payment.Session, checkedAt, dueAt time.Time) error
	// Hold is Claim of one session, whoever has it and whenever it is due.
	// Errors: ErrNotFound.
	Hold(
		ctx context.Context, id string, now time.Time, lease time.Duration,
	) (payment.Session, error)
	// Release ends the lease of s, as returned by Claim or Hold, and, if DueAt is
	// still what it was then, sets it to dueAt. It does nothing if the lease is
	// not s's any more.
	Release(ctx context.Context, s payment.Session, dueAt time.Time) error
	// FindAttempts returns what is held of the given tracking codes and markers, in no
	// order; what nobody holds is left out.
	FindAttempts(ctx context.Context, keys []string) ([]payment.AttemptRef, error)
	// List returns sessions, newest first.
	List(ctx context.Context, f payment.Filter) (payment.Page, error)
}
