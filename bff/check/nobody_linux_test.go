package check

import (
	"context"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"coinslot/bff/fortest"
)

// Whatever may be written may also not be: the user is nobody for one look.
func TestNotWritable(t *testing.T) {
	asNobody(t, func() {
		w := &checker{Setup: Setup{}.withDefaults()}
		w.Inspect = func(context.Context, string) (Database, error) {
			return Database{}, os.ErrNotExist
		}
		w.Settings.Database = "/etc/coinslot-check.db"
		if found := w.database(t.Context()); len(found) != 1 || found[0].Status != Fail ||
			!strings.Contains(found[0].Text, "/etc is not writable") {
			t.Errorf("of a folder that may not be written: %+v", found)
		}
		if found := w.databaseFile("/etc/passwd"); len(found) == 0 || found[0].Status != Fail {
			t.Errorf("of a file that may not be written: %+v", found)
		}
	})
}

// asNobody calls f as a user who owns nothing, on a thread that ends with it.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f()
		return
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlock: the thread is nobody's for good
		const keep, nobody = ^uintptr(0), 65534
		_, _, failed := syscall.RawSyscall(syscall.SYS_SETRESUID, nobody, nobody, keep)
		if failed != 0 {
			done <- failed
			return
		}
		f()
		done <- nil
	}()
	fortest.OK(t, <-done)
}
