package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"coinslot/bff/payment"
	"coinslot/bff/statement"
)

// A session is found by the day of its money, not by its own: a late payment can be of an order of
// another year. The times are rows of their own, because one session can have several, and are
// written in the transaction of their change: so none is missed. Erasure keeps them, since it
// keeps what was paid.
const (
	insertMoney = `INSERT INTO money (at, session) VALUES ($1, $2) ON CONFLICT DO NOTHING`
	deleteMoney = `DELETE FROM money WHERE at = $1 AND session = $2`
	// In the order of ids, which nothing that happens meanwhile moves: each session is in one page.
	sessionsWithMoney = `SELECT DISTINCT session FROM money
		WHERE at >= $1 AND at < $2 AND session > $3 ORDER BY session LIMIT $4`
)

// writeMoney writes what has changed of the times at which money of s came or went.
func writeMoney(
	ctx context.Context, tx *sql.Tx, s *payment.Session, before []time.Time,
) error {
	now := micros(s.MoneyTimes())
	old := micros(before)
	for _, at := range old {
		if slices.Contains(now, at) {
			continue
		}
		if _, err := tx.ExecContext(ctx, deleteMoney, at, keyOf(s.ID)); err != nil {
			return fmt.Errorf("indexing money: %w", err)
		}
	}
	for _, at := range now {
		if slices.Contains(old, at) {
			continue
		}
		if _, err := tx.ExecContext(ctx, insertMoney, at, keyOf(s.ID)); err != nil {
			return fmt.Errorf("indexing money: %w", err)
		}
	}
	return nil
}

func micros(times []time.Time) []int64 {
	var list []int64
	for _, t := range times {
		list = append(list, t.UnixMicro())
	}
	return list
}

// SessionsWithMoney implements statement.Sessions.
func (db *DB) SessionsWithMoney(
	ctx context.Context, from, to time.Time, cursor string,
) (page statement.SessionPage, err error) {
	var ids []string
	var rows []row
	err = db.Browse(ctx, func(ctx context.Context, q queryer) (err error) {
		ids, err = collect(ctx, q, scanKey, sessionsWithMoney,
			ceilMicros(from), ceilMicros(to), keyOf(cursor), largestPage)
		if err != nil || len(ids) == 0 {
			return err
		}
		in, args := inList(1, ids)
		rows, err = collect(ctx, q, scanRow, fmt.Sprintf(sessionsAmong, in), args...)
		return err
	})
	if err != nil {
		return page, fmt.Errorf("finding sessions by their money: %w", err)
	}

	page.Sessions = readable(ctx, db, rows, (*row).session)
	page.Unreadable = slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return slices.ContainsFunc(page.Sessions, func(s payment.Session) bool {
			return s.ID == id
		})
	})
	if len(ids) == largestPage {
		page.Next = ids[len(ids)-1]
	}
	return page, nil
}
