// Package fortest has what tests of all packages need: it ends a test at an unexpected error,
// compares, and waits for conditions.
package fortest

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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

// Equal reports that got is not want. The rest says what got is, as for Printf.
func Equal[T comparable](t testing.TB, got, want T, format string, args ...any) {
	t.Helper()
	if got == want {
		return
	}
	verb := "%#v"
	if _, ok := any(got).(fmt.Stringer); ok {
		verb = "%v"
	}
	t.Errorf("%s: got "+verb+"; want "+verb, fmt.Sprintf(format, args...), got, want)
}

// Diff is Equal for what go-cmp compares.
func Diff[T any](t testing.TB, got, want T, format string, args ...any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", fmt.Sprintf(format, args...), diff)
	}
}

// Has reports the parts that a text lacks; what names the text.
func Has(t testing.TB, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: no %q in\n%.4000s", what, part, text)
		}
	}
}

// Lacks is the opposite of Has: it reports the parts that the text has.
func Lacks(t testing.TB, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%s: %q is in\n%.4000s", what, part, text)
		}
	}
}

// Is reports that err does not wrap want. The rest says whose error it is, as for Printf.
func Is(t testing.TB, err, want error, format string, args ...any) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got the error %v; want %v", fmt.Sprintf(format, args...), err, want)
	}
}

// Fails reports that there is no error. The rest says what should fail, as for Printf.
func Fails(t testing.TB, err error, format string, args ...any) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: got no error", fmt.Sprintf(format, args...))
	}
}

// Answer ends the test if an answer has another status, and reports the parts that its body lacks.
func Answer(
	t testing.TB, what string, w *httptest.ResponseRecorder, status int, parts ...string,
) {
	t.Helper()
	if w.Code != status {
		t.Fatalf("%s: got status %d; want %d: %.2000s", what, w.Code, status, w.Body)
	}
	Has(t, what, w.Body.String(), parts...)
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
