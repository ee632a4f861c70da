package need

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"coinslot/bff/fortest"
)

// recorder is a test that says how it ended: "ran", "skipped: …" or "failed: …".
type recorder struct {
	testing.TB
	ended string
}

func (r *recorder) Helper()                         {}
func (r *recorder) Log(args ...any)                 {}
func (r *recorder) Logf(format string, args ...any) {}
func (r *recorder) Fatal(args ...any)               { r.end("failed: " + fmt.Sprint(args...)) }
func (r *recorder) Skip(args ...any)                { r.end("skipped: " + fmt.Sprint(args...)) }
func (r *recorder) Skipf(format string, args ...any) {
	r.end("skipped: " + fmt.Sprintf(format, args...))
}

func (r *recorder) end(how string) {
	r.ended = how
	runtime.Goexit()
}

// outcome runs test as the testing package does, and returns how it ended.
func outcome(test func(t testing.TB)) string {
	r := &recorder{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(r)
		r.ended = "ran"
	}()
	<-done
	return r.ended
}

// setShort switches the short mode of go test for one test.
func setShort(t *testing.T, short bool) {
	t.Helper()
	before := flag.Lookup("test.short").Value.String()
	set := func(value string) {
		fortest.OK(t, flag.Set("test.short", value))
	}
	set(fmt.Sprint(short))
	t.Cleanup(func() { set(before) })
}

// A missing tool skips a test, and fails it where tools are required. The reason says what is
// missing and which command provides it.
func TestMissing(t *testing.T) {
	setShort(t, false)
	here := t.TempDir()
	for name, tc := range map[string]struct {
		test func(t testing.TB)
		want []string
	}{
		"a command": {func(t testing.TB) { Command(t, "coinslot-none") }, []string{"coinslot-none is missing", "make install-all"}},
		"a server":  {func(t testing.TB) { Server(t, "coinslot-none") }, []string{"coinslot-none is missing", "make install-all"}},
		"a file":    {func(t testing.TB) { File(t, filepath.Join(here, ".cache/axe.js")) }, []string{": .cache/axe.js is missing", "make install-all"}},
		"assets":    {func(t testing.TB) { Assets(t, fstest.MapFS{"dist/.gitkeep": {}}) }, []string{"static/dist", "make assets"}},
		"a tool":    {func(t testing.TB) { Tool(t, Missing("Chromium", "install-all")) }, []string{"Chromium is missing"}},
	} {
		for required, want := range map[string]string{"": "skipped: not run", "true": "failed"} {
			t.Setenv("CI", required)
			skipped.Store(false)
			got := outcome(tc.test)
			fortest.Equal(t, Skipped(), required == "",
				"%s is missing, CI=%s: Skipped", name, required)
			for _, part := range append(tc.want, want) {
				fortest.Has(t, name+" is missing, CI="+required+": the test", got, part)
			}
		}
	}
}

// What is there lets a test run.
func TestThere(t *testing.T) {
	setShort(t, false)
	for _, required := range []string{"", "true"} {
		t.Setenv("CI", required)
		got := outcome(func(t testing.TB) {
			if path := Command(t, "go"); !filepath.IsAbs(path) {
				t.Fatal("the path of go is ", path)
			}
			Server(t, "go")
			File(t, "need_test.go")
			Assets(t, fstest.MapFS{"dist/manifest.json": {}})
			Tool(t, nil)
			Long(t, "it waits")
			if !Has(t, "it waits", nil) {
				t.Fatal("t may not use what is there")
			}
		})
		fortest.Equal(t, got, "ran", "CI=%s: the test", required)
	}
}

