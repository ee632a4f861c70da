package order

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

// mapping is one mapping of the file. error returns the first error in any of its members, or
// of the mappings inside.
type mapping struct {
	path   string // prefix of its members' names, "open."
	values map[string]any
	err    *error
}

func mappingOf(v any) *mapping {
	m := &mapping{err: new(error)}
	values, ok := v.(map[string]any)
	if !ok {
		*m.err = errors.New("must be a mapping")
	}
	m.values = values
	return m
}

func (m *mapping) error() error { return *m.err }

// fail records an error of a member, unless there is one already.
func (m *mapping) fail(name, why string) {
	if *m.err == nil {
		*m.err = fmt.Errorf("%s%s: %s", m.path, name, why)
	}
}

func (m *mapping) allowOnly(known ...string) {
	for _, name := range m.names() {
		if !slices.Contains(known, name) {
			m.fail(ShortenName(name), "unknown member")
		}
	}
}

func (m *mapping) names() []string { return slices.Sorted(maps.Keys(m.values)) }

// has reports whether a member is set and not null.
func (m *mapping) has(name string) bool { return m.values[name] != nil }

// mapping returns a member that is a mapping; empty if it is not set.
func (m *mapping) mapping(name string) *mapping {
	values, ok := m.values[name].(map[string]any)
	if !ok && m.has(name) {
		m.fail(name, "must be a mapping")
	}
	return &mapping{path: m.path + name + ".", values: values, err: m.err}
}

// text returns a member that is text or a number, as written; "" if it is not set.
func (m *mapping) text(name string) string {
	text, ok := m.values[name].(string)
	if !ok && m.has(name) {
		m.fail(name, "must be text")
	}
	return text
}

// list returns a member that is a list of texts; nil if it is not set.
func (m *mapping) list(name string) []string {
	list, ok := m.values[name].([]any)
	if !ok && m.has(name) {
		m.fail(name, "must be a list")
	}
	var texts []string
	for _, value := range list {
		text, ok := value.(string)
		if !ok {
			m.fail(name, "must be a list of texts")
		}
		texts = append(texts, text)
	}
	return texts
}

// oneOrMore is list for a member that may also be a single text.
func (m *mapping) oneOrMore(name string) []string {
	if text, ok := m.values[name].(string); ok {
		return []string{text}
	}
	return m.list(name)
}

func (m *mapping) amount(name string) decimal.Decimal {
	amount, err := payment.ParseAmount(m.text(name))
	if err != nil {
		m.fail(name, `must be dollars like "4.50"`)
	}
	return amount
}

// integer returns a member that is an integer from 1 to most; zero if it is not set.
func (m *mapping) integer(name string, most int) int {
	if !m.has(name) {
		return 0
	}
	text := m.text(name)
	n, err := strconv.Atoi(text)
	if err != nil || !wholeText.MatchString(text) || n > most {
		m.fail(name, fmt.Sprintf("must be a whole number from 1 to %d", most))
	}
	return n
}
