package need

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
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
		if err := flag.Set("test.short", value); err != nil {
			t.Fatal(err)
		}
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
		"a command": {func(t testing.TB) { Command(t, "coinslot-none") }, []string{"coinslot-none is missing", "make install-test-tools"}},
		"a server":  {func(t testing.TB) { Server(t, "coinslot-none") }, []string{"coinslot-none is missing", "make install-test-tools"}},
		"a file":    {func(t testing.TB) { File(t, filepath.Join(here, ".cache/axe.js")) }, []string{": .cache/axe.js is missing", "make install-test-tools"}},
		"assets":    {func(t testing.TB) { Assets(t, fstest.MapFS{"dist/.gitkeep": {}}) }, []string{"static/dist", "make assets"}},
		"a tool":    {func(t testing.TB) { Tool(t, Missing("Chromium", "install-test-tools")) }, []string{"Chromium is missing"}},
	} {
		for required, want := range map[string]string{"": "skipped: not run", "required": "failed"} {
			t.Setenv("TEST_TOOLS", required)
			skipped.Store(false)
			got := outcome(tc.test)
			if Skipped() != (required == "") {
				t.Errorf("%s is missing, TEST_TOOLS=%s: Skipped = %v", name, required, Skipped())
			}
			for _, part := range append(tc.want, want) {
				if !strings.Contains(got, part) {
					t.Errorf("%s is missing, TEST_TOOLS=%s: the test %s; want %q", name, required, got, part)
				}
			}
		}
	}
}

// What is there lets a test run.
func TestThere(t *testing.T) {
	setShort(t, false)
	for _, required := range []string{"", "required"} {
		t.Setenv("TEST_TOOLS", required)
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
		if got != "ran" {
			t.Errorf("TEST_TOOLS=%s: the test %s", required, got)
		}
	}
}

// In short mode nothing long runs, even where tools are required and there.
func TestShort(t *testing.T) {
	setShort(t, true)
	t.Setenv("TEST_TOOLS", "required")
	missing := Missing("Chromium", "install-test-tools")
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
		if got != "ran" {
			t.Errorf("missing = %v: a test that does more %s", missing, got)
		}
	}
}

// A test that does more without a tool does that, unless tools are required.
func TestHas(t *testing.T) {
	setShort(t, false)
	for required, want := range map[string]string{"": "ran", "required": "failed: Chromium is missing"} {
		t.Setenv("TEST_TOOLS", required)
		got := outcome(func(t testing.TB) {
			if Has(t, "it drives a browser", Missing("Chromium", "install-test-tools")) {
				t.Skip("t may use it")
			}
		})
		if !strings.HasPrefix(got, want) {
			t.Errorf("TEST_TOOLS=%s: the test %s; want %s", required, got, want)
		}
	}
}

// tests stands for the tests of a package.
type tests struct{ ran, left bool }

// Run is that of testing.M: it runs what the flags name.
func (p *tests) Run() int {
	p.left = flag.Lookup("test.run").Value.String() == "^$"
	p.ran = !p.left
	return 0
}

func TestMainFunction(t *testing.T) {
	missing := errors.New("Chromium is missing")
	for _, tc := range []struct {
		name     string
		short    bool
		required string
		missing  error
		code     int
		run      bool
	}{
		{name: "all is there", run: true},
		{name: "all that is required is there", required: "required", run: true},
		{name: "a tool is missing", missing: missing},
		{name: "a required tool is missing", missing: missing, required: "required", code: 1},
		{name: "short", short: true},
		{name: "short, and a required tool is missing", short: true, missing: missing, required: "required"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			setShort(t, tc.short)
			t.Setenv("TEST_TOOLS", tc.required)
			for _, name := range []string{"test.run", "test.bench", "test.fuzz"} {
				before := flag.Lookup(name).Value.String()
				t.Cleanup(func() { _ = flag.Set(name, before) })
			}
			_ = flag.Set("test.run", "Test")
			var p tests
			prepared := false
			code := Main(&p, "it drives a browser", tc.missing, func() int { prepared = true; return p.Run() })
			if code != tc.code || prepared != tc.run || p.ran != tc.run {
				t.Errorf("Main = %d, ran = %v; want %d, %v", code, p.ran, tc.code, tc.run)
			}
			if tc.code == 0 && !tc.run && !p.left {
				t.Error("go test was not told that there is nothing to run")
			}
		})
	}
}
