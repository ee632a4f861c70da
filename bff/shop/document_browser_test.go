package shop

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"coinslot/app/screen/screentest"
	"coinslot/app/widget"
	"coinslot/bff/fortest"
	"coinslot/bff/web"
	"coinslot/e2e/browser"
	"coinslot/e2e/need"
	"coinslot/static"

	"github.com/gorilla/websocket"
)

// chromium is shared: every page opened in it is a fresh one's.
var chromium *browser.Browser

func TestMain(m *testing.M) { os.Exit(browser.Share(m, &chromium)) }

// browserRig serves one page of the gallery with its files, and a shop of another site that frames
// it and records its events.
type browserRig struct {
	document *document
	site     *web.Server
	shop     string // the shop's origin
	own      string // its own origin

	mu      sync.Mutex // guards the fields below
	page    widget.Page
	sockets []*websocket.Conn
	posts   []string // "content type: body"
}

// newBrowserRig starts a server for a page of the gallery, and its shop. The test is parallel from
// here on.
func newBrowserRig(t *testing.T, sample string) *browserRig {
	t.Helper()
	t.Parallel()
	browser.Need(t)
	need.Assets(t, static.Files)
	s := &browserRig{page: galleryPage(t, sample)}
	s.shop = serveAt(t, "shop.localhost", http.HandlerFunc(s.host))
	s.site, s.document = builtPages(t, static.Files, s.shop)
	mux := http.NewServeMux()
	mux.Handle("/", s.site.Handler(nil))
	mux.HandleFunc("GET /checkout/cs_gallery", s.show)
	mux.HandleFunc("GET /checkout/cs_gallery/view", s.view)
	mux.HandleFunc("GET /checkout/cs_gallery/live", s.live)
	mux.HandleFunc("POST /checkout/cs_gallery/simulate", s.act)
	s.own = serveAt(t, "pay.localhost", mux)
	return s
}

// serveAt starts a server and returns its origin under a name of its own site.
func serveAt(t *testing.T, name string, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "127.0.0.1", name, 1)
}

func (s *browserRig) now() widget.Page {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.page
}

func (s *browserRig) show(w http.ResponseWriter, r *http.Request) {
	p, q := s.now(), r.URL.Query()
	p.Embed, p.Origin = q.Get("embed"), q.Get("origin")
	if p.Embed != "" {
		p.Carry = []widget.Field{{Name: "embed", Value: p.Embed}, {Name: "origin", Value: p.Origin}}
	}
	s.site.SetKind(w, web.KindFramed)
	if err := s.document.write(w, r, http.StatusOK, p); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func (s *browserRig) view(w http.ResponseWriter, _ *http.Request) {
	_ = json.NewEncoder(w).Encode(s.now().View)
}

func (s *browserRig) live(w http.ResponseWriter, r *http.Request) {
	c, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.sockets = append(s.sockets, c)
	_ = c.WriteJSON(s.page.View)
	s.mu.Unlock()
	for {
		if _, _, err := c.ReadMessage(); err != nil {
			return
		}
	}
}

// act takes any post for one that leads to the pending page.
func (s *browserRig) act(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.posts = append(s.posts, r.Header.Get("Content-Type")+": "+string(body))
	s.mu.Unlock()
	s.setStatus("pending")
	s.view(w, r)
}

// setStatus shows another page of the gallery from here on, to open sockets too.
func (s *browserRig) setStatus(sample string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range screentest.Gallery() {
		if g.Name == sample {
			version := s.page.View.Version
			s.page.View = g.Page.View
			s.page.View.Version = version + 1
		}
	}
	for _, c := range s.sockets {
		_ = c.WriteJSON(s.page.View)
	}
}

// host is the shop's page.
func (s *browserRig) host(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, `<!doctype html><title>shop</title><pre id=log></pre>
<iframe name=coinslot-checkout width=480 height=900 allow="clipboard-write"
 sandbox="allow-scripts allow-same-origin allow-forms allow-popups" src="%s/checkout/cs_gallery?embed=modal&origin=%s"></iframe>
<script>
let port;
onmessage = (e) => {
  if (e.origin !== %q || !e.data.coinslot) return;
  log.append('hello\n');
  port = e.ports[0];
  port.onmessage = (m) => log.append(JSON.stringify(m.data) + '\n');
  port.postMessage({type: 'theme', value: 'auto'}); // until it is answered, the hello is repeated
};
</script>`, s.own, s.shop, s.own)
}

