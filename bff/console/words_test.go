package console

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/reconcile"
)

// sources is the Go code of some folders.
func sources(t *testing.T, patterns ...string) (source string) {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			raw := fortest.Must(os.ReadFile(file))(t)
			source += string(raw)
		}
	}
	return source
}

// Whatever the domain writes down or doubts has words here.
func TestWords(t *testing.T) {
	source := sources(t, "../payment/*.go", "../checkout/*.go")
	notes := regexp.MustCompile(`AppendTimeline\(now, [^,]+, "((?:attempt|session)\.[a-z_]+)"`).FindAllStringSubmatch(source, -1)
	for _, note := range notes {
		if words().Events[note[1]] == "" {
			t.Errorf("the timeline says %q, which has no words", note[1])
		}
	}
	reasons := regexp.MustCompile(`[rR]eason[A-Z]\w+ += "([a-z_]+)"`).FindAllStringSubmatch(source, -1)
	for _, reason := range reasons {
		if words().Reviews[reason[1]].Todo == "" {
			t.Errorf("the reason %q has no words", reason[1])
		}
	}
	if len(notes) < 15 || len(reasons) < 10 {
		t.Errorf("found %d notes and %d reasons: is this still how they are written?", len(notes), len(reasons))
	}
	for _, s := range []payment.State{payment.Creating, payment.Unknown, payment.Waiting, payment.Confirmed, payment.Expired, payment.Cancelled, payment.Refused, payment.Abandoned, payment.Rejected, payment.InReview, payment.Duplicate} {
		if state := words().AttemptStates[string(s)]; state.Word == "" || state.Means == "" {
			t.Errorf("the state %q has no words", s)
		}
	}
	for _, d := range actions() {
		if words().Audit[d.record] == "" || words().Audit[d.record+doneSuffix] == "" || words().Notices[d.done].Text == "" {
			t.Errorf("%q has no words for the audit, or no notice", d.path)
		}
		if q := words().Confirmations[d.path]; q.Name == "" || q.Title == "" || q.Button == "" || len(q.Will) == 0 {
			t.Errorf("%q has no words for the page that asks", d.path)
		}
	}
	for _, kind := range reconcile.FindingKinds() {
		if f := words().Findings[kind]; f.Word == "" || f.Kind == "" || kind.Explanation() == "" {
			t.Errorf("the finding %q has no words", kind)
		}
	}
	for code, f := range words().Failures {
		if f.Status < 400 || f.Text == "" {
			t.Errorf("the failure %q is %+v", code, f)
		}
	}
}

// Every key that the console itself uses has words.
func TestKeys(t *testing.T) {
	source := sources(t, "*.go", "auth/*.go")
	used := map[string]int{}
	for _, c := range []struct {
		key  string
		have func(string) bool
	}{
		{`audited\("([^"]+)"`, func(key string) bool { return words().Audit[key] != "" && words().Audit[key+doneSuffix] != "" }},
		{`r\.record\("([^"]+)"`, func(key string) bool { return words().Audit[key] != "" }},
		{`Record\(r, [^,]+, "([^"]+)"\)`, func(key string) bool { return words().Audit[key] != "" }},
		{`(?:done = (?:[^"\n]*, )?|done: +|Path, )"([a-z-]+)"`, func(key string) bool { return words().Notices[key].Text != "" }},
		{`r\.confirmPage\("([^"]+)"`, func(key string) bool { return words().Confirmations[key].Title != "" }},
		{`(?:need\{\s*Name: |n\.Name(?:, n\.\w+)* = )"([a-z]+)"`, func(key string) bool {
			var out strings.Builder
			err := templates()["overview"].ExecuteTemplate(&out, "need", need{Name: key})
			return err == nil && strings.Contains(out.String(), "<h3>")
		}},
	} {
		found := regexp.MustCompile(c.key).FindAllStringSubmatch(source, -1)
		for _, key := range found {
			if used[c.key]++; !c.have(key[1]) {
				t.Errorf("%q has no words", key[1])
			}
		}
		if len(found) == 0 {
			t.Errorf("nothing is like %s: is this still how it is written?", c.key)
		}
	}
	if n := used[`(?:done = (?:[^"\n]*, )?|done: +|Path, )"([a-z-]+)"`]; n != len(words().Notices) {
		t.Errorf("the code uses %d notices; words.json has %d", n, len(words().Notices))
	}
}

// Endpoints are distinguished by a mark: keys may stand in a path as well as in a query.
func TestHost(t *testing.T) {
	for endpoint, want := range map[string]string{
		"https://hooks.example/services/T0/B0/s3cr3t": "hooks.example/… ", "https://hooks.example/in?key=s3cr3t": "hooks.example/… ", "https://hooks.example/?s3cr3t": "hooks.example/… ",
		"https://hooks.example:8443/": "hooks.example:8443", "https://hooks.example": "hooks.example", "https://s3cr3t:s3cr3t@[": "an endpoint",
	} {
		if got := host(endpoint); !strings.HasPrefix(got, want) || strings.Contains(got, "s3cr3t") || len(got) > len(want)+6 {
			t.Errorf("host(%q) = %q; want %q", endpoint, got, want)
		}
	}
	if a, b := host("https://hooks.example/a"), host("https://hooks.example/b"); a == b {
		t.Errorf("two endpoints of one host are both %q", a)
	}
}

// Of the page of an error its words are shown.
func TestWithoutMarkup(t *testing.T) {
	for answer, want := range map[string]string{
		"no such order < 5": "no such order < 5",
		"<!DOCTYPE html> <style>p { color: red }</style><h1>502 Bad Gateway</h1> <hr>nginx &amp; others": "502 Bad Gateway nginx & others",
		"<h1>Cut</h1> <div class=": "Cut",
		"<html>":                   "<html>",
	} {
		if got := withoutMarkup(answer); got != want {
			t.Errorf("withoutMarkup(%q) = %q; want %q", answer, got, want)
		}
	}
}
