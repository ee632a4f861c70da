//go:build linux

package torture

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

// binary is the command under test with its crash points, built once unless
// TORTURE_COINSLOT names one that is there already.
var binary = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("TORTURE_COINSLOT"); path != "" {
		return path, nil
	}
	dir, err := os.MkdirTemp("", "coinslot-torture-")
	if err != nil {
		return "", err
	}
	remove = append(remove, dir)
	path := filepath.Join(dir, "coinslot")
	build := exec.Command("go", "build", "-tags", "crashpoints", "-o", path, "../bff")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building coinslot: %w\n%s", err, out)
	}
	return path, nil
})

// remove are directories that TestMain removes at the end.
var remove []string

func TestMain(m *testing.M) {
	code := m.Run()
	for _, dir := range remove {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// process is one life of the command.
type process struct {
	cmd   *exec.Cmd
	ready chan struct{} // closed when it serves
	gone  chan struct{} // closed when it has ended; cmd.ProcessState is set then
}

// launch starts path, coinslot, to serve with env and returns at once. What it prints
// goes to log. argv before the command, such as strace, is put before it.
func launch(t testing.TB, path string, env []string, log io.Writer, before ...string) *process {
	t.Helper()
	argv := append(before, path, "serve")
	p := &process{
		cmd:   exec.Command(argv[0], argv[1:]...),
		ready: make(chan struct{}),
		gone:  make(chan struct{}),
	}
	p.cmd.Env = append(env, "TMPDIR="+os.TempDir(), "GOTRACEBACK=all")
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.Stderr = log
	out := fortest.Must(p.cmd.StdoutPipe())(t)
	fortest.OK(t, p.cmd.Start())
	go p.wait(out, log)
	return p
}

// wait reads what p prints until it ends.
func (p *process) wait(out io.Reader, log io.Writer) {
	defer close(p.gone)
	lines := bufio.NewScanner(out)
	for startAndWait := false; lines.Scan(); {
		fmt.Fprintln(log, lines.Text())
		if !startAndWait && strings.HasPrefix(lines.Text(), "Coinslot ") {
			startAndWait = true
			close(p.ready)
		}
	}
	_ = p.cmd.Wait() // how it ended is in ProcessState
}

// kill is kill -9 of p and of whatever runs it, and waits for its end.
func (p *process) kill() {
	err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	if err != nil && !errors.Is(err, syscall.ESRCH) {
		panic("killing coinslot: " + err.Error())
	}
	<-p.gone
}

// killed reports whether p was ended by SIGKILL. It must be gone.
func (p *process) killed() bool {
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// awaitReady waits until p answers. Errors: it has ended, or ctx has.
func (p *process) awaitReady(ctx context.Context) error {
	select {
	case <-p.ready:
		return nil
	case <-p.gone:
		return fmt.Errorf("coinslot has ended: %v", p.cmd.ProcessState)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tail keeps the end of what is written to it and searches all of it for secrets.
type tail struct {
	search func(place string, text []byte)

	mu   sync.Mutex // guards the fields below
	text []byte
}

const tailBytes = 32 << 10

func (l *tail) Write(p []byte) (int, error) {
	l.search("the log", p)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	if len(l.text) > 2*tailBytes {
		l.text = append([]byte(nil), l.text[len(l.text)-tailBytes:]...)
	}
	return len(p), nil
}

func (l *tail) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text[max(0, len(l.text)-tailBytes):])
}

// wait returns a channel that is sent on once d has passed; it is for the randomLifetime of a crash
// and for shoppers who think, not for waiting until something has happened.
func wait(d time.Duration) <-chan time.Time { return time.After(d) }
