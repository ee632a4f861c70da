package admin

import (
	"fmt"
	"net/http"
	"net/url"
)

// sheet is a list as a file for spreadsheets.
type sheet struct {
	name    string // of the file, and in the audit log
	columns []string
	rows    [][]string
	more    string // said in a last row: what is not in it; empty = nothing
}

// saved answers with the sheet that h returns. It is made before it is sent: a
// file that the browser keeps is whole.
func (s *console) saved(name string, h func(v *visit, q url.Values) (sheet, error)) http.Handler {
	return s.signedIn(func(v *visit) {
		q := v.query()
		err := v.record(name+".export", "", without(q, "").Encode())
		var file sheet
		if err == nil {
			file, err = h(v, q)
		}
		if err != nil {
			v.show(v.trouble(err))
			return
		}
		header := v.w.Header()
		header.Set("Content-Type", "text/csv; charset=utf-8; header=present")
		header.Set("Content-Disposition", `attachment; filename="`+name+`-`+v.now().Format("2006-01-02-1504")+`.csv"`)
		fmt.Fprint(v.w, "\ufeff"+line(file.columns)) // the mark tells Excel that it is UTF-8
		for _, row := range file.rows {
			fmt.Fprint(v.w, line(row)) // a client that has gone is not our error
		}
		if file.more != "" {
			fmt.Fprint(v.w, line([]string{file.more}))
		}
	})
}
