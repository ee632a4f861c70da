package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// point is a place in a viewport, in CSS pixels from its top left.
type point struct{ X, Y float64 }

// aim is a function of an element. Given null it aims at the element's middle;
// given a point of the document an iframe holds, at that point. It returns where
// that is in the element's own viewport and why a click there would miss. From then
// on the document keeps what is pressed in it, for the failure report.
const aim = `function(inner) {
	globalThis[Symbol.for("pressed")] ??= (list => {
		const note = e => list.push(Math.round(e.timeStamp) + " ms: " + e.type + " at " + Math.round(e.clientX) + ", " + Math.round(e.clientY) + " on " +
			(e.composedPath()[0].cloneNode?.(false).outerHTML?.slice(0, 200) ?? "the document"));
		for (const type of ["pointerdown", "pointerup", "click"]) addEventListener(type, note, {capture: true, passive: true});
		return list;
	})([]);
	const rects = [...this.getClientRects()], r = rects.find(r => r.width > 0 && r.height > 0);
	if (!r) return {miss: "it has no size"};
	const style = getComputedStyle(this);
	const at = inner
		? {x: r.left + this.clientLeft + parseFloat(style.paddingLeft) + inner.x, y: r.top + this.clientTop + parseFloat(style.paddingTop) + inner.y}
		: {x: r.left + r.width / 2, y: r.top + r.height / 2};
	if (this.matches(":disabled")) return {...at, miss: "it is disabled"};
	if (at.x < 0 || at.y < 0 || at.x >= innerWidth || at.y >= innerHeight) return {...at, away: true, miss: "it is outside the viewport"};
	const top = this.getRootNode().elementFromPoint(at.x, at.y);
	if (top === this || this.contains(top) || top?.closest("label")?.control === this) return at;
	return {...at, miss: "it is covered by " + (top ? top.cloneNode(false).outerHTML.slice(0, 200) : "nothing")};
}`

// aimed is what aim returns.
type aimed struct {
	point
	Away bool
	Miss string
}

// Click moves the mouse to the middle of the element and clicks, once the element is visible,
// enabled, not covered, and still where it was when the mouse set out. It is scrolled into view.
func (v *View) Click(css string) {
	v.page.tb.Helper()
	v.Hold(css)()
}

// Hold is the first half of a Click: it leaves the button of the mouse down.
// release lets it go, over whatever is at that place by then.
func (v *View) Hold(css string) (release func()) {
	v.page.tb.Helper()
	var at point
	v.until("clicking "+css, func(ctx context.Context) (bool, error) {
		aimed, err := v.point(ctx, css)
		if err != nil || aimed == at {
			return err == nil, err
		}
		if err := v.moveMouse(ctx, aimed); err != nil {
			return false, err
		}
		at = aimed
		return false, errors.New("it is moving")
	})
	v.page.clicks = append(v.page.clicks, fmt.Sprintf("clicking %s at %.0f, %.0f", css, at.X, at.Y))
	v.pressMouse("clicking "+css, at, "mousePressed")
	return func() {
		v.page.tb.Helper()
		v.pressMouse("clicking "+css, at, "mouseReleased")
	}
}

// moveMouse moves the mouse to a point and waits until the page has drawn it. Both
// take a frame or two, in which the page may change: who presses looks once more.
func (v *View) moveMouse(ctx context.Context, at point) error {
	if err := v.page.mouse(ctx, at, "mouseMoved"); err != nil {
		return err
	}
	return v.waitUntilDrawn(ctx)
}

// pressMouse is one thing that the mouse does at a place: it is waited for longer than a look,
// because what is pressed twice is another thing.
func (v *View) pressMouse(doing string, at point, step string) {
	v.page.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), v.page.options.Patience)
	defer cancel()
	if err := v.page.mouse(ctx, at, step); err != nil {
		v.fail(doing, err)
	}
}

// waitUntilDrawn waits until a frame, and the pages around it, are on screen as they are now: the
// browser gives a click to what it has drawn, and one that comes sooner to the page around the frame.
// A page that draws nothing for 2 s has not changed. Without JavaScript there is no telling.
func (v *View) waitUntilDrawn(ctx context.Context) error {
	if v.parent == nil || v.page.options.NoJS {
		return nil
	}
	for ; v != nil; v = v.parent { // from the inside: a frame that grows changes the page around it
		if err := v.run(ctx, `new Promise(done => {
			requestAnimationFrame(() => requestAnimationFrame(() => done(0)));
			setTimeout(() => done(0), 2000);
		})`, nil); err != nil {
			return err
		}
	}
	return nil
}

// point is where in the page's viewport the middle of the element is.
//
// Errors: it is not to be clicked now; the text says why.
func (v *View) point(ctx context.Context, css string) (point, error) {
	element, at, err := v.evaluate(ctx, call(query(css, `return seen[0];`)), false)
	if err != nil {
		return point{}, err
	}
	if element.ObjectID == "" {
		return point{}, errors.New("no such element is visible")
	}
	where, err := v.page.aim(ctx, at.session, element.ObjectID, nil)
	for ; err == nil && v.parent != nil; v = v.parent {
		where, err = v.topLevelPoint(ctx, where)
	}
	return where, err
}

// topLevelPoint turns a point of an iframe's viewport into one of its parent's.
func (v *View) topLevelPoint(ctx context.Context, inner point) (point, error) {
	at, err := v.locate(ctx)
	if err != nil {
		return point{}, err
	}
	outer, err := v.parent.locate(ctx)
	if err != nil {
		return point{}, err
	}
	var node struct{ Object remote }
	if err := v.page.process.call(ctx, outer.session, "DOM.resolveNode", object{"backendNodeId": at.owner}, &node); err != nil {
		return point{}, err
	}
	return v.page.aim(ctx, outer.session, node.Object.ObjectID, &inner)
}

