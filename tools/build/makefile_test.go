package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
	if err := os.WriteFile(f.path, []byte("#!/bin/bash\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return f
}

// make runs a target with the fake Go command and returns what it printed.
func (f fakeGo) make(t *testing.T, target string) (string, error) {
	t.Helper()
	makefile, err := filepath.Abs(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("make", "--no-print-directory", "-C", f.folder, "-f", makefile, "GO="+f.path, target).CombinedOutput()
	return string(out), err
}

// TestCheckRuns: what CI runs includes every check.
func TestCheckRuns(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
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

func TestMakeTidy(t *testing.T) {
	tidy := newFakeGo(t, `[ "$*" = "mod tidy -diff" ]`)
	if out, err := tidy.make(t, "tidy"); err != nil || out != "" {
		t.Errorf("tidy modules: %v, %s", err, out)
	}
	untidy := newFakeGo(t, `echo "+example.org/a v1.0.0"; exit 1`)
	if out, err := untidy.make(t, "tidy"); err == nil || !strings.Contains(out, "+example.org/a") || !strings.Contains(out, "run go mod tidy") {
		t.Errorf("modules that are not tidy: %v, %s", err, out)
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

func TestMakeLintWithoutNetwork(t *testing.T) {
	f := newFakeGo(t, `echo "dial tcp: no such host" >&2; exit 1`)
	for range 2 {
		out, err := f.make(t, "lint")
		if err == nil || !strings.Contains(out, "no such host") || !strings.Contains(out, "could not be downloaded") {
			t.Errorf("without a network: %v, %s", err, out)
		}
	}
}

func TestMakeVulncheck(t *testing.T) {
	const unreachable = "cannot be reached, so nothing was checked"
	offline := newFakeGo(t, `echo 'govulncheck: fetching vulnerabilities: Get "https://vuln.go.dev/": no such host' >&2; exit 1`)
	if out, err := offline.make(t, "vulncheck"); err == nil || !strings.Contains(out, unreachable) {
		t.Errorf("without its database: %v, %s", err, out)
	}
	found := newFakeGo(t, `echo "Vulnerability #1: GO-2026-1"; exit 3`)
	if out, err := found.make(t, "vulncheck"); err == nil || !strings.Contains(out, "GO-2026-1") || strings.Contains(out, unreachable) {
		t.Errorf("with a vulnerability: %v, %s", err, out)
	}
	none := newFakeGo(t, `echo "No vulnerabilities found."`)
	if out, err := none.make(t, "vulncheck"); err != nil || !strings.Contains(out, "No vulnerabilities found.") {
		t.Errorf("without one: %v, %s", err, out)
	}
}
