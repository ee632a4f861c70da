package widget

import (
	"strconv"
	"strings"
	"time"
)

// Zone is a time zone at one moment. The zero Zone is UTC.
type Zone struct {
	Name  string // as the page's language has it: "MEZ"
	Ahead time.Duration
}

// FormatTime formats a time of RFC 3339 as the page's language writes dates, in a time zone that is
// named; "" if it is invalid, or its year there has not four digits.
func (p *Page) FormatTime(at string, zone Zone) string {
	t, ok := parseTime(at)
	if !ok {
		return ""
	}
	if zone.Name == "" {
		zone = Zone{Name: "UTC"}
	}
	date := t.Add(zone.Ahead).Format("2006-01-02 15:04") // its parts are cheaper than t's methods
	if len(date) != len("2006-01-02 15:04") {
		return ""
	}
	month := date[5:7]
	names := strings.Split(p.T("date.months"), "|")
	number, err := strconv.Atoi(month)
	if err == nil && len(names) == 12 {
		month = names[number-1]
	}
	// Its values are not isolated, so that hour and minute keep their places in Arabic.
	return Translate(p.Text, "ltr", "date.text",
		"day", strings.TrimPrefix(date[8:10], "0"), "month", month, "year", date[:4],
		"hour", date[11:13], "minute", date[14:], "zone", zone.Name)
}

// parseTime parses a time of RFC 3339. Package time's Parse would add 8 kB to the download.
func parseTime(at string) (time.Time, bool) {
	if len(at) < len("2006-01-02T15:04:05Z") {
		return time.Time{}, false
	}
	written := at[:19]
	zone := at[19:]
	// Invalid digits make t differ from written.
	n := func(from, to int) int {
		v, _ := strconv.Atoi(written[from:to])
		return v
	}
	t := time.Date(n(0, 4), time.Month(n(5, 7)), n(8, 10), n(11, 13), n(14, 16), n(17, 19), 0,
		time.UTC)
	ahead, ok := parseOffset(zone)
	if !ok || t.Format("2006-01-02T15:04:05") != written {
		return time.Time{}, false
	}
	return t.Add(-ahead), true
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
