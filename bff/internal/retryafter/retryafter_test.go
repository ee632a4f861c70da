package retryafter

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

func TestParse(t *testing.T) {
	const least, most = time.Second, 5 * time.Minute
	now := time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "soon": 0, "-5": 0, "1.5": 0, "+3": 0, "1e3": 0, "1h": 0, "١": 0,
		"0": least, "1": time.Second, " 30 ": 30 * time.Second, "300": most, "301": most,
		"1000000000": most, strings.Repeat("9", 400): most,
		now.Add(90 * time.Second).Format(http.TimeFormat): 90 * time.Second,
		now.Add(-time.Hour).Format(http.TimeFormat):       least,
		now.Add(9000 * time.Hour).Format(http.TimeFormat): most,
		"Sat, 32 Aug 2026 12:00:00 GMT":                   0,
	} {
		fortest.Equal(t, Parse(header, now, least, most), want, "Parse(%.40q)", header)
	}
	fortest.Equal(t, Parse("0", now, 0, most), 0, "no least wait")
	past := now.Add(-time.Hour).Format(http.TimeFormat)
	fortest.Equal(t, Parse(past, now, 0, most), 0, "a date that is over, with no least wait")
}

// FuzzParse: no header asks for more than a day, and digits count digit for digit.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "120", "-1", "1e3", strings.Repeat("9", 40), "Sat, 21 Nov 2026 08:10:00 GMT", "soon"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		const most = 24 * time.Hour
		got := Parse(header, time.Unix(1_800_000_000, 0), 0, most)
		if got < 0 || got > most {
			t.Fatalf("Parse(%q) = %v; want 0 to 24h", header, got)
		}
		n, err := strconv.ParseUint(header, 10, 16)
		isNumber := err == nil && header[0] != '+'
		if isNumber && got != min(time.Duration(n)*time.Second, most) {
			t.Fatalf("Parse(%q) = %v", header, got)
		}
	})
}
