// Package browser drives a real Chromium in end-to-end tests, in the words of
// a person using it: open a page, wait for something to show, click, type.
//
//	func TestPays(t *testing.T) {
//		b := browser.Start(t)
//		p := b.Open(t, shop.URL, browser.Options{Width: 400, Height: 800})
//		p.Click("#buy")
//		f := p.Frame("checkout") // an iframe, of whatever site
//		f.Type("input[name=email]", "ann@example.com")
//		f.Press("Enter")
//		f.WaitText("h1", "Thank you") // the frame has navigated: same handle
//		p.WaitGone("dialog[open]")
//	}
//
// Where there is no Chromium the test is skipped; see [Need]. There are no other errors to check:
// what cannot be done fails the test, after waiting for it (a minute unless Options.Patience says
// otherwise), with the URL, the HTML, the console and a screenshot (kept with go test -artifacts).
// A command waits for its element to be there, to be visible and, for Click and Type, enabled,
// still and not covered; so tests need no sleeps.
//
// Selectors are CSS and mean the first visible match; "host >>> inner" steps
// into an open shadow root. Clicks and keys are real input events. Everything
// works with JavaScript switched off and under any content security policy.
//
// A frame of another site runs in its own process, as in production. Third-party
// storage is refused unless Options.ThirdPartyStorage allows it.
//
// The package speaks the DevTools protocol over a pipe, knows Linux and one Chromium
// (/usr/bin/chromium), and reaches nothing but localhost, *.localhost and *.test. It counts
// windows opened by pages, but does not do them, downloads or file choosers. Start with [Start] and [Browser.Open].
package browser

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"coinslot/e2e/need"
)

// Browser is a Chromium with nothing in it. Every page opened is a fresh one's.
// Its methods may be called by several tests at once.
type Browser struct {
	dir string
	at  Place

	mu        sync.Mutex        // guards the fields below
	processes map[bool]*process // by whether frames of another site may store; started at first use
}

// Place is where in the network a browser is. The zero value is this process' own.
type Place struct {
	Namespace string // of the network, as ip netns names it; empty = this process' own
	// Names are Chromium's rules for names; empty = those below .test are this machine.
	Names string
	// QUIC are the host:port that the browser talks HTTP/3 to from the start, as if it had read so
	// in the host's HTTPS record (RFC 9460).
	QUIC []string
}

// Options says how a page is different from a plain one. The zero value is a
// desktop window, light, with JavaScript, without third-party storage.
type Options struct {
	// NoJS switches JavaScript off in the page and all its frames.
	NoJS bool
	// BlockURLs are URLs whose requests fail, "*" standing for any characters: "*.wasm".
	BlockURLs []string
	// Width and Height are the viewport in CSS pixels. Zero means 1280 and 800.
	Width, Height int
	// Scale is how many pixels of a picture are one CSS pixel. Zero means 1.
	Scale float64
	// ThirdPartyStorage lets frames of another site keep cookies and use
	// localStorage. False means they get an exception.
	ThirdPartyStorage bool
	// Dark asks pages for a dark color scheme; false asks for a light one.
	Dark bool
	// ReducedMotion asks pages not to animate.
	ReducedMotion bool
	// ForcedColors asks pages to leave colors to the system, as for people with low vision.
	ForcedColors bool
	// Script runs in every document of the page and its frames before their own
	// scripts, as a browser's extensions do. No content security policy holds it.
	Script string
	// AcceptLanguage is the user's languages, for pages and requests, as
	// a list without weights: "pl, de". Empty means the browser's own.
	AcceptLanguage string
	// UserAgent is the name of the browser, for pages and requests. Empty means its own.
	UserAgent string
	// Patience is how long anything is waited for. Zero means a minute,
	// which is long for a person and short for a machine that does much else.
	Patience time.Duration
}

// filled is o with its zero values replaced.
func (o Options) filled() Options {
	if o.Width == 0 {
		o.Width = 1280
	}
	if o.Height == 0 {
		o.Height = 800
	}
	if o.Scale == 0 {
		o.Scale = 1
	}
	if o.Patience == 0 {
		o.Patience = time.Minute
	}

	return o
}

// Start gives t a browser, which is killed when t ends.
func Start(t testing.TB) *Browser {
	t.Helper()
	return StartAt(t, Place{})
}

// StartAt is Start for a browser elsewhere in the network.
func StartAt(t testing.TB, at Place) *Browser {
	t.Helper()
	Need(t)
	b := newBrowser(t.TempDir())
	b.at = at
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("closing browser: %v", err)
		}
	})
	return b
}

// newBrowser returns a browser that starts with its first page. The caller closes it, and owns
// dir, where its profiles live while it runs.
func newBrowser(dir string) *Browser {
	return &Browser{dir: dir, processes: map[bool]*process{}}
}

// Installed is nil, or the error that Chromium is missing.
func Installed() error {
	if _, err := os.Stat(executable); err != nil {
		return need.Missing("Chromium", "install")
	}
	return nil
}

// Need ends t where there is no Chromium, and in short mode, as package need does. Start and
// Open call it; a test whose preparations take long calls it first.
func Need(t testing.TB) {
	t.Helper()
	need.Long(t, why)
	need.Tool(t, Installed())
}

// why tests that need a browser are not run in short mode.
const why = "it drives a browser"

// Share runs the tests of a package that have one browser for all of them, from its
// TestMain, and returns the exit code. The browser starts with the first page. Where there is
// none, the tests that open a page are skipped and the others run.
func Share(m *testing.M, shared **Browser) (code int) {
	dir, err := os.MkdirTemp("", "browser")
	if err != nil {
		fmt.Fprintln(os.Stderr, "sharing a browser:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	*shared = newBrowser(dir)
	// Profiles that it cannot remove are in dir, which goes too.
	defer func() { _ = (*shared).Close() }()
	return m.Run()
}

// Close kills the browser and removes its profiles.
//
// Errors: a profile could not be removed.
func (b *Browser) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var errs []error
	for storage, p := range b.processes {
		errs = append(errs, p.stop())
		delete(b.processes, storage)
	}
	return errors.Join(errs...)
}

// process is the Chromium for one kind of storage. They are two because it is a
// setting of the profile, read when the process starts.
func (b *Browser) process(thirdPartyStorage bool) (*process, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.processes[thirdPartyStorage]; p != nil {
		return p, nil
	}
	p, err := launch(filepath.Join(b.dir, fmt.Sprintf("third-party-storage-%t", thirdPartyStorage)), thirdPartyStorage, b.at)
	if err != nil {
		return nil, err
	}
	b.processes[thirdPartyStorage] = p
	return p, nil
}
