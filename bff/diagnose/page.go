package diagnose

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// page checks the host page by its headers. Without them two findings say what a policy must allow.
func (q Question) page() []Finding {
	if strings.TrimSpace(q.Pasted) == "" {
		script, frame := q.script(nil), q.frame(nil)
		script.Add, frame.Add = []string{"script-src " + q.URL}, []string{"frame-src " + q.URL}
		for _, f := range []*Finding{&script, &frame} {
			f.Severity, f.Place = Unknown, Policy
			f.Text = "Unknown without your page's headers. If it has a Content-Security-Policy, " +
				"add this; without one, nothing is needed."
		}
		return []Finding{script, frame}
	}
	r := parseResponse(q.Pasted)
	if r.lines() == 0 && len(r.meta) == 0 {
		return []Finding{{ID: "page-headers", By: Page, Title: "Your page's headers",
			Severity: Fail,
			Text:     "No headers found. Paste lines like content-type: text/html."}}
	}
	policies := parsePolicies(append(slices.Clone(r.headers["content-security-policy"]), r.meta...))
	return []Finding{q.headers(r), q.script(policies), q.frame(policies), q.sandbox(policies),
		q.integrity(r), isolation(r), q.clipboard(r), nothingElse()}
}

// headers checks whether the headers of a page were pasted.
func (q Question) headers(r response) Finding {
	c := Finding{
		ID: "page-headers", By: Page, Title: "Your page's headers", Severity: OK,
		Text: fmt.Sprintf("%d header lines read.", r.lines()),
	}
	if len(r.meta) > 0 {
		c.Text = fmt.Sprintf("%d header lines and %d policies in <meta> read.", r.lines(),
			len(r.meta))
	}
	kind := r.headers["content-type"]
	switch {
	case r.status/100 == 3:
		c.Severity, c.Text = Warn, "These are the headers of a redirect. Paste those of the "+
			"page: curl -sIL follows redirects."
	case r.status >= 400:
		c.Severity, c.Text = Warn, fmt.Sprintf("These are the headers of an error (%d). Some "+
			"servers refuse HEAD: try curl -si, or take them from the browser's network panel.",
			r.status)
	case len(kind) > 0 && !strings.Contains(strings.ToLower(kind[0]), "html"):
		c.Severity, c.Text = Warn, "These are the headers of "+strings.ToLower(kind[0])+
			", not of a page."
	}
	return c
}

// host is the host page's address; the checkout's own if none was given.
func (q Question) host() *url.URL {
	return parse(cmp.Or(q.Origin, q.URL))
}

// verdict is the result of one policy for one request.
type verdict struct {
	status Severity
	detail string
	line   string // replaces the directive; empty = no change
	place  Place
}

// merge merges the verdicts of several policies into c: all must allow.
func (c Finding) merge(all []verdict) Finding {
	rank := []Severity{OK, Warn, Fail}
	for i, v := range all {
		if slices.Index(rank, v.status) > slices.Index(rank, c.Severity) {
			c.Severity, c.Text, c.Place, c.Add = v.status, v.detail, v.place, nil
			if len(all) > 1 {
				c.Text = fmt.Sprintf("Policy %d of %d: %s", i+1, len(all), v.detail)
			}
		}
		if v.status == c.Severity && v.status != OK && v.place == c.Place && v.line != "" &&
			!slices.Contains(c.Add, v.line) {
			c.Add = append(c.Add, v.line)
		}
	}
	return c
}

// judge merges the verdict of each policy into c; fine is the text for no policy.
func (c Finding) judge(policies []policy, fine string, by func(policy) verdict) Finding {
	if len(policies) == 0 {
		c.Text = "The page has no Content-Security-Policy: " + fine
	}
	all := make([]verdict, 0, len(policies))
	for _, p := range policies {
		all = append(all, by(p))
	}
	return c.merge(all)
}

// script checks whether checkout.js may run.
func (q Question) script(policies []policy) Finding {
	return Finding{
		ID: "page-script", By: Page, Title: "Your page's policy: the script", Severity: OK,
		Text: "checkout.js may run.",
	}.judge(policies, "checkout.js may run.", q.scriptVerdict)
}

// scriptVerdict is CSP3, 6.7.1.1, for the tags that the doctor prints.
func (q Question) scriptVerdict(p policy) verdict {
	d, found := p.first("script-src-elem", "script-src", "default-src")
	nonces, strict := d.hasNonce(), d.has("'strict-dynamic'")
	switch {
	case !found || q.Integrity != "" && slices.Contains(d.values, "'"+q.Integrity+"'"):
		return verdict{status: OK}
	case !strict && d.allows(parse(q.URL+"/checkout.js"), q.host()):
		return verdict{status: OK}
	case !strict && d.allows(parse(q.pinnedURL()), q.host()):
		return verdict{Warn, d.name + " allows the pinned script only.", q.pinned(), HTML}
	case nonces:
		return verdict{Warn, d.name + " requires a nonce: the script runs if its tag has the " +
			"page's nonce, which is new at each load.",
			strings.Replace(q.evergreen(), "<script ", `<script nonce="…" `, 1), HTML}
	case strict && q.Integrity != "":
		return verdict{Fail, d.name + " has 'strict-dynamic', which ignores addresses: allow " +
			"the script by its hash, with the pinned tag.",
			d.with("script-src", "'"+q.Integrity+"'"), Policy}
	case strict:
		return verdict{Fail,
			d.name + " has 'strict-dynamic', which ignores addresses: give the tag a nonce.",
			d.with("script-src", "'nonce-…'"), Policy}
	}
	return verdict{Fail, d.name + " blocks checkout.js. Replace it with this line.",
		d.with("script-src", q.URL), Policy}
}

