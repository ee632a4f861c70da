package check

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// page checks the host page by its headers. Without them two findings say what a policy must allow.
func (e Embedding) page() []Finding {
	if strings.TrimSpace(e.Pasted) == "" {
		script := e.script(nil)
		frame := e.frame(nil)
		script.Add = []string{"script-src " + e.URL}
		frame.Add = []string{"frame-src " + e.URL}
		list := []Finding{script, frame}
		for i := range list {
			list[i].Place = Policy
			list[i].set(Unknown, "Unknown without your page's headers. If it has a "+
				"Content-Security-Policy, add this; without one, nothing is needed.")
		}
		return list
	}

	r := parsePasted(e.Pasted)
	if r.lines() == 0 && len(r.meta) == 0 {
		return []Finding{{
			ID:     "page-headers",
			By:     Page,
			Title:  "Your page's headers",
			Status: Fail,
			Text:   "No headers found. Paste lines like content-type: text/html.",
		}}
	}

	policies := parsePolicies(append(slices.Clone(r.headers["content-security-policy"]), r.meta...))
	return []Finding{
		e.headers(r), e.script(policies), e.frame(policies), e.sandbox(policies),
		e.integrity(r), isolation(r), e.clipboard(r), nothingElse(),
	}
}

// headers checks whether the headers of a page were pasted.
func (e Embedding) headers(r pastedResponse) Finding {
	f := Finding{
		ID:     "page-headers",
		By:     Page,
		Title:  "Your page's headers",
		Status: OK,
		Text:   fmt.Sprintf("%d header lines read.", r.lines()),
	}
	if len(r.meta) > 0 {
		f.Text = fmt.Sprintf("%d header lines and %d policies in <meta> read.", r.lines(),
			len(r.meta))
	}

	kind := r.headers["content-type"]
	switch {
	case r.status/100 == 3:
		f.set(Warn, "These are the headers of a redirect. Paste those of the "+
			"page: curl -sIL follows redirects.")
	case r.status >= 400:
		f.set(Warn, fmt.Sprintf("These are the headers of an error (%d). Some "+
			"servers refuse HEAD: try curl -si, or take them from the browser's network panel.",
			r.status))
	case len(kind) > 0 && !strings.Contains(strings.ToLower(kind[0]), "html"):
		f.set(Warn, "These are the headers of "+strings.ToLower(kind[0])+
			", not of a page.")
	}

	return f
}

// host is the host page's address; the checkout's own if none was given.
func (e Embedding) host() *url.URL {
	return parse(cmp.Or(e.Origin, e.URL))
}

// verdict is what one policy means for one request. line replaces the directive, or is the tag.
func verdict(status Status, text string, place Place, line string) Finding {
	return Finding{
		Status: status,
		Text:   text,
		Place:  place,
		Add:    []string{line},
	}
}

// allowed is the verdict of a policy that needs no change.
var allowed = Finding{Status: OK}

// merge makes the gravest of several policies' verdicts the result of f, since all have to allow.
// Verdicts that are as grave add their lines, if these go to the same place.
func (f Finding) merge(verdicts []Finding) Finding {
	rank := []Status{OK, Warn, Fail}
	for i, v := range verdicts {
		if slices.Index(rank, v.Status) > slices.Index(rank, f.Status) {
			f.set(v.Status, v.Text)
			f.Place = v.Place
			f.Add = nil
			if len(verdicts) > 1 {
				f.Text = fmt.Sprintf("Policy %d of %d: %s", i+1, len(verdicts), v.Text)
			}
		}
		if v.Status != f.Status || v.Status == OK || v.Place != f.Place {
			continue
		}

		for _, line := range v.Add {
			if !slices.Contains(f.Add, line) {
				f.Add = append(f.Add, line)
			}
		}
	}

	return f
}

// judge merges the verdict of each policy into f; fine is the text for no policy.
func (f Finding) judge(policies []policy, fine string, by func(policy) Finding) Finding {
	if len(policies) == 0 {
		f.Text = "The page has no Content-Security-Policy: " + fine
	}
	verdicts := make([]Finding, 0, len(policies))
	for _, p := range policies {
		verdicts = append(verdicts, by(p))
	}
	return f.merge(verdicts)
}

// script checks whether checkout.js may run.
func (e Embedding) script(policies []policy) Finding {
	return Finding{
		ID:     "page-script",
		By:     Page,
		Title:  "Your page's policy: the script",
		Status: OK,
		Text:   "checkout.js may run.",
	}.judge(policies, "checkout.js may run.", e.scriptVerdict)
}

