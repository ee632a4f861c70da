package diagnose

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
		report := Examine(newQuestion(pasted))
		kept := Kept(pasted)
		again := Examine(newQuestion(kept))
		for i, c := range report.Checks {
			for _, line := range c.Add {
				if strings.ContainsAny(line, "\r\n\x00\x1b") {
					t.Fatalf("%s: %q is more than a line", c.ID, line)
				}
			}
			if kept == "" || c.By != Page || c.Severity == Unknown || c.ID == "page-headers" {
				continue
			}
			if j := slices.IndexFunc(again.Checks, func(a Finding) bool { return a.ID == c.ID }); j < 0 && c.Severity != OK || j >= 0 && again.Checks[j].Severity != c.Severity {
				t.Fatalf("%s of %q = %s; of what is kept of it, %q, it is another", c.ID, pasted, report.Checks[i].Severity, kept)
			}
		}
	})
}

// FuzzFix: with the printed line, a policy allows script and frame.
func FuzzFix(f *testing.F) {
	f.Add("default-src 'self'")
	f.Fuzz(func(t *testing.T, text string) {
		p := parsePolicy(printable(strings.ReplaceAll(text, ",", " ")))
		q := newQuestion()
		for _, judge := range []func(policy) verdict{q.scriptVerdict, q.frameVerdict} {
			v := judge(p)
			if v.status == OK || v.place != Policy {
				continue
			}
			line := parsePolicy(v.line)
			if len(line) != 1 {
				t.Fatalf("%q is to be cured by %q", text, v.line)
			}
			cured := slices.Concat(line, slices.DeleteFunc(slices.Clone(p), func(d directive) bool { return d.name == line[0].name }))
			if got := judge(cured); got.status != OK {
				t.Fatalf("%q with %q = %s: %s", text, v.line, got.status, got.detail)
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
