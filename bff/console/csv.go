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

	"coinslot/app/wire"
)

const (
	rowsOfAnExport = 10_000
	rowsOfARead    = 100
	// pageTimeout is how long one page of an export may take to be read and sent.
	pageTimeout = 30 * time.Second
	// exportTimeout is how long an export may take altogether: what is read by then is
	// what it has.
	exportTimeout = 10 * time.Minute
)

// export is a list as a CSV file for spreadsheets.
type export struct {
	columns []string
	// pages are the rows, as many at a time as are read at a time, until they end or
	// there is an error.
	pages iter.Seq2[[][]string, error]
}

// allAtOnce are rows that are there already.
func allAtOnce(rows [][]string) iter.Seq2[[][]string, error] {
	return func(yield func([][]string, error) bool) { yield(rows, nil) }
}

// byCursor reads page after page of the store, up to a bound, which a last row names.
func byCursor(
	read func(cursor string) (rows [][]string, next string, err error),
) iter.Seq2[[][]string, error] {
	return func(yield func([][]string, error) bool) {
		written := 0
		for cursor := ""; written < rowsOfAnExport; {
			rows, next, err := read(cursor)
			if !yield(rows, err) || err != nil || next == "" {
				return
			}
			cursor, written = next, written+len(rows)
		}
		yield([][]string{{"There are more than " + count(rowsOfAnExport) + ": narrow the dates."}},
			nil)
	}
}

// exporting answers with the file that h returns, sent as it is read; one that breaks off
// has no end that a browser takes for one. Other sites cannot make the browser of an operator
// whom a proxy signs in export files: each is recorded, and may take pages of the gateway.
func (c *console) exporting(
	name string, h func(r *request, q url.Values) (export, error),
) http.Handler {
	return c.signedIn(func(r *request) {
		q := r.r.URL.Query()
		q.Del("done")
		if site := r.r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
			r.show(r.failure(&wire.Error{Code: wire.CodeForbidden}))
			return
		}
		file, err := h(r, q)
		if err == nil {
			err = r.record(name+".export", "", without(q, "cursor").Encode())
		}
		if err != nil {
			r.show(r.failure(err))
			return
		}
		r.send(name, file)
	})
}

// send answers with a file. The deadline of the connection moves on with each
// page: the gateway's lists come at its pace, which may be a page in a second.
func (r *request) send(name string, file export) {
	ends, begun := r.now().Add(exportTimeout), false
	conn := http.NewResponseController(r.w)
	extend := func() {
		// else the request ends with its server's; not all can
		_ = conn.SetReadDeadline(time.Now().Add(pageTimeout))
		_ = conn.SetWriteDeadline(time.Now().Add(pageTimeout))
	}
	extend()
	for rows, err := range file.pages {
		if err != nil && !begun {
			r.show(r.failure(err))
			return
		}
		if err != nil {
			r.Log.Error("console export broke off", "request_id", r.id(), "error", err)
			panic(http.ErrAbortHandler)
		}
		if extend(); !begun {
			r.sendHead(name, file.columns)
			begun = true
		}
		for _, row := range rows {
			fmt.Fprint(r.w, file.line(row))
		}
		if err := conn.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return // the client has gone
		}
		if r.now().After(ends) {
			fmt.Fprint(r.w, file.line([]string{"There is more than could be read in " +
				formatDuration(exportTimeout) + ": narrow the dates."}))
			return
		}
	}
	if !begun {
		r.sendHead(name, file.columns)
	}
}

// sendHead begins a file.
func (r *request) sendHead(name string, columns []string) {
	h := r.w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8; header=present")
	h.Set("Content-Disposition",
		`attachment; filename="`+name+`-`+r.now().Format("2006-01-02-1504")+`.csv"`)
	fmt.Fprint(r.w, "\ufeff"+line(columns)) // the mark tells Excel that it is UTF-8
}

// line is one row of the file; every row is as wide as the columns: strict readers take no
// other.
func (e export) line(cells []string) string {
	return line(append(cells, make([]string, max(0, len(e.columns)-len(cells)))...))
}

// line is one row of a CSV file, every cell quoted. Source: RFC 4180.
func line(cells []string) string {
	var b strings.Builder
	for i, cell := range cells {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + strings.ReplaceAll(defused(cell), `"`, `""`) + `"`)
	}
	return b.String() + "\r\n"
}

// defused is text that no spreadsheet takes for a formula: one that begins like
// it gets an apostrophe before it, which says that it is text. Line breaks are
// spaces, so that no reader can take what is in a cell for a row. Source: OWASP,
// CSV Injection.
func defused(text string) string {
	dangerous := text != "" && strings.ContainsAny(text[:1], "=+-@\t\r\n") ||
		strings.HasPrefix(text, "＝") || strings.HasPrefix(text, "＋") ||
		strings.HasPrefix(text, "－") || strings.HasPrefix(text, "＠")
	text = strings.Map(func(r rune) rune {
		if r == '\r' || r == '\n' || r == 0 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	if trimmed := strings.TrimLeft(text, " "); dangerous ||
		trimmed != "" && strings.ContainsAny(trimmed[:1], "=+-@\t") {
		return "'" + text
	}
	return text
}

func yes(so bool) string {
	if so {
		return "yes"
	}
	return ""
}

// number is a whole number in a file; "" for zero, which means that there is none.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
