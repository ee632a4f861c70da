package console

import (
	"encoding/csv"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

// send is what its method send makes of a file, if each page takes that long to be read.
func send(t *testing.T, file exportFile, page time.Duration) [][]string {
	t.Helper()
	now := time.Unix(1_700_000_000, 0)
	w := httptest.NewRecorder()
	begun, err := file.send(w, "payments", func() time.Time { now = now.Add(page); return now })
	if !begun || err != nil {
		t.Fatalf("send = %v, %v", begun, err)
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(w.Body.String(),
		"\ufeff"))).ReadAll() // refuses rows of another width
	fortest.OK(t, err)
	return rows
}

// A file ends after a bound of rows and of time, and says so in a row as wide as all.
func TestExportMarksTruncation(t *testing.T) {
	endless := exportFile{
		Columns: []string{"session", "made"},
		Pages: rowsByCursor(func(string) ([][]string, string, error) {
			return make([][]string, exportReadSize), "more", nil
		})}
	for name, c := range map[string]struct {
		page time.Duration
		rows int
		last string
	}{
		"rows": {0, maxExportRows, "There are more than 10,000: narrow the dates."},
		"time": {
			time.Minute,
			10 * exportReadSize,
			"There is more than could be read in 10 min: narrow the dates.",
		},
	} {
		rows := send(t, endless, c.page)
		last := rows[len(rows)-1]
		if len(rows) != c.rows+2 || last[0] != c.last { // with the head and what is said
			t.Errorf("%s: %d rows, the last %q; want %d and %q", name, len(rows), last, c.rows+2,
				c.last)
		}
	}
	fortest.Equal(t, len(send(t, exportFile{Columns: []string{"session"}, Pages: rowsAtOnce(nil)},
		0)), 1,
		"a file of nothing")
}

// A broken export returns an error, and says whether a part was sent.
func TestExportBreaksOff(t *testing.T) {
	away := errors.New("the database is away")
	for first, want := range map[bool]bool{true: true, false: false} {
		reads := 0
		file := exportFile{
			Columns: []string{"session"},
			Pages: rowsByCursor(func(string) ([][]string, string, error) {
				if reads++; reads > 1 || !first {
					return nil, "", away
				}
				return [][]string{{"cs_a"}}, "more", nil
			})}
		w := httptest.NewRecorder()
		begun, err := file.send(w, "payments", time.Now)
		if begun != want || !errors.Is(err, away) || (w.Body.Len() > 0) != want {
			t.Errorf("with a first page %t: send = %t, %v, %q", first, begun, err, w.Body)
		}
	}
}

// Text that a spreadsheet would read as a formula is escaped, other text is unchanged.
func TestEscapeFormula(t *testing.T) {
	for given, want := range map[string]string{
		"":                   "",
		"ORD-1":              "ORD-1",
		"25.00":              "25.00",
		"0.1":                "0.1",
		"müller@example.org": "müller@example.org",
		"a=b":                "a=b",
		"Ann's":              "Ann's",
		"=1+1":               "'=1+1",
		"+1":                 "'+1",
		"-1":                 "'-1",
		"@SUM(A1)":           "'@SUM(A1)",
		"\t=1":               "'\t=1",
		"\r=1":               "' =1",
		"\n=1":               "' =1",
		" =1":                "' =1",
		"   @x":              "'   @x",
		"＝1+1":               "'＝1+1",
		"＠x":                 "'＠x",
		"two\nlines":         "two lines",
		"two\r\nlines":       "two  lines",
		"a\x00b":             "a b",
		"a\xffb":             "a\ufffdb",
	} {
		fortest.Equal(t, escapeFormula(given), want, "defused(%q)", given)
	}
}

// Every record is read back as one row, whatever is in its cells.
func FuzzLine(f *testing.F) {
	f.Fuzz(func(t *testing.T, a, b string) {
		text := csvLine([]string{a, b})
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || len(rows) != 1 || len(rows[0]) != 2 {
			t.Fatalf("csvLine(%q, %q) = %q: %v %v", a, b, text, rows, err)
		}
		fortest.Diff(t, rows[0], []string{escapeFormula(a), escapeFormula(b)}, "cells")
		for _, cell := range rows[0] {
			if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r\n") {
				t.Errorf("csvLine(%q, %q) has the cell %q", a, b, cell)
			}
		}
	})
}
