// Package fortest has what tests of all packages need: it ends a test at an unexpected error, and
// waits for conditions.
package fortest

import (
	"bytes"
	"net"
	"sync"
	"testing"
	"time"
)

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

// Until polls a condition, and ends the test if it is not met within half a minute.
func Until(t testing.TB, what string, met func() bool) {
	t.Helper()
	Within(t, 30*time.Second, what, met)
}

// Within is Until with a patience of its own.
func Within(t testing.TB, patience time.Duration, what string, met func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !met(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("gave up waiting: %s", what)
		}
	}
}

// FreePort returns a port of this machine that is free now.
func FreePort(t testing.TB) string {
	t.Helper()
	l := Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	OK(t, l.Close())
	_, port, err := net.SplitHostPort(l.Addr().String())
	OK(t, err)
	return port
}

// Log is a buffer for any number of goroutines.
type Log struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns all that was written.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
