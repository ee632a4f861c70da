package statement

import (
	"fmt"
	"time"
)

// Month is a month of a year, "2026-11". It begins and ends in the time zone of the shop.
type Month struct {
	Year  int
	Month time.Month
}

const monthLayout = "2006-01"

// ParseMonth reads what String writes. Errors: it is no month of the years 2000 to 2200.
func ParseMonth(text string) (Month, error) {
	t, err := time.Parse(monthLayout, text)
	if err != nil || t.Year() < 2000 || t.Year() > 2200 {
		return Month{}, fmt.Errorf("%q is not a month like 2026-11", text)
	}
	return MonthOf(t), nil
}

// MonthOf returns the month of t, in t's own time zone.
func MonthOf(t time.Time) Month { return Month{t.Year(), t.Month()} }

// String returns the month like "2026-11".
func (m Month) String() string { return m.Start(time.UTC).Format(monthLayout) }

// Name returns the month in words, "November 2026".
func (m Month) Name() string { return m.Start(time.UTC).Format("January 2006") }

// Start returns the first moment of the month.
func (m Month) Start(zone *time.Location) time.Time {
	return time.Date(m.Year, m.Month, 1, 0, 0, 0, 0, zone)
}

// End returns the first moment after the month.
func (m Month) End(zone *time.Location) time.Time { return m.Add(1).Start(zone) }

// Add returns the month n months later.
func (m Month) Add(n int) Month { return MonthOf(m.Start(time.UTC).AddDate(0, n, 0)) }

// has reports whether t is in the month.
func (m Month) has(t time.Time, zone *time.Location) bool { return MonthOf(t.In(zone)) == m }