// TestProgramDies: a program that has ended leaves a page that still works.
func TestProgramDies(t *testing.T) {
	s := newBrowserRig(t, "pending")
	p := chromium.Open(t, s.shop, browser.Options{})
	f := p.Frame("coinslot-checkout")
	f.Wait(`[data-live=wasm]`)
	f.Eval(`void (document.createElement = null)`,
		nil) // the program draws with it, and a panic ends it
	s.setStatus("confirmed")
	f.Wait(`html[data-wasm=failed] [data-live=html]`)
	p.WaitText(
		"#log",
		`{"type":"error","code":"wasm_failed","recoverable":true,"cure":"the program has ended: see the lines before"}`,
	)
	f.Wait(`[data-status=confirmed]`)
}

// TestOldBrowserGetsStyles: one that makes no stylesheet from text loads the file.
func TestOldBrowserGetsStyles(t *testing.T) {
	s := newBrowserRig(t, "pending")
	p := chromium.Open(t, s.shop, browser.Options{Script: "CSSStyleSheet = undefined"})
	f := p.Frame("coinslot-checkout")
	f.Wait(`[data-live=wasm]`)
	f.WaitJS(
		`document.styleSheets[0]?.href.endsWith(".css") && !document.adoptedStyleSheets.length`,
		"the style sheet to be loaded",
	)
}

// TestBridge covers the small words between frame and host page.
func TestBridge(t *testing.T) {
	s := newBrowserRig(t, "pending-uri")
	p := chromium.Open(t, s.shop, browser.Options{})
	f := p.Frame("coinslot-checkout")
	f.Wait(`[data-live=wasm]`)
	p.WaitText("#log", `{"type":"ready","session":"cs_gallery","status":"pending"}`)
	p.WaitText("#log", `{"type":"size","height":`)
	f.Click(`[data-part=copy-address]`)
	f.WaitText(`[data-part=copy-address]`, "Copied")
	f.WaitText(`[role=status]`, "Copied. Send it on Ethereum only.")
	f.Click(`[data-part=open-wallet]`)
	p.WaitText(
		"#log",
		`{"type":"open","href":"ethereum:0x52908400098527886E0F7030069857D2E4169EE7@1?value=9123450000000000"}`,
	)
	f.Press("Escape")
	p.WaitText("#log", `{"type":"escape"}`)
	p.Eval(
		`port.postMessage({type:'style', accent:'#ff0', radius:'99', density:'cozy', font:'Georgia, serif'})`,
		nil,
	)
	f.WaitJS(
		`getComputedStyle(document.documentElement).getPropertyValue('--coinslot-radius') === '24px'`,
		"the clamped radius",
	)
	f.WaitJS(
		`getComputedStyle(document.documentElement).getPropertyValue('--coinslot-on-accent') === 'light-dark(rgb(0, 0, 0), rgb(0, 0, 0))'`,
		"black on yellow",
	)
	p.Eval(
		`port.postMessage({type:'style', accent:'url(https://evil.example)', font:'x;}*{display:none'})`,
		nil,
	)
	p.Eval(`port.postMessage({type:'theme', value:'dark'})`, nil)
	f.Wait(`html.theme-dark`)
	f.WaitJS(
		`getComputedStyle(document.documentElement).getPropertyValue('--coinslot-accent').startsWith('light-dark(#')`,
		"the page's own accent",
	)
	accents := func(style, light, dark string) {
		t.Helper()
		p.Eval(`port.postMessage({type:'style', `+style+`})`, nil)
		for theme, want := range map[string]string{"light": light, "dark": dark} {
			p.Eval(`port.postMessage({type:'theme', value:'`+theme+`'})`, nil)
			f.WaitJS(`document.documentElement.className === 'theme-`+
				theme+`' && (() => { const probe = document.body.appendChild(document.createElement('i'));
				probe.style.color = 'var(--coinslot-accent)'; const { color } = getComputedStyle(probe); probe.remove();
				return color === '`+want+`' || '`+want+`' === '' })()`, theme+" accent of "+style)
		}
	}
	accents(`accent: '#00f', 'accent-dark': '#ff0'`, "rgb(0, 0, 255)", "rgb(255, 255, 0)")
	accents(`accent: '#00f'`, "rgb(0, 0, 255)", "rgb(0, 0, 255)")
	accents(`'accent-dark': '#ff0'`, "", "rgb(255, 255, 0)")
	accents(`accent: '#00f', 'accent-dark': 'nonsense'`, "rgb(0, 0, 255)", "rgb(0, 0, 255)")
	p.Eval(`port.postMessage({type:'style', font:'Nunito'})`, nil)
	f.WaitJS(`getComputedStyle(document.body).fontFamily === 'Nunito, system-ui'`,
		"a font with a fallback")
	s.setStatus("confirmed")
	f.Click(`[data-part=close]`)
	p.WaitText("#log", `{"type":"close"}`)
}

