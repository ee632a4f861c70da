package fmt_test

import (
	"errors"
	standard "fmt"
	"reflect"
	"testing"
	"time"

	"coinslot/tools/assets/slim/fmt"
)

type text string

type number uint8

// TestAsTheStandardLibrary: what go-app shows or logs is the same in words.
func TestAsTheStandardLibrary(t *testing.T) {
	for _, v := range []any{
		"a", "", text("b"), true, -3, int64(9), number(7), 1.5, float32(0.1), 1e21, errors.New("c"), nil, time.Second, reflect.TypeOf(0),
	} {
		if got, want := fmt.Sprint(v), standard.Sprint(v); got != want {
			t.Errorf("Sprint(%v) = %q; want %q", v, got, want)
		}
		if got, want := fmt.Sprintf("1 %v 2 %v%%", v, "b"), standard.Sprintf("1 %v 2 %v%%", v, "b"); got != want {
			t.Errorf("Sprintf of %v = %q; want %q", v, got, want)
		}
	}
	if got, want := fmt.Sprintf("/%T/%p/%p", t, t, t.Log), standard.Sprintf("/%T/%p/%p", t, t, t.Log); got != want {
		t.Errorf("a type and addresses are %q; want %q", got, want)
	}
	if got, want := fmt.Sprintf("%v %", struct{}{}), "(struct {}) "; got != want {
		t.Errorf("a value of a type that is not known is %q; want %q", got, want)
	}
}
