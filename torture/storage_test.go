//go:build linux

package torture

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"coinslot/e2e/need"
	"coinslot/torture/goal"
)

// storageFaults are what a failing disk does to system calls, with how often
// such a call is made in a life of a second at most.
var storageFaults = []struct {
	calls, failure string
	within         int
}{
	{"fsync,fdatasync", "EIO", 60},
	{"pwrite64", "ENOSPC", 400},
}

// TestTortureStorage lets a disk fail at a random write or sync while the process
// awaitReady a crowd: once, or from then on. What was acknowledged before or after
// must be there when the disk works again.
func TestTortureStorage(t *testing.T) {
	need.Long(t, "it kills the program many times")
	strace := need.Command(t, "strace")
	if out, err := exec.Command(strace, "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("strace may not trace here: %v %s", err, out)
	}
	began := time.Now()
	r := goal.Result{Goal: "storage faults", Wanted: 100, Seed: goal.Seed(t)}
	w := newWorld(t, r.Seed, newSQLite(t), 1)
	w.startAndWait(0) // so that the file is whole when the faults begin
	w.kill()
	stop := w.startShoppers(orders)
	for want := goal.Rounds(2, 100); r.Rounds < want; r.Rounds++ {
		w.failDisk(strace, r.Rounds)
		w.startAndWait(0)
		w.awaitConsistency()
		w.kill()
	}
	stop()
	w.startAndWait(0)
	w.finalCheck()
	r.Violations = w.reportViolations()
	r.Took = time.Since(began)
	r.Figure = fmt.Sprintf("%d sessions, %d lives, %d histories of %d observations",
		len(w.sessions), w.starts, w.histories, w.observations)
	goal.Report(t, r)
}

// failDisk is one life under strace. A process that refuses to start or that
// ends because of the fault is as good as one that continues.
func (w *world) failDisk(strace string, round int) {
	f := storageFaults[round%len(storageFaults)]
	w.mu.Lock()
	when := fmt.Sprint(1 + w.rng.IntN(f.within))
	if w.rng.IntN(2) == 0 {
		when += "+"
	}
	w.mu.Unlock()
	w.gateway.setFaults(0.03, 0.1)
	w.sink.setFaults(sinkShare)
	p := w.start(0, nil, strace, "-f", "-qq", "--seccomp-bpf", "-o", os.DevNull, "-e", "trace="+
		f.calls,
		"-e", fmt.Sprintf("inject=%s:error=%s:when=%s", f.calls, f.failure, when))
	w.note("", "%s fails with %s from call %s", f.calls, f.failure, when)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if p.awaitReady(ctx) == nil {
		w.resumeShoppers()
		select {
		case <-p.gone:
		case <-wait(5 * w.randomLifetime()):
		}
	}
	w.kill()
}
