package load

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"coinslot/e2e/built"
	"coinslot/e2e/need"
)

// role is the variable that makes the test binary the naive server.
const role = "LOAD_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(role) == "naive" {
		os.Exit(naiveMain())
	}
	os.Exit(need.Main(m, "it measures the program under load", linux(), func() int {
		if err := built.Build(); err != nil {
			fmt.Fprintln(os.Stderr, "load:", err)
			return 1
		}
		return m.Run()
	}))
}

// linux is nil where /proc has the memory and processor time of a process.
func linux() error {
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		return errors.New("/proc is missing: measure on Linux")
	}
	return nil
}
