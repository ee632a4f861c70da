package browser_test

import (
	"fmt"
	"html"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"

	"github.com/gorilla/websocket"
)

// chromium is shared: every page opened in it is a fresh one's.
var chromium *browser.Browser

func TestMain(m *testing.M) { os.Exit(browser.Share(m, &chromium)) }

// sites are two servers of different sites: a shop that frames a till.
type sites struct{ shop, till string }

// strict is a policy under which a page can evaluate no text of its own.
const strict = "default-src 'self' http: ws:; script-src 'unsafe-inline'; style-src 'unsafe-inline'; require-trusted-types-for 'script'"

// serveSites starts both. The till's form and counter work in its frame.
func serveSites(t *testing.T) sites {
	t.Helper()
	till, shop := http.NewServeMux(), http.NewServeMux()
	tillURL, shopURL := serve(t, "localhost", till), serve(t, "127.0.0.1", shop)
	page := func(mux *http.ServeMux, path, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy", strict)
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<!doctype html><title>t</title><body>"+body)
		})
	}
	page(shop, "/", `<h1>Shop</h1><div style="height:3000px">tall</div>
		<iframe name=till src="`+tillURL+`/" width=400 height=300 style="border:7px solid;padding:5px"></iframe>
		<iframe name=near src="/near" width=300 height=200></iframe><div style="height:2000px">tall</div>`)
	page(shop, "/near", `<button onclick="this.textContent = 'pressed'">press</button>`)
	page(shop, "/plain", `<h1>Plain</h1><p hidden id=hidden>hidden</p>`)
	page(till, "/", purchaseForm)
	page(till, "/inner", `<button id=deep onclick="this.textContent = 'reached'">deep</button>`)
	page(
		till,
		"/wasm",
		`<p id=out></p><script>fetch("/thing.wasm?v=1").then(r => r.text(), e => "refused").then(t => out.textContent = t)</script>`,
	)
	till.HandleFunc("/thing.wasm",
		func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "loaded") })
	till.HandleFunc("POST /sent", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<!doctype html><h1>Hello %s</h1><a href="/">back</a>`,
			html.EscapeString(r.FormValue("who")))
	})
	till.HandleFunc("/socket", echo(t))
	return sites{shopURL, tillURL}
}

// purchaseForm counts clicks, posts a name, and reports itself to console and network.
const purchaseForm = `
	<form method=post action=/sent><input name=who value=old><button id=send>send</button></form>
	<button id=count onclick="this.textContent = +this.textContent + 1">0</button>
	<p id=store></p><p id=socket></p><noscript>no scripts here</noscript>
	<iframe name=inner src=/inner width=150 height=60></iframe>
	<div id=host></div>
	<script>
		try { localStorage.setItem("k", "v"); store.textContent = "stored " + localStorage.getItem("k") }
		catch (e) { store.textContent = e.name }
		document.cookie = "c=1; SameSite=None; Secure";
		store.textContent += ", cookies: " + document.cookie;
		console.log("till says", {n: 1}, 2);
		setTimeout(() => { throw new Error("till failed") });
		const ws = new WebSocket(location.origin.replace("http", "ws") + "/socket");
		ws.onopen = () => ws.send("hello");
		ws.onmessage = e => { socket.textContent = e.data };
		const root = host.attachShadow({mode: "open"}), b = document.createElement("button");
		b.onclick = () => { b.textContent = "out of the shadow" };
		b.textContent = "shadow";
		root.append(b);
	</script>`

func serve(t *testing.T, host string, h http.Handler) string {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	t.Cleanup(s.Close)
	s.Start()
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	fortest.OK(t, err)
	return "http://" + net.JoinHostPort(host, port)
}

func echo(t *testing.T) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := new(websocket.Upgrader).Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		for {
			kind, text, err := c.ReadMessage()
			if err != nil {
				return
			}
			_ = c.WriteMessage(kind, text)
		}
	}
}

func TestFrameMovesBetweenSites(t *testing.T) {
	t.Parallel()
	s := serveSites(t)
	p := chromium.Open(t, s.shop, browser.Options{})
	f := p.Frame("near")
	for range 3 {
		p.Eval(`void (document.querySelector("[name=near]").src = "`+s.till+`/inner")`, nil)
		f.Click("#deep")
		f.WaitText("#deep", "reached")
		p.Eval(`void (document.querySelector("[name=near]").src = "/near")`, nil)
		f.WaitText("button", "press")
		f.Click("button")
		f.WaitText("button", "pressed")
	}
	p.Eval(`document.querySelector("[name=near]").remove()`, nil)
	f.WaitGone("button")
	p.Reload()
	f.Click("button")
}

func TestRecords(t *testing.T) {
	t.Parallel()
	s := serveSites(t)
	p := chromium.Open(t, s.shop, browser.Options{})
	f := p.Frame("till")
	f.WaitText("#socket", "hello")
	requests := p.Requests()
	socket := strings.Replace(s.till, "http", "ws", 1) + "/socket"
	for _, want := range []string{
		s.shop + "/", s.shop + "/near", s.till + "/", s.till + "/inner", socket,
	} {
		if n := count(requests, want); n != 1 {
			t.Errorf("Requests() has %s %d times; want once: %q", want, n, requests)
		}
	}

	p.WaitConsole(0, "till failed")
	console := p.Console()
	if !slices.Contains(console, "[log] till says Object 2") {
		t.Errorf("Console() = %q; want the till's log", console)
	}
	if !slices.ContainsFunc(console, func(line string) bool {
		return strings.HasPrefix(line, "[exception] Uncaught Error: till failed")
	}) {
		t.Errorf("Console() = %q; want the till's exception", console)
	}
}

func count(list []string, item string) int {
	n := 0
	for _, s := range list {
		if s == item {
			n++
		}
	}
	return n
}
