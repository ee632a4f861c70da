package firefox

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"coinslot/e2e/view"
)

// Browser is a Firefox.
type Browser struct {
	tb     testing.TB
	conn   *conn
	opened string // the tab of the last Open
}

// Open opens url in a new tab and waits for its load event.
func (b *Browser) Open(url string) *view.View {
	b.tb.Helper()
	var made struct{ Context string }
	b.conn.call(b.tb, "browsingContext.create", object{"type": "tab"}, &made)
	b.conn.call(b.tb, "browsingContext.navigate", object{"context": made.Context, "url": url, "wait": "complete"}, nil)
	b.opened = made.Context
	return view.New(b.tb, b, made.Context)
}

// Return goes back to the tab of the last Open, from one that it has opened.
func (b *Browser) Return() {
	b.tb.Helper()
	b.conn.call(b.tb, "browsingContext.activate", object{"context": b.opened}, nil)
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

// context is the browser's name for a document as it is now.
func (b *Browser) context(page, frame string) (string, error) {
	if frame == "" {
		return page, nil
	}
	var tree struct{ Contexts []branch }
	if err := b.conn.try("browsingContext.getTree", object{"root": page}, &tree); err != nil {
		return "", err
	}
	if found := b.find(tree.Contexts, frame); found != "" {
		return found, nil
	}
	return "", fmt.Errorf("there is no frame %q", frame)
}

// branch is a document and what it frames.
type branch struct {
	Context  string
	Children []branch
}

func (b *Browser) find(list []branch, frame string) string {
	for _, c := range list {
		name, err := b.Evaluate(c.Context, "", "window.name")
		if err == nil && name == frame {
			return c.Context
		}
		if found := b.find(c.Children, frame); found != "" {
			return found
		}
	}
	return ""
}

// result is what a script comes to: a value, or an element.
type result struct {
	Value    json.RawMessage
	SharedID string
}

func (b *Browser) run(context, js string) (result, error) {
	var answer struct {
		Type             string
		Result           result
		ExceptionDetails struct{ Text string }
	}
	err := b.conn.try("script.evaluate", object{
		"expression":   js,
		"target":       object{"context": context},
		"awaitPromise": true,
	}, &answer)
	if err == nil && answer.Type != "success" {
		err = errors.New(answer.ExceptionDetails.Text)
	}

	return answer.Result, err
}

// Evaluate implements view.Browser.
func (b *Browser) Evaluate(page, frame, js string) (string, error) {
	context, err := b.context(page, frame)
	if err != nil {
		return "", err
	}
	found, err := b.run(context, js)
	if err != nil {
		return "", err
	}
	var text string
	err = json.Unmarshal(found.Value, &text)
	return text, err
}

// Press implements view.Browser: it presses and releases the mouse in the middle of the element.
func (b *Browser) Press(page, frame, js string) error {
	context, err := b.context(page, frame)
	if err != nil {
		return err
	}

	found, err := b.run(context, js)
	if err != nil {
		return err
	}
	if found.SharedID == "" {
		return errors.New("there is none that keeps still")
	}

	middle := object{"type": "element", "element": object{"sharedId": found.SharedID}}
	return b.conn.try("input.performActions", object{
		"context": context,
		"actions": []object{{
			"type": "pointer",
			"id":   "mouse",
			"actions": []object{
				{"type": "pointerMove", "x": 0, "y": 0, "origin": middle},
				{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0},
			},
		}},
	}, nil)
}

// Picture implements view.Browser.
func (b *Browser) Picture(page string) ([]byte, error) {
	var shot struct{ Data []byte }
	err := b.conn.try("browsingContext.captureScreenshot", object{"context": page}, &shot)
	return shot.Data, err
}
