package widget

import (
	"strconv"
	"strings"
	"time"
)

// FormatTime formats a time of RFC 3339 as "2006-01-02 15:04 UTC", which reads the same in every
// country; "" if it is invalid. Package time's Parse would add 8 kB to the download.
func FormatTime(at string) string {
	if len(at) < len("2006-01-02T15:04:05Z") {
		return ""
	}
	written, zone := at[:19], at[19:]
	// Invalid digits make t differ from written.
	n := func(from, to int) int { v, _ := strconv.Atoi(written[from:to]); return v }
	t := time.Date(n(0, 4), time.Month(n(5, 7)), n(8, 10), n(11, 13), n(14, 16), n(17, 19), 0,
		time.UTC)
	ahead, ok := parseOffset(zone)
	if !ok || t.Format("2006-01-02T15:04:05") != written {
		return ""
	}
	return t.Add(-ahead).Format("2006-01-02 15:04") + " UTC"
}

// parseOffset parses the end of a time of RFC 3339, after its seconds.
func parseOffset(zone string) (time.Duration, bool) {
	if fraction, ok := strings.CutPrefix(zone, "."); ok {
		zone = strings.TrimLeft(fraction, "0123456789")
	}
	if zone == "Z" {
		return 0, true
	}
	if len(zone) != len("+02:00") || zone[3] != ':' {
		return 0, false
	}
	hours, err1 := strconv.Atoi(zone[:3])
	minutes, err2 := strconv.Atoi(zone[:1] + zone[4:])
	return time.Duration(hours*60+minutes) * time.Minute, err1 == nil && err2 == nil
}
