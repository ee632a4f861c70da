// Package view is what packages firefox and webkit share: documents that are read and clicked by
// scripts, whichever protocol their browser speaks. As in package browser, which drives Chromium,
// nothing returns an error: what cannot be done fails the test after waiting for it.
package view

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Patience is how long anything is waited for: a first start on a busy machine takes the longest.
const Patience = time.Minute

// Browser runs what a View asks for. A document is named by its page, which the browser has named,
// and the name of the frame in it; that is empty for the page itself.
type Browser interface {
	// Evaluate returns the string that an expression, or the promise of it, comes to.
	Evaluate(page, frame, js string) (string, error)
	// Press clicks the element that an expression, or the promise of it, comes to. It returns an
	// error if it comes to nothing.
	Press(page, frame, js string) error
	// Picture is the page as a PNG.
	Picture(page string) ([]byte, error)
	// Console is what was written so far: the level in square brackets, and the text.
	Console() []string
}

// View is a document on screen: a page's, or that of a frame in it.
type View struct {
	tb          testing.TB
	browser     Browser
	page, frame string
}

// New returns the document of a page.
func New(tb testing.TB, b Browser, page string) *View { return &View{tb, b, page, ""} }

// Frame returns the document of the frame of that name, at any depth, now and
// after it has navigated.
func (v *View) Frame(name string) *View { return &View{v.tb, v.browser, v.page, name} }

// until tries until it goes, and fails the test when Patience ends.
func (v *View) until(what string, try func() error) {
	v.tb.Helper()
	for deadline := time.Now().Add(Patience); ; time.Sleep(50 * time.Millisecond) {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			v.tb.Fatalf("waiting for %s: %v\nscreenshot: %s\nconsole:\n%s", what, err, v.picture(), strings.Join(v.browser.Console(), "\n"))
		}
	}
}

// eval decodes the JSON of what an expression comes to.
func (v *View) eval(js string, out any) error {
	text, err := v.browser.Evaluate(v.page, v.frame, "(async () => JSON.stringify(await ("+js+")) ?? 'null')()")
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), out)
}

// visible is a script: the first visible element that css selects, else nothing.
func visible(css string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(%s)].find(e => e.checkVisibility({visibilityProperty: true}) && e.getClientRects().length)`, quote(css))
}

func quote(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

// is waits until a script about the element e is true.
func (v *View) is(what, css, body string) {
	v.tb.Helper()
	v.until(what, func() error {
		var ok bool
		err := v.eval(`(e => !!(e && (`+body+`)))(`+visible(css)+`)`, &ok)
		if err != nil || ok {
			return err
		}
		return errors.New("it is not so")
	})
}

// Wait waits for a visible element.
func (v *View) Wait(css string) {
	v.tb.Helper()
	v.is("a visible element "+css, css, "true")
}

// WaitText waits for a visible element whose text contains text.
func (v *View) WaitText(css, text string) {
	v.tb.Helper()
	v.is(fmt.Sprintf("a visible element %s with the text %q", css, text), css, "e.innerText.includes("+quote(text)+")")
}

// WaitJS waits until an expression is true.
func (v *View) WaitJS(js string) {
	v.tb.Helper()
	v.is(js, ":root", js)
}

// Attr waits for a visible element and returns its attribute.
func (v *View) Attr(css, name string) string {
	v.tb.Helper()
	var value string
	v.until(css+" with an attribute "+name, func() error {
		return v.eval(`(`+visible(css)+`).getAttribute(`+quote(name)+`)`, &value)
	})
	return value
}

// Still is a script: the element, scrolled into view, once it has been in the
// same place of the window for a while; nothing if it has moved meanwhile.
const Still = `(async e => {
	const place = () => { const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height, globalThis.mozInnerScreenX, globalThis.mozInnerScreenY].join(); };
	e.scrollIntoView({block: 'center', behavior: 'instant'});
	const before = place();
	await new Promise(done => setTimeout(done, 100));
	return place() === before ? e : null;
})`

// Click waits for a visible element that does not move, scrolls it into view and
// clicks it with the mouse.
func (v *View) Click(css string) {
	v.tb.Helper()
	v.until("clicking "+css, func() error { return v.browser.Press(v.page, v.frame, Still+`(`+visible(css)+`)`) })
}

// picture saves how the page looks and says where.
func (v *View) picture() string {
	png, err := v.browser.Picture(v.page)
	path := filepath.Join(v.tb.ArtifactDir(), "failure.png")
	if err == nil {
		err = os.WriteFile(path, png, 0o644)
	}
	if err != nil {
		return err.Error()
	}
	return path
}
