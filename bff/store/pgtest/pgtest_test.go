//go:build linux

package pgtest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"
)

// TestMain lets a test start this binary as a process that it can kill.
func TestMain(m *testing.M) {
	if os.Getenv("PGTEST_CHILD") == "" {
		os.Exit(need.Main(m, why, installed(), m.Run))
	}
	c, err := start(context.Background(), nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(c.dir)
	select {}
}

// Neither a server nor files are left when the process of the tests is killed,
// even if the server is paused.
func TestKilledProcessLeavesNothing(t *testing.T) {
	for _, paused := range []bool{false, true} {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), "PGTEST_CHILD=1")
		cmd.Stderr = t.Output()
		out := fortest.Must(cmd.StdoutPipe())(t)
		fortest.OK(t, cmd.Start())
		lines := bufio.NewScanner(out)
		if !lines.Scan() {
			t.Fatal("the child ended")
		}
		dir := lines.Text()
		if paused {
			pid := 0
			text := fortest.Must(os.ReadFile(filepath.Join(dir, "data", "postmaster.pid")))(t)
			fortest.Must(fmt.Sscan(string(text), &pid))(t)
			server := fortest.Must(os.FindProcess(pid))(t)
			(&Cluster{process: &exec.Cmd{Process: server}}).Pause(t)
		}
		fortest.OK(t, cmd.Process.Kill())
		_ = cmd.Wait() // reports the kill
		fortest.Until(t, "the files are gone", func() bool {
			_, err := os.Stat(dir)
			return os.IsNotExist(err)
		})
	}
}
