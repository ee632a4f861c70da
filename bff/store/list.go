package store

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"coinslot/bff/payment"
)

// cursor is the last session of a page: the next page holds what is older, or
// as old with a smaller id. Nothing that is inserted moves it.
type cursor struct {
	createdAt int64 // microseconds
	id        string
}

// before is c, or t if that comes first; the zero time does not.
func (c cursor) before(t time.Time) cursor {
	if until := ceilMicros(t); !t.IsZero() && until <= c.createdAt {
		return cursor{createdAt: until}
	}
	return c
}

func (c cursor) String() string { return strconv.FormatInt(c.createdAt, 10) + "." + c.id }

// parseCursor reads what String writes; "" stands before the first session.
// Errors: *wire.Error with CodeInvalid and Param "cursor".
func parseCursor(text string) (cursor, error) {
	if text == "" {
		return cursor{createdAt: math.MaxInt64}, nil
	}
	micros, id, ok := strings.Cut(text, ".")
	createdAt, err := strconv.ParseInt(micros, 10, 64)
	c := cursor{createdAt, id}
	if !ok || err != nil || c.String() != text {
		return cursor{}, badCursor("cursor")
	}
	return c, nil
}

// List implements checkout.Store. Sessions of the same microsecond come in the
// order of their ids. A Limit out of range is moved into it. Errors: *wire.Error
// with CodeInvalid if Cursor is not the Next of a page.
func (db *DB) List(ctx context.Context, f payment.Filter) (payment.Page, error) {
	from, err := parseCursor(f.Cursor)
	if err != nil {
		return payment.Page{}, err
	}
	size := pageSize(f.Limit)
	// one more shows whether there is a next page
	query, args := listQuery(f, from.before(f.To), size+1)
	rows, err := listRows(ctx, db, scanRow, query, args...)
	if err != nil {
		return payment.Page{}, fmt.Errorf("listing sessions: %w", err)
	}
	next := ""
	if len(rows) > size {
		rows = rows[:size]
		next = rows[size-1].place().String()
	}
	return payment.Page{Sessions: readable(ctx, db, rows, (*row).session), Next: next}, nil
}

const (
	unsettledSessions = `SELECT ` + sessionColumns + ` FROM sessions
		WHERE unsettled = 1 AND created_at > 0 AND unreadable_at IS NULL
		ORDER BY created_at DESC, id DESC LIMIT $1`
	countUnsettled = `SELECT count(*) FROM sessions
		WHERE unsettled = 1 AND created_at > 0 AND unreadable_at IS NULL`
)

// Unsettled implements attention.Stored.
func (db *DB) Unsettled(
	ctx context.Context, limit int,
) (list []payment.Session, count int, err error) {
	rows, err := listRows(ctx, db, scanRow, unsettledSessions, limit)
	if err != nil {
		return nil, 0, fmt.Errorf("listing sessions with unsettled money: %w", err)
	}
	count, err = readOne[int](ctx, db, countUnsettled)
	if err != nil {
		return nil, 0, fmt.Errorf("counting sessions with unsettled money: %w", err)
	}
	return readable(ctx, db, rows, (*row).session), count, nil
}

func listQuery(f payment.Filter, from cursor, limit int) (query string, args []any) {
	query = `SELECT ` + sessionColumns + ` FROM sessions WHERE (created_at, id) < ($1, $2)`
	args = []any{from.createdAt, keyOf(from.id)}
	if f.Status != "" || f.OrderRef == "" && f.IdempotencyKey == "" {
		query += ` AND deleted = 0`
	}
	for _, condition := range []struct{ column, value string }{
		{"status", f.Status}, {"order_ref", f.OrderRef}, {"idempotency_key", f.IdempotencyKey},
	} {
		if condition.value != "" {
			args = append(args, keyOf(condition.value))
			query += fmt.Sprintf(` AND %s = $%d`, condition.column, len(args))
		}
	}
	args = append(args, limit)
	return query + fmt.Sprintf(` ORDER BY created_at DESC, id DESC LIMIT $%d`, len(args)), args
}
