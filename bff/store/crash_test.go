//go:build linux

package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

const crashEndpoint = "https://a.example/"

// TestMain lets tests start this binary as a process that they can kill:
// STORE_TEST_CHILD names one of children, the first argument is the database.
func TestMain(m *testing.M) {
	child, ok := children()[os.Getenv("STORE_TEST_CHILD")]
	if !ok {
		os.Exit(m.Run())
	}
	if err := child(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func children() map[string]func(ctx context.Context, path string) error {
	return map[string]func(context.Context, string) error{
		"write": func(ctx context.Context, path string) error { return childWrite(ctx, path, 1) },
		"crowd": func(ctx context.Context, path string) error {
			return childWrite(ctx, path, crowd)
		},
		"open": childOpen, "fill": childFill,
	}
}

// crowd is how many write at once in some tests.
const crowd = 8

// childWrite writes sessions, so many at once, until the database fails. It prints "n" when session n
// was acknowledged.
func childWrite(ctx context.Context, path string, writers int) error {
	db, err := Open(ctx, Config{DSN: path, Endpoints: []string{crashEndpoint}})
	if err != nil {
		return err
	}
	var next int
	if err := db.Reader.QueryRowContext(ctx,
		`SELECT count(*) FROM sessions WHERE version > 1`).Scan(&next); err != nil {
		return err
	}
	for first := range writers {
		go func() {
			for n := next + first; ; n += writers {
				for writeOne(ctx, db, n) != nil {
					if db.Err() != nil {
						return
					}
				}
				fmt.Println(n)
			}
		}()
	}
	<-db.Failed()
	return db.Err()
}

// writeOne stores session n, unless an earlier child got so far, then changes it and reports it.
func writeOne(ctx context.Context, db *DB, n int) error {
	s, err := db.Insert(ctx, sample(n))
	if err != nil && !errors.Is(err, payment.ErrExists) {
		return err
	}
	if s.Version > 1 {
		return nil
	}
	_, err = db.Update(ctx, s.ID, 0, func(s *payment.Session) ([]payment.Event, error) {
		s.Attempts = []payment.Attempt{
			{Number: 1, State: payment.Waiting, Marker: s.ID, TrackingCode: "T" + s.ID},
		}
		return []payment.Event{
			{ID: "evt_" + s.ID, Session: s.ID, At: s.CreatedAt, Body: []byte("{}")},
		}, nil
	})
	return err
}

// childOpen says that it begins to open the database, and that it has.
func childOpen(ctx context.Context, path string) error {
	fmt.Println("opening")
	db, err := Open(ctx, Config{DSN: path})
	if err != nil {
		return err
	}
	fmt.Println("opened")
	return db.Close()
}

// process is a child and the lines that it prints.
type process struct {
	*exec.Cmd
	lines *bufio.Scanner
}

// started runs name with args, or this binary if name is empty, as a child.
func started(t *testing.T, child string, name string, args ...string) process {
	t.Helper()
	if name == "" {
		name = os.Args[0]
	}
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), "STORE_TEST_CHILD="+child)
	cmd.Stderr = t.Output()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // to end it with what traces it
	out := fortest.Must(cmd.StdoutPipe())(t)
	fortest.OK(t, cmd.Start())
	return process{cmd, bufio.NewScanner(out)}
}

// kill ends p as kill -9 does and returns the lines not read yet.
func (p process) kill(t *testing.T) []string {
	t.Helper()
	err := syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
	if err != nil && !errors.Is(err, syscall.ESRCH) {
		t.Fatal(err)
	}
	var rest []string
	for p.lines.Scan() {
		rest = append(rest, p.lines.Text())
	}
	_ = p.Wait() // reports the kill
	return rest
}

// Many write at once, and a commit is acknowledged to none before it is on the disk.
func TestKilledConcurrentWritersLoseNothing(t *testing.T) {
	for range 5 {
		path := filepath.Join(t.TempDir(), "coinslot.db")
		p := started(t, "crowd", "", path)
		var said []string
		for range 1 + rand.IntN(200) {
			if !p.lines.Scan() {
				t.Fatal("the child ended")
			}
			said = append(said, p.lines.Text())
		}
		said = append(said, p.kill(t)...)
		wantSound(t, path)
		wantSaid(t, path, said)
	}
}

// wantSound fails unless the file is intact and its tables agree.
func wantSound(t *testing.T, path string) {
	t.Helper()
	db := fortest.Must(Open(t.Context(), Config{DSN: path}))(t)
	defer db.Close()
	var result string
	err := db.Writer.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&result)
	if err != nil || result != "ok" {
		t.Errorf("integrity_check = %q, %v", result, err)
	}
	for what, query := range map[string]string{
		"rows without what they refer to":   `SELECT count(*) FROM pragma_foreign_key_check`,
		"columns that differ from doc":      `SELECT count(*) FROM sessions WHERE version <> doc ->> 'version' OR status <> doc ->> 'status'`,
		"changed sessions without an event": `SELECT count(*) FROM sessions s WHERE version > 1 AND NOT EXISTS (SELECT 1 FROM events e WHERE e.session = s.id)`,
		"events of unchanged sessions":      `SELECT count(*) FROM sessions s WHERE version = 1 AND EXISTS (SELECT 1 FROM events e WHERE e.session = s.id)`,
		"events without a delivery":         `SELECT count(*) FROM events WHERE seq NOT IN (SELECT event FROM deliveries)`,
		"changed sessions without an index": `SELECT count(*) FROM sessions WHERE version > 1 AND id NOT IN (SELECT session FROM attempts)`,
	} {
		if n := count(t, db.Writer, query); n != 0 {
			t.Errorf("%d %s", n, what)
		}
	}
}

// A first start that is killed at any moment leaves a file that the next start takes up.
func TestFullKilledFirstStart(t *testing.T) {
	finished := 0
	for range 15 {
		path := filepath.Join(t.TempDir(), "coinslot.db")
		p := started(t, "open", "", path)
		if !p.lines.Scan() {
			t.Fatal("the child ended")
		}
		<-time.After(rand.N(80 * time.Millisecond)) // the moment of the crash; nothing is waited for
		finished += len(p.kill(t))
		wantSound(t, path)
	}
	t.Logf("%d of 15 had finished", finished)
}
