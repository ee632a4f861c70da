package rates

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"coinslot/bff/internal/yamlfile"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml/ast"
)

// document is the form of JSON sources and of files: how many units of each currency one unit of
// base is worth.
type document struct {
	Base       string
	Timestamp  string // seconds since 1970; "" = there is none
	Date       string // a day or a time as in RFC 3339; "" = there is none
	ValidUntil string // of files; likewise
	Rates      map[string]string
}

// A rate of a JSON source serves for jsonServes after its time, or after the end of its day.
const jsonServes = 2 * time.Hour

// A source's clock may be ahead by maxAhead. A day may be ahead by maxDateAhead: it begins earlier
// in the east.
const (
	maxAhead     = 5 * time.Minute
	maxDateAhead = 24 * time.Hour
)

func checkNotAhead(asOf, now time.Time, by time.Duration) error {
	if asOf.After(now.Add(by)) {
		return fmt.Errorf("the rates are of %s, which is ahead of this machine's clock",
			asOf.UTC().Format(time.RFC3339))
	}
	return nil
}

// moment is a time, or a whole day in UTC.
type moment struct {
	at  time.Time // of a day, its beginning
	day bool
}

// end returns the time itself, or the end of the day.
func (m moment) end() time.Time {
	if m.day {
		return m.at.AddDate(0, 0, 1)
	}
	return m.at
}

func (m moment) checkNotAhead(now time.Time) error {
	if m.day {
		return checkNotAhead(m.at, now, maxDateAhead)
	}
	return checkNotAhead(m.at, now, maxAhead)
}

// secondsText are seconds since 1970 from 2001 to 2286, so that milliseconds are not taken for them.
var secondsText = regexp.MustCompile(`^[1-9][0-9]{9}$`)

// moment returns when the rates were published; false = the document does not say. A timestamp
// says more than a date, so it counts if there are both.
func (d document) moment() (m moment, ok bool, err error) {
	if d.Timestamp != "" {
		seconds, err := strconv.ParseInt(d.Timestamp, 10, 64)
		if err != nil || !secondsText.MatchString(d.Timestamp) {
			return moment{}, false, errors.New("the timestamp is not in seconds since 1970")
		}
		return moment{at: time.Unix(seconds, 0).UTC()}, true, nil
	}
	if d.Date == "" {
		return moment{}, false, nil
	}
	m, err = parseMoment(d.Date)
	if err != nil {
		return moment{}, false, fmt.Errorf("the date %w", err)
	}
	return m, true, nil
}

func parseMoment(text string) (moment, error) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return moment{day, true}, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return moment{}, fmt.Errorf("%.40q is neither 2026-11-26 nor 2026-11-26T15:00:00Z", text)
	}
	return moment{at: at.UTC()}, nil
}

// parseJSON reads a JSON document. Errors: not one, no time or one that is ahead of now, as for
// newTable.
func parseJSON(raw []byte, now time.Time) (Table, error) {
	var file struct {
		Base      jsontext.Value            `json:"base"`
		Timestamp jsontext.Value            `json:"timestamp"`
		Date      jsontext.Value            `json:"date"`
		Rates     map[string]jsontext.Value `json:"rates"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return Table{}, errors.New("the answer is not JSON with base, timestamp or date, and rates")
	}
	d := document{
		Base:      textOf(file.Base),
		Timestamp: textOf(file.Timestamp),
		Date:      textOf(file.Date),
		Rates:     map[string]string{},
	}
	for code, value := range file.Rates {
		d.Rates[code] = textOf(value)
	}

	published, ok, err := d.moment()
	if err != nil {
		return Table{}, err
	}
	if !ok {
		return Table{}, errors.New("the document has neither timestamp nor date")
	}
	if err := published.checkNotAhead(now); err != nil {
		return Table{}, err
	}
	return newTable(JSON, d.Base, published.at, published.end().Add(jsonServes), d.Rates)
}

// textOf returns a string, or a number as it is written; "" = the value is absent or of another
// kind.
func textOf(value jsontext.Value) string {
	switch value.Kind() {
	case '0':
		return string(value)
	case '"':
		text, err := jsontext.AppendUnquote(nil, value)
		if err != nil {
			return ""
		}
		return string(text)
	}
	return ""
}

// parseFile reads a YAML file of fixed rates that was changed at modified. Errors: not one, a
// time that is ahead of now, as for newTable.
func parseFile(raw []byte, modified, now time.Time) (Table, error) {
	d, err := parseYAML(raw)
	if err != nil {
		return Table{}, err
	}

	published, ok, err := d.moment()
	if err != nil {
		return Table{}, err
	}
	if !ok {
		published = moment{at: modified}
	}
	if err := published.checkNotAhead(now); err != nil {
		return Table{}, err
	}

	var validUntil time.Time
	if d.ValidUntil != "" {
		until, err := parseMoment(d.ValidUntil)
		if err != nil {
			return Table{}, fmt.Errorf("valid_until %w", err)
		}
		validUntil = until.end()
	}
	return newTable(Fixed, d.Base, published.at, validUntil, d.Rates)
}

// fileRecord is a file of fixed rates as it is written. Scalars are text, with quotes or without.
type fileRecord struct {
	Base       string            `yaml:"base"`
	Timestamp  string            `yaml:"timestamp"`
	Date       string            `yaml:"date"`
	ValidUntil *string           `yaml:"valid_until"`
	Rates      map[string]number `yaml:"rates"`
}

// number is the text of a rate; "" if the file has something else in its place, which makes only
// that rate invalid.
type number string

// UnmarshalYAML accepts every value.
func (n *number) UnmarshalYAML(node ast.Node) error {
	text, err := yamlfile.Text(node)
	if err == nil {
		*n = number(text)
	}
	return nil
}

// parseYAML reads the members of a file. Errors: not YAML, members that are unknown or not text.
func parseYAML(raw []byte) (document, error) {
	var file fileRecord
	if err := yamlfile.Read(raw, &file, true); err != nil {
		return document{}, err
	}
	if file.Rates == nil {
		return document{}, errors.New("rates must be a mapping of currencies to numbers")
	}

	d := document{
		Base:      file.Base,
		Timestamp: file.Timestamp,
		Date:      file.Date,
		Rates:     map[string]string{},
	}
	if file.ValidUntil != nil {
		d.ValidUntil = *file.ValidUntil
		if d.ValidUntil == "" {
			return document{}, errors.New("valid_until must not be empty")
		}
	}
	for code, text := range file.Rates {
		d.Rates[code] = string(text)
	}
	return d, nil
}
