package diagnose

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// origin checks whether the host page may frame the checkout.
func (q Question) origin() Finding {
	c := Finding{ID: "origin", By: Server, Title: "Your page's origin", Place: Settings}
	switch {
	case q.Given == "":
		c.Severity, c.Text = Unknown, "No origin given. Enter it above, or add it to the "+
			"address of this page: ?origin=https://shop.example"
	case q.Given == "null", strings.HasPrefix(q.Given, "file:"):
		c.Severity, c.Text = Fail, "Your page is opened from a file, or has no origin for "+
			"another reason (a data: URL, a sandboxed frame), so it cannot be listed. Serve it: "+
			"python3 -m http.server 3000 makes it http://localhost:3000."
	case q.Origin == "":
		c.Severity, c.Text = Fail, "This is not an origin. An origin is scheme, host and "+
			"port, like https://shop.example or http://localhost:3000: no path, no *, no user."
	case q.Listed:
		c.Severity, c.Text = OK, "Origin "+q.Origin+
			": listed, it may show the checkout in a frame."
	default:
		c.Severity, c.Text = Fail, "Origin "+q.Origin+
			": NOT listed, so its frames are blocked. Restart the checkout with this line, in "+
			"which dots stand for the current value."
		c.Add = []string{q.AddOrigin + q.Origin}
	}
	return c
}

// https checks for mixed content and features of secure pages.
func (q Question) https() Finding {
	c := Finding{ID: "https", By: Server, Title: "Encryption", Place: Settings}
	server, page := parse(q.URL), parse(q.Origin)
	switch {
	case server.Scheme == "https" && page.Scheme == "http" && !IsTrustworthy(page):
		c.Severity, c.Text = Warn, "The checkout uses HTTPS, your page does not: an attacker "+
			"on the network can replace the checkout's tag. Serve the page over HTTPS."
	case server.Scheme == "https":
		c.Severity, c.Text = OK, "The checkout uses HTTPS."
	case IsTrustworthy(server):
		c.Severity, c.Text = OK, "The checkout is at "+server.Host+
			", which browsers trust without HTTPS. Elsewhere it needs HTTPS."
	case page.Scheme == "https":
		c.Severity, c.Text = Fail, "Your page uses HTTPS and the checkout does not: browsers "+
			"block its script and its frame as mixed content. Put a proxy with a certificate in "+
			"front of it."
		c.Add = []string{"COINSLOT_PUBLIC_URL=https://" + server.Host}
	default:
		c.Severity, c.Text = Warn, "The checkout does not use HTTPS: an attacker on the "+
			"network can replace payment addresses, and browsers block the clipboard."
		c.Add = []string{"COINSLOT_PUBLIC_URL=https://" + server.Host}
	}
	return c
}

// site checks whether browsers treat page and checkout as one site.
func (q Question) site() Finding {
	c := Finding{ID: "site", By: Server, Title: "Same site or another", Place: Settings}
	if q.Origin == "" {
		c.Severity, c.Text = Unknown, "Needs your page's origin."
		return c
	}
	c.Severity = OK
	server, page := parse(q.URL), parse(q.Origin)
	if server.Scheme == page.Scheme {
		if shared := sharedDomain(server.Hostname(), page.Hostname()); shared != "" {
			c.Text = "Page and checkout are both under " + shared +
				", one site to browsers: the frame keeps its storage and shares the page's cache."
			return c
		}
	}
	c.Text = "Page and checkout are different sites to browsers. That works: the checkout " +
		"needs no cookies and no storage."
	if !isIP(page.Hostname()) && strings.Contains(page.Hostname(), ".") {
		c.Text += " A host of your own domain, like pay." +
			strings.TrimPrefix(page.Hostname(), "www.") +
			", would share the cache, so the frame opens sooner."
	}
	return c
}

// sells lists what pages can sell. Whether a key is set is no secret: any request with a
// token reveals it.
func (q Question) sells() Finding {
	c := Finding{
		ID: "sells", By: Server, Title: "What pages can sell", Severity: OK, Place: Settings,
	}
	say := func(can bool, attribute, setting string) string {
		if can {
			return attribute + " works"
		}
		return attribute + " is rejected until " + setting + " is set"
	}
	c.Text = strings.Join([]string{
		say(q.API, `session="…"`, "COINSLOT_SECRET_KEY"),
		say(q.Orders, `order="…"`, "COINSLOT_ORDER_KEY"),
		say(q.Items, `item="…"`, "COINSLOT_CATALOG"),
	}, "; ") + "."
	if !q.API && !q.Orders && !q.Items {
		c.Severity = Fail
		c.Add = []string{"COINSLOT_SECRET_KEY_FILE=/run/secrets/coinslot-key"}
	}
	return c
}

// tag is the <script> element.
func (q Question) tag() Finding {
	c := Finding{
		ID: "tag", By: Server, Title: "The script's tag", Severity: OK, Place: HTML,
		Add: []string{q.evergreen()},
	}
	if q.Integrity == "" {
		c.Severity, c.Text = Warn, "This server runs from source: there is no WebAssembly "+
			"and no hash to pin. Build it with make build."
		return c
	}
	c.Text = "Version " + q.Version +
		". The first line follows every release; the second is pinned to this one."
	c.Add = append(c.Add, q.pinned())
	return c
}

func (q Question) evergreen() string {
	return `<script async src="` + q.URL + `/checkout.js"></script>`
}

// pinned is the tag that runs only this version; the other one if it was not built.
func (q Question) pinned() string {
	if q.Integrity == "" {
		return q.evergreen()
	}
	return fmt.Sprintf(
		`<script async src="%s" integrity="%s" crossorigin></script>`, q.pinnedURL(), q.Integrity,
	)
}

func (q Question) pinnedURL() string { return q.URL + "/checkout/" + q.Version + "/checkout.js" }

// parse parses an origin; an invalid one is an empty URL.
func parse(origin string) *url.URL {
	u, err := url.Parse(origin)
	if err != nil {
		return &url.URL{}
	}
	return u
}

// IsTrustworthy reports whether browsers treat u as secure without HTTPS.
// Source: W3C Secure Contexts, 3.1.
func IsTrustworthy(u *url.URL) bool {
	host := u.Hostname()
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
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
	if other, _ := publicsuffix.EffectiveTLDPlusOne(b); err != nil || isIP(a) || domain != other {
		return ""
	}
	return domain
}
