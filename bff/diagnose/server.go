package diagnose

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// origin is whether the host page may frame the checkout at all.
func (q Question) origin() Finding {
	c := Finding{ID: "origin", By: Server, Title: "Your page's origin", Place: Settings}
	switch {
	case q.Given == "":
		c.Severity = Unknown
		c.Text = "None was given: nothing is known of your page. Write its origin above, or " +
			"into the address of this page: ?origin=https://shop.example"
	case q.Given == "null", strings.HasPrefix(q.Given, "file:"):
		c.Severity = Fail
		c.Text = "Your page is opened from a file, or has no origin for another reason (a " +
			"data: URL, a sandboxed frame), so it cannot be listed. Serve it: python3 -m " +
			"http.server 3000 makes it http://localhost:3000."
	case q.Origin == "":
		c.Severity = Fail
		c.Text = "What was given is not an origin. One is scheme, host and port, like " +
			"https://shop.example or http://localhost:3000: no path, no *, no user."
	case q.Listed:
		c.Severity = OK
		c.Text = "Origin " + q.Origin + ": listed, it may show the checkout in a frame."
	default:
		c.Severity = Fail
		c.Text = "Origin " + q.Origin +
			": NOT listed. Its frames are refused. Keep what the setting holds already where the " +
			"dots are."
		c.Add = []string{"COINSLOT_ORIGINS=…," + q.Origin}
	}
	return c
}

// https is about mixed content and what browsers keep for secure pages.
func (q Question) https() Finding {
	c := Finding{ID: "https", By: Server, Title: "Encryption", Place: Settings}
	server, page := parse(q.URL), parse(q.Origin)
	switch {
	case server.Scheme == "https" && page.Scheme == "http" && !isTrustworthy(page):
		c.Severity = Warn
		c.Text = "The checkout has https, your page has not: whoever is on the line can " +
			"exchange the checkout's tag for one of their own. Serve the page by https."
	case server.Scheme == "https":
		c.Severity, c.Text = OK, "The checkout is served by https."
	case isTrustworthy(server):
		c.Severity, c.Text = OK, "The checkout is at "+server.Host+
			", which browsers trust without https. Elsewhere it needs https."
	case page.Scheme == "https":
		c.Severity = Fail
		c.Text = "Your page has https and the checkout has not: browsers block its script and " +
			"its frame as mixed content. Put a proxy with a certificate before it."
		c.Add = []string{"COINSLOT_PUBLIC_URL=https://" + server.Host}
	default:
		c.Severity = Warn
		c.Text = "The checkout has no https: addresses can be exchanged on the way, and " +
			"browsers withhold the clipboard."
		c.Add = []string{"COINSLOT_PUBLIC_URL=https://" + server.Host}
	}
	return c
}

// site is whether browsers count page and checkout as one site.
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
		"needs no cookies and no storage. " +
		"A host of your own domain, like pay." + strings.TrimPrefix(page.Hostname(), "www.") +
		", would share the cache, so the frame opens sooner."
	if isIP(page.Hostname()) || !strings.Contains(page.Hostname(), ".") {
		c.Text = "Page and checkout are different sites to browsers. That works: the checkout " +
			"needs no cookies and no storage."
	}
	return c
}

// sells is what pages can sell. That a key is set is no secret: any request
// with a token finds out.
func (q Question) sells() Finding {
	c := Finding{
		ID: "sells", By: Server, Title: "What pages can sell", Severity: OK, Place: Settings,
	}
	say := func(can bool, attribute, setting string) string {
		if can {
			return attribute + " works"
		}
		return attribute + " is refused until " + setting + " is set"
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

// tag is the element that loads the script.
func (q Question) tag() Finding {
	c := Finding{
		ID: "tag", By: Server, Title: "The script's tag", Severity: OK, Place: HTML,
		Add: []string{q.evergreen()},
	}
	if q.Integrity == "" {
		c.Severity = Warn
		c.Text = "This server runs on sources: there is no WebAssembly and no hash to pin. " +
			"Build it with make build."
		return c
	}
	c.Text = "Version " + q.Version +
		". The first line follows every release; the second is pinned to exactly this one."
	c.Add = append(c.Add, q.pinned())
	return c
}

func (q Question) evergreen() string {
	return `<script async src="` + q.URL + `/checkout.js"></script>`
}

// pinned is the tag that runs nothing but this version; the first one if it was
// not built.
func (q Question) pinned() string {
	if q.Integrity == "" {
		return q.evergreen()
	}
	return fmt.Sprintf(
		`<script async src="%s" integrity="%s" crossorigin></script>`, q.pinnedURL(), q.Integrity,
	)
}

func (q Question) pinnedURL() string { return q.URL + "/checkout/" + q.Version + "/checkout.js" }

// parse is for what is an origin already; anything else is an empty URL.
func parse(origin string) *url.URL {
	u, err := url.Parse(origin)
	if err != nil {
		return &url.URL{}
	}
	return u
}

// isTrustworthy reports whether browsers count u as secure without https.
// Source: W3C Secure Contexts, 3.1.
func isTrustworthy(u *url.URL) bool {
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

// sharedDomain returns the domain that two hosts are both in, if people can
// register it; empty if there is none. It goes by what registries usually do
// and knows no list of them: nothing but a sentence depends on it.
func sharedDomain(a, b string) string {
	if a == b {
		return a
	}
	if isIP(a) || isIP(b) {
		return ""
	}
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	n := 0
	for n < len(as) && n < len(bs) && as[len(as)-1-n] == bs[len(bs)-1-n] {
		n++
	}
	shared := as[len(as)-n:]
	if n < 2 || n == 2 && isRegistry(shared) {
		return ""
	}
	return strings.Join(shared, ".")
}

// isRegistry reports whether a domain of two labels is one under which strangers
// register theirs: co.uk and its like, and hosts of static sites.
func isRegistry(labels []string) bool {
	switch strings.Join(labels, ".") {
	case "github.io", "gitlab.io", "pages.dev", "workers.dev", "netlify.app", "vercel.app",
		"web.app", "firebaseapp.com", "herokuapp.com", "fly.dev", "onrender.com",
		"myshopify.com", "ngrok.io", "ngrok.app":
		return true
	}
	switch labels[0] {
	case "co", "com", "org", "net", "ac", "gov", "edu", "or", "ne":
		return len(labels[1]) == 2
	}
	return false
}
