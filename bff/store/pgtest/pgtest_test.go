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
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"

	"github.com/jackc/pgx/v5"
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

// ask runs a query that must succeed.
func ask(t *testing.T, dsn, query string) (answer string) {
	t.Helper()
	conn := fortest.Must(pgx.Connect(t.Context(), dsn))(t)
	defer conn.Close(t.Context())
	if err := conn.QueryRow(t.Context(), query).Scan(&answer); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return answer
}

// gone waits until there is nothing at path.
func gone(t *testing.T, path string) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(20 * time.Second); ; <-tick.C {
		if _, err := os.Stat(path); os.IsNotExist(err) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is still there", path)
		}
	}
}

func TestDSN(t *testing.T) {
	one, other := DSN(t), DSN(t)
	if one == other {
		t.Errorf("two databases have the address %s", one)
	}
	fortest.Equal(t, ask(t, one, "SHOW fsync"), "on", "fsync")
	ask(t, one, "SELECT 'x' FROM pg_database LIMIT 1")
}

func TestClusterThatIsBroken(t *testing.T) {
	c := New(t, "max_connections=9")
	dsn := c.DSN(t)
	fortest.Equal(t, ask(t, dsn, "SHOW max_connections"), "9", "max_connections")
	c.Kill(t)
	c.Start(t)
	ask(t, dsn, "SELECT 'up'")
	c.Stop(t)
	c.Start(t)
	ask(t, dsn, "SELECT 'up'")
	resume := c.Pause(t)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := pgx.Connect(ctx, dsn); err == nil {
		t.Error("a paused server answers")
	}
	resume()
	ask(t, dsn, "SELECT 'up'")
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
		gone(t, dir)
	}
}
