//go:build unix

// Package failpoint kills the process before or after a step that changes something, and
// accelerates its clock, for the torture harness. It wraps the ports of the parts: only the
// build with the tag "crashpoints" links it (bff/server/failpoint_crashpoints.go), and no part
// knows it.
//
//	CRASH_AT=create.after:3   dies when that point is passed for the third time
//	CRASH_HURRY=20            makes every pause between checks 20 times shorter
//	CRASH_DAYS=86400          makes the days of COINSLOT_RETENTION so many times shorter
package failpoint

import (
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// Points are all names that CRASH_AT can have, in the order of a payment. Before a write
// means: its transaction has decided what to write, and writes nothing.
var Points = []string{
	"start", // the database is open and migrated, nothing runs
	"insert.before", "insert.after",
	"intent.before", "intent.after", // of the first attempt, or of another coin's
	"create.before", "create.after",
	"answer.before", "answer.after", // the answer of create, with the address
	"list.before", "list.after", // a page of the gateway's list
	"adopt.before", "adopt.after", // the tracking code of a create whose answer was lost
	"orphan.before", "orphan.after", // what was adopted is canceled at the gateway
	"replacement.before", "replacement.after", // the attempt in place of a lost one
	"claim.after", // sessions were leased to be processed
	"status.before", "status.after",
	"touch.before", "touch.after", // a check that has found nothing new
	"cancel.before", "cancel.after",
	"recheck.before", "recheck.after",
	"confirm.before", "confirm.after",
	"change.before", "change.after", // any other change of a session
	"release.before", "release.after", // the end of a lease
	"deliveries.after",              // webhooks were leased
	"record.before", "record.after", // what came of posting one
	"shutdown", // the end was asked for
}

var (
	at, left = target(os.Getenv("CRASH_AT"))
	speedup  = factor(os.Getenv("CRASH_HURRY"))
	days     = factor(os.Getenv("CRASH_DAYS"))
)

// target reads "point:hit"; without a number the first passing counts.
func target(text string) (name string, hits *atomic.Int64) {
	name, number, _ := strings.Cut(text, ":")
	hits = new(atomic.Int64)
	hits.Store(1)
	if n, err := strconv.ParseInt(number, 10, 64); err == nil {
		hits.Store(n)
	}
	return name, hits
}

func factor(text string) time.Duration {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 1
	}
	return time.Duration(n)
}

// point kills the process, as kill -9 would, if this is the passing at which it is to die.
func point(name string) {
	if !slices.Contains(Points, name) {
		panic("failpoint: " + name + " is not among the points")
	}
	if name != at || left.Add(-1) != 0 {
		return
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// awaitShutdown passes the last point when the process is asked to end.
func awaitShutdown() {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM, os.Interrupt)
	go func() {
		<-asked
		point("shutdown")
	}()
}
