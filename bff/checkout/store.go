package checkout

import (
	"context"
	"time"

	"coinslot/bff/payment"
)

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
	Update(ctx context.Context, id string, change func(*payment.Session) ([]payment.Event, error)) (payment.Session, error)
	// Touch sets CheckedAt and DueAt without a new version, and ends the lease of
	// an s that was claimed. It does nothing if the session's version is not s's
	// any more, or if s was claimed and has been claimed anew since.
	Touch(ctx context.Context, s payment.Session, checkedAt, dueAt time.Time) error
	// Claim leases up to limit sessions with DueAt at or before now that are not
	// leased and not [Session.DueLate], earliest first: no other claim returns them
	// before now+lease, unless they are released. Each returned session is Claimed,
	// with an Epoch that no claim of it has had before.
	Claim(ctx context.Context, now time.Time, lease time.Duration, limit int) ([]payment.Session, error)
	// ClaimLate is Claim of those that are DueLate, and of no others.
	ClaimLate(ctx context.Context, now time.Time, lease time.Duration, limit int) ([]payment.Session, error)
	// ClaimOf is Claim of those of the given sessions, late or not, in no order.
	ClaimOf(ctx context.Context, ids []string, now time.Time, lease time.Duration, limit int) ([]payment.Session, error)
	// Hold is Claim of one session, whoever has it and whenever it is due.
	// Errors: ErrNotFound.
	Hold(ctx context.Context, id string, now time.Time, lease time.Duration) (payment.Session, error)
	// Release ends the lease of s, as returned by Claim or Hold, and, if DueAt is
	// still what it was then, sets it to dueAt. It does nothing if the lease is
	// not s's any more.
	Release(ctx context.Context, s payment.Session, dueAt time.Time) error
	// Watch notes for those of the sessions that are pending or preparing that
	// somebody looks at them: WatchedUntil becomes until, unless it is later
	// already, and DueAt dueBy, unless it is earlier. There is no new version, and
	// leases stay. Ids that are not there are left out.
	Watch(ctx context.Context, ids []string, until, dueBy time.Time) error
	// TouchAll is Touch of many, in one commit. It passes over those of which DueAt
	// or Version are not what they were, and those that are leased at now.
	TouchAll(ctx context.Context, now time.Time, list []payment.Touched) error
	// Tracked returns the sessions that have an attempt of one of the tracking
	// codes, in no order; what nobody has is left out.
	Tracked(ctx context.Context, trackingCodes []string) ([]payment.Session, error)
	// Count returns how many sessions have that status.
	Count(ctx context.Context, status string) (int, error)
	// Lookup returns the session that has an attempt of that tracking code or
	// marker, or ErrNotFound.
	Lookup(ctx context.Context, trackingCodeOrMarker string) (payment.Session, error)
	// Held returns what is held of the given tracking codes and markers, in no
	// order; what nobody holds is left out.
	Held(ctx context.Context, keys []string) ([]payment.Held, error)
	// List returns sessions, newest first.
	List(ctx context.Context, f payment.Filter) (payment.Page, error)
}
