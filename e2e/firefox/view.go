package firefox

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

// Browser is a Firefox.
type Browser struct {
	tb   testing.TB
	conn *conn
}

// View is a document on screen: a page's, or that of a frame in it.
type View struct {
	browser *Browser
	page    string // the page's context
	name    string // of the frame; empty for the page itself
}

// Open opens url in a new tab and waits for its load event.
func (b *Browser) Open(url string) *View {
	b.tb.Helper()
	var made struct{ Context string }
	b.conn.call(b.tb, "browsingContext.create", object{"type": "tab"}, &made)
	b.conn.call(b.tb, "browsingContext.navigate", object{"context": made.Context, "url": url, "wait": "complete"}, nil)
	return &View{browser: b, page: made.Context}
}

// Frame returns the document of the frame of that name, at any depth, now and
// after it has navigated.
func (v *View) Frame(name string) *View {
	return &View{browser: v.browser, page: v.page, name: name}
}

// Console is what was written so far: the level in square brackets, and the text.
func (b *Browser) Console() []string {
	var lines []string
	for _, raw := range b.conn.happened("log.entryAdded") {
		var e struct{ Level, Text string }
		if json.Unmarshal(raw, &e) == nil {
			lines = append(lines, "["+e.Level+"] "+e.Text)
		}
	}
	return lines
}

// Requests are the addresses that were asked so far.
func (b *Browser) Requests() []string {
	var urls []string
	for _, raw := range b.conn.happened("network.beforeRequestSent") {
		var e struct{ Request struct{ URL string } }
		if json.Unmarshal(raw, &e) == nil {
			urls = append(urls, e.Request.URL)
		}
	}
	return urls
}

// context is the browser's name for the document as it is now.
func (v *View) context() (string, error) {
	if v.name == "" {
		return v.page, nil
	}
	var tree struct{ Contexts []branch }
	if err := v.browser.conn.try("browsingContext.getTree", object{"root": v.page}, &tree); err != nil {
		return "", err
	}
	if found := v.find(tree.Contexts); found != "" {
		return found, nil
	}
	return "", fmt.Errorf("there is no frame %q", v.name)
}

// branch is a document and what it frames.
type branch struct {
	Context  string
	Children []branch
}

func (v *View) find(list []branch) string {
	for _, b := range list {
		var name string
		if v.browser.evaluate(b.Context, "window.name", &name) == nil && name == v.name {
			return b.Context
		}
		if found := v.find(b.Children); found != "" {
			return found
		}
	}
	return ""
}

// evaluate decodes the JSON of what an expression, or the promise of it, comes to.
func (b *Browser) evaluate(context, js string, out any) error {
	var answer struct {
		Type             string
		Result           struct{ Value string }
		ExceptionDetails struct{ Text string }
	}
	err := b.conn.try("script.evaluate", object{
		"expression": "(async () => JSON.stringify(await (" + js + ")) ?? 'null')()",
		"target":     object{"context": context}, "awaitPromise": true,
	}, &answer)
	if err == nil && answer.Type != "success" {
		err = errors.New(answer.ExceptionDetails.Text)
	}
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal([]byte(answer.Result.Value), out)
}

// until tries until it goes, and fails the test when patience ends.
func (v *View) until(what string, try func(context string) error) {
	v.browser.tb.Helper()
	deadline := time.Now().Add(patience)
	for {
		context, err := v.context()
		if err == nil {
			err = try(context)
		}
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			v.browser.tb.Fatalf("waiting for %s: %v\nscreenshot: %s\nconsole:\n%s", what, err, v.picture(), strings.Join(v.browser.Console(), "\n"))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// visible is a script: the first visible element that css selects, else nothing.
func visible(css string) string {
	quoted, _ := json.Marshal(css)
	return fmt.Sprintf(`[...document.querySelectorAll(%s)].find(e => e.checkVisibility({visibilityProperty: true}) && e.getClientRects().length)`, quoted)
}

// is waits until a script about the element e is true.
func (v *View) is(what, css, body string) {
	v.browser.tb.Helper()
	v.until(what, func(context string) error {
		var ok bool
		if err := v.browser.evaluate(context, `(e => !!(e && (`+body+`)))(`+visible(css)+`)`, &ok); err != nil || ok {
			return err
		}
		return errors.New("it is not so")
	})
}

// Wait waits for a visible element.
func (v *View) Wait(css string) {
	v.browser.tb.Helper()
	v.is("a visible element "+css, css, "true")
}

// WaitText waits for a visible element whose text contains text.
func (v *View) WaitText(css, text string) {
	v.browser.tb.Helper()
	quoted, _ := json.Marshal(text)
	v.is(fmt.Sprintf("a visible element %s with the text %q", css, text), css, "e.innerText.includes("+string(quoted)+")")
}

// WaitJS waits until an expression is true.
func (v *View) WaitJS(js string) {
	v.browser.tb.Helper()
	v.is(js, ":root", js)
}

// Attr waits for a visible element and returns its attribute.
func (v *View) Attr(css, name string) string {
	v.browser.tb.Helper()
	var value string
	quoted, _ := json.Marshal(name)
	v.until(css+" with an attribute "+name, func(context string) error {
		return v.browser.evaluate(context, `(`+visible(css)+`).getAttribute(`+string(quoted)+`)`, &value)
	})
	return value
}

// still is a script: the element, scrolled into view, once it has been in the
// same place of the window for a while; nothing if it has moved meanwhile.
const still = `(async e => {
	const place = () => { const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height, mozInnerScreenX, mozInnerScreenY].join(); };
	e.scrollIntoView({block: 'center', behavior: 'instant'});
	const before = place();
	await new Promise(done => setTimeout(done, 100));
	return place() === before ? e : null;
})`

// Click waits for a visible element that does not move, scrolls it into view and
// clicks it with the mouse.
func (v *View) Click(css string) {
	v.browser.tb.Helper()
	v.until("clicking "+css, func(context string) error {
		var found struct{ Result struct{ SharedID string } }
		err := v.browser.conn.try("script.evaluate", object{
			"expression": still + `(` + visible(css) + `)`, "target": object{"context": context}, "awaitPromise": true,
		}, &found)
		if err != nil {
			return err
		}
		if found.Result.SharedID == "" {
			return errors.New("there is none that keeps still")
		}
		return v.browser.press(context, found.Result.SharedID)
	})
}

// press presses and releases the mouse in the middle of an element.
func (b *Browser) press(context, element string) error {
	middle := object{"type": "element", "element": object{"sharedId": element}}
	return b.conn.try("input.performActions", object{"context": context, "actions": []object{{
		"type": "pointer", "id": "mouse", "actions": []object{
			{"type": "pointerMove", "x": 0, "y": 0, "origin": middle},
			{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0},
		},
	}}}, nil)
}

// picture saves how the page looks and says where.
func (v *View) picture() string {
	var shot struct{ Data []byte }
	if err := v.browser.conn.try("browsingContext.captureScreenshot", object{"context": v.page}, &shot); err != nil {
		return err.Error()
	}
	path := filepath.Join(v.browser.tb.ArtifactDir(), "failure.png")
	if err := os.WriteFile(path, shot.Data, 0o644); err != nil {
		return err.Error()
	}
	return path
}
