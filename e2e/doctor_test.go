package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

// faultyProxy is a proxy before a checkout that does to what passes what the test text.
type faultyProxy struct {
	*stack
	direct string // past the proxy

	mu     sync.Mutex // guards the fields below
	ask    func(out *http.Request)
	answer func(r *http.Response) // nil = leaves it
}

// newFaultyProxy starts a stack whose public address is a proxy's. extra settings are added to the
// environment.
func newFaultyProxy(t *testing.T, extra ...string) *faultyProxy {
	t.Helper()
	p := &faultyProxy{}
	proxy := &httputil.ReverseProxy{FlushInterval: -1}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	public := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	p.stack = newStack(t, append(extra, "COINSLOT_PUBLIC_URL="+public)...)
	target := fortest.Must(url.Parse(p.base))(t)
	proxy.Rewrite = func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
		p.mu.Lock()
		ask := p.ask
		p.mu.Unlock()
		if ask != nil {
			ask(r.Out)
		}
	}
	proxy.ModifyResponse = func(r *http.Response) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.answer != nil {
			p.answer(r)
		}
		return nil
	}
	p.direct, p.base = p.base, public
	return p
}

// set sets what the proxy does from here on.
func (p *faultyProxy) set(ask func(*http.Request), answer func(*http.Response)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ask, p.answer = ask, answer
}

// doctorReport is the page's report, as far as tests look.
type doctorReport struct {
	Checks []struct {
		ID, By, Status, Detail string
		Add                    []string
	}
	Add map[string][]string
}

func readReport(t *testing.T, p *browser.Page) doctorReport {
	t.Helper()
	text := browser.Eval[string](p,
		`document.querySelector('[data-part="doctor-json"]').textContent`)
	var got doctorReport
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("the page's JSON: %v in %.200q", err, text)
	}
	return got
}

// A deployment with nothing wrong has nothing to add but what the page's own
// headers would tell, and with those nothing at all.
func TestDoctorPasses(t *testing.T) {
	s := newFaultyProxy(t)
	p := chromium.Open(t, s.base+"/checkout/doctor?origin="+s.shop.URL, browser.Options{})
	p.Wait(`[data-part="doctor-verdict"][data-done="true"]`)
	for _, c := range readReport(t, p).Checks {
		if want := map[bool]string{true: "unknown", false: "ok"}[c.By == "page"]; c.Status != want {
			t.Errorf("%s is %s: %s", c.ID, c.Status, c.Detail)
		}
	}
	pasted := fortest.Must(json.Marshal("HTTP/2 200\ncontent-type: text/html\nset-cookie: secret=1\ncontent-security-policy: default-src 'self'; script-src 'self' " +
		s.base + "; frame-src " + s.base + "\ncross-origin-embedder-policy: require-corp\n"))(t)
	p.Eval(`document.querySelector("#headers").value = `+string(pasted), nil)
	p.Click(`[data-part="doctor-paste"] button`)
	p.Wait(`[data-part="doctor-check-page-frame"][data-status="ok"]`)
	p.WaitText(`[data-part="doctor-verdict"] h1`, "All is well")
	got := readReport(t, p)
	for _, c := range got.Checks {
		if c.Status != "ok" {
			t.Errorf("with the page's headers, %s is %s: %s", c.ID, c.Status, c.Detail)
		}
	}
	if len(got.Add) > 0 {
		t.Errorf("to add: %v; want nothing", got.Add)
	}
	fortest.Lacks(t, "the page shows a cookie again that was pasted", p.HTML(), "secret=1")
	for _, line := range p.Console() {
		if strings.Contains(line, "Content Security Policy") ||
			strings.HasPrefix(line, "[exception]") {
			t.Errorf("the console says %s", line)
		}
	}
}

func setHeader(name, value string) func(*http.Response) {
	return func(r *http.Response) {
		if value == "" {
			r.Header.Del(name)
			return
		}
		r.Header.Set(name, value)
	}
}

func all(answers ...func(*http.Response)) func(*http.Response) {
	return func(r *http.Response) {
		for _, answer := range answers {
			answer(r)
		}
	}
}

// only is answer for the paths that end so.
func only(end string, answer func(*http.Response)) func(*http.Response) {
	return func(r *http.Response) {
		if strings.HasSuffix(r.Request.URL.Path, end) {
			answer(r)
		}
	}
}

