//go:build js

package browser

import (
	"context"
	"errors"
	"math"
	"sync"
	"syscall/js"
	"time"
)

// DataBlock returns the text of the data block with the given id, and the sentences that frame.js
// has fetched for it: two JSON objects, of which all pages of a language share the second.
// Errors: one of them is missing.
func DataBlock(id string) (data, sentences []byte, err error) {
	element := js.Global().Get("document").Call("getElementById", id)
	if element.IsNull() {
		return nil, nil, errors.New("reading the data block " + id + ": it is not in the page")
	}
	text := element.Get("sentences")
	if text.Type() != js.TypeString {
		return nil, nil, errors.New("reading the sentences of " + id + ": not fetched yet")
	}
	return []byte(element.Get("textContent").String()), []byte(text.String()), nil
}

// Fields returns what the shopper has typed and chosen so far: a JSON object with the values of
// fields by name, or by data-part for a field without a name. A radio group that has nothing
// checked is missing.
func Fields() []byte { return []byte(js.Global().Call("coinslotFields").String()) }

// IsPhone reports whether the page is small and touched with fingers: a phone that asks for the pages
// of desktops, or a small frame on a tablet.
func IsPhone() bool {
	const phone = "(pointer: coarse) and (max-width: 559px)"
	return js.Global().Call("matchMedia", phone).Get("matches").Bool()
}

// LastWallet returns the id of the wallet that the shopper opened last by a link; empty for none.
func LastWallet() string { return js.Global().Call("coinslotLastWallet").String() }

// WaitForTurn ends the task, and returns in another one when the shopper presses nothing.
func WaitForTurn() error {
	_, err := await(js.Global().Call("coinslotTurn"))
	return err
}

// Fetch makes one request on the page's own origin. body is JSON; nil sends none. It returns
// after the end of a press, also with an error: there was no answer, or ctx ended.
func Fetch(
	ctx context.Context, method, path string, body []byte,
) (status int, answer []byte, err error) {
	abort := js.Global().Get("AbortController").New()
	stop := context.AfterFunc(ctx, func() { abort.Call("abort") })
	defer stop()
	headers := map[string]any{"Accept": "application/json"}
	options := map[string]any{
		"method": method, "signal": abort.Get("signal"), "credentials": "same-origin",
		"mode": "same-origin", "cache": "no-store", "redirect": "follow", "headers": headers,
	}
	if body != nil {
		options["body"] = string(body)
		headers["Content-Type"] = "application/json"
	}
	defer waitForRelease()
	defer resetDedupe() // also after a failure: the page shows that it is offline
	response, err := await(js.Global().Call("fetch", path, options))
	if err != nil {
		return 0, nil, opError{"requesting " + method + " " + path, err}
	}
	text, err := await(response.Call("text"))
	if err != nil {
		return 0, nil, opError{"reading the answer to " + method + " " + path, err}
	}
	return response.Get("status").Int(), []byte(text.String()), nil
}

// waitForRelease waits while the shopper presses something, for a second at most: an element that
// is redrawn between press and release gets no click. It must not be called from a callback.
func waitForRelease() {
	left := js.Global().Get("coinslotPressed")
	if left.Type() != js.TypeFunction {
		return
	}
	for ms := left.Invoke().Float(); ms > 0; ms = left.Invoke().Float() {
		time.Sleep(time.Duration(min(math.Ceil(ms), 20)) * time.Millisecond)
	}
}

// await blocks until one of the browser's own promises settles. It must not be called from a
// callback.
func await(promise js.Value) (js.Value, error) {
	value, reason, ok := settle(promise)
	if !ok {
		return value, errors.New(js.Global().Get("String").Invoke(reason).String())
	}
	return value, nil
}

func first(args []js.Value) js.Value {
	if len(args) == 0 {
		return js.Undefined()
	}
	return args[0]
}

// ReplaceURL changes the page's address without loading anything.
func ReplaceURL(path string) {
	js.Global().Get("history").Call("replaceState", js.Null(), "", path)
}

