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

// DataBlock returns the text of the page's data block with the given id. Errors: there is none.
func DataBlock(id string) ([]byte, error) {
	element := js.Global().Get("document").Call("getElementById", id)
	if element.IsNull() {
		return nil, errors.New("reading the data block " + id + ": it is not in the page")
	}
	return []byte(element.Get("textContent").String()), nil
}

// Sentences returns what frame.js has fetched besides the data block with the
// given id: members of the same object, that all pages of a language share.
// Errors: it has not fetched them, or could not.
func Sentences(id string) ([]byte, error) {
	text := js.Global().Get("document").Call("getElementById", id).Get("sentences")
	if text.Type() != js.TypeString {
		return nil, errors.New("reading the sentences of " + id + ": they have not been fetched")
	}
	return []byte(text.String()), nil
}

// Fetch makes one request on the page's own origin. body is JSON; nil sends
// none. The answer, or the error that says that none came or that ctx has ended, waits
// for the end of a press.
func Fetch(
	ctx context.Context, method, path string, body []byte,
) (status int, answer []byte, err error) {
	abort := js.Global().Get("AbortController").New()
	stop := context.AfterFunc(ctx, func() { abort.Call("abort") })
	defer stop()
	options := map[string]any{
		"method": method, "signal": abort.Get("signal"), "credentials": "same-origin",
		"mode": "same-origin", "cache": "no-store", "redirect": "follow",
		"headers": map[string]any{"Accept": "application/json"},
	}
	if body != nil {
		options["body"] = string(body)
		options["headers"] = map[string]any{
			"Accept": "application/json", "Content-Type": "application/json",
		}
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

// waitForRelease waits while something on the page is pressed, a second at most: were it
// moved before its release, there would be no click. It must not be called from a
// callback.
func waitForRelease() {
	left := js.Global().Get("coinslotPressed")
	if left.Type() != js.TypeFunction {
		return
	}
	for ms := left.Invoke().Float(); ms > 0; ms = left.Invoke().Float() {
		time.Sleep(time.Duration(min(math.Ceil(ms), 20)) * time.Millisecond)
	}
}

// await blocks until a promise settles. It must not be called from a callback.
func await(promise js.Value) (js.Value, error) {
	settled := make(chan func() (js.Value, error), 1) // both callbacks, one is called
	resolve := js.FuncOf(func(_ js.Value, args []js.Value) any {
		value := first(args)
		settled <- func() (js.Value, error) { return value, nil }
		return nil
	})
	defer resolve.Release()
	reject := js.FuncOf(func(_ js.Value, args []js.Value) any {
		text := js.Global().Get("String").Invoke(first(args)).String()
		settled <- func() (js.Value, error) { return js.Undefined(), errors.New(text) }
		return nil
	})
	defer reject.Release()
	promise.Call("then", resolve, reject)
	return (<-settled)()
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

// Focus moves the keyboard to the first element that selector finds, unless it
// is in the page around this one: nobody's typing is interrupted.
func Focus(selector string) {
	element := js.Global().Get("document").Call("querySelector", selector)
	if !element.IsNull() && !focusIsOutside() {
		element.Call("focus", map[string]any{"preventScroll": false})
	}
}

// ScrollTo scrolls until the first element that selector finds can be seen.
func ScrollTo(selector string) {
	element := js.Global().Get("document").Call("querySelector", selector)
	if !element.IsNull() {
		element.Call("scrollIntoView", map[string]any{"block": "nearest"})
	}
}

// focusIsOutside reports whether the page is framed and the keyboard is not in it.
func focusIsOutside() bool {
	window := js.Global()
	return !window.Get("parent").Equal(window.Get("self")) &&
		!window.Get("document").Call("hasFocus").Bool()
}

// RemoveDefaultHandlers takes go-app's own handlers of clicks and history away: every link here
// is a real one, and there is one page only.
func RemoveDefaultHandlers() {
	js.Global().Set("onclick", js.Null())
	js.Global().Set("onpopstate", js.Null())
	js.Global().Set("onresize", js.Null())
}

// Tab tells when the page is left and when it is back. The zero value is ready.
type Tab struct {
	mu             sync.Mutex // guards the fields below
	listening      bool
	returned, left func()
}

// Watch tells back when the tab is shown, restored or online again, and leave
// when the page is left. A later call replaces both funcs. The listeners live
// as long as the page.
func (t *Tab) Watch(back, leave func()) {
	t.mu.Lock()
	t.returned, t.left = back, leave
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

// WatchNetwork tells changed when the network has come or gone. The listeners live as
// long as the page.
func WatchNetwork(changed func()) {
	on(js.Global(), "online", func(js.Value) { changed() })
	on(js.Global(), "offline", func(js.Value) { changed() })
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
