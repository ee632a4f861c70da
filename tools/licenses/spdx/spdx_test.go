package spdx

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

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

func TestIdentify(t *testing.T) {
	bsd := fortest.Must(os.ReadFile("../go-license.txt"))(t)
	for _, c := range []struct{ text, want string }{
		{"MIT License\n\nCopyright (c) 2026 A. Author\n\n" + mit, "MIT"},
		{string(bsd), "BSD-3-Clause"},
		{"all rights reserved", ""},
		{"this is not under the following license: " + mit + strings.Repeat("but under our own\n", 30), ""},
	} {
		fortest.Equal(t, Identify([]byte(c.text)), c.want, "Identify(%q)", c.text)
	}
}

// folder has files with these names and the MIT license in each.
func folder(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		fortest.OK(t, os.WriteFile(filepath.Join(root, name), []byte(mit), 0o644))
	}
	return root
}

func TestFiles(t *testing.T) {
	root := folder(t, "LICENSE-SQLITE", "LICENSE.txt", "NOTICE", "README.md", "license_test.go", "PATENTS", "Licence.md", "COPYING")
	got, err := Files(root)
	want := []string{"COPYING", "LICENSE.txt", "Licence.md", "NOTICE", "LICENSE-SQLITE"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Files = %v, %v; want %v", got, err, want)
	}
}

func TestModule(t *testing.T) {
	if got, err := Module(folder(t, "COPYING", "NOTICE")); got != "MIT" || err != nil {
		t.Errorf("with COPYING: %q, %v; want MIT", got, err)
	}
	if _, err := Module(folder(t, "NOTICE", "README.md")); err == nil || !strings.Contains(err.Error(), "no license file") {
		t.Errorf("with a notice alone: %v; want an error", err)
	}
}
