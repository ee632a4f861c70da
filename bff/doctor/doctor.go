// Package doctor holds the rules by which /checkout/doctor judges an embedding:
// what the server knows of itself, and what the headers of a host page allow. It
// is pure: it asks nobody, and fetches nothing.
//
// Start with [Examine].
package doctor

import (
	"slices"
	"time"
)

// Status is how a check has ended.
type Status string

// Unknown is for what only a browser, or the host page's headers, can tell.
const (
	OK      Status = "ok"
	Warn    Status = "warn"
	Fail    Status = "fail"
	Unknown Status = "unknown"
)

// Place is where the lines of a check belong.
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

// Source says who found something out.
type Source string

// A check is by the server alone, by the headers that were pasted, or by the
// browser that has the page open.
const (
	Server  Source = "server"
	Page    Source = "page"
	Browser Source = "browser"
)

// Check is one thing that was looked at.
type Check struct {
	ID     string   `json:"id"`
	By     Source   `json:"by"`
	Title  string   `json:"title"`
	Status Status   `json:"status"`
	Detail string   `json:"detail"`
	Place  Place    `json:"place,omitempty"`
	Add    []string `json:"add"` // whole lines; none = nothing to add
}

// Report is all that was looked at.
type Report struct {
	Server string `json:"server"` // its public URL
	// Version is that of checkout.js; empty if it names none.
	Version string `json:"version"`
	Time    string `json:"time"`   // of the server, RFC 3339, UTC
	Origin  string `json:"origin"` // of the host page; empty = none was given, or it is none
	Listed  bool   `json:"listed"`
	// Code is the error code that was asked about; nil = none, or not a known one.
	Code   *Code   `json:"code,omitempty"`
	Checks []Check `json:"checks"`
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
	r.Add = r.lines()
	return r
}

// lines gathers what is to be added.
func (r Report) lines() map[Place][]string {
	all := map[Place][]string{}
	for _, c := range r.Checks {
		if c.Status == OK {
			continue
		}
		for _, line := range c.Add {
			if !slices.Contains(all[c.Place], line) {
				all[c.Place] = append(all[c.Place], line)
			}
		}
	}
	return all
}

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

// Word names a status to people.
func (s Status) Word() string {
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

// browserChecks are what static/doctor.js finds out.
func browserChecks() []Check {
	list := []Check{
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
		list[i].By, list[i].Status = Browser, Unknown
		list[i].Detail = "Only a browser can tell: open this page in one, with JavaScript on."
	}
	return list
}