// answerLate makes a host page keep its answers until answer() is called.
const answerLate = `if (self === top) {
	const post = MessagePort.prototype.postMessage, kept = [];
	MessagePort.prototype.postMessage = function (...message) { kept.push(() => post.apply(this, message)) };
	window.answer = () => { MessagePort.prototype.postMessage = post; kept.forEach((send) => send()) };
}`

// TestFirstAnswerShows: what an inline frame hears first, it is shown by, without a message of its
// own, after which it would be painted again. One in a dialog waits for that message.
func TestFirstAnswerShows(t *testing.T) {
	s := newBrowserRig(t, "open")
	p := chromium.Open(t, s.shop, browser.Options{})
	f := p.Frame("coinslot-checkout")
	p.WaitText("#log", "hello")
	p.Eval(`port.postMessage({type:'theme', value:'dark'})`, nil)
	f.Wait(`html.theme-dark`)
	if shown := browser.Eval[bool](f, `"shown" in document.documentElement.dataset`); shown {
		t.Error("a dialog's frame is shown before its host page says so")
	}
	f.Eval(`new MutationObserver(() => requestAnimationFrame(() => { window.painting = true }))
		.observe(document.documentElement, {attributeFilter: ["data-shown"]})`, nil)
	f.Eval(
		`addEventListener("coinslot-shown", () => { window.notified = String(window.painting) })`,
		nil,
	)
	p.Eval(`port.postMessage({type:'shown'})`, nil)
	f.WaitJS(`window.notified`, "the program to hear that the frame is shown")
	if painted := browser.Eval[string](f, `window.notified`); painted != "true" {
		t.Error("the program begins its work before what is shown has been painted")
	}
	p.Eval(`frames[0].location = document.querySelector('iframe').src.replace('modal', 'inline')`,
		nil)
	f.Wait(`html[data-shown]`)
}

// TestSlowHost: the frame repeats its hello until a slow host page answers, which then hears nothing
// twice, although each hello brings a channel of its own.
func TestSlowHost(t *testing.T) {
	s := newBrowserRig(t, "pending")
	p := chromium.Open(t, s.shop, browser.Options{Script: answerLate})
	p.WaitJS(`document.querySelector('#log').textContent.split('hello').length > 3`, "three hellos")
	p.Eval(`answer()`, nil)
	s.setStatus("confirmed")
	p.WaitText("#log", `"type":"complete"`)
	heard := map[string]int{}
	for line := range strings.SplitSeq(p.Text("#log"), "\n") {
		if heard[line]++; heard[line] == 2 && line != "hello" && line != "" {
			t.Errorf("the host page heard twice: %s", line)
		}
	}
	if heard[`{"type":"ready","session":"cs_gallery","status":"pending"}`] != 1 {
		t.Errorf("the host page heard %v; want ready once", heard)
	}
}

// TestSimulateFromTheHost: the host page presses the sandbox's buttons by name.
func TestSimulateFromTheHost(t *testing.T) {
	s := newBrowserRig(t, "pending-sandbox")
	p := chromium.Open(t, s.shop, browser.Options{})
	p.Frame("coinslot-checkout").Wait(`[data-live=wasm]`)
	p.WaitText("#log", `"type":"ready"`)
	p.Eval(`{
		const {port1, port2} = new MessageChannel();
		port1.onmessage = ({data}) => { window.problem = data; };
		port.postMessage({type: 'simulate', kind: 'lait'}, [port2]);
	}`, nil)
	p.WaitJS(`window.problem?.endsWith('lait')`, "why nothing was simulated")
	p.Eval(`port.postMessage({type:'simulate', kind:'late'})`,
		nil) // as a checkout.js that wants no answer
	p.WaitText("#log", `"type":"ready"`)
	p.Frame("coinslot-checkout").WaitJS(
		`document.querySelector('#coinslot').dataset.version === '8'`,
		"the view after it",
	)
	s.mu.Lock()
	defer s.mu.Unlock()
	fortest.Diff(t, s.posts, []string{`application/json: {"kind":"late"}`}, "posted")
}
