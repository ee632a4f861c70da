package admin

import (
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/admin/page"
)

const (
	// pagePatience is how long one page of a sheet may take to be read and sent.
	pagePatience = 30 * time.Second
	// sheetPatience is how long a sheet may take altogether: what is read by then is
	// what it has.
	sheetPatience = 10 * time.Minute
)

// sheet is a list as a file for spreadsheets.
type sheet struct {
	columns []string
	// pages are the rows, as many at a time as are read at a time, until they end or
	// there is an error.
	pages iter.Seq2[[][]string, error]
}

// whole are rows that are there already.
func whole(rows [][]string) iter.Seq2[[][]string, error] {
	return func(yield func([][]string, error) bool) { yield(rows, nil) }
}

// line is one row of the file, a remark too as wide as all others: readers that are
// strict take no other.
func (s sheet) line(cells []string) string {
	return line(append(cells, make([]string, max(0, len(s.columns)-len(cells)))...))
}

// saved answers with the sheet that h returns. It is sent as it is read; one that
// breaks off has no end that a browser takes for one. Pages of other sites cannot
// have the browser of who is signed in by a proxy make some: each is written down,
// and may take pages of the gateway.
func (s *console) saved(name string, h func(v *visit, q url.Values) (sheet, error)) http.Handler {
	return s.signedIn(func(v *visit) {
		q := v.query()
		if site := v.r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
			v.show(v.trouble(&wire.Error{Code: wire.CodeForbidden}))
			return
		}
		file, err := h(v, q)
		if err == nil {
			err = v.record(name+".export", "", without(q, "cursor").Encode())
		}
		if err != nil {
			v.show(v.trouble(err))
			return
		}
		v.send(name, file)
	})
}

// send answers with a sheet. The deadline of the connection moves on with each
// page: the gateway's lists come at its pace, which may be a page in a second.
func (v *visit) send(name string, file sheet) {
	ends, begun := v.now().Add(sheetPatience), false
	conn := http.NewResponseController(v.w)
	patient := func() {
		// else the request ends with its server's; not all can
		_ = conn.SetReadDeadline(time.Now().Add(pagePatience))
		_ = conn.SetWriteDeadline(time.Now().Add(pagePatience))
	}
	patient()
	for rows, err := range file.pages {
		if err != nil && !begun {
			v.show(v.trouble(err))
			return
		}
		if err != nil {
			v.Log.Error("an export broke off", "request_id", v.request(), "error", err)
			panic(http.ErrAbortHandler)
		}
		if patient(); !begun {
			v.head(name, file.columns)
			begun = true
		}
		for _, row := range rows {
			fmt.Fprint(v.w, file.line(row))
		}
		if err := conn.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return // the client has gone
		}
		if v.now().After(ends) {
			fmt.Fprint(v.w, file.line([]string{
				"There is more than could be read in " + page.Span(sheetPatience) +
					": narrow the dates.",
			}))
			return
		}
	}
	if !begun {
		v.head(name, file.columns)
	}
}

// head begins a file.
func (v *visit) head(name string, columns []string) {
	h := v.w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8; header=present")
	h.Set(
		"Content-Disposition",
		`attachment; filename="`+name+`-`+v.now().Format("2006-01-02-1504")+`.csv"`,
	)
	fmt.Fprint(v.w, "\ufeff"+line(columns)) // the mark tells Excel that it is UTF-8
}
