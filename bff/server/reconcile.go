package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/reconcile"
	"coinslot/bff/store"
)

// Reconcile compares the gateway's transactions of the days from…to with the database. It is
// read-only and can run while a server does. Errors: an invalid setting; the database's; the
// gateway's.
func Reconcile(
	ctx context.Context, c config.Config, from, to time.Time,
) (result reconcile.Result, err error) {
	client, err := Gateway(c, nil)
	if err != nil {
		return result, err
	}
	db, err := store.OpenReader(ctx, store.Config{DSN: c.Database})
	if err != nil {
		return result, fmt.Errorf("COINSLOT_DATABASE: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if result, err = reconcile.Reconcile(ctx, client, db, from, to); err != nil {
		return result, fmt.Errorf("reconciling gateway and database: %w", err)
	}
	return result, nil
}
