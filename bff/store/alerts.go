package store

import (
	"context"
	"fmt"

	"coinslot/bff/alert"
)

func alertsRow() singleRow { return singleRowOf("alerts", alert.ErrConflict) }

// LoadAlerts implements alert.Store.
func (db *DB) LoadAlerts(ctx context.Context) (alert.State, int64, error) {
	var s alert.State
	version, unreadable, err := alertsRow().read(ctx, db, &s)
	if err != nil {
		return alert.State{}, 0, fmt.Errorf("reading the alerts: %w", err)
	}
	if unreadable != nil {
		db.log.ErrorContext(ctx,
			"the stored alerts are unreadable: what needs attention is reported again",
			"error", unreadable)
		return alert.State{}, version, nil
	}
	return s, version, nil
}

// SaveAlerts implements alert.Store.
func (db *DB) SaveAlerts(ctx context.Context, s alert.State, version int64) error {
	return wrap(alertsRow().write(ctx, db, s, version), "storing the alerts")
}
