package alert

import (
	"errors"
	"time"
)

// TimeOfDay is when the daily summary is due. The zero value is never.
type TimeOfDay struct {
	hour, minute int
	isSet        bool
}

// ParseTimeOfDay reads a time like 08:00.
func ParseTimeOfDay(text string) (TimeOfDay, error) {
	t, err := time.Parse("15:04", text)
	if err != nil {
		return TimeOfDay{}, errors.New("must be a time like 08:00")
	}
	return TimeOfDay{hour: t.Hour(), minute: t.Minute(), isSet: true}, nil
}

// due returns the last day, in zone, on which the time has come by now.
func (d TimeOfDay) due(now time.Time, zone *time.Location) time.Time {
	local := now.In(zone)
	year, month, day := local.Date()
	if local.Before(time.Date(year, month, day, d.hour, d.minute, 0, 0, zone)) {
		day--
	}
	return time.Date(year, month, day, 0, 0, 0, 0, zone)
}

// summaryOf returns the day that a summary is due about at now, the day before that of the message.
// The first start owes none. The state returned has it as written.
func (s State) summaryOf(
	d TimeOfDay, zone *time.Location, now time.Time,
) (after State, about time.Time, isDue bool) {
	if !d.isSet {
		return s, time.Time{}, false
	}
	day := d.due(now, zone)
	today := day.Format(time.DateOnly)
	isDue = s.Summarized != "" && s.Summarized < today
	if isDue || s.Summarized == "" {
		s.Summarized = today
	}
	year, month, date := day.Date()
	return s, time.Date(year, month, date-1, 0, 0, 0, 0, zone), isDue
}
