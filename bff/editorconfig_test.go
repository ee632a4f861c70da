package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"coinslot/bff/fortest"
)

// editorSection is a section of .editorconfig.
type editorSection struct {
	files *regexp.Regexp // by path from the root
	set   map[string]string
}

// editorConfig reads .editorconfig. Source: spec.editorconfig.org.
func editorConfig(t *testing.T) (sections []editorSection) {
	t.Helper()
	text := fortest.Must(os.ReadFile("../.editorconfig"))(t)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		name, value, found := strings.Cut(line, "=")
		switch {
		case strings.HasPrefix(line, "["):
			sections = append(sections, editorSection{globbed(strings.Trim(line, "[]")), map[string]string{}})
		case found && len(sections) > 0:
			sections[len(sections)-1].set[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	return sections
}

// globbed turns a section's name into an expression. It knows *, ** and {a,b}; a name without a
// slash stands for files in every folder.
func globbed(glob string) *regexp.Regexp {
	inBraces := false
	pattern := regexp.MustCompile(`\*\*/?|.`).ReplaceAllStringFunc(glob, func(s string) string {
		switch {
		case strings.HasPrefix(s, "**"):
			return ".*"
		case s == "*":
			return "[^/]*"
		case s == "{":
			inBraces = true
			return "(?:"
		case s == "}":
			inBraces = false
			return ")"
		case s == "," && inBraces:
			return "|"
		}
		return regexp.QuoteMeta(s)
	})
	if !strings.Contains(glob, "/") {
		pattern = "(?:.*/)?" + pattern
	}
	return regexp.MustCompile("^" + pattern + "$")
}

// TestEditorConfig: every text file is written as .editorconfig has editors write it.
func TestEditorConfig(t *testing.T) {
	sections := editorConfig(t)
	for _, name := range sources(t) {
		content, err := os.ReadFile(filepath.Join("..", name))
		if err != nil || bytes.IndexByte(content, 0) >= 0 { // removed and not committed, or a picture
			continue
		}
		set := map[string]string{}
		for _, s := range sections {
			if s.files.MatchString(name) {
				for key, value := range s.set {
					set[key] = value
				}
			}
		}
		for _, wrong := range styleErrors(set, name, content) {
			t.Errorf("%s: %s (.editorconfig)", name, wrong)
		}
	}
}

var (
	trailing = regexp.MustCompile(`(?m)[ \t]+$`)
	tabbed   = regexp.MustCompile(`(?m)^ *\t`)
	spaced   = regexp.MustCompile(`(?m)^ +\S`)
)

// styleErrors lists what differs from the settings. Lines of a text that begin with a tab may be Go in
// Markdown, and lines that begin with spaces a comment in Go or a continuation.
func styleErrors(set map[string]string, name string, content []byte) (wrong []string) {
	if set["charset"] == "utf-8" && !utf8.Valid(content) {
		wrong = append(wrong, "is not UTF-8")
	}
	if set["end_of_line"] == "lf" && bytes.ContainsRune(content, '\r') {
		wrong = append(wrong, "has carriage returns")
	}
	if set["insert_final_newline"] == "true" && len(content) > 0 && !bytes.HasSuffix(content, []byte("\n")) {
		wrong = append(wrong, "does not end with a line feed")
	}
	if set["trim_trailing_whitespace"] == "true" && trailing.Match(content) {
		wrong = append(wrong, "has spaces at the end of a line")
	}
	if filepath.Ext(name) == ".md" {
		content = fence.ReplaceAll(content, nil)
	}
	if set["indent_style"] == "space" && tabbed.Match(content) {
		wrong = append(wrong, "is indented with tabs")
	}
	if set["indent_style"] == "tab" && spaced.Match(content) && !tabbed.Match(content) {
		wrong = append(wrong, "is indented with spaces")
	}
	return wrong
}

func TestGlobs(t *testing.T) {
	for _, c := range []struct {
		glob, name string
		want       bool
	}{
		{"*", "a/b.go", true}, {"*.go", "a/b.go", true}, {"*.go", "a/b.go.txt", false}, {"Makefile", "Makefile", true},
		{"{*.go,go.mod}", "go.mod", true}, {"{*.go,go.mod}", "go.sum", false}, {"*.{php,py}", "x/a.py", true},
		{"docs/ops/a.json", "docs/ops/a.json", true}, {"docs/a.json", "x/docs/a.json", false}, {"docs/*.md", "docs/ops/a.md", false},
		{"a.*", "a.go", true}, {"a.*", "b.go", false},
		{"{a/b.txt,**/testdata/**}", "x/testdata/y/z", true}, {"{a/b.txt,**/testdata/**}", "a/b.txt", true},
	} {
		fortest.Equal(t, globbed(c.glob).MatchString(c.name), c.want,
			"%s matches %s", c.glob, c.name)
	}
}

// TestLicenseIsStated: as long as the owner has chosen no license, README.md says that there is
// none. Once there is a LICENSE file, README.md, docs/deploy.md and tools/release/sbom.go have to
// change with it.
func TestLicenseIsStated(t *testing.T) {
	readme := fortest.Must(os.ReadFile("../README.md"))(t)
	files := fortest.Must(filepath.Glob("../LICENSE*"))(t)
	none := regexp.MustCompile(`(?m)^## License\n\n.*has not chosen a license yet`).Match(readme)
	if none != (len(files) == 0) {
		t.Errorf("README.md says that there is no license: %t; license files: %v", none, files)
	}
}
