package browser

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Page is one window with cookies, storage and cache of its own. The methods of
// its View mean its own document; Frame gives those inside.
//
// A page belongs to the goroutine of its test.
type Page struct {
	*View

	tb      testing.TB
	process *process
	options Options
	profile string // the incognito-like profile that is thrown away with the page
	target  string // also the id of the main frame
	session string
	clicks  []string // what the test has clicked, and where, for the failure report

	mu        sync.Mutex          // guards the fields below
	sessions  map[string]*session // by session id
	console   []string
	requests  []string
	seen      map[string]bool // requests already listed, by id and URL: two sessions may tell of one
	refused   []string        // what went wrong between driver and browser, for the failure report
	documents []string        // the main frame's so far, by loader id, oldest first
	loaded    map[string]bool // those of them whose load event has fired
	offline   bool
	slow      float64 // times; 0 is its own speed
}

// Open opens url in a page that shares nothing with any other, waits for its load event, and closes
// it when t ends. An empty url opens a blank page, which Goto can take somewhere.
func (b *Browser) Open(t testing.TB, url string, o Options) *Page {
	t.Helper()
	Need(t)
	process, err := b.process(o.ThirdPartyStorage)
	if err != nil {
		t.Fatal(err)
	}

	p := &Page{
		tb:       t,
		process:  process,
		options:  o.filled(),
		sessions: map[string]*session{},
		seen:     map[string]bool{},
		loaded:   map[string]bool{},
	}
	p.View = &View{page: p}
	t.Cleanup(p.Close)
	ctx, cancel := context.WithTimeout(context.Background(), p.options.Patience)
	defer cancel()
	if err := p.open(ctx); err != nil {
		t.Fatalf("opening a page: %v", err)
	}
	if url != "" {
		p.Goto(url)
	}

	return p
}

// open makes the blank page and connects to it.
func (p *Page) open(ctx context.Context) error {
	var made struct {
		Profile string `json:"browserContextId"`
		Target  string `json:"targetId"`
		Session string `json:"sessionId"`
	}
	if err := p.process.call(ctx, "", "Target.createBrowserContext", object{}, &made); err != nil {
		return err
	}

	p.profile = made.Profile
	window := object{
		"url":              "about:blank",
		"browserContextId": p.profile,
		"newWindow":        true,
		"width":            p.options.Width,
		"height":           p.options.Height,
	}
	if err := p.process.call(ctx, "", "Target.createTarget", window, &made); err != nil {
		return err
	}

	p.target = made.Target
	if err := p.process.call(ctx, "", "Target.attachToTarget", object{"targetId": p.target, "flatten": true}, &made); err != nil {
		return err
	}

	p.session = made.Session
	p.attach(p.session, p.target, "page")
	if err := p.resize(ctx, p.options.Width, p.options.Height); err != nil {
		return err
	}
	if err := p.call(ctx, "Emulation.setFocusEmulationEnabled", object{"enabled": true}, nil); err != nil {
		return err
	}
	// The answer comes after the events of the blank page.
	if err := p.call(ctx, "Page.getFrameTree", object{}, nil); err != nil {
		return err
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.refused) > 0 {
		return fmt.Errorf("preparing it, this browser refused: %s", strings.Join(p.refused, "; "))
	}

	return nil
}

// call sends a command to the page itself.
func (p *Page) call(ctx context.Context, method string, params object, result any) error {
	return p.process.call(ctx, p.session, method, params, result)
}

// Resize changes the viewport of the page, as dragging a window's edge does.
func (p *Page) Resize(width, height int) {
	p.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), p.options.Patience)
	defer cancel()
	if err := p.resize(ctx, width, height); err != nil {
		p.fail("resizing the page", err)
	}
}

func (p *Page) resize(ctx context.Context, width, height int) error {
	view := object{"width": width, "height": height, "deviceScaleFactor": p.options.Scale, "mobile": false}
	return p.call(ctx, "Emulation.setDeviceMetricsOverride", view, nil)
}

// SetTest makes t the test that fails when the page does not do what it should, from now on: t is a
// part of the test that opened it, or that test again. One page for several parts saves windows and
// processes, which cost more than loading.
func (p *Page) SetTest(t testing.TB) { p.tb = t }

// Close closes the page and forgets its cookies and storage. The page's test
// ending does it too. Closing twice is fine.
func (p *Page) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), p.options.Patience)
	defer cancel()
	if p.profile != "" {
		_ = p.process.call(ctx, "", "Target.disposeBrowserContext", object{"browserContextId": p.profile}, nil)
		p.profile = ""
	}

	p.mu.Lock()
	ids := slices.Collect(maps.Keys(p.sessions))
	p.mu.Unlock()
	for _, id := range ids {
		p.detach(id)
	}
}

