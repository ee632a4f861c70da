package checkouttest_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"coinslot/bff/check"
	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

// testPage is a host page on 127.0.0.1 with a fake server on localhost: two sites for a browser.
// The server has the minified checkout.js and frames that follow docs/frame-protocol.md as a test
// says.
type testPage struct {
	*browser.Page
	bff, host string

	mu            sync.Mutex
	frameRequests []string // URLs, in order
	textRequests  []string

	body, csp string // of the host page, set by visit
	appScript string // the host page's own script, /app.js
	shop      string // another page of the host, /shop
}

// policy is the strictest policy of a host page that can show a checkout. %s is the server.
const policy = "default-src 'none'; script-src %[1]s; frame-src %[1]s; style-src 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'"

// head loads checkout.js, and before it a script that keeps every event in window.seen.
const head = `<!doctype html><html lang=en><meta name=viewport content="width=device-width"><title>shop</title>
	<script src="{bff}/seen.js"></script><script async src="{bff}/checkout.js"></script>`

// JavaScript expressions.
const (
	element  = `document.querySelector('coinslot-checkout')`
	iframe   = element + `.shadowRoot.querySelector('iframe')`
	dialogJS = element + `.shadowRoot.querySelector('dialog')`
)

// openReady opens the inline checkout of session cs_1 and waits until it is ready.
func openReady(t *testing.T) *testPage {
	t.Helper()
	s := openPage(t, inline)
	s.waitEvent("ready cs_1 open")
	return s
}

// openPage opens a host page with the strictest policy.
func openPage(t *testing.T, body string) *testPage {
	t.Helper()
	return openPageWith(t, body, "", browser.Options{})
}

// openPageWith opens a host page; {bff} in its body stands for the server's origin. An empty csp
// means policy; one that starts with "report only: " is sent as such.
func openPageWith(t *testing.T, body, csp string, o browser.Options) *testPage {
	t.Helper()
	runParallel(t)
	s := &testPage{}
	bff, host := http.NewServeMux(), http.NewServeMux()
	s.bff, s.host = serve(t, "localhost", bff), serve(t, "127.0.0.1", host)
	if csp == "" {
		csp = fmt.Sprintf(policy, s.bff)
	}
	bff.HandleFunc("GET /checkout.js", script(string(minified(t))))
	bff.HandleFunc("GET /seen.js", script(recorderScript))
	bff.HandleFunc("GET /frame.js", script(frameScript))
	bff.HandleFunc("GET /app.js",
		func(w http.ResponseWriter, r *http.Request) { script(s.appScript)(w, r) })
	bff.HandleFunc("GET /checkout/embed.js", s.serveTexts)
	bff.HandleFunc("GET /checkout", s.serveFrame)
	bff.HandleFunc("GET /checkout/{session}", s.serveFrame)
	host.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		body, csp := body, csp
		if s.body != "" {
			body, csp = s.body, s.csp
		}
		name, value := "Content-Security-Policy", csp
		if rest, only := strings.CutPrefix(csp, "report only: "); only {
			name, value = name+"-Report-Only", rest
		}
		w.Header().Set(name, value)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if !strings.HasPrefix(body, "<!doctype") { // else it is a whole page
			body = head + body
		}
		fmt.Fprint(w, strings.NewReplacer("{bff}", s.bff, "{host}", s.host).Replace(body))
	})
	host.HandleFunc("GET /shop", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, strings.ReplaceAll(s.shop, "{bff}", s.bff))
	})
	host.HandleFunc("GET /thanks",
		func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "thank you") })
	s.Page = chromium.Open(t, s.host, o)
	return s
}

// visit opens another host page, whose policy can name the server, and clears frameRequests.
func (s *testPage) visit(body, csp string) {
	s.mu.Lock()
	s.frameRequests = nil
	s.mu.Unlock()
	s.body, s.csp = body, csp
	s.Goto(s.host)
}

func serve(t *testing.T, name string, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	fortest.OK(t, err)
	return "http://" + net.JoinHostPort(name, port)
}

func script(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Header().Set("Access-Control-Allow-Origin", "*")
		fmt.Fprint(w, text)
	}
}

// serveFrame answers with the checkout page. It never answers for sessions "cs_hang…", and the
// frames of "cs_mute…" never say hello.
func (s *testPage) serveFrame(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.frameRequests = append(s.frameRequests, r.URL.String())
	s.mu.Unlock()
	session := r.PathValue("session")
	if strings.HasPrefix(session, "cs_hang") {
		<-r.Context().Done()
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, `<!doctype html><title>pay</title><h1>Pay here</h1><input><a href="?">again</a>`)
	if !strings.HasPrefix(session, "cs_mute") {
		fmt.Fprintf(w, `<script src="/frame.js" data-session="%s"></script>`, session)
	}
}

