package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"coinslot/bff/attention"
	"coinslot/bff/console"
)

const insertAction = `INSERT INTO actions (at, actor, address, what, session, detail)
	VALUES ($1, $2, $3, $4, $5, $6)`

// Record implements console.Records.
func (db *DB) Record(ctx context.Context, a console.Action) error {
	if a.At.IsZero() {
		a.At = db.Now()
	}
	err := db.Execute(ctx, insertAction, a.At.UnixMicro(), noteOrNull(a.By).String,
		noteOrNull(a.From), noteOrNull(a.What).String, keyOrNull(a.Session), noteOrNull(a.Detail))
	return wrap(err, "recording action %q", a.What)
}

// Actions implements console.Records. A cursor is the time and the number of the last
// action of a page.
func (db *DB) Actions(
	ctx context.Context, q console.ActionQuery,
) (page console.ActionPage, err error) {
	from, err := parsePairCursor(q.Cursor)
	if err != nil {
		return page, err
	}

	size := pageSize(q.Limit)
	query, args := actionQuery(q, from, size+1) // one more shows whether there is a next page
	list, err := listRows(ctx, db, scanAction, query, args...)
	if err != nil {
		return page, fmt.Errorf("reading the audit log: %w", err)
	}
	if len(list) > size {
		list = list[:size]
		page.Next = list[size-1].place.String()
	}

	for _, a := range list {
		page.Actions = append(page.Actions, a.Action)
	}

	return page, nil
}

func actionQuery(q console.ActionQuery, from pairCursor, limit int) (string, []any) {
	query := `SELECT seq, at, actor, address, what, session, detail FROM actions
		WHERE (at, seq) < ($1, $2)`
	until := ceilMicros(q.To)
	if !q.To.IsZero() && until <= from.Major {
		from = pairCursor{Major: until}
	}

	args := []any{from.Major, from.Minor}
	where := func(condition string, value any) {
		args = append(args, value)
		query += fmt.Sprintf(" AND "+condition, len(args))
	}
	if !q.From.IsZero() {
		where("at >= $%d", ceilMicros(q.From))
	}
	if q.Session != "" {
		where("session = $%d", keyOf(q.Session))
	}

	return query + fmt.Sprintf(` ORDER BY at DESC, seq DESC LIMIT %d`, limit), args
}

type placedAction struct {
	console.Action
	place pairCursor
}

func scanAction(rows *sql.Rows) (a placedAction, err error) {
	var address, session, detail sql.NullString
	err = rows.Scan(&a.place.Minor, &a.place.Major, &a.By, &address, &a.What, &session, &detail)
	a.At = time.UnixMicro(a.place.Major).UTC()
	a.From = address.String
	a.Session = fromKey(session.String)
	a.Detail = detail.String
	return a, err
}

// The table holds the logins that were ended in the last hours: it is small enough
// to be read whole.
const (
	forgetLogins = `DELETE FROM ended_logins WHERE until <= $1`
	endLogin     = `INSERT INTO ended_logins (login, until) VALUES ($1, $2)
		ON CONFLICT (login) DO NOTHING`
	loginEnded = `SELECT EXISTS (SELECT 1 FROM ended_logins WHERE login = $1)`
)

// EndLogin implements console.Records.
func (db *DB) EndLogin(ctx context.Context, login string, until time.Time) error {
	err := db.Write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, forgetLogins, db.Now().UnixMicro()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, endLogin, keyOf(login), until.UnixMicro())
		return err
	})
	return wrap(err, "ending a login")
}

// LoginEnded implements console.Records.
func (db *DB) LoginEnded(ctx context.Context, login string) (bool, error) {
	ended, err := readOne[bool](ctx, db, loginEnded, keyOf(login))
	return ended, wrap(err, "reading whether a login has ended")
}

const (
	// maxOrigins is how many refused origins are kept, recentOrigins how many of them only
	// because they are recent. The table is small enough to be read whole.
	maxOrigins    = 200
	recentOrigins = 100
	// maxSeen is how many sessions of an origin are counted.
	maxSeen = 8
)

const (
	selectSeen   = `SELECT seen FROM refused_origins WHERE origin = $1 FOR UPDATE`
	refuseOrigin = `INSERT INTO refused_origins
		(origin, session, sessions, seen, times, first_at, last_at)
		VALUES ($1, $2, $3, $4, $5, $6, $6)
		ON CONFLICT (origin) DO UPDATE SET
		session = COALESCE(excluded.session, refused_origins.session),
		sessions = excluded.sessions, seen = excluded.seen,
		times = refused_origins.times + excluded.times, last_at = excluded.last_at`
	forgetOrigins = `DELETE FROM refused_origins WHERE origin IN (SELECT origin FROM
		(SELECT origin, sessions, times, last_at, row_number() OVER (ORDER BY last_at DESC, origin)
		AS place FROM refused_origins WHERE origin <> $1) o
		ORDER BY place <= $2 DESC, sessions DESC, times DESC, last_at DESC, origin LIMIT 1000
		OFFSET $3)`
	refusedOrigins = `SELECT origin, session, sessions, times, first_at, last_at FROM
		refused_origins ORDER BY last_at DESC, origin`
)

// RefuseOrigin implements console.Records.
func (db *DB) RefuseOrigin(ctx context.Context, origin, session string, times int) error {
	err := db.Write(ctx, func(tx *sql.Tx) error {
		var before string
		err := tx.QueryRowContext(
			ctx, db.dialect.Locked(selectSeen), keyOf(origin),
		).Scan(&before)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}

		seen := appendSeen(strings.Fields(before), session)
		_, err = tx.ExecContext(
			ctx, refuseOrigin, keyOf(origin), keyOrNull(session), len(seen),
			strings.Join(seen, " "), times, db.Now().UnixMicro(),
		)
		if err != nil {
			return err
		}

		_, err = tx.ExecContext(ctx, forgetOrigins, keyOf(origin), recentOrigins, maxOrigins-1)
		return err
	})
	return wrap(err, "recording a refused origin")
}

// appendSeen adds a session, unless it is "" or there, and keeps the last maxSeen.
func appendSeen(seen []string, session string) []string {
	if session == "" || slices.Contains(seen, keyOf(session)) {
		return seen
	}
	seen = append(seen, keyOf(session))
	return seen[max(0, len(seen)-maxSeen):]
}

// RefusedOrigins implements console.Records.
func (db *DB) RefusedOrigins(ctx context.Context) ([]attention.RefusedOrigin, error) {
	list, err := listRows(ctx, db, scanOrigin, refusedOrigins)
	return list, wrap(err, "reading refused origins")
}

func scanOrigin(rows *sql.Rows) (o attention.RefusedOrigin, err error) {
	var session sql.NullString
	var first, last int64
	err = rows.Scan(&o.Origin, &session, &o.Sessions, &o.Times, &first, &last)
	o.Origin = fromKey(o.Origin)
	o.Session = fromKey(session.String)
	o.FirstAt = time.UnixMicro(first).UTC()
	o.LastAt = time.UnixMicro(last).UTC()
	return o, err
}
