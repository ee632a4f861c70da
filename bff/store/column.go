package store

import (
	"database/sql"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// microsOf is a time as its column keeps it; the zero time is NULL.
func microsOf(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMicro(), Valid: !t.IsZero()}
}

// timeOf is the time that a column keeps; NULL is the zero time.
func timeOf(column sql.NullInt64) time.Time {
	if !column.Valid {
		return time.Time{}
	}
	return time.UnixMicro(column.Int64).UTC()
}

// boolColumn is a truth value as its column keeps it: 1 or 0.
func boolColumn(b bool) int {
	if b {
		return 1
	}
	return 0
}

// escape begins the column of a key that PostgreSQL does not take as it is.
const escape = "\x01"

// keyOf is a string as its column keeps it to be searched for. PostgreSQL refuses NUL and what is not
// UTF-8, which clients may send: those are encoded, in the same way for both databases.
func keyOf(s string) string {
	if utf8.ValidString(s) && !strings.Contains(s, "\x00") && !strings.HasPrefix(s, escape) {
		return s
	}
	return escape + hex.EncodeToString([]byte(s))
}

// fromKey undoes keyOf.
func fromKey(column string) string {
	if encoded, ok := strings.CutPrefix(column, escape); ok {
		if raw, err := hex.DecodeString(encoded); err == nil {
			return string(raw)
		}
	}
	return column
}

// keyOrNull is a key that may be missing: "" is NULL.
func keyOrNull(s string) sql.NullString { return sql.NullString{String: keyOf(s), Valid: s != ""} }

// noteOrNull is a text for people; "" is NULL. What a text column cannot hold is replaced.
func noteOrNull(s string) sql.NullString {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	return sql.NullString{String: s, Valid: s != ""}
}

// batchSize bounds the parameters of one query.
const batchSize = 200

// inList is a list of keys as "($n, $n+1, …)" and its arguments, n being first.
func inList(first int, keys []string) (in string, args []any) {
	places := make([]string, len(keys))
	for i, k := range keys {
		places[i] = fmt.Sprintf("$%d", first+i)
		args = append(args, keyOf(k))
	}
	return "(" + strings.Join(places, ", ") + ")", args
}

// ceilMicros is the first microsecond that is not before t: columns keep microseconds.
func ceilMicros(t time.Time) int64 {
	micros := t.UnixMicro()
	if time.UnixMicro(micros).Before(t) {
		micros++
	}
	return micros
}

// Sizes of a page.
const (
	defaultPage = 20
	largestPage = 100
)

// pageSize moves the limit of a page into its bounds; below 1 it is the default of 20.
func pageSize(limit int) int {
	if limit < 1 {
		return defaultPage
	}
	return min(limit, largestPage)
}
