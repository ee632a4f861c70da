package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/records"
	"coinslot/bff/store/sqldb"
)

const insertAction = `INSERT INTO actions (at, actor, address, what, session, detail) VALUES ($1,
	$2, $3, $4, $5, $6)`

// Record implements records.Records.
func (db *DB) Record(ctx context.Context, a records.Action) error {
	if a.At.IsZero() {
		a.At = db.Now()
	}
	err := db.Execute(
		ctx, insertAction, a.At.UnixMicro(), sqldb.Note(a.By).String, sqldb.Note(a.From),
		sqldb.Note(a.What).String, sqldb.Text(a.Session), sqldb.Note(a.Detail),
	)
	if err != nil {
		return fmt.Errorf("recording %q: %w", a.What, err)
	}
	return nil
}

// actionCursor is the last action of a page.
type actionCursor struct{ at, seq int64 }

func (e actionCursor) String() string {
	return strconv.FormatInt(e.at, 10) + "." + strconv.FormatInt(e.seq, 10)
}

// parseActionCursor reads what String writes; "" stands before the first action. Errors:
// *wire.Error with CodeInvalid and Param "cursor".
func parseActionCursor(text string) (actionCursor, error) {
	if text == "" {
		return actionCursor{at: math.MaxInt64}, nil
	}
	first, second, _ := strings.Cut(text, ".")
	micros, err1 := strconv.ParseInt(first, 10, 64)
	seq, err2 := strconv.ParseInt(second, 10, 64)
	if e := (actionCursor{micros, seq}); err1 == nil && err2 == nil && e.String() == text {
		return e, nil
	}
	return actionCursor{}, &wire.Error{
		Code: wire.CodeInvalid, Param: "cursor", Detail: "the cursor is not one of ours",
	}
}

// Actions implements records.Records.
func (db *DB) Actions(ctx context.Context, q records.ActionQuery) (records.ActionPage, error) {
	from, err := parseActionCursor(q.Cursor)
	if err != nil {
		return records.ActionPage{}, err
	}
	size := sqldb.PageSize(q.Limit)
	query, args := actionQuery(q, from, size+1) // one more tells whether there is a next page
	var page records.ActionPage
	err = db.View(ctx, func(ctx context.Context, conn sqldb.Queryer) (err error) {
		page, err = actionPage(ctx, conn, query, args, size)
		return err
	})
	if err != nil {
		return records.ActionPage{}, fmt.Errorf("reading the audit log: %w", err)
	}
	return page, nil
}

func actionQuery(q records.ActionQuery, from actionCursor, limit int) (query string, args []any) {
	query = `SELECT seq, at, actor, address, what, session, detail FROM actions WHERE (at, seq) <
		($1, $2)`
	if until := sqldb.Ceil(q.To); !q.To.IsZero() && until <= from.at {
		from = actionCursor{at: until}
	}
	args = []any{from.at, from.seq}
	where := func(condition string, value any) {
		args = append(args, value)
		query += fmt.Sprintf(" AND "+condition, len(args))
	}
	if !q.From.IsZero() {
		where("at >= $%d", sqldb.Ceil(q.From))
	}
	if q.Session != "" {
		where("session = $%d", sqldb.Key(q.Session))
	}
	return query + fmt.Sprintf(` ORDER BY at DESC, seq DESC LIMIT %d`, limit), args
}

func actionPage(
	ctx context.Context, q sqldb.Queryer, query string, args []any, size int,
) (page records.ActionPage, err error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return page, err
	}
	defer rows.Close()
	for last := (actionCursor{}); rows.Next(); {
		var a records.Action
		var this actionCursor
		var address, session, detail sql.NullString
		err := rows.Scan(&this.seq, &this.at, &a.By, &address, &a.What, &session, &detail)
		if err != nil {
			return page, err
		}
		if len(page.Actions) == size {
			page.Next = last.String()
			return page, nil
		}
		last = this
		a.At, a.From, a.Session, a.Detail = time.UnixMicro(this.at).
			UTC(), address.String, sqldb.FromKey(session.String), detail.String
		page.Actions = append(page.Actions, a)
	}
	return page, rows.Err()
}
