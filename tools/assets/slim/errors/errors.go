// Package errors stands for go-app's own of that name, whose errors say in JSON
// what went wrong and where; these say it in words.
package errors

import "coinslot/tools/assets/slim/fmt"

// Error is an error with details.
type Error struct {
	text string
	of   error // nil if there is none
}

// New returns an error.
func New(text string) Error { return Error{text: text} }

// WithTag adds a detail.
func (e Error) WithTag(name string, value any) Error {
	e.text += " " + name + "=" + fmt.Sprint(value)
	return e
}

// Wrap adds what led to the error.
func (e Error) Wrap(err error) Error {
	e.of = err
	return e
}

// Unwrap returns what led to the error.
func (e Error) Unwrap() error { return e.of }

func (e Error) Error() string {
	if e.of == nil {
		return e.text
	}
	return e.text + ": " + e.of.Error()
}