// fixes are the server's texts for the host page's developer, in every language.
const fixes = `"origin_refused":"COINSLOT_ORIGINS must list it","frame_blocked":"a proxy must not add X-Frame-Options","timeout":"is it reachable?"`

// serverTexts are the server's texts by language. Origins of pages in "x-refused" are not listed.
var serverTexts = map[string]string{
	"en": `{"listed":true,"title":"Checkout","close":"Close","retry":"Retry","failed":"Checkout did not load.","create":"That did not work.",
		"offline":"You are offline.","link":"Open checkout",` + fixes + `}`,
	"de": `{"listed":true,"title":"Kasse","close":"Schließen","retry":"Nochmals","failed":"Die Kasse lädt nicht.",
		"offline":"Sie sind offline.","link":"Kasse öffnen",` + fixes + `}`,
	"ar": `{"listed":true,"dir":"rtl"}`,
	"x-refused": `{"listed":false,"title":"Checkout","close":"Close","retry":"Retry","failed":"Checkout did not load.",
		"offline":"You are offline.","link":"Open checkout",` + fixes + `}`,
}

// serveTexts answers GET /checkout/embed.js, which any page may read.
func (s *testPage) serveTexts(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.textRequests = append(s.textRequests, r.URL.String())
	s.mu.Unlock()
	w.Header().Set("Access-Control-Allow-Origin", "*")
	looks, err := os.ReadFile("../../bff/shop/embed.css")
	if err != nil {
		panic(err) // the test fails
	}
	texts := fmt.Sprintf("...%s, css: %q",
		cmp.Or(serverTexts[r.FormValue("lang")], serverTexts["en"]), looks)
	if !r.URL.Query().Has("debug") {
		script("export default {"+texts+"}")(w, r)
		return
	}
	codes, err := json.Marshal(check.Codes(""))
	if err != nil {
		panic(err)
	}
	script(fmt.Sprintf("export default {explain, %s, codes: %s};\n%s", texts, codes,
		check.ExplainScript))(
		w,
		r,
	)
}

// requested returns the URLs of the requested frames.
func (s *testPage) requested() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.frameRequests)
}

// frameView is the checkout's frame.
func (s *testPage) frameView() *browser.View { return s.Frame("coinslot-checkout") }

// waitEvent waits until an event was seen; want is "name session status".
func (s *testPage) waitEvent(want string) {
	s.WaitJS(fmt.Sprintf("window.seen.includes(%q)", want), "event "+want)
}

// sync sends a status from the frame and waits for its event: earlier messages have arrived then.
func (s *testPage) sync() {
	s.post(`{ type: 'status', session: 'cs_1', status: 'pending' }`)
	s.waitEvent("status cs_1 pending")
}

// checkNoError checks that no error was reported before the next message of the frame.
func (s *testPage) checkNoError(t *testing.T) {
	t.Helper()
	s.sync()
	var errors []map[string]any
	if s.Eval(`details.filter(({ name }) => name === 'error')`, &errors); len(errors) != 0 {
		t.Errorf("errors: %v; want none", errors)
	}
}

// wait lets time of the page pass. The page's earlier timers have fired then, however slow the
// machine.
func (s *testPage) wait(ms int) {
	s.Eval(fmt.Sprintf("new Promise((done) => setTimeout(done, %d))", ms), nil)
}

// post makes the frame post a message, given as JavaScript.
func (s *testPage) post(message string) {
	s.frameView().Eval("say("+message+")", nil)
}

const recorderScript = `
	window.seen = [];
	window.details = [];
	for (const name of ['ready', 'open', 'status', 'complete', 'close', 'error']) {
		document.addEventListener('coinslot-' + name, (event) => {
			const { session, status } = event.detail;
			seen.push([name, session, status].join(' ').trim());
			details.push({ name, ...event.detail });
			if (window.refuse === name) event.preventDefault();
		});
	}`

const frameScript = `
	const query = new URLSearchParams(location.search);
	const session = document.currentScript.dataset.session;
	const origin = query.get('origin') ?? new URL(document.referrer).origin;
	let port;
	window.heard = [];
	window.say = (message) => port.postMessage(message);
	const greet = () => {
		const { port1, port2 } = new MessageChannel();
		port = port1;
		port1.onmessage = ({ data, ports: [answer] }) => {
			heard.push(data);
			answer?.postMessage(data.kind === 'pay' ? '' : 'only pay');
		};
		const tokens = ['accent', 'radius', 'density', 'font', ...['background', 'surface', 'text', 'border', 'danger'].flatMap((name) => [name, name + '-dark'])];
		parent.postMessage({ coinslot: 1, type: 'hello', version: 'test', tokens }, origin, [port2]);
		say({ type: 'ready', session, status: 'open' });
		say({ type: 'size', height: 333 });
	};
	greet();
	setInterval(() => heard.length || greet(), 250);`
