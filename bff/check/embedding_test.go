package check

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

func TestServerChecks(t *testing.T) {
	for _, c := range []struct {
		name, check string
		change      func(*Embedding)
		want        Status
		add         string
	}{
		{"listed", "origin", func(*Embedding) {}, OK, ""},
		{
			"not listed",
			"origin",
			func(e *Embedding) { e.Listed = false },
			Fail,
			"COINSLOT_ORIGINS=…,https://shop.example",
		},
		{
			"none given",
			"origin",
			func(e *Embedding) { e.Given, e.Origin, e.Listed = "", "", false },
			Unknown,
			"",
		},
		{
			"no origin",
			"origin",
			func(e *Embedding) { e.Given, e.Origin, e.Listed = "shop", "", false },
			Fail,
			"",
		},
		{
			"a file",
			"origin",
			func(e *Embedding) { e.Given, e.Origin, e.Listed = "file:///shop.html", "", false },
			Fail,
			"",
		},
		{
			"a sandbox",
			"origin",
			func(e *Embedding) { e.Given, e.Origin, e.Listed = "null", "", false },
			Fail,
			`<a href="https://pay.example/checkout?item=…" target="_blank">Pay with crypto</a>`,
		},
		{"https", "https", func(*Embedding) {}, OK, ""},
		{
			"mixed content",
			"https",
			func(e *Embedding) { e.URL = "http://pay.example" },
			Fail,
			"COINSLOT_PUBLIC_URL=https://pay.example",
		},
		{
			"neither has https",
			"https",
			func(e *Embedding) { e.URL, e.Origin = "http://pay.example", "http://shop.example" },
			Warn,
			"COINSLOT_PUBLIC_URL=https://pay.example",
		},
		{
			"page without https",
			"https",
			func(e *Embedding) { e.Origin = "http://shop.example" },
			Warn,
			"",
		},
		{"local page", "https", func(e *Embedding) { e.Origin = "http://localhost:3000" }, OK, ""},
		{"local checkout", "https", func(e *Embedding) { e.URL = "http://127.0.0.1:8080" }, OK, ""},
		{
			"local checkout by name",
			"https",
			func(e *Embedding) { e.URL = "http://pay.localhost:8080" },
			OK,
			"",
		},
		{"something to sell", "sells", func(*Embedding) {}, OK, ""},
		{
			"nothing to sell",
			"sells",
			func(e *Embedding) { e.API = false },
			Fail,
			"COINSLOT_SECRET_KEY_FILE=/run/secrets/coinslot-key",
		},
		{
			"sources",
			"tag",
			func(e *Embedding) { e.Integrity = "" },
			Warn,
			`<script async src="https://pay.example/checkout.js"></script>`,
		},
	} {
		e := newEmbedding()
		c.change(&e)
		got := result(t, e.Findings(), c.check)
		if add := strings.Join(got.Add, "|"); got.Status != c.want || add != c.add {
			t.Errorf("%s: %s = %s, add %q; want %s, %q", c.name, c.check, got.Status, add, c.want,
				c.add)
		}
	}
}

func TestSharedDomain(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"shop.example", "pay.shop.example", "shop.example"},
		{"www.shop.example", "pay.shop.example", "shop.example"},
		{"shop.example", "pay.example", ""},
		{"a.co.uk", "b.co.uk", ""},
		{"a.b.co.uk", "b.co.uk", "b.co.uk"},
		{"a.github.io", "b.github.io", ""},
		{"localhost", "localhost", "localhost"},
		{"127.0.0.1", "10.0.0.1", ""},
		{"localhost", "127.0.0.1", ""},
	} {
		fortest.Equal(t, sharedDomain(c.a, c.b), c.want, "sharedDomain(%s, %s)", c.a, c.b)
	}
}

// Lines of checks that are fine are no lines to add; others are there once.
func TestLinesToAdd(t *testing.T) {
	e := newEmbedding("content-security-policy: default-src 'self'")
	e.Listed = false
	got := Lines(e.Findings())
	if want := []string{
		"script-src 'self' https://pay.example", "frame-src 'self' https://pay.example",
	}; !slices.Equal(got[Policy], want) {
		t.Errorf("policy = %q; want %q", got[Policy], want)
	}
	if want := []string{
		"COINSLOT_ORIGINS=…,https://shop.example",
	}; !slices.Equal(got[Settings], want) {
		t.Errorf("settings = %q; want %q", got[Settings], want)
	}
	if len(got[HTML]) != 0 {
		t.Errorf("html = %q; want none", got[HTML])
	}
}

// The codes are those of docs/embed.md, and each points to checks that exist.
func TestCodesAreDocumented(t *testing.T) {
	page := fortest.Must(os.ReadFile("../../docs/embed.md"))(t)
	_, section, _ := strings.Cut(string(page), "## Error codes")
	section, _, _ = strings.Cut(section, "\n## ")
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*) \\|").FindAllStringSubmatch(section,
		-1) {
		for _, code := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row[1], -1) {
			documented = append(documented, code[1])
		}
	}
	var known []string
	ids := map[string]bool{}
	for _, c := range append(newEmbedding().Findings(), newEmbedding("x: y").Findings()...) {
		ids[c.ID] = true
	}
	for _, c := range Codes("") {
		known = append(known, c.ID)
		for _, id := range c.Checks {
			if !ids[id] {
				t.Errorf("%s points to the check %q, which there is not", c.ID, id)
			}
		}
	}
	fortest.Diff(t, known, documented, "codes")
}

// Every check is explained in docs/doctor.md.
func TestChecksAreDocumented(t *testing.T) {
	page := fortest.Must(os.ReadFile("../../docs/doctor.md"))(t)
	for _, e := range []Embedding{newEmbedding(), newEmbedding("x: y")} {
		for _, c := range e.Findings() {
			fortest.Has(t, "docs/doctor.md has no row of "+c.ID, string(page), "| `"+c.ID+"` |")
		}
	}
}
