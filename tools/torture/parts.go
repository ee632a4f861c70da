package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// part is one test or fuzz target.
type part struct {
	pkg  string // as an argument of go test: "./torture"
	name string // the function's name
}

func (p part) String() string { return p.pkg + " " + p.name }

func (p part) isFuzz() bool { return strings.HasPrefix(p.name, "Fuzz") }

// timeout is the most that the part may take in full, far above what it needs.
func (p part) timeout() time.Duration {
	if p.isFuzz() {
		return 2 * time.Hour
	}
	return 12 * time.Hour
}

// partPattern finds functions that may be parts without compiling them.
var partPattern = regexp.MustCompile(`(?m)^func ((?:TestTorture|Fuzz)\w*)\(`)

// testFiles prints a package and a file for each test file that build tags do not exclude.
const testFiles = `{{$p := .}}{{range .TestGoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}
{{end}}{{range .XTestGoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}
{{end}}`

// findParts returns the parts of the module in root whose package and name match only, tests
// before fuzz targets.
func findParts(root string, only *regexp.Regexp) ([]part, error) {
	cmd := exec.Command("go", "list", "-f", testFiles, "./...")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	files, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("looking for tests: %w", err)
	}

	var tests, targets []part
	for line := range strings.Lines(string(files)) {
		path, file, found := strings.Cut(strings.TrimSpace(line), " ")
		if !found {
			continue
		}

		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("looking for tests: %w", err)
		}

		for _, match := range partPattern.FindAllSubmatch(text, -1) {
			p := part{"." + strings.TrimPrefix(path, "coinslot"), string(match[1])}
			switch {
			case !only.MatchString(p.String()):
			case p.isFuzz():
				targets = append(targets, p)
			default:
				tests = append(tests, p)
			}
		}
	}

	return append(tests, targets...), nil
}