// aim calls the function aim on an element, which it scrolls into view if need be.
func (p *Page) aim(ctx context.Context, session, element string, inner *point) (point, error) {
	var arg any
	if inner != nil {
		arg = object{"x": inner.X, "y": inner.Y}
	}
	var out struct {
		Result           struct{ Value aimed }
		ExceptionDetails *exception
	}
	err := p.process.call(ctx, session, "Runtime.callFunctionOn", object{
		"objectId": element, "functionDeclaration": aim, "arguments": []object{{"value": arg}}, "returnByValue": true,
	}, &out)
	switch {
	case err != nil:
		return point{}, err
	case out.ExceptionDetails != nil:
		return point{}, out.ExceptionDetails
	case out.Result.Value.Away:
		_ = p.process.call(ctx, session, "DOM.scrollIntoViewIfNeeded", object{"objectId": element}, nil)
	}
	if miss := out.Result.Value.Miss; miss != "" {
		return point{}, errors.New(miss)
	}
	return out.Result.Value.point, nil
}

// mouse is one step of what the mouse does there.
func (p *Page) mouse(ctx context.Context, at point, step string) error {
	mouse := object{"type": step, "x": at.X, "y": at.Y}
	if step != "mouseMoved" {
		mouse["button"], mouse["clickCount"] = "left", 1
	}
	return p.call(ctx, "Input.dispatchMouseEvent", mouse, nil)
}

// Type clicks a text field and replaces what it holds by text, key by key. Empty text empties it.
func (v *View) Type(css, text string) {
	v.page.tb.Helper()
	v.Click(css)
	v.until("typing into "+css, func(ctx context.Context) (bool, error) {
		var focused bool
		err := v.run(ctx, call(query(css, `const on = e?.getRootNode().activeElement === e && document.hasFocus();
			if (on) { e.select ? e.select() : getSelection().selectAllChildren(e) }
			return on;`)), &focused)
		if err == nil && !focused {
			err = errors.New("it does not get the focus")
		}
		return focused, err
	})
	if text == "" {
		v.Press("Delete")
	}
	for _, r := range text {
		v.Press(string(r))
	}
}

// key is what the browser wants to know of a key.
type key struct {
	code int // Windows virtual key code
	text string
}

// namedKey are the keys that are not characters, by their DOM names.
func namedKey(name string) (key, bool) {
	k, ok := map[string]key{
		"Enter": {13, "\r"}, "Tab": {9, ""}, "Escape": {27, ""}, "Space": {32, " "},
		"Backspace": {8, ""}, "Delete": {46, ""}, "Home": {36, ""}, "End": {35, ""}, "PageUp": {33, ""}, "PageDown": {34, ""},
		"ArrowLeft": {37, ""}, "ArrowUp": {38, ""}, "ArrowRight": {39, ""}, "ArrowDown": {40, ""},
	}[name]
	return k, ok
}

// Press presses and releases a key: one character, or a key by its DOM name ("Enter", "Tab",
// "Escape", "Space", "ArrowDown", …), with "Shift+", "Control+" or "Alt+" before it. It goes to
// whatever has the focus, in whichever frame, as keys do.
func (v *View) Press(name string) {
	v.page.tb.Helper()
	v.HoldKey(name)()
}

// HoldKey is the first half of a Press: it leaves the key down until release.
func (v *View) HoldKey(name string) (release func()) {
	v.page.tb.Helper()
	event, err := keystroke(name)
	if err != nil {
		v.page.tb.Fatal(err)
	}
	step := func(kind string) {
		v.page.tb.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), v.page.options.Patience)
		defer cancel()
		event["type"] = kind
		if err := v.page.call(ctx, "Input.dispatchKeyEvent", event, nil); err != nil {
			v.fail("pressing "+name, err)
		}
		delete(event, "text") // a key that comes up writes nothing
	}
	step("keyDown")
	return func() {
		v.page.tb.Helper()
		step("keyUp")
	}
}

// keystroke is the event of a key in Press's notation, without its type.
//
// Errors: there is no such key.
func keystroke(name string) (object, error) {
	bits, modifiers := map[string]int{"Alt": 1, "Control": 2, "Shift": 8}, 0
	base := name
	for len(base) > 1 {
		before, after, found := strings.Cut(base, "+")
		if !found || bits[before] == 0 {
			break
		}
		modifiers |= bits[before]
		base = after
	}
	dom := base
	if base == "Space" || base == " " {
		base, dom = "Space", " "
	}
	k, ok := namedKey(base)
	if !ok {
		if len([]rune(base)) != 1 {
			return nil, fmt.Errorf("pressing %q: there is no such key", name)
		}
		k.text = base
		if c := strings.ToUpper(base); c >= "A" && c <= "Z" || c >= "0" && c <= "9" {
			k.code = int(c[0])
		}
	}
	event := object{"key": dom, "code": code(base), "windowsVirtualKeyCode": k.code, "modifiers": modifiers}
	if modifiers&^bits["Shift"] == 0 && k.text != "" {
		event["text"] = k.text
	}
	return event, nil
}

// code is the DOM's name of the key's place on the keyboard, "" if unknown.
func code(base string) string {
	c := strings.ToUpper(base)
	switch {
	case len(base) > 1 && base[0] < 0x80:
		return base
	case c >= "A" && c <= "Z":
		return "Key" + c
	case c >= "0" && c <= "9":
		return "Digit" + c
	}
	return ""
}
