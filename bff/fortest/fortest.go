// Package fortest ends a test at an unexpected error.
package fortest

import "testing"

// Must returns a function that returns v, or ends the test if there is an error:
//
//	n := fortest.Must(strconv.Atoi(text))(t)
func Must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		OK(t, err)
		return v
	}
}

// OK ends the test if there is an error.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
