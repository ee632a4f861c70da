package outboxdb

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"coinslot/app/wire"
	"coinslot/bff/store/sqldb"
	"coinslot/bff/webhook"
)

// position is one in the log; the zero position is before the first event.
type position struct {
	transaction, seq int64
	// digest identifies the event at the position; empty = a cursor of an older release,
	// which had none.
	digest string
}

func (p position) String() string {
	if p == (position{}) {
		return ""
	}
	text := strconv.FormatInt(p.transaction, 10) + "." + strconv.FormatInt(p.seq, 10)
	if p.digest == "" {
		return text
	}
	return text + "." + p.digest
}

// digestBytes is enough to distinguish two events at the same position. It is no secret.
const digestBytes = 6

// eventDigest identifies an event by its id and its time in microseconds. The id alone is
// not enough: after a restore, the same change can be written again, with the same id,
// behind events that the reader has not seen.
func eventDigest(id string, at int64) string {
	sum := sha256.Sum256([]byte(sqldb.FromKey(id) + "\n" + strconv.FormatInt(at, 10)))
	return hex.EncodeToString(sum[:digestBytes])
}

// parsePosition reads what String writes. Errors: *wire.Error with CodeInvalid and Param "after".
func parsePosition(text string) (position, error) {
	if text == "" {
		return position{}, nil
	}
	first, rest, _ := strings.Cut(text, ".")
	second, digest, _ := strings.Cut(rest, ".")
	transaction, err1 := strconv.ParseInt(first, 10, 64)
	seq, err2 := strconv.ParseInt(second, 10, 64)
	sum, err3 := hex.DecodeString(digest)
	p := position{transaction, seq, digest}
	valid := err1 == nil && err2 == nil && err3 == nil && transaction >= 0 && seq >= 0 &&
		(digest == "" || len(sum) == digestBytes && digest == strings.ToLower(digest))
	if !valid || p.String() != text {
		return position{}, BadCursor("after")
	}
	return p, nil
}

// verifyPosition returns p with the digest of its event. Errors: webhook.ErrCursorGone
// if that event is not there, or another one is: the database was restored from a
// backup since, or is another one.
func (db *Outbox) verifyPosition(
	ctx context.Context, q sqldb.Queryer, p position,
) (position, error) {
	if p == (position{}) {
		return p, nil
	}
	var id string
	var at int64
	err := q.QueryRowContext(ctx, db.Dialect.EventAt, p.transaction, p.seq).Scan(&id, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return p, webhook.ErrCursorGone
	}
	if err != nil {
		return p, fmt.Errorf("reading the event at the cursor: %w", err)
	}
	digest := eventDigest(id, at)
	if p.digest != "" && p.digest != digest {
		return p, webhook.ErrCursorGone
	}
	p.digest = digest
	return p, nil
}

// Cursor is a place in a list, newest first, that is ordered by two numbers.
type Cursor struct{ Major, Minor int64 }

// String is what [ParseCursor] reads.
func (c Cursor) String() string {
	return strconv.FormatInt(c.Major, 10) + "." + strconv.FormatInt(c.Minor, 10)
}

// ParseCursor reads a cursor; "" stands before the first row. Errors: *wire.Error with
// CodeInvalid and Param "cursor".
func ParseCursor(text string) (Cursor, error) {
	if text == "" {
		return Cursor{Major: math.MaxInt64}, nil
	}
	first, second, _ := strings.Cut(text, ".")
	major, err1 := strconv.ParseInt(first, 10, 64)
	minor, err2 := strconv.ParseInt(second, 10, 64)
	c := Cursor{major, minor}
	if err1 != nil || err2 != nil || c.String() != text {
		return Cursor{}, BadCursor("cursor")
	}
	return c, nil
}

// BadCursor is the error about a cursor in a parameter.
func BadCursor(param string) error {
	return &wire.Error{
		Code: wire.CodeInvalid, Param: param,
		Detail: "the cursor is not valid; use one from an earlier page, unchanged",
	}
}
