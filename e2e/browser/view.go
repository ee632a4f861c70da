package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// errNoFrame says that the document holds no iframe of the wanted name.
var errNoFrame = errors.New("there is none")

// View is a document on screen: that of a page, or of an iframe in it. It is
// looked up anew by each method, so a handle keeps working when its frame
// navigates, changes process, or is replaced by another of the same name.
type View struct {
	page   *Page
	parent *View  // nil for the page's own document
	name   string // of the iframe in parent
	found  place  // where it was last; the zero value before
	loads  int    // of the page's own document, when it was found
}

// place is where a View's document lives just now.
type place struct {
	session string
	frame   string
	owner   int // the backend node id of the iframe, in the parent's session; 0 for a page
}

// remote is a value in the browser, or a reference to one.
type remote struct {
	Value       json.RawMessage
	ObjectID    string `json:"objectId"`
	Subtype     string
	Description string
}

// String is how the console would show it.
func (r remote) String() string {
	var text string
	if json.Unmarshal(r.Value, &text) == nil {
		return text
	}
	if len(r.Value) > 0 {
		return string(r.Value)
	}
	return r.Description
}

// exception is a script's.
type exception struct {
	Text      string
	Exception remote
	URL       string
	Line      int `json:"lineNumber"`
}

func (e *exception) Error() string {
	text := strings.TrimSpace(e.Text + " " + e.Exception.String())
	if e.URL != "" {
		text += fmt.Sprintf(" (%s:%d)", e.URL, e.Line+1)
	}
	return text
}

// node is the part of DOM.Node that leads to frames.
type node struct {
	Name       string   `json:"nodeName"`
	Backend    int      `json:"backendNodeId"`
	Attributes []string // name, value, name, value, …
	Frame      string   `json:"frameId"` // on iframes: of what they hold
	Children   []node
	Shadows    []node `json:"shadowRoots"`
	Content    *node  `json:"contentDocument"` // of an iframe in this process
}

// attribute is the value of an attribute, "" if there is none.
func (n *node) attribute(name string) string {
	for i := 0; i+1 < len(n.Attributes); i += 2 {
		if n.Attributes[i] == name {
			return n.Attributes[i+1]
		}
	}
	return ""
}

// find is the first node from n down, shadow roots of any kind included, that
// is wanted; nil if there is none.
func (n *node) find(wanted func(*node) bool) *node {
	if wanted(n) {
		return n
	}

	below := append(append([]node{}, n.Shadows...), n.Children...)
	if n.Content != nil {
		below = append(below, *n.Content)
	}

	for i := range below {
		if found := below[i].find(wanted); found != nil {
			return found
		}
	}

	return nil
}

// Frame waits for an iframe of that name attribute inside the document, and
// gives its document. An iframe inside an iframe is asked of the latter's View.
func (v *View) Frame(name string) *View {
	v.page.tb.Helper()
	f := &View{page: v.page, parent: v, name: name}
	f.until(fmt.Sprintf("the frame %q", name), func(ctx context.Context) (bool, error) {
		err := f.run(ctx, "0", nil)
		return err == nil, err
	})
	return f
}

// locate finds the document.
func (v *View) locate(ctx context.Context) (place, error) {
	p := v.page
	if v.parent == nil {
		return place{session: p.session, frame: p.target}, nil
	}

	outer, err := v.parent.locate(ctx)
	if err != nil {
		return place{}, err
	}

	loads, same := v.unchanged(outer)
	if same {
		return v.found, nil
	}

	var tree struct{ Root node }
	if err := p.process.call(ctx, outer.session, "DOM.getDocument", object{"depth": -1, "pierce": true}, &tree); err != nil {
		return place{}, err
	}

	from := &tree.Root
	around := tree.Root.find(func(n *node) bool { return n.Frame == outer.frame && n.Content != nil })
	if around != nil {
		from = around.Content
	}

	owner := from.find(func(n *node) bool { return n.Name == "IFRAME" && n.attribute("name") == v.name })
	if owner == nil {
		return place{}, fmt.Errorf("looking for iframe %q: %w", v.name, errNoFrame)
	}

	session := p.sessionOf(owner.Frame, outer.session)
	v.found = place{session: session, frame: owner.Frame, owner: owner.Backend}
	v.loads = loads
	return v.found, nil
}

// unchanged reports whether the iframe is still where it was found, and how many documents the page
// has loaded: searching a whole document again for each command costs more than the command.
func (v *View) unchanged(outer place) (loads int, same bool) {
	p := v.page
	p.mu.Lock()
	defer p.mu.Unlock()
	loads = len(p.documents)
	if v.found.frame == "" || v.loads != loads {
		return loads, false
	}

	s := p.sessions[v.found.session]
	if s == nil || s.target != v.found.frame && s.worlds[v.found.frame] == 0 {
		return loads, false
	}

	return loads, v.found.session == outer.session || p.sessions[v.found.session].target == v.found.frame
}

// sessionOf is the session a frame lives in: its own if its process is not its parent's.
func (p *Page) sessionOf(frame, parents string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, s := range p.sessions {
		if s.target == frame {
			return id
		}
	}
	return parents
}

// world is the script context to look at a document from: the page's own or, as
// there is none with JavaScript off, one beside it.
func (v *View) world(ctx context.Context, at place) (int, error) {
	if v.page.options.NoJS {
		return v.isolatedWorld(ctx, at)
	}
	v.page.mu.Lock()
	defer v.page.mu.Unlock()
	s := v.page.sessions[at.session]
	if s != nil && s.worlds[at.frame] != 0 {
		return s.worlds[at.frame], nil
	}
	return 0, errors.New("the document is not there yet")
}

