package console

import (
	"testing"
	"time"

	"coinslot/bff/fortest"
)

// What others wrote cannot move, hide or end what is around it.
func TestCleanText(t *testing.T) {
	for given, want := range map[string]string{
		"Two tickets": "Two tickets", "Müller 李 🎟": "Müller 李 🎟", "می\u200cخواهم": "می\u200cخواهم",
		"a\u202egnp.exe": "a\ufffdgnp.exe",
		"a\u2066b\u2069": "a\ufffdb\ufffd",
		"a\u200bb":       "a\ufffdb",
		"\ufeffa":        "\ufffda",
		"a\x00\x1bb":     "a\ufffd\ufffdb",
		"a\nb\tc":        "a b c", "a\u2028b": "a\ufffdb", "a\xffb": "a\ufffdb", "\u200e": "\ufffd",
	} {
		fortest.Equal(t, cleanText(given), want, "cleanText(%q)", given)
	}
}

// Durations are shown in their largest unit.
func TestFormatRelative(t *testing.T) {
	now := time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0:                 "0 s ago",
		59 * time.Second:  "59 s ago",
		61 * time.Second:  "1 min ago",
		47 * time.Hour:    "47 h ago",
		49 * time.Hour:    "2 days ago",
		-90 * time.Second: "in 1 min",
	} {
		fortest.Equal(t, formatRelative(now.Add(-d), now), want, "formatRelative(%v)", d)
	}
	for n, want := range map[int]string{
		0:       "0",
		999:     "999",
		1000:    "1,000",
		1234567: "1,234,567",
		-1000:   "-1,000",
	} {
		fortest.Equal(t, formatCount(n), want, "formatCount(%d)", n)
	}
}

// Zeros at the end of an amount go, but for the places that it should have.
func TestTrimZeros(t *testing.T) {
	for _, c := range []struct {
		digits string
		places int
		want   string
	}{
		{"25.03000000", 0, "25.03"},
		{"25.00000000", 0, "25"},
		{"25.00000000", 2, "25.00"},
		{"25.1", 2, "25.1"},
		{"250", 0, "250"},
		{"", 0, ""},
		{"5.", 0, "5"},
	} {
		fortest.Equal(t, trimZeros(c.digits, c.places), c.want,
			"trimZeros(%q, %d)", c.digits, c.places)
	}
}
