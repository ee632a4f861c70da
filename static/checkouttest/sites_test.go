package checkouttest_test

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"coinslot/e2e/browser"
)

// stage is a pretended BFF on localhost and a host page on 127.0.0.1, two sites to a browser. The
// BFF serves the minified checkout.js and frames that speak docs/frame-protocol.md as a test tells
// them to.
type stage struct {
	*browser.Page
	bff, host string

	mu     sync.Mutex
	frames []string // URL of every frame that was asked for, in order
	words  []string // … and of the loader's words

	body, csp string // the host page that visit has set
	app       string // the host page's own script, /app.js
}

// policy is the strictest policy a host page can have and still show a checkout. %s is the BFF.
const policy = "default-src 'none'; script-src %[1]s; frame-src %[1]s; style-src 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'"

// head loads the script, and before it one that keeps every event in window.seen.
const head = `<!doctype html><html lang=en><meta name=viewport content="width=device-width"><title>shop</title>
	<script src="{bff}/seen.js"></script><script async src="{bff}/checkout.js"></script>`

// play opens a host page with the given body; {bff} in it stands for the BFF's origin. An empty csp
// means policy; one that begins with "report only: " is sent as such.
func play(t *testing.T, body, csp string, o browser.Options) *stage {
	t.Helper()
	together(t)
	s := &stage{}
	bff, host := http.NewServeMux(), http.NewServeMux()
	s.bff, s.host = serve(t, "localhost", bff), serve(t, "127.0.0.1", host)
	if csp == "" {
		csp = fmt.Sprintf(policy, s.bff)
	}
	bff.HandleFunc("GET /checkout.js", script(string(minified(t))))
	bff.HandleFunc("GET /seen.js", script(seenJS))
	bff.HandleFunc("GET /frame.js", script(frameJS))
	bff.HandleFunc("GET /app.js", func(w http.ResponseWriter, r *http.Request) { script(s.app)(w, r) })
	bff.HandleFunc("GET /checkout/embed.js", s.embed)
	bff.HandleFunc("GET /checkout", s.frame)
	bff.HandleFunc("GET /checkout/{session}", s.frame)
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
		fmt.Fprint(w, strings.ReplaceAll(head+body, "{bff}", s.bff))
	})
	host.HandleFunc("GET /thanks", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "thank you") })
	s.Page = chromium.Open(t, s.host, o)
	return s
}

// visit opens another host page on the same stage, where its policy can name the stage's addresses.
// Frames of the page before are forgotten.
func (s *stage) visit(body, csp string) {
	s.mu.Lock()
	s.frames = nil
	s.mu.Unlock()
	s.body, s.csp = body, csp
	s.Goto(s.host)
}

func serve(t *testing.T, name string, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return "http://" + net.JoinHostPort(name, port)
}

func script(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Header().Set("Access-Control-Allow-Origin", "*")
		fmt.Fprint(w, text)
	}
}

// frame is the checkout page. A session that begins with "cs_hang" is never answered, one with
// "cs_mute" never says hello.
func (s *stage) frame(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.frames = append(s.frames, r.URL.String())
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

// cures are what the server says to the host page's developer, in every language.
const cures = `"origin_refused":"COINSLOT_ORIGINS must list it","frame_blocked":"a proxy must not add X-Frame-Options","timeout":"is it reachable?"`

// speech is what the server says in a language. An origin whose page is in "x-refused" is not
// listed.
var speech = map[string]string{
	"en": `{"listed":true,"title":"Checkout","close":"Close","retry":"Retry","failed":"Checkout did not load.",
		"offline":"You are offline.","link":"Open checkout",` + cures + `}`,
	"de": `{"listed":true,"title":"Kasse","close":"Schließen","retry":"Nochmals","failed":"Die Kasse lädt nicht.",
		"offline":"Sie sind offline.","link":"Kasse öffnen",` + cures + `}`,
	"x-refused": `{"listed":false,"title":"Checkout","close":"Close","retry":"Retry","failed":"Checkout did not load.",
		"offline":"You are offline.","link":"Open checkout",` + cures + `}`,
}

// embed answers GET /checkout/embed.js, which any page may read.
func (s *stage) embed(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.words = append(s.words, r.URL.String())
	s.mu.Unlock()
	w.Header().Set("Access-Control-Allow-Origin", "*")
	looks, err := os.ReadFile("../../bff/shop/embed.css")
	if err != nil {
		panic(err) // the test fails
	}
	script(fmt.Sprintf("export default {...%s, css: %q}", cmp.Or(speech[r.FormValue("lang")], speech["en"]), looks))(w, r)
}

// asked are the URLs of the frames that were asked for, so far.
func (s *stage) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.frames...)
}

// pay is the checkout's frame.
func (s *stage) pay() *browser.View { return s.Frame("coinslot-checkout") }

// said waits until an event was seen; want is "name session status".
func (s *stage) said(want string) {
	s.WaitJS(fmt.Sprintf("window.seen.includes(%q)", want), "event "+want)
}

// unharmed asserts that no error was told. The line to the frame is in order, so what was to be
// told is told by the time that the next message has come through; without a frame to ask there is
// no telling.
func (s *stage) unharmed(t *testing.T) {
	t.Helper()
	s.say(`{ type: 'status', session: 'cs_1', status: 'pending' }`)
	s.said("status cs_1 pending")
	var told []map[string]any
	if s.Eval(`details.filter(({ name }) => name === 'error')`, &told); len(told) != 0 {
		t.Errorf("told: %v; want no error", told)
	}
}

// pass lets some of the page's time go by. Whatever the page itself wanted to do earlier than that,
// it has done then, however slow the machine: one page's timers run in their order.
func (s *stage) pass(ms int) {
	s.Eval(fmt.Sprintf("new Promise((done) => setTimeout(done, %d))", ms), nil)
}

// say makes the frame post a message, given as JavaScript.
func (s *stage) say(message string) {
	s.pay().Eval("say("+message+")", nil)
}

const seenJS = `
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

const frameJS = `
	const query = new URLSearchParams(location.search);
	const session = document.currentScript.dataset.session;
	const { port1, port2 } = new MessageChannel();
	window.heard = [];
	window.say = (message) => port1.postMessage(message);
	port1.onmessage = ({ data }) => heard.push(data);
	parent.postMessage({ coinslot: 1, type: 'hello', version: 'test' }, query.get('origin'), [port2]);
	say({ type: 'ready', session, status: 'open' });
	say({ type: 'size', height: 333 });`
