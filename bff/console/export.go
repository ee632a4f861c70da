package console

import (
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	maxExportRows = 10_000
	// exportReadSize is how many rows of the store a file should read at a time.
	exportReadSize = 100
	// exportPageTimeout is how long one page of a file may take to be read and sent.
	exportPageTimeout = 30 * time.Second
	// exportTimeout is how long a file may take altogether: what is read by then is
	// what it has.
	exportTimeout = 10 * time.Minute
)

// exportFile is a list as a CSV file.
type exportFile struct {
	Columns []string
	// Pages are the rows, as many at a time as are read at a time, until they end or
	// there is an error.
	Pages iter.Seq2[[][]string, error]
}

// listExporter returns a list as a file.
type listExporter func(r *request, query url.Values) (exportFile, error)

// export answers with the file of a list, sent as it is read; one that breaks off has no end that a
// browser takes for one. Other sites cannot make the browser of an operator whom a proxy signs in
// export files: each is recorded, and may take pages of the gateway.
func (r *request) export(name string, list listExporter) error {
	err := r.site.SameOrigin(r.r)
	if err != nil {
		return err
	}

	query := r.r.URL.Query()
	query.Del("done")
	file, err := list(r, query)
	if err != nil {
		return err
	}

	err = r.record(name+".export", "", exportDetail(query))
	if err != nil {
		return err
	}

	begun, err := file.send(r.w, name, r.Now)
	if err != nil && begun {
		r.Log.Error("console export broke off", "request_id", r.id(), "error", err)
		panic(http.ErrAbortHandler)
	}
	return err
}

// exportDetail is what the audit log keeps of an export's filters. What was searched for may be an
// e-mail, and would outlast the erasure of its sessions: only that there was something is kept.
func exportDetail(q url.Values) string {
	kept := formWithout(q, "cursor")
	for name, values := range kept {
		if name == "q" || strings.Contains(values[0], "@") {
			kept.Set(name, "…")
		}
	}
	detail, err := url.QueryUnescape(kept.Encode())
	if err != nil {
		return ""
	}
	return detail
}

// rowsAtOnce are rows that are there already.
func rowsAtOnce(rows [][]string) iter.Seq2[[][]string, error] {
	return func(yield func([][]string, error) bool) { yield(rows, nil) }
}

// rowsByCursor reads page after page of the store, the first one with the cursor "", up to
// 10,000 rows; a last row says if there are more.
func rowsByCursor(
	read func(cursor string) (rows [][]string, next string, err error),
) iter.Seq2[[][]string, error] {
	return func(yield func([][]string, error) bool) {
		written := 0
		for cursor := ""; written < maxExportRows; {
			rows, next, err := read(cursor)
			if !yield(rows, err) || err != nil || next == "" {
				return
			}
			cursor, written = next, written+len(rows)
		}
		yield(truncatedRow(maxExportRows), nil)
	}
}

// rowsByNumber reads page after page, from 1 on, up to a bound; a last row says if there are
// more, of so many rows a page. last reports whether there is no page behind that one.
func rowsByNumber(
	pages, pageSize int, read func(number int) (rows [][]string, last bool, err error),
) iter.Seq2[[][]string, error] {
	return func(yield func([][]string, error) bool) {
		for number := 1; number <= pages; number++ {
			rows, last, err := read(number)
			if !yield(rows, err) || err != nil || len(rows) == 0 || last {
				return
			}
		}
		yield(truncatedRow(pages*pageSize), nil)
	}
}

func truncatedRow(rows int) [][]string {
	return [][]string{{"There are more than " + formatCount(rows) + ": narrow the dates."}}
}

// send answers with a file; name is that of its list. The deadline of the connection moves
// on with each page: the gateway's lists come at its pace, which may be a page in a second.
// Errors: what could not be read. If begun, a part of the file was sent before.
func (f exportFile) send(
	w http.ResponseWriter, name string, now func() time.Time,
) (begun bool, err error) {
	ends := now().Add(exportTimeout)
	conn := http.NewResponseController(w)
	extend := func() {
		// else the request ends with its server's; not all can
		_ = conn.SetReadDeadline(time.Now().Add(exportPageTimeout))
		_ = conn.SetWriteDeadline(time.Now().Add(exportPageTimeout))
	}
	extend()
	for rows, err := range f.Pages {
		if err != nil {
			return begun, err
		}
		if extend(); !begun {
			f.sendHead(w, name, now())
			begun = true
		}
		for _, row := range rows {
			fmt.Fprint(w, f.line(row))
		}
		if err := conn.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return begun, nil // the client has gone
		}
		if now().After(ends) {
			fmt.Fprint(w, f.line([]string{"There is more than could be read in " +
				formatDuration(exportTimeout) + ": narrow the dates."}))
			return begun, nil
		}
	}
	if !begun {
		f.sendHead(w, name, now())
	}
	return true, nil
}

func (f exportFile) sendHead(w http.ResponseWriter, name string, now time.Time) {
	w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
	w.Header().Set("Content-Disposition",
		`attachment; filename="`+name+`-`+now.UTC().Format("2006-01-02-1504")+`.csv"`)
	fmt.Fprint(w, "\ufeff"+csvLine(f.Columns)) // the mark tells Excel that it is UTF-8
}

// line is one row of the file; every row is as wide as the columns: strict readers take no
// other.
func (f exportFile) line(cells []string) string {
	return csvLine(append(cells, make([]string, max(0, len(f.Columns)-len(cells)))...))
}

// csvLine is one row of a CSV file, every cell quoted. Source: RFC 4180.
func csvLine(cells []string) string {
	quoted := make([]string, len(cells))
	for i, cell := range cells {
		quoted[i] = `"` + strings.ReplaceAll(escapeFormula(cell), `"`, `""`) + `"`
	}
	return strings.Join(quoted, ",") + "\r\n"
}

// escapeFormula is text that no spreadsheet takes for a formula: one that begins like
// it gets an apostrophe before it, which says that it is text. Line breaks are
// spaces, so that no reader can take what is in a cell for a row. Source: OWASP,
// CSV Injection.
func escapeFormula(text string) string {
	dangerous := strings.IndexAny(text, "=+-@\t\r\n＝＋－＠") == 0
	text = strings.Map(func(r rune) rune {
		if r == '\r' || r == '\n' || r == 0 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	if dangerous || strings.IndexAny(strings.TrimLeft(text, " "), "=+-@\t") == 0 {
		return "'" + text
	}
	return text
}

// exportYes is "yes" or nothing.
func exportYes(so bool) string {
	if so {
		return "yes"
	}
	return ""
}

// exportNumber is a whole number in a file; "" for zero, which means that there is none.
func exportNumber(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
