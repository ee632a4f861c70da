package checkouttest_test

import (
	"fmt"
	"os"
	"testing"

	"coinslot/e2e/browser"
)

// chromium is shared: every page opened in it is a fresh one's.
var chromium *browser.Browser

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "checkouttest")
	if err != nil {
		fmt.Fprintln(os.Stderr, "making a place for profiles:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	chromium, err = browser.Launch(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "launching the browser:", err)
		return 1
	}
	defer chromium.Close()
	return m.Run()
}
