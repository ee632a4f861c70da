//go:build linux

package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"
)

// childFill writes until no file may grow any more, as on a full disk, and
// then when they may again. It fails unless what was acknowledged is there
// all the time, and writing works again without a new start.
func childFill(ctx context.Context, path string) error {
	db, err := Open(ctx, Config{DSN: path, Endpoints: []string{crashEndpoint}})
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ) // so that writing fails instead
	acknowledged, err := fill(ctx, db)
	if err != nil {
		return err
	}
	fmt.Println(len(acknowledged))
	if err := writeOne(ctx, db, 1_000_000); err != nil {
		return fmt.Errorf("writing after the disk was full: %w", err)
	}
	for _, n := range acknowledged {
		if s, err := db.Session(ctx, sample(n).ID); err != nil || s.Version != 2 {
			return fmt.Errorf("session %d is lost: version %d, %w", n, s.Version, err)
		}
	}
	return db.Close()
}

// fill limits the size of files to 800 KB, writes with many at once until that
// fails, checks that reading does not, and lifts the limit.
func fill(ctx context.Context, db *DB) (acknowledged []int, err error) {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		return nil, err
	}
	small := syscall.Rlimit{Cur: 800_000, Max: before.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	for first := range crowd {
		all.Go(func() {
			for n := first; writeOne(ctx, db, n) == nil; n += crowd {
				mu.Lock()
				acknowledged = append(acknowledged, n)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if len(acknowledged) == 0 {
		return nil, errors.New("nothing could be written")
	}
	if _, err := db.Session(ctx, sample(acknowledged[0]).ID); err != nil {
		return nil, fmt.Errorf("reading while the disk is full: %w", err)
	}
	return acknowledged, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before)
}

func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coinslot.db")
	p := started(t, "fill", "", path)
	for p.lines.Scan() {
		t.Logf("%s sessions until the disk was full", p.lines.Text())
	}
	fortest.OK(t, p.Wait())
	wantSound(t, path)
}

// When the disk fails to sync a commit, the process ends, and what it has acknowledged before is what
// the next start finds. A process that went on used to say what the next start did not find.
func TestFullFailedSync(t *testing.T) {
	need.Long(t, "each of ten databases is filled until a sync fails")
	strace := need.Command(t, "strace")
	out, err := exec.CommandContext(t.Context(), strace, "-o", os.DevNull, "true").CombinedOutput()
	if err != nil {
		t.Skipf("strace may not trace here: %v %s", err, out)
	}
	noticed := 0
	for when := 20; when < 30; when++ {
		child := "write"
		if when >= 26 {
			child = "crowd"
		}
		path := filepath.Join(t.TempDir(), "coinslot.db")
		fault := fmt.Sprintf("inject=fsync,fdatasync:error=EIO:when=%d", when)
		p := started(t, child, strace, "-f", "-o", os.DevNull, "-e", "trace=fsync,fdatasync", "-e",
			fault, os.Args[0], path)
		var said []string
		for len(said) < 300 &&
			p.lines.Scan() { // strace counts for each thread, so that some fault may never come
			said = append(said, p.lines.Text())
		}
		if len(said) < 300 {
			noticed++
		}
		said = append(said, p.kill(t)...)
		t.Logf("sync %d failed: %s", when, said)
		wantSound(t, path)
		wantSaid(t, path, said)
	}
	if noticed == 0 {
		t.Error("no sync failed: nothing was tested")
	}
}

// wantSaid fails unless the database has what a child of "write" said it has.
func wantSaid(t *testing.T, path string, said []string) {
	t.Helper()
	db := opened(t, path)
	for _, line := range said {
		n := fortest.Must(strconv.Atoi(line))(t)
		s, err := db.Session(t.Context(), sample(n).ID)
		if err != nil || s.Version != 2 {
			t.Errorf("session %d, which was acknowledged, has version %d, %v", n, s.Version, err)
		}
	}
}
