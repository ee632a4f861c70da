//go:build crashpoints

package crash

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

var (
	at, left = target(os.Getenv("CRASH_AT"))
	hurry    = factor(os.Getenv("CRASH_HURRY"))
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

func factor(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 1
	}
	return n
}

// Point kills the process, as kill -9 would, if this is the passing at which it
// is to die.
func Point(name string) {
	if name != at || left.Add(-1) != 0 {
		return
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// Hurry returns d divided by CRASH_HURRY.
func Hurry(d time.Duration) time.Duration { return d / time.Duration(hurry) }

// Days returns d divided by CRASH_DAYS.
func Days(d time.Duration) time.Duration { return d / time.Duration(days) }
