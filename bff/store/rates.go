package store

import (
	"context"
	"fmt"

	"coinslot/bff/rates"
)

func ratesRow() singleRow { return singleRowOf("exchange_rates", rates.ErrConflict) }

// LoadRates implements rates.Store.
func (db *DB) LoadRates(ctx context.Context) (rates.State, int64, error) {
	var s rates.State
	version, unreadable, err := ratesRow().read(ctx, db, &s)
	if err != nil {
		return rates.State{}, 0, fmt.Errorf("reading exchange rates: %w", err)
	}
	if unreadable != nil {
		db.log.ErrorContext(ctx,
			"the stored exchange rates are unreadable: their source is asked again",
			"error", unreadable)
		return rates.State{}, version, nil
	}
	return s, version, nil
}

// SaveRates implements rates.Store.
func (db *DB) SaveRates(ctx context.Context, s rates.State, version int64) error {
	return wrap(ratesRow().write(ctx, db, s, version), "storing exchange rates")
}
