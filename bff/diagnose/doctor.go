package diagnose

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"
)

// Report is all that was looked at.
type Report struct {
	Server string `json:"server"` // its public URL
	// Version is that of checkout.js; empty if it names none.
	Version string `json:"version"`
	Time    string `json:"time"`   // of the server, RFC 3339, UTC
	Origin  string `json:"origin"` // of the host page; empty = none was given, or it is none
	Listed  bool   `json:"listed"`
	// Code is the error code that was asked about; nil = none, or not a known one.
	Code   *Code     `json:"code,omitempty"`
	Checks []Finding `json:"checks"`
	// Add is the lines of all checks that are not ok, each once, by place.
	Add map[Place][]string `json:"add"`
}

// Question is what is asked, and what the server knows of itself.
type Question struct {
	URL       string // public, an origin
	Version   string // of checkout.js
	Integrity string // of checkout.js, "sha384-…"; empty = it was not built
	// API, Orders and Items tell what pages can sell: sessions, order tokens, items
	// of a catalogue.
	API, Orders, Items bool
	Now                time.Time

	Given  string // what was given as an origin
	Origin string // the same as browsers write it; empty = it is none
	Listed bool   // Origin may frame the checkout
	Pasted string // the host page's response headers; empty = none
	Code   string // an error code of the console; empty = none
}

// Examine judges everything that can be judged without a browser. What is left
// to one is in the report as Unknown.
func Examine(q Question) Report {
	r := Report{
		Server: q.URL, Version: q.Version, Time: q.Now.UTC().Format(time.RFC3339), Origin: q.Origin,
		Listed: q.Listed, Code: q.code(),
	}
	r.Checks = append(r.Checks, q.origin(), q.https(), q.site(), q.sells(), q.tag())
	r.Checks = append(r.Checks, q.page()...)
	r.Checks = append(r.Checks, browserChecks()...)
	for i := range r.Checks {
		if r.Checks[i].Add == nil {
			r.Checks[i].Add = []string{} // a list in JSON
		}
	}
	r.Add = Lines(r.Checks)
	return r
}

// Text writes the report for a terminal. Errors of w are ignored.
func (r Report) Text(w io.Writer) {
	fmt.Fprintf(w, "Checkout at %s", r.Server)
	if r.Version != "" {
		fmt.Fprintf(w, ", checkout.js %s", r.Version)
	}
	fmt.Fprintf(w, ", %s\n\n", r.Time)
	if r.Code != nil {
		fmt.Fprintf(w, "%s: %s\n  %s\n\n", r.Code.Code, r.Code.Cause, r.Code.Fix)
		if r.Code.Line != "" {
			fmt.Fprintf(w, "    %s\n\n", r.Code.Line)
		}
	}
	known := slices.Clone(r.Checks)
	known = slices.DeleteFunc(known, func(f Finding) bool { return f.By == Browser })
	Print(w, known, Style{})
	fmt.Fprintf(w, "\n%d more checks need a browser: open this address in one.\n"+
		"Judge a page by its headers:\n\n    curl -sI YOUR-PAGE | curl --data-urlencode "+
		"headers@- '%s/checkout/doctor?origin=%s'\n",
		len(r.Checks)-len(known), r.Server, cmp.Or(r.Origin, "https://shop.example"))
}

// browserChecks are what static/doctor.js finds out.
func browserChecks() []Finding {
	list := []Finding{
		{ID: "address", Title: "Public address"},
		{ID: "script", Title: "checkout.js"},
		{ID: "frame", Title: "Frame"},
		{ID: "csp", Title: "Policy of the checkout, as it arrives"},
		{ID: "coep", Title: "Cross-origin isolation, as it arrives"},
		{ID: "framing", Title: "X-Frame-Options"},
		{ID: "cache", Title: "Caching"},
		{ID: "wasm", Title: "WebAssembly"},
		{ID: "storage", Title: "Storage"},
		{ID: "websocket", Title: "Websocket"},
		{ID: "clock", Title: "Clocks"},
	}
	for i := range list {
		list[i].By, list[i].Severity = Browser, Unknown
		list[i].Text = "Only a browser can tell: open this page in one, with JavaScript on."
	}
	return list
}
