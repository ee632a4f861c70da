package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"
	"coinslot/tools/compile"

	"github.com/andybalholm/brotli"
)

// TestFreshMachine: a clone on a machine that has never built anything leaves the same bytes as
// one on a machine that has, and so does the build of the container image. Modules come from the
// download cache of this machine, so that it costs no network. With one byte of go-app changed,
// the build stops, also where everything was built before.
func TestFreshMachine(t *testing.T) {
	need.Long(t, "it compiles everything twice")
	warm := copyOfModule(t)
	makeBuild(t, warm, nil)

	caches := t.TempDir()
	t.Cleanup(func() { exec.Command("chmod", "-R", "u+w", caches).Run() }) // modules are read-only
	empty := append(os.Environ(), "GOMODCACHE="+filepath.Join(caches, "mod"), "GOCACHE="+filepath.Join(caches, "build"),
		"GOPROXY=file://"+goEnv(t, "GOMODCACHE")+"/cache/download", "GOSUMDB=off")
	cold := copyOfModule(t)
	started := time.Now()
	text := makeBuild(t, cold, empty)
	t.Logf("make build with empty caches: %.0f s\n%s", time.Since(started).Seconds(), text)
	lines := strings.Count(text, "\n") - strings.Count(text, " so far)\n") // one each ten seconds
	if lines > 60 || !strings.Contains(text, "downloaded") {
		t.Errorf("a first build printed %d lines; want some that a person can read", lines)
	}
	same(t, "a fresh clone", cold, warm)

	image := copyOfModule(t, imageContext(t)...)
	command := imageCommand(t, filepath.Join(image, "bin", "coinslot"))
	if text, err := shell(image, empty, command); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, text)
	}
	same(t, "the image", image, warm)

	goApp := fortest.Must(compile.FindModule(filepath.Join("..", ".."), compile.GoApp))(t)
	folder := filepath.FromSlash(goApp.Path) + "@" + goApp.Version
	file := filepath.Join(caches, "mod", folder, "pkg", "app", "engine.go")
	fortest.OK(t, flip(file))
	for _, target := range []string{"build", "run", "assets"} {
		text, err := shell(cold, empty, "make "+target)
		if err == nil || !strings.Contains(text, file) || !strings.Contains(text, "go clean -modcache") {
			t.Errorf("make %s with a changed %s: %v\n%s", target, file, err, text)
		}
	}
}

// copyOfModule copies what git knows, and what is new, into a folder of the test's. patterns are
// pathspecs of git; none = everything but tests.
func copyOfModule(t *testing.T, patterns ...string) string {
	t.Helper()
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	root := t.TempDir()
	args := append([]string{"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"}, patterns...)
	list := exec.Command("git", append(args, ":!*_test.go", ":!*/testdata/*")...)
	list.Dir = filepath.Join("..", "..")
	names, err := list.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	for name := range strings.SplitSeq(strings.Trim(string(names), "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(list.Dir, name))
		if os.IsNotExist(err) { // removed, and not yet committed
			continue
		}
		fortest.OK(t, err)
		fortest.OK(t, os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755))
		fortest.OK(t, os.WriteFile(filepath.Join(root, name), content, 0o644))
	}
	return root
}

// makeBuild runs make build and returns what it prints.
func makeBuild(t *testing.T, root string, env []string) string {
	t.Helper()
	text, err := shell(root, env, "make build")
	if err != nil {
		t.Fatalf("make build: %v\n%s", err, text)
	}
	return text
}

func shell(root string, env []string, command string) (string, error) {
	cmd := exec.Command("bash", "-c", command)
	cmd.Dir, cmd.Env = root, env
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// same compares what two builds have left: the browser program, uncompressed, and the server.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	if a, b := wasm(t, got), wasm(t, want); !bytes.Equal(a, b) {
		t.Errorf("%s has another app.wasm than a build with warm caches: %d bytes; want %d", what, len(a), len(b))
	}
	a, errA := os.ReadFile(filepath.Join(got, "bin", "coinslot"))
	b, errB := os.ReadFile(filepath.Join(want, "bin", "coinslot"))
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("%s has another program than a build with warm caches: %d bytes, %v; want %d, %v", what, len(a), errA, len(b), errB)
	}
}

// wasm is the built browser program.
func wasm(t *testing.T, root string) []byte {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, "static", "dist", "app.*.wasm.br"))
	if err != nil || len(found) != 1 {
		t.Fatalf("built browser programs: %v, %v; want one", found, err)
	}
	packed := fortest.Must(os.Open(found[0]))(t)
	defer packed.Close()
	var program bytes.Buffer
	fortest.Must(program.ReadFrom(brotli.NewReader(packed)))(t)
	return program.Bytes()
}

// imageContext are the pathspecs of what .dockerignore lets into the image's build.
func imageContext(t *testing.T) (patterns []string) {
	t.Helper()
	text := fortest.Must(os.ReadFile(filepath.Join("..", "..", ".dockerignore")))(t)
	for line := range strings.Lines(string(text)) {
		if name, in := strings.CutPrefix(strings.TrimSpace(line), "!"); in {
			patterns = append(patterns, name)
		}
	}
	return patterns
}

var (
	buildLine  = regexp.MustCompile(`(?m)^RUN (CGO_ENABLED=0 go run (?:.*\\\n)*.*)$`)
	dockerArgs = regexp.MustCompile(`"\$\w+(/\$\w+)?"`)
)

// imageCommand is the Dockerfile's command that builds the program, for this platform, without a
// version as in the other builds, with another file to write.
func imageCommand(t *testing.T, out string) string {
	t.Helper()
	text := fortest.Must(os.ReadFile(filepath.Join("..", "..", "Dockerfile")))(t)
	found := buildLine.FindStringSubmatch(string(text))
	if found == nil {
		t.Fatal("the Dockerfile has no command that builds the program")
	}
	command := strings.ReplaceAll(found[1], "\\\n", " ")
	command = strings.ReplaceAll(command, `"$TARGETOS/$TARGETARCH"`, goEnv(t, "GOOS")+"/"+goEnv(t, "GOARCH"))
	return strings.ReplaceAll(dockerArgs.ReplaceAllString(command, `""`), "/out/coinslot", out)
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(string(fortest.Must(exec.Command("go", "env", name).Output())(t)))
}

// flip changes one byte of a file, which may be read-only.
func flip(path string) error {
	if err := os.Chmod(path, 0o644); err != nil {
		return fmt.Errorf("changing a file of go-app: %w", err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	content[len(content)/2] ^= 1
	return os.WriteFile(path, content, 0o644)
}
