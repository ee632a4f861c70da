package rates

import (
	"encoding/xml"
	"fmt"
	"time"
	_ "time/tzdata" // Frankfurt's time, on machines without time zones

	"github.com/rickar/cal/v2"
	"github.com/rickar/cal/v2/ecb"
)

// ecbURL is the daily file of the European Central Bank's reference rates: units of a currency for
// one euro. It publishes them about 16:00 Frankfurt time, on days when the payment system TARGET is
// open.
const ecbURL = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"

// A day's rates are as of ecbPublishes. They serve until ecbExpires of the next day with rates,
// which leaves the bank two hours.
const (
	ecbPublishes = 16
	ecbExpires   = 18
)

var frankfurt = mustLoad("Europe/Berlin")

func mustLoad(zone string) *time.Location {
	location, err := time.LoadLocation(zone)
	if err != nil {
		panic("loading the time zone " + zone + ": " + err.Error()) // it is embedded
	}
	return location
}

// envelope is the daily file.
type envelope struct {
	Days []struct {
		Date  string `xml:"time,attr"`
		Rates []struct {
			Currency string `xml:"currency,attr"`
			Rate     string `xml:"rate,attr"`
		} `xml:"Cube"`
	} `xml:"Cube>Cube"`
}

// parseECB reads the daily file of the European Central Bank. Errors: not that file, a date that
// is ahead of now, as for newTable.
func parseECB(raw []byte, now time.Time) (Table, error) {
	var file envelope
	if err := xml.Unmarshal(raw, &file); err != nil {
		return Table{}, fmt.Errorf("reading XML: %w", err)
	}
	if len(file.Days) != 1 {
		return Table{}, fmt.Errorf("the file has the rates of %d days; want one", len(file.Days))
	}
	day := file.Days[0]
	date, err := time.ParseInLocation(time.DateOnly, day.Date, frankfurt)
	if err != nil {
		return Table{}, fmt.Errorf("the date %.40q is not one", day.Date)
	}
	asOf := atHour(date, ecbPublishes)
	if err := checkNotAhead(asOf, now, maxDateAhead); err != nil {
		return Table{}, err
	}

	units := map[string]string{}
	for _, r := range day.Rates {
		if _, twice := units[r.Currency]; twice {
			return Table{}, fmt.Errorf("the file has two rates of %.10q", r.Currency)
		}
		units[r.Currency] = r.Rate
	}
	return newTable(ECB, "EUR", asOf, ecbValidUntil(date), units)
}

// ecbValidUntil returns until when the rates of a date in Frankfurt serve.
func ecbValidUntil(date time.Time) time.Time {
	next := date.AddDate(0, 0, 1)
	for !isTargetDay(next) {
		next = next.AddDate(0, 0, 1)
	}
	return atHour(next, ecbExpires)
}

func atHour(date time.Time, hour int) time.Time {
	year, month, day := date.Date()
	return time.Date(year, month, day, hour, 0, 0, 0, frankfurt)
}

// isTargetDay reports whether TARGET is open on a date: neither a weekend nor one of six holidays.
func isTargetDay(date time.Time) bool {
	if cal.IsWeekend(date) {
		return false
	}
	year, month, day := date.Date()
	for _, holiday := range ecb.Holidays {
		closed, _ := holiday.Calc(year) // midnight in a time zone of its own
		if closed.Month() == month && closed.Day() == day {
			return false
		}
	}
	return true
}