// Goto takes the page to url and waits for its load event. Going to a place in
// the same document waits for nothing. A page that cannot be reached fails the test.
func (p *Page) Goto(url string) {
	p.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), p.options.Patience)
	defer cancel()
	var gone struct{ LoaderID, ErrorText string }
	if err := p.call(ctx, "Page.navigate", object{"url": url}, &gone); err != nil {
		p.fail("going to "+url, err)
	}
	if gone.ErrorText != "" {
		p.tb.Fatalf("going to %s: %s", url, gone.ErrorText)
	}
	if gone.LoaderID == "" {
		return
	}

	p.until("the load event of "+url, func(context.Context) (bool, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		at := slices.Index(p.documents, gone.LoaderID)
		return p.loaded[gone.LoaderID] || at >= 0 && p.anyLoaded(p.documents[at:]), nil
	})
}

// Reload reloads the page as the browser's button does, and waits for its load event.
func (p *Page) Reload() {
	p.tb.Helper()
	p.mu.Lock()
	before := len(p.documents)
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), p.options.Patience)
	defer cancel()
	if err := p.call(ctx, "Page.reload", object{}, nil); err != nil {
		p.fail("reloading", err)
	}

	p.until("the load event after reloading", func(context.Context) (bool, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.anyLoaded(p.documents[before:]), nil
	})
}

// anyLoaded reports whether one of documents has loaded: the first of them may
// have been left by a script before it was. p.mu is held.
func (p *Page) anyLoaded(documents []string) bool {
	return slices.ContainsFunc(documents, func(id string) bool { return p.loaded[id] })
}

// Offline cuts the page, its frames and its workers from the network, or
// connects them again. WebSockets that are open stay open but carry nothing,
// as when a phone loses its signal; new ones are refused.
func (p *Page) Offline(offline bool) {
	p.tb.Helper()
	p.mu.Lock()
	p.offline = offline
	ids := slices.Collect(maps.Keys(p.sessions))
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), p.options.Patience)
	defer cancel()
	for _, id := range ids {
		err := p.process.call(ctx, id, "Network.emulateNetworkConditions", network(offline), nil)
		if err != nil && id == p.session {
			p.fail("switching the network", err)
		}
	}
}

// Console is what the page, its frames and its workers wrote so far, oldest first, each a kind in
// square brackets and a text. Kinds are those of console calls (log, warning, error, …), exception
// for uncaught ones, the sources of the browser's own complaints (security, network, …), and dialog
// for alerts and questions, which are accepted.
func (p *Page) Console() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.console)
}

// Requests are the URLs asked for so far by the page, its frames and its workers, oldest first:
// documents, redirects, resources, fetches and WebSockets. Blocked ones are among them.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Opened are the addresses of the tabs and windows that the page has opened.
func (p *Page) Opened() []string {
	p.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), p.options.Patience)
	defer cancel()
	var list struct {
		TargetInfos []struct{ TargetID, Type, URL, BrowserContextID string }
	}
	if err := p.process.call(ctx, "", "Target.getTargets", object{}, &list); err != nil {
		p.tb.Fatalf("listing tabs: %v", err)
	}
	var urls []string
	for _, t := range list.TargetInfos {
		if t.Type == "page" && t.BrowserContextID == p.profile && t.TargetID != p.target {
			urls = append(urls, t.URL)
		}
	}
	return urls
}

// Screenshot writes a PNG of the viewport to path, making its directory.
func (p *Page) Screenshot(path string) {
	p.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), p.options.Patience)
	defer cancel()
	if err := p.screenshot(ctx, path); err != nil {
		p.tb.Fatalf("taking screenshot %s: %v", path, err)
	}
}

// FullPageScreenshot saves a picture of the whole page, also of what is below the viewport,
// made smaller by scale (0 to 1). The end of path is the format: .png or .webp.
func (p *Page) FullPageScreenshot(path string, scale float64) {
	p.tb.Helper()
	var size struct{ Width, Height float64 }
	p.Eval(`({width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight})`, &size)
	ctx, cancel := context.WithTimeout(context.Background(), p.options.Patience)
	defer cancel()
	if err := p.capture(ctx, path, object{
		"format":                strings.TrimPrefix(filepath.Ext(path), "."),
		"captureBeyondViewport": true,
		"clip":                  object{"x": 0, "y": 0, "width": size.Width, "height": size.Height, "scale": scale},
	}); err != nil {
		p.tb.Fatalf("taking a picture of the whole page %s: %v", path, err)
	}
}

func (p *Page) screenshot(ctx context.Context, path string) error {
	return p.capture(ctx, path, object{"format": "png"})
}

func (p *Page) capture(ctx context.Context, path string, how object) error {
	var shot struct{ Data string }
	if err := p.call(ctx, "Page.captureScreenshot", how, &shot); err != nil {
		return err
	}

	picture, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}

	return os.WriteFile(path, picture, 0o644)
}
