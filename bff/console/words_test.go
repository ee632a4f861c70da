package console

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"coinslot/bff/payment"
)

// Whatever the domain writes down or doubts has words here.
func TestWords(t *testing.T) {
	source := ""
	for _, pattern := range []string{"../payment/*.go", "../checkout/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			source += string(raw)
		}
	}
	notes := regexp.MustCompile(`Note\(now, [^,]+, "((?:attempt|session)\.[a-z_]+)"`).FindAllStringSubmatch(source, -1)
	for _, note := range notes {
		if events[note[1]] == "" {
			t.Errorf("a trail says %q, which has no words", note[1])
		}
	}
	reasons := regexp.MustCompile(`[rR]eason[A-Z]\w+ += "([a-z_]+)"`).FindAllStringSubmatch(source, -1)
	for _, reason := range reasons {
		if reviewReasons[reason[1]].Todo == "" {
			t.Errorf("the reason %q has no words", reason[1])
		}
	}
	if len(notes) < 15 || len(reasons) < 10 {
		t.Errorf("found %d notes and %d reasons: is this still how they are written?", len(notes), len(reasons))
	}
	for _, s := range []payment.State{payment.Creating, payment.Unknown, payment.Waiting, payment.Confirmed, payment.Expired, payment.Cancelled, payment.Refused, payment.Lost, payment.Rejected, payment.InReview, payment.Stray} {
		if states[s].word == "" || states[s].Means == "" {
			t.Errorf("the state %q has no words", s)
		}
	}
	for _, d := range actions() {
		if actionWords[d.record] == "" || actionWords[d.record+doneSuffix] == "" || notices[d.done].Text == "" {
			t.Errorf("%q has no words for the audit, or no notice", d.path)
		}
	}
}

// Endpoints are told apart by a mark: keys may stand in a path as well as in a query.
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
