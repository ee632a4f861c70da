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

// chromium is shared: every page opened in it is a fresh one's.
var chromium *browser.Browser

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil {
		fmt.Fprintln(os.Stderr, "setting the number of tests at once:", err)
		os.Exit(1)
	}
	os.Exit(browser.Share(m, &chromium))
}

// together lets a test run beside others: each has a stage of its own, and most of its time is
// waiting. Parts of a test go one after the other unless they say otherwise.
func together(t *testing.T) {
	if strings.Contains(t.Name(), "/") {
		return
	}
	if _, again := alongside.LoadOrStore(t, true); !again {
		t.Parallel()
	}
}

var alongside sync.Map // *testing.T to true
