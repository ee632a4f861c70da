package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// answerIn is how long one look may take. Chromium now and then leaves a command about a document
// unanswered while a frame in it goes to another process; asked again, it answers.
const answerIn = 10 * time.Second

// pollEvery is the pause between two commands.
const pollEvery = 50 * time.Millisecond

// permanentError is an error that waiting does not fix.
type permanentError struct{ error }

func (f permanentError) Unwrap() error { return f.error }

// until tries every 50 ms until it is done, and fails the test when patience or
// the browser ends. An error means "not yet", and is shown if it was the last.
func (v *View) until(what string, try func(context.Context) (bool, error)) {
	v.page.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), v.page.options.Patience)
	defer cancel()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	var last error
	for {
		ok, err := attempt(ctx, try)
		if ok {
			return
		}
		if err != nil && ctx.Err() == nil || last == nil {
			last = err
		}
		if _, hopeless := errors.AsType[permanentError](err); hopeless || v.page.process.ended() {
			v.page.tb.Fatalf("%s: %v%s", what, err, v.report())
		}
		select {
		case <-ctx.Done():
			v.fail(fmt.Sprintf("waiting %v for %s", v.page.options.Patience, what), last)
		case <-tick.C:
		}
	}
}

// attempt is one look.
func attempt(ctx context.Context, try func(context.Context) (bool, error)) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, answerIn)
	defer cancel()
	return try(ctx)
}

// fail ends the test with what was being done and how things look.
func (v *View) fail(doing string, err error) {
	v.page.tb.Helper()
	if err != nil {
		doing += ": " + err.Error()
	}
	v.page.tb.Fatalf("%s%s", doing, v.report())
}

// report describes the document and its page, and keeps a screenshot.
func (v *View) report() string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var now struct{ URL, HTML string }
	if err := v.run(ctx, `({url: location.href, html: document.documentElement.outerHTML})`, &now); err != nil {
		now.HTML = "(unreadable: " + err.Error() + ")"
	}
	picture := filepath.Join(v.page.tb.ArtifactDir(), "failure.png")
	if err := v.page.screenshot(ctx, picture); err != nil {
		picture = err.Error()
	}
	p, clicksReceived := v.page, v.clicksReceived(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "\n--- URL: %s\n--- HTML: %s\n--- screenshot: %s", now.URL, short(now.HTML, 3000), picture)
	for _, list := range []struct {
		title string
		lines []string
	}{{"clicks", p.clicks}, {"where they landed", clicksReceived}, {"console", p.console}, {"requests", p.requests}, {"refused commands", p.refused}} {
		fmt.Fprintf(&b, "\n--- %s (%d, the last 30):", list.title, len(list.lines))
		for _, line := range list.lines[max(0, len(list.lines)-30):] {
			fmt.Fprintf(&b, "\n    %s", short(line, 300))
		}
	}
	return b.String()
}

// clicksReceived is what was pressed in the document, and in those around it, since it is
// there and was clicked for the first time.
func (v *View) clicksReceived(ctx context.Context) (list []string) {
	for ; v != nil; v = v.parent {
		var here []string
		if err := v.run(ctx, `globalThis[Symbol.for("pressed")] ?? []`, &here); err != nil {
			here = []string{"(unreadable: " + err.Error() + ")"}
		}
		list = append(here, list...)
	}
	return list
}

// short is text, cut to about n bytes.
func short(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}

// lookEvery is the pause between two looks inside the page, and looksPerCall how many of them one
// command makes, which costs less than a command for each.
const (
	lookEvery    = 50 * time.Millisecond
	looksPerCall = 20
)

// await waits until test is true. It is the body of a JavaScript function that returns
// {ok, value, error}; an exception counts as an error. value goes into out unless that is nil.
func (v *View) await(what, test string, out any) {
	v.page.tb.Helper()
	v.until(what, func(ctx context.Context) (bool, error) { return v.look(ctx, test, out) })
}

// look makes looksPerCall looks, or fewer until one of them is good.
func (v *View) look(ctx context.Context, test string, out any) (bool, error) {
	looks := looksPerCall
	if v.page.options.NoJS {
		looks = 1 // no timer runs
	}
	var got struct {
		OK    bool
		Error string
		Value json.RawMessage
	}
	err := v.run(ctx, fmt.Sprintf(`(async () => {
		const test = async () => { %s };
		for (let look = 1; ; look++) {
			const got = await test().catch(e => ({error: String(e)}));
			if (got.ok || look >= %d) return got;
			await scheduler.postTask(() => {}, {delay: %d});
		}
	})()`, test, looks, lookEvery.Milliseconds()), &got)
	switch {
	case err != nil:
		return false, err
	case !got.OK && got.Error != "":
		return false, errors.New(short(got.Error, 500))
	case !got.OK || out == nil || len(got.Value) == 0:
		return got.OK, nil
	}
	return true, json.Unmarshal(got.Value, out)
}

// Wait waits for a visible element.
func (v *View) Wait(css string) {
	v.page.tb.Helper()
	v.await("a visible element "+css, query(css, `return {ok: seen.length > 0};`), nil)
}

// WaitText waits for a visible element whose text as shown contains text. White
// space counts as one space.
func (v *View) WaitText(css, text string) {
	v.page.tb.Helper()
	want := strings.Join(strings.Fields(text), " ")
	v.await(fmt.Sprintf("a visible element %s with the text %q", css, text), query(css, `
		const texts = seen.map(e => (e.innerText ?? e.textContent).replace(/\s+/g, " "));
		return {ok: texts.some(t => t.includes(`+quote(want)+`)), error: "texts there: " + JSON.stringify(texts)};`), nil)
}

// WaitGone waits until css selects nothing visible. A frame that is gone has nothing visible in it.
func (v *View) WaitGone(css string) {
	v.page.tb.Helper()
	test := query(css, `return {ok: seen.length === 0};`)
	v.until("nothing visible that is "+css, func(ctx context.Context) (bool, error) {
		ok, err := v.look(ctx, test, nil)
		return ok || v.parent != nil && errors.Is(err, errNoFrame), err
	})
}

// WaitConsole waits until a line of the console that is not among the first since of
// Console contains text. The browser is asked nothing meanwhile, as it is by all
// others that wait: what is slowed down and measured is not disturbed.
func (p *Page) WaitConsole(since int, text string) {
	p.tb.Helper()
	p.until(fmt.Sprintf("%q in the console", text), func(context.Context) (bool, error) {
		has := func(line string) bool { return strings.Contains(line, text) }
		return slices.ContainsFunc(p.Console()[since:], has), nil
	})
}

// WaitJS waits until a JavaScript expression is true, or gives a promise of
// something true; an exception counts as not yet. desc says it in words.
func (v *View) WaitJS(expression, desc string) {
	v.page.tb.Helper()
	v.await(desc+" ("+short(expression, 200)+")", "return {ok: !!(await ("+expression+"))};", nil)
}