// Each way to break a deployment is found in a browser, by its row, with the line that fixes it.
func TestFullDoctorFindsProxyFaults(t *testing.T) {
	s := newFaultyProxy(t)
	hour := func(r *http.Response) {
		r.Header.Set("Date", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
	}
	weaker := func(r *http.Response) {
		r.Header.Set("Content-Security-Policy",
			strings.Replace(r.Header.Get("Content-Security-Policy"), " 'wasm-unsafe-eval'", "", 1))
	}
	longer := rewritten("/checkout.js", func(body []byte) []byte { return append(body, "\n//"...) })
	plain := func(out *http.Request) { out.Header.Set("Accept-Encoding", "identity") }
	hangUp := func(out *http.Request) { out.Header.Del("Upgrade"); out.Header.Del("Connection") }
	for name, c := range map[string]struct {
		ask    func(*http.Request)
		answer func(*http.Response)
		rows   string // ids of those that fail, each by a fault of its own
		lines  []string
	}{
		"COEP lost, framing refused, another time, pages kept": {
			nil,
			all(setHeader("Cross-Origin-Embedder-Policy",
				""), setHeader("X-Frame-Options", "DENY"), hour,
				setHeader("Cache-Control", "public, max-age=60")), "coep framing clock cache",
			[]string{
				"Cross-Origin-Embedder-Policy: require-corp", "proxy_hide_header X-Frame-Options;",
				"timedatectl set-ntp true", "Cache-Control: no-store",
			},
		},
		"CORP of files lost, a second policy, sockets cut": {
			hangUp,
			all(only(".wasm", setHeader("Cross-Origin-Resource-Policy", "")),
				func(r *http.Response) { r.Header.Add("Content-Security-Policy", "img-src *") }),
			"coep csp websocket",
			[]string{
				"Cross-Origin-Resource-Policy: cross-origin",
				"proxy_pass_header Content-Security-Policy;",
				"proxy_set_header Upgrade $http_upgrade;",
			},
		},
		"X-Frame-Options instead of the policy": {
			nil,
			all(setHeader("X-Frame-Options", "DENY"), setHeader("Content-Security-Policy", "")),
			"framing frame csp",
			[]string{"proxy_hide_header X-Frame-Options;"},
		},
		"WebAssembly taken out of the policy": {
			nil,
			weaker,
			"csp wasm",
			[]string{"script-src 'self' 'wasm-unsafe-eval'"},
		},
		"policy lost, WebAssembly of another type": {
			nil,
			all(setHeader("Content-Security-Policy", ""),
				only(".wasm", setHeader("Content-Type", "application/octet-stream"))),
			"csp wasm",
			[]string{
				"proxy_pass_header Content-Security-Policy;", "Content-Type: application/wasm",
			},
		},
		"nothing compressed, scripts rewritten": {
			plain,
			longer,
			"wasm script",
			[]string{
				"proxy_set_header Accept-Encoding $http_accept_encoding;",
				"Cache-Control: no-transform",
			},
		},
		"script missing": {
			nil,
			only(
				"/checkout.js",
				func(r *http.Response) {
					r.StatusCode, r.Header = 404, http.Header{"Content-Type": {"text/html"}}
				},
			),
			"script frame",
			[]string{"Content-Type: text/javascript; charset=utf-8"},
		},
	} {
		s.set(c.ask, c.answer)
		p := chromium.Open(t, s.base+"/checkout/doctor?origin="+s.shop.URL, browser.Options{})
		for id := range strings.FieldsSeq(c.rows) {
			p.Wait(`[data-part="doctor-check-` + id + `"][data-status="fail"]`)
		}
		add := readReport(t, p).Add
		got := slices.Concat(add["proxy"], add["machine"])
		for i := range got {
			got[i] = regexp.MustCompile(` 'sha256-[^']+'`).ReplaceAllString(got[i], "")
		}
		for _, line := range c.lines {
			if !slices.Contains(got, line) {
				t.Errorf("%s: to add are %q; want %s", name, got, line)
			}
		}
		p.Close()
	}
}

// What is wrong with the settings is said with the settings' own lines.
func TestFullDoctorFindsWrongSettings(t *testing.T) {
	s := newFaultyProxy(t)
	p := chromium.Open(
		t,
		s.base+"/checkout/doctor?origin=https://other.example&code=origin_refused",
		browser.Options{},
	)
	p.Wait(`[data-part="doctor-code"][data-code="origin_refused"]`)
	p.WaitText(`[data-part="doctor-add-coinslot"]`, "COINSLOT_ORIGINS=…,https://other.example")
	p.Wait(`[data-part="doctor-check-origin"][data-status="fail"]`)
	fortest.Lacks(t, "the page names an origin that was not asked about", p.HTML(), s.shop.URL)

	wrong := strings.Replace(s.base, "localhost", "127.0.0.1", 1)
	p = chromium.Open(t, wrong+"/checkout/doctor?origin="+s.shop.URL, browser.Options{})
	p.Wait(`[data-part="doctor-check-address"][data-status="fail"]`)
	p.WaitText(`[data-part="doctor-add-coinslot"]`, "COINSLOT_PUBLIC_URL="+wrong)
}