// In short mode nothing long runs, even where tools are required and there.
func TestShort(t *testing.T) {
	setShort(t, true)
	t.Setenv("CI", "true")
	missing := Missing("Chromium", "install-all")
	for name, test := range map[string]func(t testing.TB){
		"long":             func(t testing.TB) { Long(t, "it waits") },
		"a server":         func(t testing.TB) { Server(t, "go") },
		"a missing server": func(t testing.TB) { Server(t, "coinslot-none") },
	} {
		if got := outcome(test); !strings.HasPrefix(got, "skipped: not run in short mode") {
			t.Errorf("%s: the test %s", name, got)
		}
	}
	for _, missing := range []error{nil, missing} {
		got := outcome(func(t testing.TB) {
			if Has(t, "it waits", missing) {
				t.Fatal("t may use it")
			}
		})
		fortest.Equal(t, got, "ran", "missing = %v: a test that does more", missing)
	}
}

// A test that does more without a tool does that, unless tools are required.
func TestHas(t *testing.T) {
	setShort(t, false)
	for required, want := range map[string]string{"": "ran", "true": "failed: Chromium is missing"} {
		t.Setenv("CI", required)
		got := outcome(func(t testing.TB) {
			if Has(t, "it drives a browser", Missing("Chromium", "install-all")) {
				t.Skip("t may use it")
			}
		})
		if !strings.HasPrefix(got, want) {
			t.Errorf("CI=%s: the test %s; want %s", required, got, want)
		}
	}
}

// module is a small module with this package in it, and a package of tests that need a tool.
var module = map[string]string{
	"go.mod": "module coinslot\n\ngo 1.26.0\n",
	"driver/driver_test.go": `package driver

import (
	"os"
	"path/filepath"
	"testing"

	"coinslot/e2e/need"
)

func TestMain(m *testing.M) {
	var missing error
	if _, err := os.Stat(filepath.Join(os.Getenv("TOOLS"), "tool")); err != nil {
		missing = need.Missing("the tool", "install-all")
	}
	os.Exit(need.Main(m, "it drives the tool", missing, m.Run))
}

func TestDrives(*testing.T) {}
`,
}

// What go test prints and remembers of a package that needs a tool. A result without the tool is
// not remembered: the tool may be installed by the next time.
func TestPackage(t *testing.T) {
	Long(t, "it compiles a module")
	root, tools := t.TempDir(), t.TempDir()
	source := fortest.Must(os.ReadFile("need.go"))(t)
	write(t, filepath.Join(root, "e2e/need/need.go"), string(source))
	for name, text := range module {
		write(t, filepath.Join(root, name), text)
	}
	test := func(required string, want []string, flags ...string) {
		t.Helper()
		cmd := exec.Command("go", slices.Concat([]string{"test", "-vet=off"}, flags, []string{"./driver"})...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "TOOLS="+tools, "CI="+required, "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
		out, _ := cmd.CombinedOutput() // a failure is in it
		for _, part := range want {
			absent, unwanted := strings.CutPrefix(part, "no ")
			if strings.Contains(string(out), absent) == unwanted {
				t.Errorf("CI=%s go test %v printed:\n%s\nwant %s", required, flags, out, part)
			}
		}
	}
	test("", []string{"ok", "[no tests to run]"})
	test("", []string{"ok", "[no tests to run]", "no cached"})
	test("", []string{"not run: the tool is missing: run make install-all", "[no tests to run]", "no === RUN"}, "-v")
	test("true", []string{"the tool is missing: run make install-all", "FAIL"})
	test("", []string{"not run in short mode: it drives the tool", "[no tests to run]", "no === RUN"}, "-short", "-v")
	test("true", []string{"ok", "[no tests to run]"}, "-short")
	write(t, filepath.Join(tools, "tool"), "")
	test("", []string{"ok", "no [no tests to run]", "no cached"})
	test("true", []string{"ok", "=== RUN"}, "-v")
	test("true", []string{"TestDrives", "no === RUN"}, "-list", ".")
}

func write(t *testing.T, path, text string) {
	t.Helper()
	fortest.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	fortest.OK(t, os.WriteFile(path, []byte(text), 0o644))
}
