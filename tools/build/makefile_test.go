package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// fakeGo is a Go command for make, and an empty folder to run it in.
type fakeGo struct{ folder, path string }

func newFakeGo(t *testing.T, script string) fakeGo {
	t.Helper()
	for _, command := range []string{"make", "bash"} {
		if _, err := exec.LookPath(command); err != nil {
			t.Skip(err)
		}
	}
	f := fakeGo{t.TempDir(), filepath.Join(t.TempDir(), "go")}
	fortest.OK(t, os.WriteFile(f.path, []byte("#!/bin/bash\n"+script), 0o755))
	return f
}

// make runs a target with the fake Go command and returns what it printed.
func (f fakeGo) make(t *testing.T, target string) (string, error) {
	t.Helper()
	makefile := fortest.Must(filepath.Abs(filepath.Join("..", "..", "Makefile")))(t)
	out, err := exec.Command("make", "--no-print-directory", "-C", f.folder, "-f", makefile, "GO="+f.path, target).CombinedOutput()
	return string(out), err
}

// TestCheckRuns: what CI runs includes every check.
func TestCheckRuns(t *testing.T) {
	makefile := fortest.Must(os.ReadFile(filepath.Join("..", "..", "Makefile")))(t)
	m := regexp.MustCompile(`(?m)^check:([^#\n]*)`).FindSubmatch(makefile)
	if m == nil {
		t.Fatal("there is no target check")
	}
	for _, want := range []string{"format", "vet", "tidy", "lint", "fresh", "test"} {
		if !strings.Contains(string(m[1])+" ", " "+want+" ") {
			t.Errorf("make check does not run %s", want)
		}
	}
}

// TestMakeReports: the targets pass on what the Go command reports, and say if nothing was checked.
func TestMakeReports(t *testing.T) {
	const unreachable = "cannot be reached, so nothing was checked"
	for name, c := range map[string]struct {
		target, script string
		fails          bool
		want, not      string
	}{
		"tidy modules":    {"tidy", `[ "$*" = "mod tidy -diff" ]`, false, "", "go"},
		"untidy modules":  {"tidy", `echo "+example.org/a v1.0.0"; exit 1`, true, "+example.org/a", unreachable},
		"untidy, advice":  {"tidy", `exit 1`, true, "run go mod tidy", unreachable},
		"no network":      {"lint", `echo "dial tcp: no such host" >&2; exit 1`, true, "no such host", unreachable},
		"no linter":       {"lint", `exit 1`, true, "could not be downloaded", unreachable},
		"no database":     {"vulncheck", `echo 'govulncheck: fetching vulnerabilities: no such host' >&2; exit 1`, true, unreachable, "GO-2026-1"},
		"a vulnerability": {"vulncheck", `echo "Vulnerability #1: GO-2026-1"; exit 3`, true, "GO-2026-1", unreachable},
		"none":            {"vulncheck", `echo "No vulnerabilities found."`, false, "No vulnerabilities found.", unreachable},
	} {
		f := newFakeGo(t, c.script)
		for range 2 { // a failure must not be remembered as a success
			out, err := f.make(t, c.target)
			if (err != nil) != c.fails || !strings.Contains(out, c.want) ||
				strings.Contains(out, c.not) || c.want == "" && out != "" {
				t.Errorf("%s: %v, %s", name, err, out)
			}
		}
	}
}

// TestMakeLint: the linter is compiled once, and says so.
func TestMakeLint(t *testing.T) {
	f := newFakeGo(t, `echo "go: downloading something" >&2; printf '#!/bin/sh\necho linted $*\n' >"$GOBIN/golangci-lint"; chmod +x "$GOBIN/golangci-lint"`)
	first, err := f.make(t, "lint")
	if err != nil || !strings.HasPrefix(first, "  tools     compiling golangci-lint") || !strings.Contains(first, "linted run ./...") || strings.Contains(first, "downloading") {
		t.Errorf("the first time: %v, %s", err, first)
	}
	second, err := f.make(t, "lint")
	if err != nil || strings.Contains(second, "compiling") || !strings.Contains(second, "linted run ./...") {
		t.Errorf("the second time: %v, %s", err, second)
	}
}
