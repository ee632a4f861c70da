package diagnose

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"
)

// Report is the doctor's answer.
type Report struct {
	Server string `json:"server"` // its public URL
	// Version of checkout.js; empty = unknown.
	Version string `json:"version"`
	Time    string `json:"time"`   // of the server, RFC 3339, UTC
	Origin  string `json:"origin"` // of the host page; empty = missing or invalid
	Listed  bool   `json:"listed"`
	// Code is the requested error code; nil = none, or unknown.
	Code   *Code     `json:"code,omitempty"`
	Checks []Finding `json:"checks"`
	// Add has the lines of all checks that are not ok, each once, by place.
	Add map[Place][]string `json:"add"`
}

// Question is the input of [Examine].
type Question struct {
	URL       string // public, an origin
	Version   string // of checkout.js
	Integrity string // of checkout.js, "sha384-…"; empty = not built
	// API, Orders and Items: whether sessions, order tokens and catalog items are enabled.
	API, Orders, Items bool
	Now                time.Time

	Given  string // the origin as entered
	Origin string // Given in browser form; empty = invalid
	Listed bool   // Origin may frame the checkout
	Pasted string // the host page's response headers; empty = none
	Code   string // an error code of the loader; empty = none
	// AddOrigin is what a line that lists Origin has before it; empty = the setting.
	AddOrigin string
}

// Examine runs all checks that need no browser. The others are in the report as Unknown.
func Examine(q Question) Report {
	q.AddOrigin = cmp.Or(q.AddOrigin, OriginsSetting)
	r := Report{
		Server: q.URL, Version: q.Version, Time: q.Now.UTC().Format("2006-01-02T15:04:05.000Z"),
		Origin: q.Origin,
		Listed: q.Listed, Code: q.code(),
	}
	own := []Finding{q.origin(), q.https(), q.site(), q.sells(), q.tag()}
	r.Checks = slices.Concat(own, q.page(), browserChecks())
	for i := range r.Checks {
		if r.Checks[i].Add == nil {
			r.Checks[i].Add = []string{} // a list in JSON
		}
	}
	r.Add = Lines(r.Checks)
	return r
}

// Hints are for the console of a page whose frame fails: by error code, what its developer has to
// change, in one line of ASCII.
type Hints struct {
	OriginRefused string `json:"origin_refused"`
	FrameBlocked  string `json:"frame_blocked"`
	Timeout       string `json:"timeout"`
}

// NewHints are those of the server at an origin, for a page of an origin that is not listed. add is
// as AddOrigin of [Question].
func NewHints(server, add, origin string) Hints {
	h := Hints{
		OriginRefused: "COINSLOT_ORIGINS must list the origin of this page",
		FrameBlocked: "a proxy must not add X-Frame-Options or Content-Security-Policy " +
			"frame-ancestors to " + server +
			" (COINSLOT_PUBLIC_URL); a sandbox around this page needs allow-same-origin",
		Timeout: "no answer in time from " + server +
			": is it reachable, and what COINSLOT_PUBLIC_URL says?",
	}
	if add != "" {
		h.OriginRefused = "restart it to allow this page: " + add + origin
	}
	return h
}

// OriginsSetting comes before an origin that is to be listed.
const OriginsSetting = "COINSLOT_ORIGINS=…,"

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
	known := slices.DeleteFunc(slices.Clone(r.Checks),
		func(f Finding) bool { return f.By == Browser })
	Print(w, known, Style{})
	fmt.Fprintf(w, "\n%d more checks need a browser: open this address in one.\n"+
		"Check a page by its headers:\n\n    curl -sI YOUR-PAGE | curl --data-urlencode "+
		"headers@- '%s/checkout/doctor?origin=%s'\n",
		len(r.Checks)-len(known), r.Server, cmp.Or(r.Origin, "https://shop.example"))
}

// browserChecks are the checks of static/doctor.js.
func browserChecks() []Finding {
	list := []Finding{
		{ID: "address", Title: "Public address"},
		{ID: "script", Title: "checkout.js"},
		{ID: "frame", Title: "Frame"},
		{ID: "csp", Title: "Content-Security-Policy of the checkout, as received"},
		{ID: "coep", Title: "Cross-origin isolation, as received"},
		{ID: "framing", Title: "X-Frame-Options"},
		{ID: "cache", Title: "Caching"},
		{ID: "wasm", Title: "WebAssembly"},
		{ID: "storage", Title: "Storage"},
		{ID: "websocket", Title: "Websocket"},
		{ID: "clock", Title: "Clocks"},
	}
	for i := range list {
		list[i].By, list[i].Severity = Browser, Unknown
		list[i].Text = "Needs a browser: open this page in one, with JavaScript on."
	}
	return list
}
