// Package diagnose has the findings of configuration checks and prints them: finding.go,
// text.go. Package check makes them for a server.
//
// The other files check an embedding for /checkout/doctor: the server's own settings, and
// what the headers of a host page allow. They send no requests. Start with [Examine].
package diagnose

import (
	"cmp"
	"slices"
)

// Severity is how a finding counts: good, a warning, an error or unknown.
type Severity string

// The severities. Unknown is for what only a browser, or a host page's headers, can tell.
const (
	OK      Severity = "ok"
	Warn    Severity = "warn"
	Fail    Severity = "fail" // a reason not to go live
	Unknown Severity = "unknown"
)

// Word is the label of a severity on pages.
func (s Severity) Word() string {
	return cmp.Or(map[Severity]string{OK: "Fine", Warn: "Look", Fail: "Fix"}[s], "Unknown")
}

// Place is where the lines of a finding go.
type Place string

// Places, in display order.
const (
	Settings    Place = "coinslot"                // the environment of the server
	Policy      Place = "content_security_policy" // of the host page
	Permissions Place = "permissions_policy"      // of the host page
	HTML        Place = "html"                    // of the host page
	Proxy       Place = "proxy"                   // in front of the server
	Machine     Place = "machine"                 // that runs the server
)

// Places returns all places in display order.
func Places() []Place { return []Place{Settings, Policy, Permissions, HTML, Proxy, Machine} }

// Title is the heading of a place.
func (p Place) Title() string {
	return cmp.Or(map[Place]string{
		Settings:    "Settings of Coinslot (then restart it)",
		Policy:      "Content-Security-Policy of your page, if it has one",
		Permissions: "Permissions-Policy of your page",
		HTML:        "HTML of your page",
		Proxy:       "Proxy in front of Coinslot",
		Machine:     "Machine that runs Coinslot",
	}[p], string(p))
}

// Source is what a finding is based on.
type Source string

// The server alone, the pasted headers, or the browser that has the page open.
const (
	Server  Source = "server"
	Page    Source = "page"
	Browser Source = "browser"
)

// Finding is the result of one check. Its JSON is the doctor's.
type Finding struct {
	ID       string   `json:"id"` // of the check: "gateway"
	By       Source   `json:"by"`
	Title    string   `json:"title"` // empty = show the ID
	Severity Severity `json:"status"`
	Text     string   `json:"detail"` // the result
	Fix      string   `json:"-"`      // empty = none, or Add has it
	Place    Place    `json:"place,omitempty"`
	Add      []string `json:"add"` // lines for Place
	Details  []string `json:"-"`   // one line each
}

// Count counts the findings of a severity.
func Count(list []Finding, s Severity) (n int) {
	for _, f := range list {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// Lines collects the lines to add by place, each once.
func Lines(list []Finding) map[Place][]string {
	all := map[Place][]string{}
	for _, f := range list {
		if f.Severity == OK {
			continue
		}
		for _, line := range f.Add {
			if !slices.Contains(all[f.Place], line) {
				all[f.Place] = append(all[f.Place], line)
			}
		}
	}
	return all
}
