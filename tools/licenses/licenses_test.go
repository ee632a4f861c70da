package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// The committed notices are those of what is linked now.
func TestNoticesAreCurrent(t *testing.T) {
	root := filepath.Join("..", "..")
	modules := fortest.Must(linkedModules(root))(t)
	now := fortest.Must(render(modules))(t)
	committed := fortest.Must(os.ReadFile(filepath.Join(root, "bff", "licenses", "third-party.txt")))(t)
	fortest.Diff(t, strings.Split(string(now), "\n"), strings.Split(string(committed), "\n"),
		"bff/licenses/third-party.txt is not what is linked now: run go run ./tools/licenses")
}

// The modules of every platform are listed, and no tool's.
func TestEveryPlatformIsListed(t *testing.T) {
	modules := fortest.Must(linkedModules(filepath.Join("..", "..")))(t)
	found := map[string]bool{}
	for _, m := range modules {
		found[m.path] = true
	}
	for _, want := range []string{
		"github.com/maxence-charriere/go-app/v10", // in the browser too
		"modernc.org/sqlite",                      // in the server only
		"github.com/klauspost/cpuid/v2",           // on amd64 only
		"github.com/mattn/go-isatty",              // on macOS and Windows only
	} {
		if !found[want] {
			t.Errorf("%s is not listed", want)
		}
	}
	if found["github.com/evanw/esbuild"] {
		t.Error("esbuild is listed, which is a tool and not linked")
	}
}

// The copy of Go's license is that of the installed Go, where this has one.
func TestGoLicense(t *testing.T) {
	goroot := fortest.Must(exec.Command("go", "env", "GOROOT").Output())(t)
	installed, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "LICENSE"))
	if err != nil {
		t.Skipf("this installation of Go has no license file: %v", err)
	}
	fortest.Equal(t, normalize(installed), normalize(goLicense),
		"Go's license has changed: copy it to tools/licenses/go-license.txt")
}

const mit = "Permission is hereby granted, free of charge, to any person obtaining a copy of this software " +
	"and associated documentation files (the \"Software\"), to deal in the Software without " +
	"restriction, including without limitation the rights to use, copy, modify, merge, publish, " +
	"distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the " +
	"Software is furnished to do so, subject to the following conditions: The above copyright notice " +
	"and this permission notice shall be included in all copies or substantial portions of the " +
	"Software. THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, " +
	"INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE " +
	"AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, " +
	"DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, " +
	"OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.\n"

// moduleFolder writes a module's files and returns a package of it, in its folder deep/inner.
func moduleFolder(t *testing.T, path string, files map[string]string) goPackage {
	t.Helper()
	root := t.TempDir()
	p := goPackage{Dir: filepath.Join(root, "deep", "inner")}
	fortest.OK(t, os.MkdirAll(p.Dir, 0o755))
	for name, content := range files {
		fortest.OK(t, os.WriteFile(filepath.Join(root, name), []byte(content), 0o644))
	}
	p.Module = &goModule{Path: path, Version: "v1.0.0", Dir: root}
	return p
}

func TestModuleWithoutLicense(t *testing.T) {
	_, err := readLicenses([]goPackage{moduleFolder(t, "example.org/bare", map[string]string{"README.md": "free"})})
	if err == nil || !strings.Contains(err.Error(), "example.org/bare v1.0.0") || !strings.Contains(err.Error(), "no license file") {
		t.Errorf("a module without a license: %v", err)
	}
}

// Notices and the licenses of a module's parts are printed too, and a text that two modules share
// once.
func TestRender(t *testing.T) {
	modules := fortest.Must(readLicenses([]goPackage{
		moduleFolder(t, "example.org/b", map[string]string{"LICENSE.txt": "\r\n" + strings.ReplaceAll(mit, "\n", "\r\n")}),
		moduleFolder(t, "example.org/a", map[string]string{
			"LICENSE": mit, "NOTICE": "made by A\n", "deep/LICENSE": "another's terms\n", "deep/inner/COPYING": "a third's\n",
		}),
		{Dir: "fmt"},
	}))(t)
	notices := fortest.Must(render(modules))(t)
	got := strings.Join(strings.Fields(string(notices)), " ")
	line := strings.TrimSpace(separator)
	fortest.Has(t, "the notices", got,
		"example.org/a v1.0.0 MIT and others example.org/b v1.0.0 MIT "+line,
		line+" example.org/a v1.0.0, LICENSE example.org/b v1.0.0, LICENSE.txt "+line+" "+strings.TrimSpace(mit),
		line+" example.org/a v1.0.0, NOTICE "+line+" made by A",
		line+" example.org/a v1.0.0, deep/LICENSE "+line+" another's terms",
		line+" example.org/a v1.0.0, deep/inner/COPYING "+line+" a third's",
		line+" Go: standard library, runtime, wasm_exec.js, LICENSE "+line+" Copyright 2009 The Go Authors",
		line+" Unicode CLDR: how languages write prices and days, LICENSE "+line+" UNICODE LICENSE V3",
	)
	fortest.Equal(t, strings.Count(got, line+" "+strings.TrimSpace(mit)), 1,
		"the text that both have is not there once")
}
