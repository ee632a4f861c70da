package widget

import (
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

func TestFormatTime(t *testing.T) {
	all := catalogues(t)
	berlin := Zone{Name: "MEZ", Ahead: time.Hour}
	for _, c := range []struct {
		lang, at string
		zone     Zone
		want     string
	}{
		{"en", "2026-11-27T22:35:05Z", Zone{}, "Nov 27, 2026, 22:35 UTC"},
		{"en", "2026-11-22T01:40:05+02:00", Zone{}, "Nov 21, 2026, 23:40 UTC"},
		{"de", "2026-11-27T22:35:05Z", Zone{}, "27. Nov. 2026, 22:35 UTC"},
		{"de", "2026-12-31T23:05:05Z", berlin, "1. Jan. 2027, 00:05 MEZ"},
		{"fi", "2026-11-27T22:35:05Z", Zone{}, "27.11.2026 klo 22.35 UTC"},
		{"fr", "2026-03-01T08:05:00Z", Zone{"UTC−9", -9 * time.Hour}, "28 févr. 2026, 23:05 UTC−9"},
		{"ja", "2026-11-27T22:35:05Z", Zone{"JST", 9 * time.Hour}, "2026年11月28日 07:35 JST"},
		{"ar", "2026-11-27T22:35:05Z", Zone{}, "27 نوفمبر 2026، 22:35 UTC"},
		{"hi", "2026-11-27T22:35:05Z", Zone{"IST", 330 * time.Minute}, "28 नव॰ 2026, 04:05 IST"},
		{"de", "", Zone{}, ""},
		{"de", "yesterday", berlin, ""},
	} {
		dir := ""
		if c.lang == "ar" {
			dir = "rtl"
		}
		p := Page{Text: all[c.lang], Lang: c.lang, Dir: dir}
		fortest.Equal(t, p.FormatTime(c.at, c.zone), c.want, "%q in %s", c.at, c.lang)
	}
}

// TestDatesOfLanguages: every language has its twelve months, and none writes the date as a
// machine does.
func TestDatesOfLanguages(t *testing.T) {
	for tag, text := range catalogues(t) {
		months := strings.Split(text["date.months"], "|")
		unique := slices.Compact(slices.Sorted(slices.Values(months)))
		if len(months) != 12 || len(unique) != 12 {
			t.Errorf("%s has %d months, %d of them unique: %q", tag, len(months), len(unique),
				months)
		}
		p := Page{Text: text, Lang: tag}
		date := p.FormatTime("2026-11-05T09:07:00Z", Zone{})
		for _, part := range []string{"5", "2026", "09", "07", "UTC"} {
			fortest.Has(t, "a date in "+tag, date, part)
		}
		if strings.Contains(date, "2026-11-05") {
			t.Errorf("%s writes %q", tag, date)
		}
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
	names := make([]string, 0, 12)
	for month := range 12 {
		names = append(names, time.Month(month+1).String())
	}
	p := Page{Text: map[string]string{
		"date.text":   "{month} {day}, {year}, {hour}:{minute} {zone}",
		"date.months": strings.Join(names, "|"),
	}}
	f.Fuzz(func(t *testing.T, at string) {
		parsed, err := time.Parse(time.RFC3339, at)
		want := ""
		switch {
		case err == nil &&
			(parsed.Format(time.RFC3339) == at || parsed.Format(time.RFC3339Nano) == at):
			if year := parsed.UTC().Year(); year >= 0 && year <= 9999 {
				want = parsed.UTC().Format("January 2, 2006, 15:04") + " UTC"
			}
		case err == nil || len(at) > 20:
			return // unusual ways to write a time
		}
		fortest.Equal(t, p.FormatTime(at, Zone{}), want, "FormatTime(%q)", at)
	})
}
