package store

import (
	"context"
	"errors"
	"time"

	"coinslot/bff/checkout"
)

var errSoon = errors.New("not kept yet")

// Search implements checkout.Records.
func (db *DB) Search(ctx context.Context, q checkout.Query) (checkout.Page, error) {
	return db.List(ctx, checkout.Filter{Status: q.Status, Limit: q.Limit, Cursor: q.Cursor})
}

// Tally implements checkout.Records.
func (db *DB) Tally(ctx context.Context, from, to time.Time) ([]checkout.Count, error) {
	return nil, errSoon
}

// Deliveries implements checkout.Records.
func (db *DB) Deliveries(ctx context.Context, q checkout.DeliveryQuery) (checkout.DeliveryPage, error) {
	return checkout.DeliveryPage{}, errSoon
}

// Backlogs implements checkout.Records.
func (db *DB) Backlogs(ctx context.Context) ([]checkout.Backlog, error) { return nil, errSoon }

// Redeliver implements checkout.Records.
func (db *DB) Redeliver(ctx context.Context, event, endpoint string) error { return errSoon }

// Record implements checkout.Records.
func (db *DB) Record(ctx context.Context, a checkout.Action) error { return nil }

// Actions implements checkout.Records.
func (db *DB) Actions(ctx context.Context, q checkout.ActionQuery) (checkout.ActionPage, error) {
	return checkout.ActionPage{}, nil
}

// RefuseOrigin implements checkout.Records.
func (db *DB) RefuseOrigin(ctx context.Context, origin, session string, times int) error { return nil }

// RefusedOrigins implements checkout.Records.
func (db *DB) RefusedOrigins(ctx context.Context) ([]checkout.RefusedOrigin, error) { return nil, nil }
