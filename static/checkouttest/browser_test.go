package checkouttest_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"coinslot/e2e/browser"
)

// chromium is shared; every page has a fresh context.
var chromium *browser.Browser

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil {
		fmt.Fprintln(os.Stderr, "setting the number of tests at once:", err)
		os.Exit(1)
	}
	os.Exit(browser.Share(m, &chromium))
}

// runParallel runs a top-level test beside others, because most of its time is waiting.
func runParallel(t *testing.T) {
	if strings.Contains(t.Name(), "/") {
		return
	}
	if _, again := parallelTests.LoadOrStore(t, true); !again {
		t.Parallel()
	}
}

var parallelTests sync.Map // *testing.T to true
