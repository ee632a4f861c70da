// Package json reads and writes the JSON of the checkout page: what the
// encoding/json of the standard library answers for the same bytes, in a
// twentieth of its size, because a shopper downloads it. It does what the types
// of coinslot/app/wire and coinslot/app/widget need and no more.
package json

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
)

// deepest is how many arrays and objects may be in one another, as in
// encoding/json.
const deepest = 10_000

// Unmarshal reads text into what the pointer points to: strings, booleans,
// whole numbers, structs, slices, pointers, and maps of strings. Members of an
// object go to the fields of exactly their name; others are left out. After an
// error what was pointed to is of no use.
func Unmarshal(text []byte, pointer any) error {
	r := reader{text: string(text), fields: map[reflect.Type]map[string]int{}}
	r.value(reflect.ValueOf(pointer).Elem(), 1)
	r.space()
	if r.at < len(r.text) {
		r.fail("malformed")
	}
	return r.err
}

// reader reads one text. After the first error it is at the end.
type reader struct {
	text   string
	at     int
	err    error
	fields map[reflect.Type]map[string]int // number of the field by type and name
}

// fail ends the reading.
func (r *reader) fail(what string) {
	if r.err == nil {
		r.err = errors.New("reading JSON: " + what + " at " + strconv.Itoa(r.at))
	}
	r.at = len(r.text)
}

func (r *reader) space() {
	for r.at < len(r.text) && strings.IndexByte(" \t\r\n", r.text[r.at]) >= 0 {
		r.at++
	}
}

// next returns the next byte that is no space, without taking it; zero at the end.
func (r *reader) next() byte {
	r.space()
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// take takes c if it is what comes next.
func (r *reader) take(c byte) bool {
	if r.next() != c || c == 0 {
		return false
	}
	r.at++
	return true
}

// value reads one value into a variable; into none, it is left out.
func (r *reader) value(into reflect.Value, depth int) {
	c := r.next()
	if into.IsValid() && into.Kind() == reflect.Pointer && c != 'n' {
		if into.IsNil() {
			into.Set(reflect.New(into.Type().Elem()))
		}
		into = into.Elem()
	}
	switch {
	case depth > deepest && (c == '{' || c == '['):
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

// fits reports whether a value is wanted that into can hold.
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

// word reads true, false or null, which leaves nothing of slices, maps and
// pointers, and other variables as they are.
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

// array reads into a slice.
func (r *reader) array(into reflect.Value, depth int) {
	r.take('[')
	if wanted := into.IsValid(); wanted && r.fits(into, reflect.Slice) {
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

// more reads what follows a member: a comma, or the end.
func (r *reader) more(end byte) bool {
	if r.take(',') {
		return true
	}
	if !r.take(end) {
		r.fail("malformed")
	}
	return false
}

// object reads into a struct or a map of strings.
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
		switch {
		case texts != nil:
			var text string
			r.value(reflect.ValueOf(&text).Elem(), depth+1)
			texts[name] = text
		default:
			r.value(r.field(into, name), depth+1)
		}
	}
}

// texts returns the map of strings that into is; nil after an error.
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

// field returns a struct's field by the name that it has in JSON; none if there
// is no such.
func (r *reader) field(of reflect.Value, name string) reflect.Value {
	if !of.IsValid() {
		return reflect.Value{}
	}
	fields, known := r.fields[of.Type()]
	if !known {
		fields = fieldsOf(of.Type())
		r.fields[of.Type()] = fields
	}
	if number, ok := fields[name]; ok {
		return of.Field(number)
	}
	return reflect.Value{}
}

// fieldsOf returns the numbers of a struct's exported fields by their names in
// JSON. Structs in structs have a name of their own here.
func fieldsOf(t reflect.Type) map[string]int {
	fields := make(map[string]int, t.NumField())
	for i := range t.NumField() {
		field := t.Field(i)
		name := field.Name
		if _, tag, ok := strings.Cut(string(field.Tag), `json:"`); ok {
			tag, _, _ = strings.Cut(tag, `"`)
			if tag, _, _ = strings.Cut(tag, ","); tag != "" {
				name = tag
			}
		}
		if name != "-" && field.IsExported() {
			fields[name] = i
		}
	}
	return fields
}
