package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"coinslot/tools/progress"
	"coinslot/torture/goal"
)

// fuzzExecutions is the full number of executions of a fuzz target.
const fuzzExecutions = 10_000_000

// result is the result of a part; the runner counts those of fuzz targets.
type result = goal.Result

// runner runs parts.
type runner struct {
	config
	out    io.Writer
	dir    string // its own folder, removed by close
	binary string // the command under test, built once

	fuzz    result   // of all targets together
	targets []string // that were run to their end
}

func newRunner(c config, out io.Writer) (*runner, error) {
	dir, err := os.MkdirTemp("", "coinslot-torture-")
	if err != nil {
		return nil, err
	}

	r := &runner{
		config: c,
		out:    out,
		dir:    dir,
		binary: filepath.Join(dir, "coinslot"),
		fuzz:   result{Goal: "fuzzing"},
	}
	r.resultsFile, err = filepath.Abs(cmp.Or(c.resultsFile, filepath.Join(dir, "ledger")))
	if err != nil {
		r.close()
		return nil, err
	}

	build := exec.Command("go", "build", "-tags", "crashpoints", "-o", r.binary, "./bff")
	if text, err := build.CombinedOutput(); err != nil {
		r.close()
		return nil, fmt.Errorf("building coinslot: %w\n%s", err, text)
	}

	return r, nil
}

func (r *runner) close() { os.RemoveAll(r.dir) }

// runAll runs the parts until ctx ends, and returns the names of failed ones.
func (r *runner) runAll(ctx context.Context, parts []part) (failed []string) {
	steps := progress.New(r.out)
	for i, p := range parts {
		began := time.Now()
		doing := fmt.Sprintf("%s  %d of %d", began.Format(time.TimeOnly), i+1, len(parts))
		err := steps.Step(p.String(), doing, func(note func(string)) (string, error) {
			return r.run(ctx, p, note)
		})
		if p.isFuzz() {
			r.countFuzzing(p, ctx.Err() != nil, err, time.Since(began))
		}
		if err != nil {
			took := formatDuration(time.Since(began))
			steps.Line(p.String(), fmt.Sprintf("FAILED after %s: %v", took, err))
			failed = append(failed, p.String())
		}
		if ctx.Err() != nil {
			break
		}
	}

	return failed
}

// run runs a part, notes the lines that it prints, and returns the last. Its output is a part of
// the error.
func (r *runner) run(ctx context.Context, p part, note func(string)) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout()+time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", r.arguments(p)...)
	cmd.Env = append(os.Environ(), "TORTURE="+r.tortureEnv(), "TORTURE_LEDGER="+r.resultsFile,
		"TORTURE_COINSLOT="+r.binary)
	if r.seed != "" {
		cmd.Env = append(cmd.Env, "TORTURE_SEED="+r.seed)
	}

	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // to end it with what it has started
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	said := &output{note: note}
	cmd.Stdout = said
	cmd.Stderr = said
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w\n---\n%s\n---", cmp.Or(ctx.Err(), err), said.text)
	}

	return said.last, nil
}

// tortureEnv is the value of the variable TORTURE.
func (r *runner) tortureEnv() string {
	if r.cut == 1 {
		return "long"
	}
	return strconv.FormatFloat(r.cut, 'g', -1, 64)
}

// arguments are those of go test for a part.
func (r *runner) arguments(p part) []string {
	if p.isFuzz() {
		return []string{"test", "-toolexec", fuzzScript(), "-run", "^$", "-fuzz",
			"^" + p.name + "$", "-fuzztime", fmt.Sprint(r.executions()) + "x", "-fuzzminimizetime",
			"300x", p.pkg}
	}
	return []string{"test", "-v", "-count=1", "-timeout", p.timeout().String(), "-run",
		"^" + p.name + "$", p.pkg}
}

// fuzzScript is the absolute path of the script that speeds up fuzzing.
func fuzzScript() string {
	path, err := filepath.Abs("tools/torture/fuzzed.sh")
	if err != nil {
		return "tools/torture/fuzzed.sh" // go will say that it is not there
	}
	return path
}

// executions is how often each fuzz target is run.
func (r *runner) executions() int { return max(1000, int(r.cut*fuzzExecutions)) }

// maxOutput is how much of a part's output is kept, from its end.
const maxOutput = 64 << 10

// output is what a part prints.
type output struct {
	note func(line string)
	text []byte // the end
	last string // line, shortened
}

// Write keeps the end of the output, and notes the last line.
func (o *output) Write(b []byte) (int, error) {
	o.text = append(o.text, b...)
	o.text = o.text[max(0, len(o.text)-maxOutput):]
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if !slices.Contains([]string{"", "PASS", "FAIL"}, line) && !strings.HasPrefix(line, "===") {
			o.last = strings.ToValidUTF8(line[:min(len(line), 160)], "")
			o.note(o.last)
		}
	}
	return len(b), nil
}

// countFuzzing adds a fuzz target to the fuzzing result.
func (r *runner) countFuzzing(p part, interrupted bool, err error, took time.Duration) {
	r.fuzz.Wanted += fuzzExecutions
	r.fuzz.Took += took
	switch {
	case err == nil:
		r.fuzz.Rounds += r.executions()
		r.targets = append(r.targets, p.name)
	case !interrupted:
		r.fuzz.Violations++
	}
}

// results reads the parts' results: for each goal the last one, in the order of the first.
func (r *runner) results() ([]result, error) {
	if err := r.recordFuzzing(); err != nil {
		return nil, err
	}
	return goal.Read(r.resultsFile)
}

// recordFuzzing appends the result of all fuzz targets to the results file.
func (r *runner) recordFuzzing() error {
	if r.fuzz.Wanted == 0 {
		return nil
	}
	r.fuzz.Figure = fmt.Sprintf("%d targets, %d executions each, %d crashers",
		len(r.targets), r.executions(), r.fuzz.Violations)
	return r.fuzz.AppendTo(r.resultsFile)
}
