package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"
	"coinslot/torture/goal"
)

// gateTests are the tests of the confirm gate by name: they alone have to find every mutant.
const gateTests = `^(TestGate|TestLeastPaid)`

// domain is the directory of the confirm gate.
func domain(t *testing.T) string {
	t.Helper()
	return fortest.Must(filepath.Abs("../../bff/payment"))(t)
}

// overlay maps files to what the compiler shall read in their place; "" = they are not there.
type overlay map[string]string

// withoutExternalTests leaves out the domain's tests from outside of its package: those link
// the database, which would take most of the time.
func withoutExternalTests(t *testing.T) overlay {
	t.Helper()
	o := overlay{}
	names, err := filepath.Glob(filepath.Join(domain(t), "*_test.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("finding the domain's tests: %d, %v", len(names), err)
	}
	for _, name := range names {
		f := fortest.Must(parser.ParseFile(token.NewFileSet(), name, nil,
			parser.PackageClauseOnly))(t)
		if strings.HasSuffix(f.Name.Name, "_test") {
			o[name] = ""
		}
	}
	return o
}

// How a run of the gate's tests can end.
const (
	passed = "passed"
	failed = "failed"
	unmade = "did not compile"
)

// runGate runs the gate's tests and returns what they print.
func runGate(t *testing.T, o overlay) (out, end string) {
	t.Helper()
	text := fortest.Must(json.Marshal(map[string]overlay{"Replace": o}))(t)
	name := filepath.Join(t.TempDir(), "overlay.json")
	fortest.OK(t, os.WriteFile(name, text, 0o600))
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-vet=off", "-overlay", name,
		"-run", gateTests, ".")
	cmd.Dir = domain(t)
	b, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("go test: %v", err)
	}
	out = string(b)
	switch {
	case err == nil:
		return out, passed
	case strings.Contains(out, "--- FAIL: "):
		return out, failed
	case strings.Contains(out, "[build failed]"):
		return out, unmade
	}
	t.Fatalf("go test has found nothing out: %v\n%s", err, out)
	return out, ""
}

// try runs the gate's tests over m and returns the first that fails, or how else it ended.
func try(t *testing.T, m mutant) string {
	t.Helper()
	o := withoutExternalTests(t)
	name := filepath.Join(t.TempDir(), "gate.go")
	fortest.OK(t, os.WriteFile(name, m.source, 0o600))
	o[filepath.Join(domain(t), "gate.go")] = name
	out, end := runGate(t, o)
	if end != failed {
		return end
	}
	_, rest, _ := strings.Cut(out, "--- FAIL: ")
	name, _, _ = strings.Cut(rest, " ")
	return name
}

// TestTortureConfirmGate takes the gate apart, one condition, bound and
// rounding at a time: each has to be missed by a test of the gate's own. A case
// that no test reaches is one that can be taken out.
func TestTortureConfirmGate(t *testing.T) {
	need.Long(t, "it compiles and runs the tests of the gate for each mutant")
	began, seed := time.Now(), goal.Seed(t)
	source := fortest.Must(os.ReadFile(filepath.Join(domain(t), "gate.go")))(t)
	all := mutate(t, "gate.go", source)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(all),
		func(i, j int) { all[i], all[j] = all[j], all[i] })
	want := goal.Rounds(3, len(all))

	if out, end := runGate(t, withoutExternalTests(t)); end != passed {
		t.Fatalf("over the gate as it is: %s\n%s", end, out)
	}
	ends, rounds := map[string]int{}, 0
	for i := 0; i < len(all) && rounds < want; i++ {
		end := try(t, all[i])
		ends[end]++
		if end != unmade {
			rounds++
		}
		if end == passed {
			t.Errorf("no gate test fails for %s", all[i].name)
		}
	}
	unborn, survivors := ends[unmade], ends[passed]
	delete(ends, unmade)
	delete(ends, passed)
	goal.Report(t, goal.Result{
		Goal:       "confirm gate",
		Rounds:     rounds,
		Wanted:     len(all) - unborn,
		Violations: survivors,
		Seed:       seed,
		Took:       time.Since(began),
		Figure: fmt.Sprintf("mutants found by %s; %d not counted, since they do not compile",
			tally(ends), unborn),
	})
}

// tally writes counts in the order of their names.
func tally(counts map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return strings.Join(parts, ", ")
}
