// Command test runs the tests of a tier:
//
//	go run ./tools/test        what make test runs
//	go run ./tools/test -rest  what only make test-all runs
//
// The rest are the tests whose names begin with TestFull, and all tests of the packages in the
// folders below. Both run the short form of TestTorture; make torture runs the long one.
//
// What the tests drive is built before, because no test waits for a compiler.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// rest matches the names of tests that make test leaves out.
const rest = "^TestFull"

// restFolders are the folders whose tests make test leaves out.
var restFolders = []string{
	"deploy", "e2e/gallery", "e2e/load", "integrations", "static/checkouttest", "tools", "torture",
}

// longest are the packages that take longest. They begin first.
var longest = []string{
	"torture", "e2e/gallery", "e2e", "bff/server", "static/checkouttest", "bff/store",
	"bff/gatewaylist", "bff/checkout", "bff",
}

// unraced are packages that the race detector does not look into, with all their callers watched: C
// turned into Go, whose memory it does not see, with its driver, and what only computes.
var unraced = []string{
	"modernc.org/sqlite", "modernc.org/sqlite/lib", "modernc.org/libc/...", "modernc.org/memory",
	"golang.org/x/crypto/argon2", "strconv", "math/big", "regexp/...", "compress/flate",
	"github.com/andybalholm/brotli/...", "github.com/santhosh-tekuri/jsonschema/...",
	"github.com/evanw/esbuild/...",
}

func main() {
	onlyRest := flag.Bool("rest", false, "run what make test leaves out")
	flag.Parse()

	packages, err := listPackages()
	if err == nil && *onlyRest {
		err = testRest(packages)
	} else if err == nil {
		err = goTest(packages.others, "-skip", rest)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "test:", err)
		os.Exit(1)
	}
}

// testRest runs what make test leaves out, all of it even if some fails.
func testRest(packages packages) error {
	return errors.Join(
		goTest(packages.inRestFolders),
		goTest(packages.withRest, "-run", rest),
	)
}

// packages are the packages with tests, by the paths of their folders.
type packages struct {
	inRestFolders []string
	others        []string
	withRest      []string // those of others with a test whose name matches rest
}

// testFiles prints a folder and its test files for each package that has some.
const testFiles = `{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{range .TestGoFiles}} {{.}}{{end}}` +
	`{{range .XTestGoFiles}} {{.}}{{end}}{{end}}`

// listPackages finds the packages, those that take longest first.
func listPackages() (found packages, err error) {
	list := exec.Command("go", "list", "-f", testFiles, "./...")
	list.Stderr = os.Stderr
	lines, err := list.Output()
	if err != nil {
		return found, fmt.Errorf("listing the packages: %w", err)
	}
	here, err := os.Getwd()
	if err != nil {
		return found, err
	}

	for line := range strings.Lines(string(lines)) {
		words := strings.Fields(line)
		folder := strings.TrimPrefix(words[0], here+string(filepath.Separator))
		if inRestFolder(folder) {
			found.inRestFolders = append(found.inRestFolders, folder)
			continue
		}

		found.others = append(found.others, folder)
		has, err := hasRest(folder, words[1:])
		if err != nil {
			return found, err
		}
		if has {
			found.withRest = append(found.withRest, folder)
		}
	}

	for _, list := range [][]string{found.inRestFolders, found.others, found.withRest} {
		longestFirst(list)
	}

	return found, nil
}

// inRestFolder reports whether make test leaves a folder out.
func inRestFolder(folder string) bool {
	return slices.ContainsFunc(restFolders, func(rest string) bool {
		return folder == rest || strings.HasPrefix(folder, rest+"/")
	})
}

var restTest = regexp.MustCompile(`(?m)^func TestFull`)

// hasRest reports whether one of the files has a test that make test leaves out.
func hasRest(folder string, files []string) (bool, error) {
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return false, err
		}
		if restTest.Match(text) {
			return true, nil
		}
	}
	return false, nil
}

func longestFirst(folders []string) {
	rank := func(folder string) int {
		i := slices.Index(longest, folder)
		if i < 0 {
			return len(longest)
		}
		return i
	}
	slices.SortStableFunc(folders, func(a, b string) int { return rank(a) - rank(b) })
}

// goTest runs the tests of packages with the race detector, if there is a C compiler for it. One
// package more than there are processors runs at a time, because browsers are waited for.
func goTest(folders []string, flags ...string) error {
	temporary, err := temporaryFolder()
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)

	args := []string{"test", "-shuffle=on", "-timeout=40m", "-p", strconv.Itoa(runtime.NumCPU() + 1)}
	env := append(os.Environ(),
		"GORACE=atexit_sleep_ms=0",
		"TMPDIR="+temporary,
		"GOTMPDIR="+os.TempDir(), // the compiler's files are too large for memory
	)
	if _, err := exec.LookPath("gcc"); err == nil {
		args = append(args, "-race")
		env = append(env, "CGO_ENABLED=1")
		for _, path := range unraced {
			args = append(args, "-gcflags="+path+"=-race=false")
		}
	}

	args = append(args, flags...)
	for _, folder := range folders {
		args = append(args, "./"+folder)
	}

	// An interrupt from the keyboard reaches go test, too. Then this waits for it, and cleans up.
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(interrupted)

	cmd := exec.Command("go", args...)
	cmd.Stdout = os.Stdout
	cmd.Stderr = os.Stderr
	cmd.Env = env
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go test: %w", err)
	}
	return nil
}

const (
	memoryNeeded = 4 << 30 // bytes that must be free for the temporary files
	prefix       = "coinslot-test-"
	leftBehind   = 3 * time.Hour // no run takes so long
)

// temporaryFolder makes the folder for the temporary files of tests: in memory if there is room,
// because the databases of many tests wait for a disk most of their time. It removes those that
// killed runs left behind.
func temporaryFolder() (string, error) {
	parent := os.TempDir()
	if freeMemory() >= memoryNeeded {
		parent = memory
	}

	earlier, err := filepath.Glob(filepath.Join(parent, prefix+"*"))
	if err != nil {
		return "", fmt.Errorf("looking for files of earlier runs: %w", err)
	}

	for _, folder := range earlier {
		info, err := os.Stat(folder)
		if err == nil && time.Since(info.ModTime()) > leftBehind {
			os.RemoveAll(folder)
		}
	}

	folder, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return "", fmt.Errorf("making the folder of temporary files: %w", err)
	}
	// As /tmp is: PostgreSQL runs as another user.
	if err := os.Chmod(folder, 0o777|os.ModeSticky); err != nil {
		return "", fmt.Errorf("opening the folder of temporary files to all: %w", err)
	}
	return folder, nil
}