// isolatedWorld is a script context that shares the document with the page's scripts and
// nothing else.
func (v *View) isolatedWorld(ctx context.Context, at place) (int, error) {
	var made struct{ ExecutionContextID int }
	world := object{"frameId": at.frame, "worldName": "driver"}
	err := v.page.process.call(ctx, at.session, "Page.createIsolatedWorld", world, &made)
	return made.ExecutionContextID, err
}

// evaluate runs js in the document and awaits the promise it may give.
//
// Errors: *exception; what locate says.
func (v *View) evaluate(ctx context.Context, js string, byValue bool) (remote, place, error) {
	at, err := v.locate(ctx)
	if err != nil {
		return remote{}, at, err
	}
	world, err := v.world(ctx, at)
	if err != nil {
		return remote{}, at, err
	}
	result, err := v.evaluateIn(ctx, at, world, js, byValue)
	return result, at, err
}

// evaluateIn is evaluate in one of the document's script contexts.
func (v *View) evaluateIn(ctx context.Context, at place, world int, js string, byValue bool) (remote, error) {
	var out struct {
		Result           remote
		ExceptionDetails *exception
	}
	err := v.page.process.call(ctx, at.session, "Runtime.evaluate", object{
		"expression":    js,
		"contextId":     world,
		"awaitPromise":  true,
		"returnByValue": byValue,
	}, &out)
	if err == nil && out.ExceptionDetails != nil {
		err = out.ExceptionDetails
	}

	return out.Result, err
}

// run is evaluate for a plain value, decoded into out unless that is nil.
func (v *View) run(ctx context.Context, js string, out any) error {
	result, _, err := v.evaluate(ctx, js, true)
	if err != nil || out == nil {
		return err
	}
	if len(result.Value) == 0 {
		result.Value = []byte("null") // undefined
	}
	return json.Unmarshal(result.Value, out)
}

// call is JavaScript that runs the body of a function.
func call(body string) string { return "(() => {" + body + "})()" }

// quote is text as a JavaScript string.
func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always marshals
	}
	return string(quoted)
}

// query is the body of a function about the elements that css selects: in body, all are the
// elements, seen those of them that are visible, and e the first of seen, else of all.
func query(css, body string) string {
	return `
		const select = (root, [head, ...rest]) => [...root.querySelectorAll(head)].flatMap(
			e => !rest.length ? [e] : e.shadowRoot ? select(e.shadowRoot, rest) : []);
		const all = select(document, ` + quote(css) + `.split(">>>"));
		const seen = all.filter(e => e.checkVisibility({visibilityProperty: true}) &&
			[...e.getClientRects()].some(r => r.width > 0 && r.height > 0));
		const e = seen[0] ?? all[0];
		` + body
}

// read waits for an element that css selects, visible or not, and evaluates
// the expression about it, e.
func read[T any](v *View, css, expression string) T {
	v.page.tb.Helper()
	var got T
	v.await("an element "+css, query(css, `return {ok: !!e, value: e && (`+expression+`)};`), &got)
	return got
}

// Attr is an attribute of the element, "" if it has none.
func (v *View) Attr(css, name string) string {
	v.page.tb.Helper()
	return read[string](v, css, fmt.Sprintf(`e.getAttribute(%q) ?? ""`, name))
}

// Text is the element's text as shown, without space around it; for an element
// that is not shown, all text in it.
func (v *View) Text(css string) string {
	v.page.tb.Helper()
	return strings.TrimSpace(read[string](v, css, `(seen.length ? e.innerText : e.textContent) ?? ""`))
}

// Value is what a form field holds.
func (v *View) Value(css string) string {
	v.page.tb.Helper()
	return read[string](v, css, `String(e.value ?? "")`)
}

// Count is how many elements css selects now, visible or not. It does not wait for any.
func (v *View) Count(css string) int {
	v.page.tb.Helper()
	var n int
	v.until("a document", func(ctx context.Context) (bool, error) {
		err := v.run(ctx, call(query(css, `return all.length;`)), &n)
		return err == nil, err
	})
	return n
}

// Exists reports whether css selects anything now, visible or not. It does not wait.
func (v *View) Exists(css string) bool {
	v.page.tb.Helper()
	return v.Count(css) > 0
}

// HTML is the document as it is now, serialised.
func (v *View) HTML() string {
	v.page.tb.Helper()
	return read[string](v, "html", "e.outerHTML")
}

// URL is where the document is now.
func (v *View) URL() string {
	v.page.tb.Helper()
	return read[string](v, ":root", "location.href")
}

// Eval evaluates a JavaScript expression in the document, awaits it if it is a promise, and decodes
// its value into out as JSON; nil out drops it. An exception fails the test. With Options.NoJS it
// sees the document but not the page's own variables.
func (v *View) Eval(js string, out any) {
	v.page.tb.Helper()
	v.until("evaluating "+short(js, 200), func(ctx context.Context) (bool, error) {
		// What is slow to answer has begun: asked again, it would be done twice.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), v.page.options.Patience)
		defer cancel()
		err := v.run(ctx, js, out)
		if err == nil || notStarted(err) {
			return err == nil, err
		}
		return false, permanentError{err}
	})
}

// Eval is [View.Eval] of a page or a frame in it, and returns the value.
func Eval[T any](document interface{ view() *View }, js string) (value T) {
	v := document.view()
	v.page.tb.Helper()
	v.Eval(js, &value)
	return value
}

func (v *View) view() *View { return v }

// notStarted reports whether an evaluation failed before it began: there was no document just then.
func notStarted(err error) bool {
	if _, thrown := errors.AsType[*exception](err); thrown {
		return false
	}
	if r, refused := errors.AsType[*refusal](err); refused {
		return strings.Contains(r.Message, "Cannot find context") || strings.Contains(r.Message, "No frame")
	}
	return !errors.Is(err, errGone)
}
