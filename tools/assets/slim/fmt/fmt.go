// Package fmt is what go-app needs of the package of that name: values of basic
// types, errors and those that can say themselves what they are. The whole one
// would be a twentieth of what a shopper downloads.
package fmt

import (
	"reflect"
	"strconv"
	"strings"
)

// Sprint returns the values as text, one after another.
func Sprint(values ...any) string {
	var out strings.Builder
	for _, v := range values {
		out.WriteString(text(v))
	}
	return out.String()
}

// Sprintf replaces %T by a value's type, %p by its address, and every other
// verb of one letter by its text.
func Sprintf(format string, values ...any) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(format, "%")
		out.WriteString(before)
		if !found || after == "" {
			return out.String()
		}
		format = after[1:]
		if after[0] == '%' || len(values) == 0 {
			out.WriteByte('%')
			continue
		}
		out.WriteString(verb(after[0], values[0]))
		values = values[1:]
	}
}

// Printf writes to the console.
func Printf(format string, values ...any) { print(Sprintf(format, values...)) }

func verb(letter byte, v any) string {
	switch letter {
	case 'T':
		return reflect.TypeOf(v).String()
	case 'p':
		return "0x" + strconv.FormatUint(uint64(reflect.ValueOf(v).Pointer()), 16)
	}
	return text(v)
}

func text(v any) string {
	switch v := v.(type) {
	case nil:
		return "<nil>"
	case error:
		return v.Error()
	case interface{ String() string }:
		return v.String()
	}
	switch value := reflect.ValueOf(v); value.Kind() {
	case reflect.String:
		return value.String()
	case reflect.Bool:
		return strconv.FormatBool(value.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(value.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(value.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(value.Float(), 'g', -1, value.Type().Bits())
	default:
		return "(" + value.Type().String() + ")"
	}
}
