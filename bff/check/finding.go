// Package check finds what keeps a checkout from working, and says what to change.
//
// [Setup] checks a deployment before it goes live: settings, files, database, gateway, the way
// through the proxy, webhook endpoints and the machine. It is what coinslot check runs.
//
// [Embedding] checks a host page: what its headers allow, and what the server's own settings mean
// for it. It is what /checkout/doctor shows, and sends no requests.
//
// Both return findings. [Codes] are findings too, by the error codes that a host page can see:
// data-debug logs them in the browser's console. Callers write them as text, JSON or HTML;
// [Print] is the text that all have in common.
package check

import (
	"cmp"
	"slices"
)

// Finding is the result of one check: what was found and why, and what to change.
// Its JSON is the doctor's, see docs/doctor.md.
type Finding struct {
	ID     string `json:"id"`    // of the check: "gateway"
	By     Source `json:"by"`    // empty in findings of a Setup
	Title  string `json:"title"` // what was checked; empty = show the ID
	Status Status `json:"status"`
	Text   string `json:"detail"` // what was found, and why it matters
	// Fix is what to do, as a sentence or as the line itself. Empty = nothing, or Text says it.
	Fix   string `json:"-"`
	Place Place  `json:"place,omitempty"` // where the lines of Add go
	// Add has the lines to add or to replace. An Embedding's is never nil.
	Add     []string `json:"add"`
	Details []string `json:"-"` // one line each
}

// set sets what was found.
func (f *Finding) set(status Status, text string) {
	f.Status = status
	f.Text = text
}

// Status is how a finding counts: good, a warning, an error or unknown.
type Status string

// The statuses. Unknown is for what only a browser, or a host page's headers, can tell.
const (
	OK      Status = "ok"
	Warn    Status = "warn"
	Fail    Status = "fail" // a reason not to go live
	Unknown Status = "unknown"
)

// Word is the label of a status on pages.
func (s Status) Word() string {
	return cmp.Or(map[Status]string{OK: "Fine", Warn: "Look", Fail: "Fix"}[s], "Unknown")
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

// Count counts the findings of a status.
func Count(list []Finding, s Status) (n int) {
	for _, f := range list {
		if f.Status == s {
			n++
		}
	}
	return n
}

// Lines collects the lines to add by place, each once.
func Lines(list []Finding) map[Place][]string {
	all := map[Place][]string{}
	for _, f := range list {
		if f.Status == OK {
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
