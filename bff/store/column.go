package store

import (
	"database/sql"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"coinslot/app/wire"
)

// micros is a time as its column keeps it; the zero time is NULL.
func micros(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMicro(), Valid: !t.IsZero()}
}

// at is the time that a column keeps; NULL is the zero time.
func at(column sql.NullInt64) time.Time {
	if !column.Valid {
		return time.Time{}
	}
	return time.UnixMicro(column.Int64).UTC()
}

// escape begins the column of a key that PostgreSQL does not take as it is.
const escape = "\x01"

// key is a string as its column keeps it to be searched for. PostgreSQL refuses
// NUL and what is not UTF-8, which whoever asks may have made up; those are
// written in another way, the same for both databases.
func key(s string) string {
	if utf8.ValidString(s) && !strings.Contains(s, "\x00") && !strings.HasPrefix(s, escape) {
		return s
	}
	return escape + hex.EncodeToString([]byte(s))
}

// plain undoes key.
func plain(column string) string {
	if encoded, ok := strings.CutPrefix(column, escape); ok {
		if raw, err := hex.DecodeString(encoded); err == nil {
			return string(raw)
		}
	}
	return column
}

// text is a key that may be missing: "" is NULL.
func text(s string) sql.NullString { return sql.NullString{String: key(s), Valid: s != ""} }

// remark is a text to be read by people; "" is NULL. What no text can hold is
// replaced.
func remark(s string) sql.NullString {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	return sql.NullString{String: s, Valid: s != ""}
}

// batchSize bounds the parameters of one query.
const batchSize = 200

// inStatus is the condition, in SQL, that is holds for a session's status.
func inStatus(is func(wire.Status) bool) string {
	var names []string
	for _, s := range wire.StatusesThat(is) {
		names = append(names, "'"+string(s)+"'")
	}
	return "status IN (" + strings.Join(names, ", ") + ")"
}

// among is a list of keys as "($n, $n+1, …)" and its arguments, n being first.
func among(first int, keys []string) (in string, args []any) {
	places := make([]string, len(keys))
	for i, k := range keys {
		places[i] = fmt.Sprintf("$%d", first+i)
		args = append(args, key(k))
	}
	return "(" + strings.Join(places, ", ") + ")", args
}
