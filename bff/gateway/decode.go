package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth bounds the nesting of an answer; documented ones have five levels.
const maxDepth = 32

// maxValues bounds the values in an answer; a page of 50 transactions has 1,200.
const maxValues = 50_000

// checked are the options to read a document that checkDocument has accepted. A lone half of a
// surrogate pair, which only an escape can write, is read as U+FFFD.
var checked = json.JoinOptions(
	jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// checkDocument refuses what is not one JSON document, and what two readers could understand
// differently, perhaps about money: invalid UTF-8, and names that occur twice in an object, in
// whatever spelling. Errors quote nothing of the document.
func checkDocument(doc []byte) error {
	switch {
	case !utf8.Valid(doc):
		return errors.New("invalid UTF-8")
	case bytes.Count(doc, []byte{','}) > maxValues:
		return errors.New("too many values")
	}

	d := jsontext.NewDecoder(bytes.NewReader(doc), checked)
	if err := checkValue(d, maxDepth); err != nil {
		return err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return errMalformed
	}
	return nil
}

var errMalformed = errors.New("malformed JSON")

// checkValue checks the next value, with at most levels of nesting in it.
func checkValue(d *jsontext.Decoder, levels int) error {
	token, err := d.ReadToken()
	if err != nil {
		return errMalformed
	}
	kind := token.Kind()
	if kind != '{' && kind != '[' {
		return nil
	}
	if levels == 0 {
		return errors.New("nested too deeply")
	}

	seen := map[string]bool{}
	for next := d.PeekKind(); next != '}' && next != ']'; next = d.PeekKind() {
		if kind == '{' {
			name, err := d.ReadToken()
			if err != nil {
				return errMalformed
			}
			folded := fold(name.String())
			if seen[folded] {
				return errors.New("duplicate name in an object")
			}
			seen[folded] = true
		}
		if err := checkValue(d, levels-1); err != nil {
			return err
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return errMalformed
	}

	return nil
}

// fold maps spellings that a case-insensitive reader would take for the same
// name to one; upper first, for letters such as the long s.
func fold(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// decode reads an object of a checked document into the struct v, by the exact names of its
// members; others are ignored. Errors name the member.
func decode(object jsontext.Value, v any) error {
	if object.Kind() != '{' {
		return errors.New("not an object")
	}
	err := json.Unmarshal(object, v, checked)
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		return fmt.Errorf("reading %s: %w", semantic.JSONPointer.LastToken(), semantic.Err)
	}
	return err
}

// decodeList returns the values of an array of a checked document, never nil.
func decodeList(array jsontext.Value) ([]jsontext.Value, error) {
	if array.Kind() != '[' {
		return nil, errors.New("not an array")
	}
	values := []jsontext.Value{}
	err := json.Unmarshal(array, &values, checked)
	return values, err
}