// frame checks whether the page may show the checkout's frame.
func (q Question) frame(policies []policy) Finding {
	return Finding{
		ID: "page-frame", By: Page, Title: "Your page's policy: the frame", Severity: OK,
		Text: "The checkout's frame may load.",
	}.judge(policies, "the frame may load.", q.frameVerdict)
}

func (q Question) frameVerdict(p policy) verdict {
	d, found := p.first("frame-src", "child-src", "default-src")
	sessions := d.allows(parse(q.URL+"/checkout/cs_"), q.host())
	orders := d.allows(parse(q.URL+"/checkout"), q.host())
	switch {
	case !found || sessions && orders:
		return verdict{status: OK}
	case sessions || orders:
		return verdict{Warn, d.name + " allows only some of the checkout's addresses: sessions " +
			"are below /checkout/, orders and items at /checkout.",
			d.with("frame-src", q.URL), Policy}
	}
	return verdict{Fail, d.name + " blocks the frame. Replace it with this line.",
		d.with("frame-src", q.URL), Policy}
}

// sandbox checks a sandboxed page: its restrictions apply to its frames too.
func (q Question) sandbox(policies []policy) Finding {
	c := Finding{
		ID: "page-sandbox", By: Page, Title: "Your page's policy: sandbox", Severity: OK,
		Text: "The page is not sandboxed, or allows what the checkout needs.",
	}
	var all []verdict
	for _, p := range policies {
		d, found := p.first("sandbox")
		if !found {
			continue
		}
		v := verdict{status: OK}
		lacks := func(wanted ...string) []string { return slices.DeleteFunc(wanted, d.has) }
		useful := lacks("allow-popups", "allow-popups-to-escape-sandbox")
		needed := lacks("allow-scripts", "allow-same-origin", "allow-forms")
		line := strings.Join(slices.Concat([]string{"sandbox"}, d.values, needed, useful), " ")
		switch {
		case len(needed) > 0:
			v = verdict{Fail, "sandbox lacks " + strings.Join(needed, ", ") +
				", for the page and for every frame in it.", line, Policy}
		case len(useful) > 0:
			v = verdict{Warn, "sandbox keeps links of the checkout from opening a tab: block " +
				"explorers, the payment's own page.", line, Policy}
		}
		all = append(all, v)
	}
	return c.merge(all)
}

// integrity checks Integrity-Policy, which blocks scripts without a hash.
func (q Question) integrity(r response) Finding {
	c := Finding{
		ID: "page-integrity", By: Page, Title: "Your page's Integrity-Policy", Severity: OK,
		Place: HTML, Text: "It requires nothing for the script.",
	}
	for _, value := range r.headers["integrity-policy"] {
		value = strings.ToLower(value)
		if _, after, found := strings.Cut(value, "blocked-destinations="); found &&
			strings.Contains(cutBefore(after, ")"), "script") {
			c.Severity, c.Add = Warn, []string{q.pinned()}
			c.Text = "It blocks scripts without a hash: use the pinned tag."
		}
	}
	return c
}

func cutBefore(text, end string) string {
	text, _, _ = strings.Cut(text, end)
	return text
}

// isolation checks Cross-Origin-Embedder-Policy, which the checkout complies with.
func isolation(r response) Finding {
	c := Finding{ID: "page-isolation", By: Page, Title: "Your page's isolation", Severity: OK,
		Text: "The page has no Cross-Origin-Embedder-Policy; nothing is needed."}
	for _, value := range r.headers["cross-origin-embedder-policy"] {
		value = strings.TrimSpace(cutBefore(strings.ToLower(value), ";"))
		if value == "require-corp" || value == "credentialless" {
			c.Text = "The page has Cross-Origin-Embedder-Policy: " + value +
				". The checkout sends the headers for that; the check of cross-origin isolation " +
				"says whether they arrive."
		}
	}
	return c
}

// nothingElse lists what needs no change.
func nothingElse() Finding {
	return Finding{ID: "page-rest", By: Page, Title: "Nothing else", Severity: OK,
		Text: "No style-src, connect-src, img-src or unsafe-inline is needed; " +
			"require-trusted-types-for, trusted-types, Referrer-Policy, X-Frame-Options, " +
			"frame-ancestors and Cross-Origin-Opener-Policy of your page do not affect the " +
			"checkout."}
}
