package browser_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

// open serves one page and opens it.
func open(t *testing.T, body string, o browser.Options) *browser.Page {
	t.Helper()
	url := serve(t, "127.0.0.1", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html>"+body)
	}))
	return chromium.Open(t, url, o)
}

// A click waits for what a person would wait for. It runs alone: Chromium may keep a
// page's dialog back while it shows another page.
func TestClickWaits(t *testing.T) {
	p := open(t, `<style>#cover { position: fixed; inset: 0 } @keyframes in { from { translate: 300px } } #moving { animation: in .3s }</style>
		<div style="height:4000px"></div><button id=b disabled onclick="this.textContent = 'clicked'">b</button>
		<label>box <input type=checkbox id=c></label><div id=cover></div>
		<script>
			setTimeout(() => { b.disabled = false }, 200);
			setTimeout(() => { cover.remove() }, 400);
			b.addEventListener("click", () => { b.insertAdjacentHTML("afterend", "<button id=moving onclick='alert(1); this.remove()'>moving</button>") })
		</script>`, browser.Options{})
	p.Click("#b")
	p.WaitText("#b", "clicked")
	p.Click("#moving")
	p.WaitGone("#moving")
	p.Click("#c")
	p.WaitJS("c.checked", "a checked box")
	if got := p.Console(); !slices.Contains(got, "[dialog] 1") {
		t.Errorf("Console() = %q; want the dialog", got)
	}
}

// Workers are part of the page: recorded, blocked and cut off like it.
func TestWorkers(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	file := func(path, kind, text string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			fmt.Fprint(w, text)
		})
	}
	file("/", "text/html", `<p id=w></p><p id=s></p><script>
		new Worker("/worker.js").onmessage = e => { w.textContent = e.data };
		navigator.serviceWorker.register("/service.js");
		navigator.serviceWorker.onmessage = e => { s.textContent = e.data };
		</script>`)
	file("/worker.js", "text/javascript",
		`fetch("/a.wasm").then(() => "got it", () => "refused").then(postMessage)`)
	file("/service.js", "text/javascript", `onactivate = e => e.waitUntil(clients.claim()
		.then(() => fetch("/b.wasm")).then(() => "got it", () => "refused")
		.then(async text => (await clients.matchAll()).forEach(c => c.postMessage(text))))`)
	url := serve(t, "127.0.0.1", mux)
	for pattern, want := range map[string]string{"*.wasm": "refused", "*.other": "got it"} {
		p := chromium.Open(t, url, browser.Options{BlockURLs: []string{pattern}})
		p.WaitText("#w", want)
		p.WaitText("#s", want)
		for _, file := range []string{"/worker.js", "/service.js", "/a.wasm", "/b.wasm"} {
			if !slices.Contains(p.Requests(), url+file) {
				t.Errorf("Requests() = %q; want %s among them", p.Requests(), file)
			}
		}
	}
}

// failingTest is a test that keeps its failure to itself.
type failingTest struct {
	*testing.T
	message string
}

func (s *failingTest) Fatalf(format string, args ...any) {
	s.message = fmt.Sprintf(format, args...)
	panic(s)
}

// failure is what a test that did this would fail with.
func failure(t *testing.T, p func(testing.TB)) (message string) {
	t.Helper()
	s := &failingTest{T: t}
	defer func() {
		if r := recover(); r != nil && r != any(s) {
			panic(r)
		}
		message = s.message
	}()
	p(s)
	return ""
}

func TestFailureReport(t *testing.T) {
	t.Parallel()
	url := serve(t, "127.0.0.1", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(
			w,
			`<!doctype html><p>actual</p><button id=low>x</button><div style="position:fixed;inset:0" id=top></div><script>console.warn("careful")</script>`,
		)
	}))
	o := browser.Options{Patience: 3 * time.Second} // enough to open a page on a busy machine
	for _, tc := range []struct {
		name string
		do   func(*browser.Page)
		want []string
	}{
		{
			"text",
			func(p *browser.Page) { p.WaitText("p", "expected") },
			[]string{
				"waiting 3s", `element p with the text "expected"`, `"actual"`, url,
				"<p>actual</p>", "[warning] careful", "failure.png",
			},
		},
		{
			"covered",
			func(p *browser.Page) { p.Click("#low") },
			[]string{"clicking #low", `covered by <div style="position:fixed;inset:0" id="top">`},
		},
		{
			"lost",
			func(p *browser.Page) { p.Click("#top"); p.Wait("#done") },
			[]string{
				"clicking #top at 640, 400",
				`pointerdown at 640, 400 on <div style="position:fixed;inset:0" id="top">`,
				": click at 640, 400 on <div",
			},
		},
		{
			"exception",
			func(p *browser.Page) { p.Eval("nothing.there", nil) },
			[]string{"evaluating nothing.there", "nothing is not defined"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := failure(t, func(tb testing.TB) { tc.do(chromium.Open(tb, url, o)) })
			for _, want := range tc.want {
				fortest.Has(t, "failure", got, want)
			}
		})
	}
}
