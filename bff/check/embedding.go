package check

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"coinslot/bff/config"

	"golang.org/x/net/publicsuffix"
)

// Embedding is a host page of one origin and the checkout that it is to show.
type Embedding struct {
	URL       string // of the checkout, an origin
	Version   string // of checkout.js
	Integrity string // of checkout.js, "sha384-…"; empty = not built
	// API, Orders and Items: whether sessions, order tokens and catalog items are enabled.
	API, Orders, Items bool

	Given  string // the host page's origin as entered
	Origin string // Given in browser form; empty = invalid
	Listed bool   // Origin may frame the checkout
	Pasted string // the host page's response headers; empty = none
	Code   string // an error code of checkout.js; empty = none
	// AddOrigin comes before Origin in the line that lists it; empty = the setting.
	AddOrigin string
}

// Findings makes all checks that need no browser. Those of static/doctor.js are Unknown.
func (e Embedding) Findings() []Finding {
	own := []Finding{e.origin(), e.https(), e.site(), e.sells(), e.tag()}
	list := slices.Concat(own, e.page(), browserChecks())
	for i := range list {
		if list[i].Add == nil {
			list[i].Add = []string{} // a list in JSON
		}
	}
	return list
}

// Explain returns the embedding's code, with its origins in the line; nil if it has none, or an
// unknown one.
func (e Embedding) Explain() *Code {
	for _, c := range CodesOf(e.Given, e.AddOrigin) {
		if c.ID == e.Code {
			origin := cmp.Or(e.Origin, "https://shop.example")
			c = c.fill("{server}", e.URL, "{origin}", origin)
			return &c
		}
	}
	return nil
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
		list[i].By = Browser
		list[i].Status = Unknown
		list[i].Text = "Needs a browser: open this page in one, with JavaScript on."
	}

	return list
}

// origin checks whether the host page may frame the checkout.
func (e Embedding) origin() Finding {
	f := Finding{
		ID:    "origin",
		By:    Server,
		Title: "Your page's origin",
		Place: Settings,
	}
	switch {
	case e.Given == "":
		f.set(Unknown, "No origin given. Enter it above, or add it to the "+
			"address of this page: ?origin=https://shop.example")
	case e.Given == Opaque:
		f.set(Fail, opaqueRefused.Text+" "+opaqueRefused.Fix)
		f.Place = opaqueRefused.Place
		f.Add = opaqueRefused.fill("{server}", e.URL).Add
	case strings.HasPrefix(e.Given, "file:"):
		f.set(Fail, "Your page is opened from a file, which has no origin, so it cannot be listed. "+
			"Serve it: python3 -m http.server 3000 makes it http://localhost:3000.")
	case e.Origin == "":
		f.set(Fail, "This is not an origin. An origin is scheme, host and "+
			"port, like https://shop.example or http://localhost:3000: no path, no *, no user.")
	case e.Listed:
		f.set(OK, "Origin "+e.Origin+
			": listed, it may show the checkout in a frame.")
	default:
		f.set(Fail, "Origin "+e.Origin+
			": NOT listed, so its frames are blocked. Restart the checkout with this line, in "+
			"which dots stand for the current value.")
		f.Add = []string{AllowLine(e.AddOrigin, Unnamed, e.Origin)}
	}

	return f
}

// https checks for mixed content and features of secure pages.
func (e Embedding) https() Finding {
	f := Finding{
		ID:    "https",
		By:    Server,
		Title: "Encryption",
		Place: Settings,
	}
	server := parse(e.URL)
	page := parse(e.Origin)
	switch {
	case server.Scheme == "https" && page.Scheme == "http" && !config.IsLocalOrigin(e.Origin):
		f.set(Warn, "The checkout uses HTTPS, your page does not: an attacker "+
			"on the network can replace the checkout's tag. Serve the page over HTTPS.")
	case server.Scheme == "https":
		f.set(OK, "The checkout uses HTTPS.")
	case config.IsLocalOrigin(e.URL):
		f.set(OK, "The checkout is at "+server.Host+
			", which browsers trust without HTTPS. Elsewhere it needs HTTPS.")
	case page.Scheme == "https":
		f.set(Fail, "Your page uses HTTPS and the checkout does not: browsers "+
			"block its script and its frame as mixed content. Put a proxy with a certificate in "+
			"front of it.")
		f.Add = []string{"COINSLOT_PUBLIC_URL=https://" + server.Host}
	default:
		f.set(Warn, "The checkout does not use HTTPS: an attacker on the "+
			"network can replace payment addresses, and browsers block the clipboard.")
		f.Add = []string{"COINSLOT_PUBLIC_URL=https://" + server.Host}
	}

	return f
}

