package outboxdb

import (
	"math"
	"strconv"
	"strings"

	"coinslot/app/wire"
)

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
