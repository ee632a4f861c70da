package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"coinslot/torture/goal"
)

// fuzzExecutions is the full number of executions of a fuzz target.
const fuzzExecutions = 10_000_000

// statusInterval is the pause between two status lines.
const statusInterval = 15 * time.Second

// result is the result of a part; the runner counts those of fuzz targets.
type result = goal.Result

// runner runs parts.
type runner struct {
	config
	out    io.Writer
	dir    string // of its own, removed by close
	binary string // the command under test, built once

	mu   sync.Mutex // guards the fields below
	last string     // line that the part under way has printed

	fuzz    result   // of all targets together
	targets []string // that were run to their end
}

func newRunner(c config, out io.Writer) (*runner, error) {
	dir, err := os.MkdirTemp("", "coinslot-torture-")
	if err != nil {
		return nil, err
	}
	r := &runner{
		config: c, out: out, dir: dir, binary: filepath.Join(dir, "coinslot"),
		fuzz: result{Goal: "fuzzing"},
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

// runAll runs the parts until a signal arrives, and returns the names of failed ones.
func (r *runner) runAll(parts []part, interrupted <-chan os.Signal) (failed []string) {
	for i, p := range parts {
		fmt.Fprintf(r.out, "%s  %d of %d  %s\n", clock(), i+1, len(parts), p)
		began := time.Now()
		err := r.run(p, interrupted)
		fmt.Fprintf(r.out, "%s  %s  %s after %s: %s\n", clock(), p, outcome(err),
			formatDuration(time.Since(began)), r.lastLine())
		if err != nil {
			failed = append(failed, p.String())
		}
		if errors.Is(err, errInterrupted) {
			break
		}
	}
	return failed
}

func clock() string { return time.Now().Format(time.TimeOnly) }

func outcome(err error) string {
	if err != nil {
		return "FAILED (" + err.Error() + ")"
	}
	return "ok"
}

var errInterrupted = errors.New("interrupted")

// run runs a part and prints its output if it fails.
func (r *runner) run(p part, interrupted <-chan os.Signal) error {
	began := time.Now()
	cmd := exec.Command("go", r.arguments(p)...)
	cmd.Env = append(os.Environ(), "TORTURE="+r.tortureEnv(), "TORTURE_LEDGER="+r.resultsFile,
		"TORTURE_COINSLOT="+r.binary)
	if r.seed != "" {
		cmd.Env = append(cmd.Env, "TORTURE_SEED="+r.seed)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // to end it with what it has started
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()
	cmd.Stdout, cmd.Stderr = write, write
	if err := cmd.Start(); err != nil {
		write.Close()
		return err
	}
	write.Close()
	ended := make(chan error, 1) // sent on once
	var text bytes.Buffer
	go func() {
		r.readOutput(read, &text)
		ended <- cmd.Wait()
	}()
	err = r.watch(p, cmd, ended, interrupted)
	if p.isFuzz() {
		r.countFuzzing(p, err, time.Since(began))
	}
	if err != nil {
		fmt.Fprintf(r.out, "---\n%s\n---\n", text.Bytes()[max(0, text.Len()-64<<10):])
	}
	return err
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

// watch waits for the end of a part and prints status lines.
func (r *runner) watch(
	p part, cmd *exec.Cmd, ended <-chan error, interrupted <-chan os.Signal,
) error {
	began := time.Now()
	tick := time.NewTicker(statusInterval)
	defer tick.Stop()
	over := time.NewTimer(p.timeout() + time.Minute)
	defer over.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case <-tick.C:
			fmt.Fprintf(r.out, "%s  %s  %s  %s\n",
				clock(), p.name, formatDuration(time.Since(began)), r.lastLine())
		case <-interrupted:
			killGroup(cmd, ended)
			return errInterrupted
		case <-over.C:
			killGroup(cmd, ended)
			return fmt.Errorf("timed out after %v", p.timeout())
		}
	}
}

// killGroup kills a part and its child processes, and waits for it.
func killGroup(cmd *exec.Cmd, ended <-chan error) {
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err == nil {
		<-ended //nolint:errcheck // it only says that it was killed
	}
}

// maxOutput is how much of a part's output is kept, from its end.
const maxOutput = 1 << 20

// readOutput reads a part's output into text and stores the last line.
func (r *runner) readOutput(read io.Reader, text *bytes.Buffer) {
	lines := bufio.NewReader(read)
	for {
		line, err := lines.ReadString('\n')
		text.WriteString(line)
		if text.Len() > 2*maxOutput {
			text.Next(text.Len() - maxOutput)
		}
		line = strings.TrimSpace(line)
		if !slices.Contains([]string{"", "PASS", "FAIL"}, line) && !strings.HasPrefix(line, "===") {
			r.mu.Lock()
			r.last = line
			r.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

// lastLine returns the part's last line, shortened.
func (r *runner) lastLine() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.ToValidUTF8(r.last[:min(len(r.last), 160)], "")
}

// countFuzzing adds a fuzz target to the fuzzing result.
func (r *runner) countFuzzing(p part, err error, took time.Duration) {
	r.fuzz.Wanted += fuzzExecutions
	r.fuzz.Took += took
	switch {
	case err == nil:
		r.fuzz.Rounds += r.executions()
		r.targets = append(r.targets, p.name)
	case !errors.Is(err, errInterrupted):
		r.fuzz.Violations++
	}
}

// results reads the parts' results: for each goal the last one, in the order of the first.
func (r *runner) results() ([]result, error) {
	if err := r.recordFuzzing(); err != nil {
		return nil, err
	}
	file, err := os.Open(r.resultsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var list []result
	for decoder := json.NewDecoder(file); ; {
		var one result
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the results: %w", err)
		}
		at := slices.IndexFunc(list, func(o result) bool { return o.Goal == one.Goal })
		if at < 0 {
			at, list = len(list), append(list, one)
		}
		list[at] = one
	}
}

// recordFuzzing appends the result of all fuzz targets to the results file.
func (r *runner) recordFuzzing() error {
	if r.fuzz.Wanted == 0 {
		return nil
	}
	r.fuzz.Figure = fmt.Sprintf("%d targets, %d executions each, %d crashers",
		len(r.targets), r.executions(), r.fuzz.Violations)
	line, err := json.Marshal(r.fuzz)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(r.resultsFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}
