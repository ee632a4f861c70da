package check

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// FuzzPasted: for any headers, the printed line fixes its finding, is one line, and the headers
// shown again give the same findings.
func FuzzPasted(f *testing.F) {
	f.Add("HTTP/2 200\ncontent-security-policy: default-src 'self'")
	f.Fuzz(func(t *testing.T, pasted string) {
		found := newEmbedding(pasted).Findings()
		kept := Kept(pasted)
		again := newEmbedding(kept).Findings()
		for i, c := range found {
			for _, line := range c.Add {
				if strings.ContainsAny(line, "\r\n\x00\x1b") {
					t.Fatalf("%s: %q is more than a line", c.ID, line)
				}
			}
			if kept == "" || c.By != Page || c.Status == Unknown || c.ID == "page-headers" {
				continue
			}
			j := slices.IndexFunc(again, func(a Finding) bool { return a.ID == c.ID })
			if j < 0 && c.Status != OK || j >= 0 && again[j].Status != c.Status {
				t.Fatalf("%s of %q = %s; of what is kept of it, %q, it is another", c.ID, pasted,
					found[i].Status, kept)
			}
		}
	})
}

// FuzzFix: with the printed line, a policy allows script and frame.
func FuzzFix(f *testing.F) {
	f.Add("default-src 'self'")
	f.Fuzz(func(t *testing.T, text string) {
		p := parsePolicy(printable(strings.ReplaceAll(text, ",", " ")))
		e := newEmbedding()
		for _, judge := range []func(policy) Finding{e.scriptVerdict, e.frameVerdict} {
			v := judge(p)
			if v.Status == OK || v.Place != Policy {
				continue
			}
			line := parsePolicy(strings.Join(v.Add, "\n"))
			if len(line) != 1 {
				t.Fatalf("%q is to be cured by %q", text, v.Add)
			}
			cured := slices.Concat(
				line,
				slices.DeleteFunc(slices.Clone(p),
					func(d directive) bool { return d.name == line[0].name }),
			)
			if got := judge(cured); got.Status != OK {
				t.Fatalf("%q with %q = %s: %s", text, v.Add, got.Status, got.Text)
			}
		}
	})
}

// FuzzSourceMatches: only a wildcard or a scheme allows a host that the source does not name.
func FuzzSourceMatches(f *testing.F) {
	f.Add("https://pay.example", "https://pay.example/checkout.js", "https://shop.example")
	wide := regexp.MustCompile(`\*|^[a-zA-Z][a-zA-Z0-9+.-]*:$|(?i)^'self'$`)
	f.Fuzz(func(t *testing.T, source, target, page string) {
		to, from := parse(target), parse(page)
		if !sourceMatches(source, to, from) || wide.MatchString(source) {
			return
		}
		if !strings.Contains(strings.ToLower(source), strings.ToLower(to.Hostname())) {
			t.Fatalf("%q lets in %q", source, target)
		}
	})
}
