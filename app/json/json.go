// Package json decodes and encodes the JSON of the checkout page with the results of encoding/json,
// in a twentieth of its size, because shoppers download it. It supports the types of
// coinslot/app/wire and coinslot/app/widget only.
package json

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
)

// maxDepth is how deeply arrays and objects may be nested, as in encoding/json.
const maxDepth = 10_000

// Unmarshal decodes text into what pointer points to: strings, booleans, integers, structs, slices,
// pointers, and maps of strings. Names of members are case-sensitive; unknown ones are ignored.
// After an error the result is unusable.
func Unmarshal(text []byte, pointer any) error {
	r := reader{text: string(text), fields: map[reflect.Type]map[string]int{}}
	r.value(reflect.ValueOf(pointer).Elem(), 1)
	r.space()
	if r.at < len(r.text) {
		r.fail("malformed")
	}
	return r.err
}

// reader decodes one text. After the first error it is at the end.
type reader struct {
	text   string
	at     int
	err    error
	fields map[reflect.Type]map[string]int // field index by type and name
}

// fail sets the error and skips the rest.
func (r *reader) fail(what string) {
	if r.err == nil {
		r.err = errors.New("decoding JSON: " + what + " at " + strconv.Itoa(r.at))
	}
	r.at = len(r.text)
}

func (r *reader) space() {
	for r.at < len(r.text) && strings.IndexByte(" \t\r\n", r.text[r.at]) >= 0 {
		r.at++
	}
}

// next returns the next byte after spaces without consuming it; zero at the end.
func (r *reader) next() byte {
	r.space()
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// take consumes c if it is next.
func (r *reader) take(c byte) bool {
	if r.next() != c || c == 0 {
		return false
	}
	r.at++
	return true
}

// value decodes one value into a variable, or skips it if into is invalid.
func (r *reader) value(into reflect.Value, depth int) {
	c := r.next()
	if into.IsValid() && into.Kind() == reflect.Pointer && c != 'n' {
		if into.IsNil() {
			into.Set(reflect.New(into.Type().Elem()))
		}
		into = into.Elem()
	}
	switch {
	case depth > maxDepth && (c == '{' || c == '['):
		r.fail("too deep")
	case c == '{':
		r.object(into, depth)
	case c == '[':
		r.array(into, depth)
	case c == '"':
		if s := r.string(); r.fits(into, reflect.String) {
			into.SetString(s)
		}
	case c == '-' || c >= '0' && c <= '9':
		r.number(into)
	default:
		r.word(into)
	}
}

// fits reports whether into is wanted and of the kind; a wrong kind is an error.
func (r *reader) fits(into reflect.Value, kind reflect.Kind) bool {
	if !into.IsValid() || r.err != nil {
		return false
	}
	if into.Kind() != kind {
		r.fail("not the " + into.Type().String() + " expected")
		return false
	}
	return true
}

// word decodes true, false or null, which clears slices, maps and pointers only.
func (r *reader) word(into reflect.Value) {
	for _, word := range []string{"true", "false", "null"} {
		if !strings.HasPrefix(r.text[r.at:], word) {
			continue
		}
		r.at += len(word)
		switch {
		case word != "null":
			if r.fits(into, reflect.Bool) {
				into.SetBool(word == "true")
			}
		case into.IsValid() &&
			(into.Kind() == reflect.Slice || into.Kind() == reflect.Map ||
				into.Kind() == reflect.Pointer):
			into.SetZero()
		}
		return
	}
	r.fail("malformed")
}

// array decodes into a slice.
func (r *reader) array(into reflect.Value, depth int) {
	r.take('[')
	wanted := into.IsValid()
	if wanted && r.fits(into, reflect.Slice) {
		into.Set(reflect.MakeSlice(into.Type(), 0, 0))
	} else if wanted {
		return
	}
	for more := !r.take(']'); more; more = r.more(']') {
		var element reflect.Value
		if into.IsValid() {
			into.Grow(1)
			into.SetLen(into.Len() + 1)
			element = into.Index(into.Len() - 1)
		}
		r.value(element, depth+1)
	}
}

// more consumes the comma after a member, or the end.
func (r *reader) more(end byte) bool {
	if r.take(',') {
		return true
	}
	if !r.take(end) {
		r.fail("malformed")
	}
	return false
}

// object decodes into a struct or a map of strings.
func (r *reader) object(into reflect.Value, depth int) {
	r.take('{')
	var texts map[string]string
	if into.IsValid() && into.Kind() == reflect.Map {
		texts = r.texts(into)
	} else if into.IsValid() && !r.fits(into, reflect.Struct) {
		return
	}
	for more := !r.take('}'); more; more = r.more('}') {
		var name string
		if r.next() == '"' {
			name = r.string()
		} else {
			r.fail("malformed")
		}
		if !r.take(':') {
			r.fail("malformed")
		}
		if texts == nil {
			r.value(r.field(into, name), depth+1)
			continue
		}
		var text string
		r.value(reflect.ValueOf(&text).Elem(), depth+1)
		texts[name] = text
	}
}

// texts returns into as a map of strings; nil after an error.
func (r *reader) texts(into reflect.Value) map[string]string {
	texts, ok := into.Addr().Interface().(*map[string]string)
	if !ok {
		r.fail("not the " + into.Type().String() + " expected")
		return nil
	}
	if *texts == nil {
		*texts = map[string]string{}
	}
	return *texts
}

// field returns a struct's field by its name in JSON; invalid if there is none.
func (r *reader) field(of reflect.Value, name string) reflect.Value {
	if !of.IsValid() {
		return reflect.Value{}
	}
	fields, ok := r.fields[of.Type()]
	if !ok {
		fields = fieldsOf(of.Type())
		r.fields[of.Type()] = fields
	}
	if number, ok := fields[name]; ok {
		return of.Field(number)
	}
	return reflect.Value{}
}

// fieldsOf returns the indexes of a struct's exported fields by their names in JSON. Embedded
// structs count as fields.
func fieldsOf(t reflect.Type) map[string]int {
	fields := make(map[string]int, t.NumField())
	for i := range t.NumField() {
		field := t.Field(i)
		name := field.Name
		if _, tag, ok := strings.Cut(string(field.Tag), `json:"`); ok {
			tag, _, _ = strings.Cut(tag, `"`)
			tag, _, _ = strings.Cut(tag, ",")
			if tag != "" {
				name = tag
			}
		}
		if name != "-" && field.IsExported() {
			fields[name] = i
		}
	}
	return fields
}