// Focus focuses the first element that selector finds, unless the focus is in the host page: that
// would interrupt the shopper's typing.
func Focus(selector string) {
	element := find(selector)
	if element.Truthy() && !focusIsOutside() {
		element.Call("focus")
	}
}

// ScrollTo scrolls the first element that selector finds into view.
func ScrollTo(selector string) {
	if element := find(selector); element.Truthy() {
		element.Call("scrollIntoView", map[string]any{"block": "nearest"})
	}
}

// SelectText selects the text of the first element that selector finds.
func SelectText(selector string) {
	if element := find(selector); element.Truthy() {
		js.Global().Call("getSelection").Call("selectAllChildren", element)
	}
}

// find returns the first element that selector finds; null if there is none.
func find(selector string) js.Value {
	return js.Global().Get("document").Call("querySelector", selector)
}

// focusIsOutside reports whether the page is framed and the focus is outside the frame.
func focusIsOutside() bool {
	window := js.Global()
	return !window.Get("parent").Equal(window.Get("self")) &&
		!window.Get("document").Call("hasFocus").Bool()
}

// Tab reports when the tab is left and when the shopper is back. The zero value is ready.
type Tab struct {
	mu             sync.Mutex // guards the fields below
	listening      bool
	returned, left func()
}

// Watch calls back when the tab is shown, restored or online again, and leave when the page is
// left. A later call replaces both funcs. The listeners live as long as the page.
func (t *Tab) Watch(back, leave func()) {
	t.mu.Lock()
	t.returned = back
	t.left = leave
	listening := t.listening
	t.listening = true
	t.mu.Unlock()
	document := js.Global().Get("document")
	if document.Get("documentElement").Get("dataset").Get("shown").Truthy() {
		back()
	}
	if listening {
		return
	}
	on(js.Global(), "pageshow", func(event js.Value) {
		if event.Get("persisted").Bool() {
			t.onBack(event)
		}
	})
	on(js.Global(), "online", t.onBack)
	on(js.Global(), "coinslot-shown", t.onBack)
	on(js.Global(), "pagehide", t.onLeave)
	on(document, "visibilitychange", func(event js.Value) {
		if document.Get("visibilityState").String() == "visible" {
			t.onBack(event)
		}
	})
	once(document, "pointerdown", t.onBack)
	once(document, "keydown", t.onBack)
}

func (t *Tab) onBack(js.Value) {
	t.mu.Lock()
	back := t.returned
	t.mu.Unlock()
	back()
}

func (t *Tab) onLeave(js.Value) {
	t.mu.Lock()
	leave := t.left
	t.mu.Unlock()
	leave()
}

// WatchNetwork calls changed when the browser goes online or offline, as long as the page lives.
func WatchNetwork(changed func()) {
	on(js.Global(), "online", func(js.Value) { changed() })
	on(js.Global(), "offline", func(js.Value) { changed() })
}

// ZoneAt returns the browser's time zone at a time of RFC 3339: its name in a language, and how far
// it is ahead of UTC.
func ZoneAt(at, lang string) (name string, ahead time.Duration) {
	zone := js.Global().Call("coinslotZone", at, lang)
	return zone.Index(0).String(), time.Duration(zone.Index(1).Int()) * time.Minute
}

// on listens for as long as the page lives.
func on(target js.Value, event string, do func(event js.Value)) {
	target.Call("addEventListener", event, js.FuncOf(func(_ js.Value, args []js.Value) any {
		do(first(args))
		return nil
	}))
}

// once listens for one event; its callback frees itself.
func once(target js.Value, event string, do func(event js.Value)) {
	var callback js.Func
	callback = js.FuncOf(func(_ js.Value, args []js.Value) any {
		callback.Release()
		do(first(args))
		return nil
	})
	target.Call("addEventListener", event, callback, map[string]any{"once": true, "passive": true})
}
