package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"coinslot/bff/console"
	"coinslot/bff/payment"
)

const (
	// shortestPrefix is how many characters of an order_ref are enough to find it.
	shortestPrefix = 3
	// lastRune follows every text that begins like the one it is put behind.
	lastRune = "\U0010FFFF"

	sessionsAmong = `SELECT ` + sessionColumns + ` FROM sessions WHERE id IN %s`
)

// Search implements console.Records. It finds places first, sorts them, and reads only the sessions
// of the page.
func (db *DB) Search(ctx context.Context, q console.Query) (payment.Page, error) {
	from, err := parseCursor(q.Cursor)
	if err != nil {
		return payment.Page{}, err
	}

	size := pageSize(q.Limit)
	var rows []row
	next := ""
	err = db.Browse(ctx, func(ctx context.Context, conn queryer) (err error) {
		// One more than size shows whether there is a next page.
		rows, next, err = search(ctx, conn, sessionQueries(q, from, size+1), size)
		return err
	})
	if err != nil {
		return payment.Page{}, fmt.Errorf("searching sessions: %w", err)
	}

	return payment.Page{Sessions: readable(ctx, db, rows, (*row).session), Next: next}, nil
}

func search(
	ctx context.Context, q queryer, ways []sessionQuery, size int,
) (rows []row, next string, err error) {
	var found []cursor
	for _, w := range ways {
		list, err := collect(ctx, q, scanPlace, w.sql(), w.args...)
		if err != nil {
			return nil, "", err
		}
		found = append(found, list...)
	}

	slices.SortFunc(found, func(a, b cursor) int {
		return cmp.Or(cmp.Compare(b.createdAt, a.createdAt), cmp.Compare(b.id, a.id))
	})
	found = slices.Compact(found)
	if len(found) > size {
		found = found[:size]
		next = found[size-1].String()
	}

	rows, err = rowsAt(ctx, q, found)
	return rows, next, err
}

func scanPlace(rows *sql.Rows) (c cursor, err error) {
	err = rows.Scan(&c.createdAt, &c.id)
	c.id = fromKey(c.id)
	return c, err
}

func rowsAt(ctx context.Context, q queryer, list []cursor) ([]row, error) {
	if len(list) == 0 {
		return nil, nil
	}

	place := map[string]int{} // by key
	var ids []string
	for i, c := range list {
		place[keyOf(c.id)] = i
		ids = append(ids, c.id)
	}

	in, args := inList(1, ids)
	rows, err := collect(ctx, q, scanRow, fmt.Sprintf(sessionsAmong, in), args...)
	slices.SortFunc(rows, func(a, b row) int { return place[a.id] - place[b.id] })
	return rows, err
}

// sessionQuery finds sessions: those of its tables that meet all conditions, newest first.
type sessionQuery struct {
	tables     string
	at, id     string // columns
	conditions []string
	args       []any
	limit      int
}

// where adds a condition; each ? of it is one of the values.
func (sq *sessionQuery) where(condition string, values ...any) {
	for _, v := range values {
		sq.args = append(sq.args, v)
		condition = strings.Replace(condition, "?", fmt.Sprintf("$%d", len(sq.args)), 1)
	}
	sq.conditions = append(sq.conditions, condition)
}

func (sq *sessionQuery) sql() string {
	return fmt.Sprintf(`SELECT %[2]s, %[3]s FROM %[1]s WHERE %[4]s ORDER BY %[2]s DESC, %[3]s DESC
		LIMIT %[5]d`,
		sq.tables, sq.at, sq.id, strings.Join(sq.conditions, " AND "), sq.limit)
}

// sessionQueries returns the queries for what q asks for, from a place on. CROSS keeps
// SQLite from scanning all sessions for a term.
func sessionQueries(q console.Query, from cursor, limit int) []sessionQuery {
	from = from.before(q.To)
	var list []sessionQuery
	add := func(w sessionQuery, condition string, values ...any) {
		w.where(condition, values...)
		w.restrict(q, from)
		w.limit = limit
		list = append(list, w)
	}
	sessions := sessionQuery{tables: "sessions s", at: "s.created_at", id: "s.id"}
	what := strings.TrimSpace(q.Text)
	if what == "" {
		add(sessions, "s.deleted = 0")
		return list
	}

	// Deleted ones are found by what identifies one, and in no list.
	add(sessions, "s.id = ?", keyOf(what))
	add(sessionQuery{tables: "attempts a CROSS JOIN sessions s", at: "s.created_at", id: "s.id"},
		"a.tracking_code = ? AND s.id = a.session", keyOf(what))
	for _, term := range appendTerms([]string{searchTerm(what)}, searchWord(what)) {
		add(sessionQuery{
			tables: "search_terms t CROSS JOIN sessions s",
			at:     "t.created_at",
			id:     "t.session",
		}, "t.term = ? AND s.id = t.session", term)
	}

	// also if more begin like it than byRefPrefix reads
	add(sessions, "s.order_ref = ?", keyOf(what))
	if utf8.RuneCountInString(what) >= shortestPrefix && keyOf(what) == what {
		add(byRefPrefix(what), "s.order_ref IS NOT NULL")
	}

	return list
}

// byRefPrefix finds sessions by a prefix of their order_ref, 1,000 at most, because they
// have to be sorted.
func byRefPrefix(ref string) sessionQuery {
	return sessionQuery{
		at:   "s.created_at",
		id:   "s.id",
		args: []any{ref, ref + lastRune},
		tables: `(SELECT created_at, id, status, order_ref, coin, network, currency, deleted
		FROM sessions WHERE order_ref >= $1 AND order_ref < $2 ORDER BY order_ref DESC LIMIT 1000) s`,
	}
}

// restrict adds the conditions on time, status, coin and network, and those for rows after from.
func (sq *sessionQuery) restrict(q console.Query, from cursor) {
	sq.where("("+sq.at+", "+sq.id+") < (?, ?)", from.createdAt, keyOf(from.id))
	if !q.From.IsZero() {
		sq.where(sq.at+" >= ?", ceilMicros(q.From))
	}
	if q.Status != "" {
		sq.where("s.status = ? AND s.deleted = 0", keyOf(q.Status))
	}
	if q.Coin != "" {
		sq.where("s.coin = ?", keyOf(coinColumn(q.Coin)))
	}
	if q.Network != "" {
		sq.where("s.network = ?", keyOf(networkColumn(q.Network)))
	}
	if q.Currency != "" {
		sq.where("s.currency = ?", keyOf(q.Currency))
	}
}
