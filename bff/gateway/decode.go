package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds the nesting of an answer; documented ones have five levels.
const maxDepth = 32

// maxValues bounds the values in an answer; a page of 50 transactions has 1,200.
const maxValues = 50_000

// parse reads one JSON document, and nothing around it, into nil, bool, json.Number, string, slices and
// maps of any. It is stricter than encoding/json where two readers could disagree about
// money: invalid UTF-8, and names that occur twice in an object, in whatever spelling, are errors.
// Errors quote nothing of the document.
func parse(doc []byte) (any, error) {
	switch {
	case !utf8.Valid(doc):
		return nil, errors.New("invalid UTF-8")
	case bytes.Count(doc, []byte{','}) > maxValues: // each costs a hundred bytes of memory
		return nil, errors.New("too many values")
	case !json.Valid(doc): // first, since Token alone sees no trailing garbage
		return nil, errors.New("malformed JSON")
	}
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber() // numbers keep their digits
	return parseValue(d, maxDepth)
}

// parseValue reads the next value, with at most levels of nesting in it.
func parseValue(d *json.Decoder, levels int) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, errors.New("malformed JSON")
	}
	delim, nested := token.(json.Delim)
	switch {
	case !nested:
		return token, nil
	case levels == 0:
		return nil, errors.New("nested too deeply")
	case delim == '{':
		return parseObject(d, levels-1)
	}
	return parseArray(d, levels-1)
}

func parseObject(d *json.Decoder, levels int) (any, error) {
	object, seen := map[string]any{}, map[string]bool{}
	for d.More() {
		token, err := d.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return nil, errors.New("malformed JSON")
		}
		if folded := fold(name); seen[folded] {
			return nil, errors.New("duplicate name in an object")
		} else {
			seen[folded] = true
		}
		if object[name], err = parseValue(d, levels); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return object, err
}

func parseArray(d *json.Decoder, levels int) (any, error) {
	array := []any{}
	for d.More() {
		v, err := parseValue(d, levels)
		if err != nil {
			return nil, err
		}
		array = append(array, v)
	}
	_, err := d.Token()
	return array, err
}

// fold maps spellings that a case-insensitive reader would take for the same
// name to one; upper first, for letters such as the long s.
func fold(name string) string { return strings.ToLower(strings.ToUpper(name)) }
