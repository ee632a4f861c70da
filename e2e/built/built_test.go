package built

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"
)

// module is a small module with this package in it, whose tools/build makes bin/coinslot of
// app/word and whose e2e tests print what the program is.
var module = map[string]string{
	"go.mod":   "module coinslot\n\ngo 1.26.0\n",
	"app/word": "first",
	"tools/build/main.go": `package main

import (
	"fmt"
	"os"
)

func main() {
	word, err := os.ReadFile("app/word")
	if err != nil || string(word) == "broken" {
		fmt.Println("cannot build of", string(word))
		os.Exit(1)
	}
	os.Mkdir("bin", 0o755)
	os.WriteFile("bin/coinslot", word, 0o644)
}
`,
	"e2e/e2e_test.go": `package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"coinslot/e2e/built"
)

func TestMain(m *testing.M) {
	if err := built.Build(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func TestDrives(t *testing.T) {
	word, err := exec.Command("cat", built.Program(t)).Output()
	t.Logf("drives the %s program, %v", word, err)
}
`,
}

// go test drives the program of the sources as they are: after a change it builds, and does not
// answer from its cache. When nothing has changed, it may.
func TestChangedSources(t *testing.T) {
	need.Long(t, "it compiles a module")
	root := t.TempDir()
	source := fortest.Must(os.ReadFile("built.go"))(t)
	write(t, root, "e2e/built/built.go", string(source))
	for name, text := range module {
		write(t, root, name, text)
	}
	test := func(want, not string) {
		t.Helper()
		cmd := exec.Command("go", "test", "-vet=off", "-v", "./e2e")
		cmd.Dir, cmd.Env = root, append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
		out, _ := cmd.CombinedOutput() // a failure is in it
		if !strings.Contains(string(out), want) || strings.Contains(string(out), not) {
			t.Errorf("go test printed:\n%s\nwant %q and not %q", out, want, not)
		}
	}
	test("drives the first program", "cached")
	test("(cached)", "FAIL")
	write(t, root, "app/word", "second")
	test("drives the second program", "cached")
	write(t, root, "app/word", "broken")
	test("cannot build of broken", "drives")
	write(t, root, "bin/coinslot", "an old program")
	write(t, root, "app/word", "third")
	test("drives the third program", "cached")
}

// write makes a file that was changed a while ago: go test keeps no result of a file that is
// seconds old.
func write(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	fortest.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	fortest.OK(t, os.WriteFile(path, []byte(text), 0o644))
	before := time.Now().Add(-time.Hour)
	fortest.OK(t, os.Chtimes(path, before, before))
}