// scriptVerdict is CSP3, 6.7.1.1, for the tags that the doctor prints.
func (e Embedding) scriptVerdict(p policy) Finding {
	d, found := p.first("script-src-elem", "script-src", "default-src")
	nonces := d.hasNonce()
	strict := d.has("'strict-dynamic'")
	switch {
	case !found || e.Integrity != "" && slices.Contains(d.values, "'"+e.Integrity+"'"):
		return allowed
	case !strict && d.allows(parse(e.URL+"/checkout.js"), e.host()):
		return allowed
	case !strict && d.allows(parse(e.pinnedURL()), e.host()):
		return verdict(Warn, d.name+" allows the pinned script only.", HTML, e.pinned())
	case nonces:
		return verdict(Warn, d.name+" requires a nonce: the script runs if its tag has the page's "+
			"nonce, which is new at each load.",
			HTML, strings.Replace(e.evergreen(), "<script ", `<script nonce="…" `, 1))
	case strict && e.Integrity != "":
		return verdict(Fail, d.name+" has 'strict-dynamic', which ignores addresses: allow the "+
			"script by its hash, with the pinned tag.",
			Policy, d.with("script-src", "'"+e.Integrity+"'"))
	case strict:
		return verdict(Fail, d.name+" has 'strict-dynamic', which ignores addresses: give the tag "+
			"a nonce.", Policy, d.with("script-src", "'nonce-…'"))
	}

	return verdict(Fail, d.name+" blocks checkout.js. Replace it with this line.",
		Policy, d.with("script-src", e.URL))
}

// frame checks whether the page may show the checkout's frame.
func (e Embedding) frame(policies []policy) Finding {
	return Finding{
		ID:     "page-frame",
		By:     Page,
		Title:  "Your page's policy: the frame",
		Status: OK,
		Text:   "The checkout's frame may load.",
	}.judge(policies, "the frame may load.", e.frameVerdict)
}

func (e Embedding) frameVerdict(p policy) Finding {
	d, found := p.first("frame-src", "child-src", "default-src")
	sessions := d.allows(parse(e.URL+"/checkout/cs_"), e.host())
	orders := d.allows(parse(e.URL+"/checkout"), e.host())
	switch {
	case !found || sessions && orders:
		return allowed
	case sessions || orders:
		return verdict(Warn, d.name+" allows only some of the checkout's addresses: sessions are "+
			"below /checkout/, orders and items at /checkout.",
			Policy, d.with("frame-src", e.URL))
	}

	return verdict(Fail, d.name+" blocks the frame. Replace it with this line.",
		Policy, d.with("frame-src", e.URL))
}

// sandbox checks a sandboxed page: its restrictions apply to its frames too.
func (e Embedding) sandbox(policies []policy) Finding {
	f := Finding{
		ID:     "page-sandbox",
		By:     Page,
		Title:  "Your page's policy: sandbox",
		Status: OK,
		Text:   "The page is not sandboxed, or allows what the checkout needs.",
	}
	var verdicts []Finding
	for _, p := range policies {
		d, found := p.first("sandbox")
		if !found {
			continue
		}

		v := allowed
		lacks := func(wanted ...string) []string { return slices.DeleteFunc(wanted, d.has) }
		useful := lacks("allow-popups", "allow-popups-to-escape-sandbox")
		needed := lacks("allow-scripts", "allow-same-origin", "allow-forms")
		line := strings.Join(slices.Concat([]string{"sandbox"}, d.values, needed, useful), " ")
		switch {
		case len(needed) > 0:
			v = verdict(Fail, "sandbox lacks "+strings.Join(needed, ", ")+
				", for the page and for every frame in it.", Policy, line)
		case len(useful) > 0:
			v = verdict(Warn, "sandbox keeps links of the checkout from opening a tab: block "+
				"explorers, the payment's own page.", Policy, line)
		}

		verdicts = append(verdicts, v)
	}

	return f.merge(verdicts)
}

// integrity checks Integrity-Policy, which blocks scripts without a hash.
func (e Embedding) integrity(r pastedResponse) Finding {
	f := Finding{
		ID:     "page-integrity",
		By:     Page,
		Title:  "Your page's Integrity-Policy",
		Status: OK,
		Place:  HTML,
		Text:   "It requires nothing for the script.",
	}
	for _, value := range r.headers["integrity-policy"] {
		value = strings.ToLower(value)
		_, after, found := strings.Cut(value, "blocked-destinations=")
		if found &&
			strings.Contains(cutBefore(after, ")"), "script") {
			f.set(Warn, "It blocks scripts without a hash: use the pinned tag.")
			f.Add = []string{e.pinned()}
		}
	}

	return f
}

func cutBefore(text, end string) string {
	text, _, _ = strings.Cut(text, end)
	return text
}

// isolation checks Cross-Origin-Embedder-Policy, which the checkout complies with.
func isolation(r pastedResponse) Finding {
	f := Finding{
		ID:     "page-isolation",
		By:     Page,
		Title:  "Your page's isolation",
		Status: OK,
		Text:   "The page has no Cross-Origin-Embedder-Policy; nothing is needed.",
	}
	for _, value := range r.headers["cross-origin-embedder-policy"] {
		value = strings.TrimSpace(cutBefore(strings.ToLower(value), ";"))
		if value == "require-corp" || value == "credentialless" {
			f.Text = "The page has Cross-Origin-Embedder-Policy: " + value +
				". The checkout sends the headers for that; the check of cross-origin isolation " +
				"says whether they arrive."
		}
	}

	return f
}

// nothingElse lists what needs no change.
func nothingElse() Finding {
	return Finding{
		ID:     "page-rest",
		By:     Page,
		Title:  "Nothing else",
		Status: OK,
		Text: "No style-src, connect-src, img-src or unsafe-inline is needed; " +
			"require-trusted-types-for, trusted-types, Referrer-Policy, X-Frame-Options, " +
			"frame-ancestors and Cross-Origin-Opener-Policy of your page do not affect the " +
			"checkout.",
	}
}
