package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// part is one test or fuzz target.
type part struct {
	pkg  string // as an argument of go test: "./torture"
	name string // of the function
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

// findParts returns the parts below root whose package and name match only, tests before fuzz
// targets.
func findParts(root string, only *regexp.Regexp) ([]part, error) {
	declared, err := declarations(root)
	if err != nil {
		return nil, fmt.Errorf("looking for tests: %w", err)
	}
	var tests, targets []part
	for _, dir := range slices.Sorted(maps.Keys(declared)) {
		wanted := slices.DeleteFunc(declared[dir],
			func(name string) bool { return !only.MatchString(part{dir, name}.String()) })
		if len(wanted) == 0 {
			continue
		}
		names, err := list(root, dir)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			switch p := (part{dir, name}); {
			case !slices.Contains(wanted, name):
			case p.isFuzz():
				targets = append(targets, p)
			default:
				tests = append(tests, p)
			}
		}
	}
	return append(tests, targets...), nil
}

// declarations returns the names that test files below root declare, by package.
func declarations(root string) (map[string][]string, error) {
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), ".") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		dir = "./" + filepath.ToSlash(dir)
		for _, match := range partPattern.FindAllSubmatch(text, -1) {
			found[dir] = append(found[dir], string(match[1]))
		}
		return err
	})
	return found, err
}

// list returns what go test -list prints: the parts in a package's test binary, which leaves out
// those excluded by build tags, and "ok" with the package's name.
func list(root, dir string) ([]string, error) {
	cmd := exec.Command("go", "test", "-list", "^(TestTorture|Fuzz)", dir)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("listing the tests of %s: %w\n%s", dir, err, out)
	}
	return strings.Fields(string(out)), nil
}