// site checks whether browsers treat page and checkout as one site.
func (e Embedding) site() Finding {
	f := Finding{
		ID:    "site",
		By:    Server,
		Title: "Same site or another",
		Place: Settings,
	}
	if e.Origin == "" {
		f.set(Unknown, "Needs your page's origin.")
		return f
	}

	f.Status = OK
	server := parse(e.URL)
	page := parse(e.Origin)
	if server.Scheme == page.Scheme {
		shared := sharedDomain(server.Hostname(), page.Hostname())
		if shared != "" {
			f.Text = "Page and checkout are both under " + shared +
				", one site to browsers: the frame keeps its storage and shares the page's cache."
			return f
		}
	}

	f.Text = "Page and checkout are different sites to browsers. That works: the checkout " +
		"needs no cookies and no storage."
	if !isIP(page.Hostname()) && strings.Contains(page.Hostname(), ".") {
		f.Text += " A host of your own domain, like pay." +
			strings.TrimPrefix(page.Hostname(), "www.") +
			", would share the cache, so the frame opens sooner."
	}

	return f
}

// sells lists what pages can sell. Whether a key is set is no secret: any request with a
// token reveals it.
func (e Embedding) sells() Finding {
	f := Finding{
		ID:     "sells",
		By:     Server,
		Title:  "What pages can sell",
		Status: OK,
		Place:  Settings,
	}
	say := func(can bool, attribute, setting string) string {
		if can {
			return attribute + " works"
		}
		return attribute + " is rejected until " + setting + " is set"
	}
	f.Text = strings.Join([]string{
		say(e.API, `session="…"`, "COINSLOT_SECRET_KEY"),
		say(e.Orders, `order="…"`, "COINSLOT_ORDER_KEY"),
		say(e.Items, `item="…"`, "COINSLOT_CATALOG"),
	}, "; ") + "."
	if !e.API && !e.Orders && !e.Items {
		f.Status = Fail
		f.Add = []string{"COINSLOT_SECRET_KEY_FILE=/run/secrets/coinslot-key"}
	}

	return f
}

// tag is the <script> element.
func (e Embedding) tag() Finding {
	f := Finding{
		ID:     "tag",
		By:     Server,
		Title:  "The script's tag",
		Status: OK,
		Place:  HTML,
		Add:    []string{e.evergreen()},
	}
	if e.Integrity == "" {
		f.set(Warn, "This server runs from source: there is no WebAssembly "+
			"and no hash to pin. Build it with make build.")
		return f
	}

	f.Text = "Version " + e.Version +
		". The first line follows every release; the second is pinned to this one."
	f.Add = append(f.Add, e.pinned())
	return f
}

func (e Embedding) evergreen() string {
	return `<script async src="` + e.URL + `/checkout.js"></script>`
}

// pinned is the tag that runs only this version; the other one if it was not built.
func (e Embedding) pinned() string {
	if e.Integrity == "" {
		return e.evergreen()
	}
	return fmt.Sprintf(
		`<script async src="%s" integrity="%s" crossorigin></script>`, e.pinnedURL(), e.Integrity,
	)
}

func (e Embedding) pinnedURL() string { return e.URL + "/checkout/" + e.Version + "/checkout.js" }

// parse parses an origin; an invalid one is an empty URL.
func parse(origin string) *url.URL {
	u, err := url.Parse(origin)
	if err != nil {
		return &url.URL{}
	}
	return u
}

func isIP(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// sharedDomain returns the registrable domain that makes two hosts one site, empty if none does.
func sharedDomain(a, b string) string {
	if a == b {
		return a
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(a)
	other, _ := publicsuffix.EffectiveTLDPlusOne(b)
	if err != nil || isIP(a) || domain != other {
		return ""
	}
	return domain
}
