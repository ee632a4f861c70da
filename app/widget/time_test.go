package widget

import (
	"testing"
	"time"

	"coinslot/bff/fortest"
)

func TestFormatTime(t *testing.T) {
	for at, want := range map[string]string{
		"2026-11-22T01:40:05Z":      "2026-11-22 01:40 UTC",
		"2026-11-22T01:40:05+02:00": "2026-11-21 23:40 UTC", "": "", "yesterday": "",
	} {
		fortest.Equal(t, FormatTime(at), want, "FormatTime(%q)", at)
	}
}

// FuzzFormatTime compares with the standard library.
func FuzzFormatTime(f *testing.F) {
	for _, at := range []string{
		"2026-11-22T01:40:05Z", "2026-11-22T01:40:05+02:00", "2024-02-29T23:59:59.123456789-09:30",
		"2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-22T24:00:00Z",
		"0000-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59", "2026-11-22T01:40:05",
		"2026-11-22 01:40:05Z", "2026-11-22T01:40:05z", "2026-11-22T01:40:05+2:000", "",
		"yesterday",
	} {
		f.Add(at)
	}
	f.Fuzz(func(t *testing.T, at string) {
		parsed, err := time.Parse(time.RFC3339, at)
		want := ""
		switch {
		case err == nil &&
			(parsed.Format(time.RFC3339) == at || parsed.Format(time.RFC3339Nano) == at):
			want = parsed.UTC().Format("2006-01-02 15:04") + " UTC"
		case err == nil || len(at) > 20:
			return // unusual ways to write a time
		}
		fortest.Equal(t, FormatTime(at), want, "FormatTime(%q)", at)
	})
}
