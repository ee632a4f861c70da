package progress

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// TestProgress: a line when a step starts, one with its result, and none if it failed.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := New(&out)
	failed := errors.New("no")
	for _, err := range []error{nil, failed} {
		got := p.Step("modules", "looking", func(func(string)) (string, error) { return "3 downloaded", err })
		fortest.Is(t, got, err, "Step returned")
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], "looking") || !strings.Contains(lines[1], "✓ 3 downloaded, 0.0 s") {
		t.Errorf("printed:\n%s", out.String())
	}
}
