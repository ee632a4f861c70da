package need

import (
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
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
