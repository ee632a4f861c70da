package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// sources lists the files of the repository that patterns select, by path from its root.
func sources(t *testing.T, patterns ...string) (names []string) {
	t.Helper()
	args := []string{"-C", "..", "ls-files", "-z", "--cached", "--others", "--exclude-standard"}
	out, err := exec.Command("git", append(args, patterns...)...).Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		if _, err := os.Stat("../" + name); err == nil { // else it is deleted, and not committed
			names = append(names, name)
		}
	}
	return names
}

// prose returns every page of the project that people read, by path from its root.
func prose(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, name := range sources(t, "*.md", "llms.txt") {
		text := fortest.Must(os.ReadFile(filepath.Join("..", name)))(t)
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
			if strings.Contains(to, ":") ||
				strings.HasPrefix(to, "/") { // elsewhere, or of the running server
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

// anchors are the ids of a page's headings, and its explicit ones.
func anchors(text string) (names []string) {
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		plain := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		names = append(names, strings.ReplaceAll(plain, " ", "-"))
	}
	for _, m := range regexp.MustCompile(`<a (?:id|name)="([^"]+)"`).FindAllStringSubmatch(text,
		-1) {
		names = append(names, m[1])
	}
	return names
}

// docs/README.md and llms.txt link to every page of docs.
func TestEveryPageIsListed(t *testing.T) {
	pages := prose(t)
	for name := range pages {
		if path.Dir(name) != "docs" || name == "docs/README.md" {
			continue
		}
		fortest.Has(t, "docs/README.md does not lead to "+name, pages["docs/README.md"],
			"("+path.Base(name)+")")
		fortest.Has(t, "llms.txt does not lead to "+name, pages["llms.txt"], "("+name+")")
	}
}

// The targets of make and commands of coinslot in the docs exist.
func TestNamedCommandsExist(t *testing.T) {
	makefile := fortest.Must(os.ReadFile("../Makefile"))(t)
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

// The COINSLOT_ names in the docs are settings, or one of the few of shops and tests.
func TestNamedSettingsExist(t *testing.T) {
	_, out, errs := invoke(nil, "-h")
	help := out + errs
	others := []string{"COINSLOT_URL", "COINSLOT_VERSION"} // of shops, of deploy/compose.yaml
	name := regexp.MustCompile(`COINSLOT_[A-Z][A-Z_]*[A-Z]`)
	for page, text := range prose(t) {
		for _, found := range name.FindAllString(text, -1) {
			base := strings.TrimSuffix(found, "_FILE")
			if !slices.Contains(others, base) && !strings.Contains(help, base) {
				t.Errorf("%s names %s, which is no setting", page, found)
			}
		}
	}
}

// namedTest is a test as pages name it: `bff/store TestKeys`, or without the package after another
// one on the line.
var namedTest = regexp.MustCompile("`([a-z0-9/]+ )?((?:Test|Fuzz|Benchmark)[A-Z]\\w*)")

// TestNamedTestsExist: a test that a page names as a proof is there, in the package that it says.
func TestNamedTestsExist(t *testing.T) {
	tests := map[string][]string{} // by folder
	named := map[string]int{}      // by page
	in := func(folder, name string) bool {
		if tests[folder] == nil {
			tests[folder] = testsOf(t, "../"+folder)
		}
		return slices.Contains(tests[folder], name)
	}
	anywhere := everyTest(t)
	for page, text := range prose(t) {
		for line := range strings.SplitSeq(text, "\n") {
			folder := ""
			for _, m := range namedTest.FindAllStringSubmatch(line, -1) {
				named[page]++
				if m[1] != "" {
					folder = strings.TrimSpace(m[1])
				}
				if m[1] != "" && !in(folder, m[2]) || m[1] == "" && !anywhere[m[2]] {
					t.Errorf("%s names %s, which is no test of %q", page, m[2], folder)
				}
			}
		}
	}
	// The pages that prove what they claim name at least so many.
	for page, least := range map[string]int{
		"docs/features.md": 100, "docs/reliability.md": 40, "docs/security.md": 40,
	} {
		if named[page] < least {
			t.Errorf("%s names %d tests; want %d at least", page, named[page], least)
		}
	}
}

// everyTest returns the names of all test functions of the repository.
func everyTest(t *testing.T) map[string]bool {
	t.Helper()
	all, folders := map[string]bool{}, map[string]bool{}
	for _, file := range sources(t, "*_test.go") {
		folders[filepath.Dir(file)] = true
	}
	for folder := range folders {
		for _, name := range testsOf(t, "../"+folder) {
			all[name] = true
		}
	}
	return all
}

// testsOf returns the names of a directory's test functions, without TestMain.
func testsOf(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(dir + "/*_test.go")
	if err != nil || len(files) == 0 {
		t.Errorf("%s has no tests: %v", dir, err)
	}
	names := []string{"none yet"} // not nil, so that it is read once
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("reading the tests: %v", err)
			continue
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && f.Recv == nil && f.Name.Name != "TestMain" && len(f.Type.Params.List) == 1 {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}
