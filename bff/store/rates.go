package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"coinslot/bff/rates"
)

// The table has one row, once the first rates were stored.
const (
	loadRates   = `SELECT version, doc FROM exchange_rates WHERE id = 1`
	insertRates = `INSERT INTO exchange_rates (id, version, doc) VALUES (1, 1, $1)
		ON CONFLICT DO NOTHING`
	updateRates = `UPDATE exchange_rates SET version = version + 1, doc = $1
		WHERE id = 1 AND version = $2`
)

// LoadRates implements rates.Store.
func (db *DB) LoadRates(ctx context.Context) (s rates.State, version int64, err error) {
	var doc string
	err = db.View(ctx, func(ctx context.Context, q queryer) error {
		return q.QueryRowContext(ctx, loadRates).Scan(&version, &doc)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return rates.State{}, 0, nil
	}
	if err != nil {
		return rates.State{}, 0, fmt.Errorf("reading exchange rates: %w", err)
	}

	if err := json.Unmarshal([]byte(doc), &s); err != nil {
		db.log.ErrorContext(ctx, "the stored exchange rates are unreadable: their source is asked again",
			"error", err)
		return rates.State{}, version, nil
	}
	return s, version, nil
}

// SaveRates implements rates.Store.
func (db *DB) SaveRates(ctx context.Context, s rates.State, version int64) error {
	doc, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encoding exchange rates: %w", err)
	}
	err = db.Write(ctx, func(tx *sql.Tx) error {
		query, args := updateRates, []any{string(doc), version}
		if version == 0 {
			query, args = insertRates, args[:1]
		}
		stored, err := affected(ctx, tx, query, args...)
		if err == nil && stored == 0 {
			err = rates.ErrConflict
		}
		return err
	})
	return wrap(err, "storing exchange rates")
}
