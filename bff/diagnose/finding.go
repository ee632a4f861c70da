// Package diagnose holds the model of what is found out about a set-up, and how it is
// printed: finding.go, text.go. Package check finds it out about a server, from its settings
// to its sockets.
//
// The other files are the rules by which /checkout/doctor judges an embedding: what the
// server knows of itself, and what the headers of a host page allow. They are pure: they ask
// nobody, and fetch nothing. Start with [Examine].
package diagnose

import "slices"

// Severity is how bad a finding is.
type Severity string

// The severities. Unknown is for what only a browser, or a host page's headers, can tell.
const (
	OK      Severity = "ok"
	Warn    Severity = "warn"
	Fail    Severity = "fail" // a reason not to go live
	Unknown Severity = "unknown"
)

// Word names a severity to people.
func (s Severity) Word() string {
	switch s {
	case OK:
		return "Fine"
	case Warn:
		return "Look"
	case Fail:
		return "Fix"
	}
	return "Unknown"
}

// Place is where the lines of a finding belong.
type Place string

// Places in the order in which people should go through them.
const (
	Settings    Place = "coinslot"                // the environment of the server
	Policy      Place = "content_security_policy" // of the host page
	Permissions Place = "permissions_policy"      // of the host page
	HTML        Place = "html"                    // of the host page
	Proxy       Place = "proxy"                   // before the server
	Machine     Place = "machine"                 // on which the server runs
)

// Places returns all places, in the order for people.
func Places() []Place { return []Place{Settings, Policy, Permissions, HTML, Proxy, Machine} }

// Title names a place to people.
func (p Place) Title() string {
	switch p {
	case Settings:
		return "Settings of Coinslot (then restart it)"
	case Policy:
		return "Content-Security-Policy of your page, if it has one"
	case Permissions:
		return "Permissions-Policy of your page"
	case HTML:
		return "HTML of your page"
	case Proxy:
		return "Proxy in front of Coinslot"
	case Machine:
		return "Machine that runs Coinslot"
	}
	return string(p)
}

// Source says who found something out.
type Source string

// A finding is by the server alone, by the headers that were pasted, or by the browser
// that has the page open.
const (
	Server  Source = "server"
	Page    Source = "page"
	Browser Source = "browser"
)

// Finding is one thing that was looked at. Its JSON is the doctor's.
type Finding struct {
	ID       string   `json:"id"` // what was looked at: "gateway"
	By       Source   `json:"by"`
	Title    string   `json:"title"` // for people; empty = the ID says it
	Severity Severity `json:"status"`
	Text     string   `json:"detail"` // what was found
	Fix      string   `json:"-"`      // what to do about it; empty = nothing, or Add says it
	Place    Place    `json:"place,omitempty"`
	Add      []string `json:"add"` // whole lines for Place; none = nothing to add
	Details  []string `json:"-"`   // for reading on: one line each
}

// Count returns how many findings are of a severity.
func Count(list []Finding, s Severity) (n int) {
	for _, f := range list {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// Lines gathers what is to be added, each line once, by place.
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
