package deploy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// inBuildContext reports whether Docker copies a file into the build: the last matching line of
// .dockerignore decides.
func inBuildContext(lines []string, name string) bool {
	in := true
	for _, line := range lines {
		pattern, back := strings.CutPrefix(line, "!")
		if matches(pattern, name) {
			in = back
		}
	}
	return in
}

// matches reports whether a pattern matches a file or one of its folders.
func matches(pattern, name string) bool {
	if last, anywhere := strings.CutPrefix(pattern, "**/"); anywhere {
		for part := range strings.SplitSeq(name, "/") {
			if is, _ := path.Match(last, part); is {
				return true
			}
		}
		return false
	}
	for ; name != "."; name = path.Dir(name) {
		if is, _ := path.Match(pattern, name); is {
			return true
		}
	}
	return false
}

// The build context must have every source file and no secret.
func TestBuildContext(t *testing.T) {
	lines := strings.Fields(strings.Split(read(t, "../.dockerignore"), "\n*\n")[1])
	lines = append([]string{"*"}, lines...)
	for _, name := range []string{
		"deploy/secrets/secret-key", "bin/coinslot", ".git/config", "coinslot.db",
		"static/dist/manifest.json", "bff/config/config_test.go", "bff/config/testdata/fuzz/a",
	} {
		if inBuildContext(lines, name) {
			t.Errorf("%s comes into the image's build", name)
		}
	}
	for _, name := range append(compiledFiles(t, "linux", "amd64", "./bff", "./tools/assets",
		"./tools/build"), compiledFiles(t, "js", "wasm", "./app/...")...) {
		built := strings.HasPrefix(name, "static/dist/")
		test := strings.HasSuffix(name, "_test.go") // embedded with their folder
		if !inBuildContext(lines, name) && !built && !test {
			t.Errorf("%s is compiled, and .dockerignore keeps it out of the image's build", name)
		}
	}
}

// compiledFiles returns the module's files of packages, relative to its root.
func compiledFiles(t *testing.T, system, arch string, packages ...string) (files []string) {
	t.Helper()
	cmd := exec.Command("go", append([]string{
		"list", "-deps", "-json=ImportPath,Dir,Module,GoFiles,OtherFiles,EmbedFiles",
	}, packages...)...)
	cmd.Dir, cmd.Env = "..", append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	list, err := cmd.Output()
	if err != nil {
		t.Fatalf("listing what %v are made of: %v", packages, err)
	}
	root := fortest.Must(filepath.Abs(".."))(t)
	for decoder := json.NewDecoder(bytes.NewReader(list)); ; {
		var p struct {
			Dir                             string
			Module                          struct{ Main bool }
			GoFiles, OtherFiles, EmbedFiles []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		if !p.Module.Main {
			continue
		}
		for _, name := range append(append(p.GoFiles, p.OtherFiles...), p.EmbedFiles...) {
			file := fortest.Must(filepath.Rel(root, filepath.Join(p.Dir, name)))(t)
			files = append(files, filepath.ToSlash(file))
		}
	}
}

// The image is built with one Go release, of the version in go.mod.
func TestImageHasTheGoRelease(t *testing.T) {
	release := regexp.MustCompile(`golang:([0-9]+\.[0-9]+)\.[0-9]+-`).
		FindStringSubmatch(read(t, "../Dockerfile"))
	if release == nil {
		t.Fatal("the Dockerfile names no Go release")
	}
	if want := "\ngo " + release[1] + "."; !strings.Contains(read(t, "../go.mod"), want) {
		t.Errorf("the image is built with Go %s; go.mod has another version", release[1])
	}
}
