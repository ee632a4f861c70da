package admin

import (
	"encoding/csv"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// sent is the file that a sheet becomes, if each page takes that long to be read.
func sent(t *testing.T, file sheet, page time.Duration) [][]string {
	t.Helper()
	now := time.Unix(1_700_000_000, 0)
	w := httptest.NewRecorder()
	v := &visit{console: &console{Config: Config{Now: func() time.Time { now = now.Add(page); return now }, Log: slog.New(slog.DiscardHandler)}}, w: w}
	v.send("payments", file)
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(w.Body.String(), "\ufeff"))).ReadAll() // refuses rows of another width
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// A file ends after a bound of rows and of time, and says so in a row as wide as all.
func TestSheetSaysThatItEnds(t *testing.T) {
	endless := sheet{columns: []string{"session", "made"}, pages: pagewise(func(string) ([][]string, string, error) {
		return make([][]string, rowsOfARead), "more", nil
	})}
	for name, c := range map[string]struct {
		page time.Duration
		rows int
		last string
	}{
		"rows": {0, rowsOfAnExport, "There are more than 10,000: narrow the dates."},
		"time": {time.Minute, 10 * rowsOfARead, "There is more than could be read in 10 min: narrow the dates."},
	} {
		rows := sent(t, endless, c.page)
		if last := rows[len(rows)-1]; len(rows) != c.rows+2 || last[0] != c.last { // with the head and what is said
			t.Errorf("%s: %d rows, the last %q; want %d and %q", name, len(rows), last, c.rows+2, c.last)
		}
	}
	if rows := sent(t, sheet{columns: []string{"session"}, pages: whole(nil)}, 0); len(rows) != 1 {
		t.Errorf("a file of nothing is %q; want its head", rows)
	}
}

// A file that breaks off has no end that a browser takes for one.
func TestSheetBreaksOff(t *testing.T) {
	reads := 0
	file := sheet{columns: []string{"session"}, pages: pagewise(func(string) ([][]string, string, error) {
		if reads++; reads > 1 {
			return nil, "", errors.New("the database is away")
		}
		return [][]string{{"cs_a"}}, "more", nil
	})}
	defer func() {
		if got := recover(); got != http.ErrAbortHandler {
			t.Errorf("it ended with %v; want http.ErrAbortHandler", got)
		}
	}()
	sent(t, file, 0)
}
