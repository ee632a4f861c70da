package main

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// prose returns every page of the project that people read, by path from its root.
func prose(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	out, err := exec.Command("git", "-C", "..", "ls-files", "--cached", "--others", "--exclude-standard", "*.md", "llms.txt").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	for _, name := range strings.Fields(string(out)) {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		pages[name] = string(text)
	}
	return pages
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	fence   = regexp.MustCompile("(?ms)^```.*?^```")
)

// TestLinks: what a page leads to is there, headings included.
func TestLinks(t *testing.T) {
	pages := prose(t)
	for name, text := range pages {
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			to, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, ":") || strings.HasPrefix(to, "/") { // elsewhere, or of the running server
				continue
			}
			target := name
			if to != "" {
				target = path.Join(path.Dir(name), to)
			}
			if _, err := os.Stat(filepath.Join("..", target)); err != nil {
				t.Errorf("%s leads to %s, which is not there", name, m[1])
			} else if anchor != "" && !slices.Contains(anchors(pages[target]), anchor) {
				t.Errorf("%s leads to %s, and %s has no such heading", name, m[1], target)
			}
		}
	}
}

// anchors are the names of a page's headings, as they are made of their words, and
// of what it names itself.
func anchors(text string) (names []string) {
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		plain := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		names = append(names, strings.ReplaceAll(plain, " ", "-"))
	}
	for _, m := range regexp.MustCompile(`<a (?:id|name)="([^"]+)"`).FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

// TestEveryPageIsListed: docs/README.md leads to every page of docs, and llms.txt
// tells programs of the same.
func TestEveryPageIsListed(t *testing.T) {
	pages := prose(t)
	for name := range pages {
		if path.Dir(name) != "docs" || name == "docs/README.md" {
			continue
		}
		if !strings.Contains(pages["docs/README.md"], "("+path.Base(name)+")") {
			t.Errorf("docs/README.md does not lead to %s", name)
		}
		if !strings.Contains(pages["llms.txt"], "("+name+")") {
			t.Errorf("llms.txt does not lead to %s", name)
		}
	}
}

// TestNamedCommandsExist: a target of make or a command of coinslot that a page
// names is one.
func TestNamedCommandsExist(t *testing.T) {
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for _, c := range commands() {
		known = append(known, c.name)
	}
	code := regexp.MustCompile("(?s)```sh\n.*?```|`[^`\n]+`")
	run := regexp.MustCompile(`(?:^|[\s` + "`" + `(;&|/])(make|coinslot) ([a-z][a-z-]*)`)
	folder := regexp.MustCompile(`-[nC] coinslot\b`) // of git, a namespace of kubectl
	for name, text := range prose(t) {
		for _, c := range code.FindAllString(text, -1) {
			for _, m := range run.FindAllStringSubmatch(folder.ReplaceAllString(c, ""), -1) {
				ok := m[1] == "coinslot" && slices.Contains(known, m[2]) ||
					m[1] == "make" && regexp.MustCompile(`(?m)^`+m[2]+`:`).Match(makefile)
				if !ok {
					t.Errorf("%s says %q, which is no command", name, m[1]+" "+m[2])
				}
			}
		}
	}
}

// TestNamedSettingsExist: a COINSLOT_ name on a page is a setting, or one of the
// few that shops and tests have.
func TestNamedSettingsExist(t *testing.T) {
	_, out, errs := invoke(nil, "-h")
	help := out + errs
	others := []string{"COINSLOT_URL", "COINSLOT_VERSION"} // of shops, of deploy/compose.yaml
	name := regexp.MustCompile(`COINSLOT_[A-Z][A-Z_]*[A-Z]`)
	for page, text := range prose(t) {
		for _, found := range name.FindAllString(text, -1) {
			if base := strings.TrimSuffix(found, "_FILE"); !slices.Contains(others, base) && !strings.Contains(help, base) {
				t.Errorf("%s names %s, which is no setting", page, found)
			}
		}
	}
}
