package store

import (
	"errors"
	"testing"

	"coinslot/app/wire"
)

func FuzzCursor(f *testing.F) {
	for _, text := range []string{"", "1.cs_1", "-1.", "01.x", "+1.x", "9223372036854775807.cs_\x00", "9223372036854775808.a", "."} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseCursor(text)
		if err == nil && text != "" && c.String() != text {
			t.Errorf("parseCursor(%q).String() = %q", text, c)
		}
		problem, ok := errors.AsType[*wire.Error](err)
		if err != nil && (!ok || problem.Code != wire.CodeInvalid || problem.Param != "cursor") {
			t.Errorf("parseCursor(%q) = %v; want a *wire.Error about the cursor", text, err)
		}
	})
}
