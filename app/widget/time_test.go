package widget

import "testing"

func TestFormatTime(t *testing.T) {
	for at, want := range map[string]string{
		"2026-11-22T01:40:05Z":      "2026-11-22 01:40 UTC",
		"2026-11-22T01:40:05+02:00": "2026-11-21 23:40 UTC", "": "", "yesterday": "",
		"2026-02-29T00:00:00Z": "", "2026-11-22T24:00:00Z": "", "2026-11-22T01:40:05": "",
	} {
		if got := FormatTime(at); got != want {
			t.Errorf("FormatTime(%q) = %q; want %q", at, got, want)
		}
	}
}
