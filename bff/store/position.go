package store

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
	"coinslot/bff/webhook"
)

// position is one in the log; the zero position is before the first event.
type position struct {
	transaction, seq int64
	digest           string // identifies the event at the position
}

func (p position) String() string {
	if p == (position{}) {
		return ""
	}
	return fmt.Sprintf("%d.%d.%s", p.transaction, p.seq, p.digest)
}

// digestBytes is enough to distinguish two events at the same position. It is no secret.
const digestBytes = 6

// eventDigest identifies an event by its id and its time in microseconds. The id alone is
// not enough: after a restore, the same change can be written again, with the same id,
// behind events that the reader has not seen.
func eventDigest(id string, at int64) string {
	sum := sha256.Sum256([]byte(fromKey(id) + "\n" + strconv.FormatInt(at, 10)))
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
		len(sum) == digestBytes && digest == strings.ToLower(digest)
	if !valid || p.String() != text {
		return position{}, badCursor("after")
	}

	return p, nil
}

// verifyPosition fails with webhook.ErrCursorGone if the event at p is not there, or another one is:
// the database was restored from a backup since, or is another one.
func (db *DB) verifyPosition(ctx context.Context, q queryer, p position) error {
	if p == (position{}) {
		return nil
	}

	var id string
	var at int64
	err := q.QueryRowContext(ctx, db.dialect.EventAt, p.transaction, p.seq).Scan(&id, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return webhook.ErrCursorGone
	}
	if err != nil {
		return fmt.Errorf("reading the event at the cursor: %w", err)
	}
	if p.digest != eventDigest(id, at) {
		return webhook.ErrCursorGone
	}

	return nil
}

// pairCursor is a place in a list, newest first, that is ordered by two numbers.
type pairCursor struct{ Major, Minor int64 }

// String is what [parsePairCursor] reads.
func (c pairCursor) String() string {
	return strconv.FormatInt(c.Major, 10) + "." + strconv.FormatInt(c.Minor, 10)
}

// parsePairCursor reads a cursor; "" stands before the first row. Errors: *wire.Error with
// CodeInvalid and Param "cursor".
func parsePairCursor(text string) (pairCursor, error) {
	if text == "" {
		return pairCursor{Major: math.MaxInt64}, nil
	}
	first, second, _ := strings.Cut(text, ".")
	major, err1 := strconv.ParseInt(first, 10, 64)
	minor, err2 := strconv.ParseInt(second, 10, 64)
	c := pairCursor{major, minor}
	if err1 != nil || err2 != nil || c.String() != text {
		return pairCursor{}, badCursor("cursor")
	}
	return c, nil
}

// badCursor is the error about a cursor in a parameter.
func badCursor(param string) error {
	return &wire.Error{
		Code:   wire.CodeInvalid,
		Param:  param,
		Detail: "the cursor is not valid; use one from an earlier page, unchanged",
	}
}
