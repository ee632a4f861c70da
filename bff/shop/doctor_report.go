package shop

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"coinslot/bff/check"
)

// DoctorReport is the doctor's answer as JSON; docs/doctor.md has an example.
type DoctorReport struct {
	Server string `json:"server"` // its public URL
	// Version of checkout.js; empty = unknown.
	Version string `json:"version"`
	Time    string `json:"time"`   // of the server, RFC 3339, UTC
	Origin  string `json:"origin"` // of the host page; empty = missing or invalid
	Listed  bool   `json:"listed"`
	// Code is the requested error code; nil = none, or unknown.
	Code   *check.Code     `json:"code,omitempty"`
	Checks []check.Finding `json:"checks"`
	// Add has the lines of all checks that are not ok, each once, by place.
	Add map[check.Place][]string `json:"add"`
}

// newReport checks a host page.
func newReport(e check.Embedding, now time.Time) DoctorReport {
	found := e.Findings()
	return DoctorReport{
		Server:  e.URL,
		Version: e.Version,
		Time:    now.UTC().Format("2006-01-02T15:04:05.000Z"),
		Origin:  e.Origin,
		Listed:  e.Listed,
		Code:    e.Explain(),
		Checks:  found,
		Add:     check.Lines(found),
	}
}

// print writes the report for a terminal. Errors of w are ignored.
func (r DoctorReport) print(w io.Writer) {
	fmt.Fprintf(w, "Checkout at %s", r.Server)
	if r.Version != "" {
		fmt.Fprintf(w, ", checkout.js %s", r.Version)
	}
	fmt.Fprintf(w, ", %s\n\n", r.Time)
	if r.Code != nil {
		fmt.Fprintf(w, "%s: %s\n  %s\n\n", r.Code.ID, r.Code.Text, r.Code.Fix)
		for _, line := range r.Code.Add {
			fmt.Fprintf(w, "    %s\n\n", line)
		}
	}
	known := slices.DeleteFunc(slices.Clone(r.Checks),
		func(f check.Finding) bool { return f.By == check.Browser })
	check.Print(w, known, check.Style{})
	fmt.Fprintf(w, "\n%d more checks need a browser: open this address in one.\n"+
		"Check a page by its headers:\n\n    curl -sI YOUR-PAGE | curl --data-urlencode "+
		"headers@- '%s/checkout/doctor?origin=%s'\n",
		len(r.Checks)-len(known), r.Server, cmp.Or(r.Origin, "https://shop.example"))
}
