// Package need skips tests whose tools are missing, so that go test ./... passes on a machine
// that has Go and nothing else. With CI=true in the environment they fail: no test may be skipped
// there.
//
// In the short mode of go test, which make quick uses, tests that need a browser, another server or
// a lot of time are skipped even if the tools are installed.
package need

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
)

// Missing is the error for a tool or file that does not exist. target is the make target that
// provides it, like "install-all".
func Missing(what, target string) error {
	return fmt.Errorf("%s is missing: run make %s", what, target)
}

// Tool ends t unless missing is nil: it skips t, or fails it where tools are required.
func Tool(t testing.TB, missing error) {
	t.Helper()
	switch {
	case missing == nil:
	case required():
		t.Fatal(missing)
	default:
		skipped.Store(true)
		t.Skipf("not run: %v", missing)
	}
}

// Has reports whether t may use a tool, for a test that does more without it. If not, it logs the
// reason, or ends t where tools are required. why is as for [Long], missing as for [Tool].
func Has(t testing.TB, why string, missing error) bool {
	t.Helper()
	reason := short(why)
	if reason == nil && missing != nil && !required() {
		reason = fmt.Errorf("not run: %w", missing)
	}
	if reason != nil {
		skipped.Store(true)
		t.Log(reason)
		return false
	}

	Tool(t, missing)
	return true
}

// Skipped reports whether a function of this package has left out a test, or a part of one, so
// far: for a TestMain that checks what all tests together have done.
func Skipped() bool { return skipped.Load() }

var skipped atomic.Bool

// required reports whether a missing tool fails a test.
func required() bool { return os.Getenv("CI") == "true" }

// Command returns the path of a program that make install-all installs. It ends t if the
// PATH has none.
func Command(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Tool(t, Missing(name, "install-all"))
	}
	return path
}

// Server is [Command] for a program that t runs as a server.
func Server(t testing.TB, name string) string {
	t.Helper()
	Long(t, "it runs "+name)
	return Command(t, name)
}

// File returns path, which is that of a file that make install-all puts into .cache. It
// ends t if the file does not exist.
func File(t testing.TB, path string) string {
	t.Helper()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		Tool(t, Missing(path[max(0, strings.Index(path, ".cache/")):], "install-all"))
	}
	return path
}

// Assets ends t unless files, which is static.Files, holds what make assets builds: the files
// that browsers load. A test program has those that existed when it was compiled.
func Assets(t testing.TB, files fs.FS) {
	t.Helper()
	_, err := fs.Stat(files, "dist/manifest.json")
	if errors.Is(err, fs.ErrNotExist) {
		Tool(t, Missing("static/dist/manifest.json", "assets"))
	}
}

// Long skips t in short mode. why says what takes long, like "it drives a browser".
func Long(t testing.TB, why string) {
	t.Helper()
	if err := short(why); err != nil {
		skipped.Store(true)
		t.Skip(err)
	}
}

// short is the reason not to run in short mode, nil in any other.
func short(why string) error {
	if !testing.Short() {
		return nil
	}
	return fmt.Errorf("not run in short mode: %s", why)
}

// Main is the TestMain of a package that cannot be tested without a tool: why is as for [Long],
// missing as for [Tool]. It returns the exit code of run if all is there. Otherwise it prints
// the reason, runs no test, and go test adds "[no tests to run]" to the line of the package.
//
// go test keeps the result of a package, with the environment and files that its tests have
// read, but not if m.Run was not called. A missing tool must not be remembered: neither CI nor
// the tool is read by a test here.
func Main(m interface{ Run() int }, why string, missing error, run func() int) int {
	if !flag.Parsed() {
		flag.Parse()
	}

	reason := short(why)
	switch {
	case flag.Lookup("test.list").Value.String() != "":
		return m.Run() // runs no test
	case reason == nil && missing == nil:
		return run()
	case reason == nil && required():
		fmt.Fprintln(os.Stderr, missing)
		return 1
	case reason == nil:
		fmt.Printf("not run: %v\n%s", missing, nothingRan)
		return 0
	}

	fmt.Println(reason)
	nothing := map[string]string{"test.run": "^$", "test.bench": "", "test.fuzz": ""}
	for name, value := range nothing {
		if err := flag.Set(name, value); err != nil {
			fmt.Fprintln(os.Stderr, "leaving out the tests:", err)
			return 1
		}
	}

	return m.Run()
}

// nothingRan is what package testing prints where no test was to be run, and go test looks for.
const nothingRan = "testing: warning: no tests to run\nPASS\n"
