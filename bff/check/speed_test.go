package check

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/bff/diagnose"
	"coinslot/bff/fortest"

	"github.com/andybalholm/brotli"
)

const (
	speedFrame = `<iframe src="https://` + self + `/checkout/cs_1?embed=inline"></iframe>`
	speedPage  = `<!doctype html><script async src="https://` + self + `/checkout.js"></script>` +
		`<coinslot-checkout session="cs_1">` + speedFrame +
		`<a href="https://` + self + `/checkout/cs_1">Pay</a></coinslot-checkout>`
)

// shopServer serves a shop's page and its checkout, compressed if the client accepts that.
func shopServer(page string) http.HandlerFunc {
	const wasm = "/assets/app.0123456789ab.wasm"
	files := map[string][3]string{ // type, Cache-Control and text
		"/cart":              {"text/html", "", page},
		"/checkout.js":       {"text/javascript", "max-age=300", ""},
		"/checkout/embed.js": {"text/javascript", "public, max-age=60", ""},
		"/checkout/cs_1":     {"text/html", "no-store", `<i data-wasm="` + wasm + `">`},
		wasm:                 {"application/wasm", "public, max-age=31536000, immutable", ""},
	}
	return func(w http.ResponseWriter, r *http.Request) {
		file, is := files[r.URL.Path]
		if !is {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", file[0])
		w.Header().Set("Cache-Control", file[1]+w.Header().Get("Cache-Control"))
		to, text := io.Writer(w), file[2]+strings.Repeat(" word", 1000)
		if accepted := r.Header.Get("Accept-Encoding"); accepted == "br, gzip" {
			coding, packed := "br", io.WriteCloser(brotli.NewWriter(w))
			if r.URL.Path == "/cart" {
				coding, packed = "gzip", gzip.NewWriter(w)
			}
			w.Header().Set("Content-Encoding", coding)
			defer packed.Close()
			to = packed
		}
		io.WriteString(to, text)
	}
}

// newSpeedRig is a shop and its checkout, by HTTP/2 unless tune changes that.
func newSpeedRig(t *testing.T, page string, tune func(*httptest.Server)) *rig {
	t.Helper()
	w := newRig(t, shopServer(page), "")
	w.hosts["shop.example"], w.hosts["pay.example"] = "93.184.216.36", "93.184.216.37"
	w.tune = func(s *httptest.Server) {
		s.EnableHTTP2 = true
		if tune != nil {
			tune(s)
		}
	}
	for _, host := range []string{self, "shop.example", "pay.example"} {
		w.site(host, year, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			w.serve.ServeHTTP(rw, r)
		}))
	}
	return w
}

func (w *rig) speed(timeout time.Duration) Report {
	ctx, cancel := context.WithTimeout(w.t.Context(), timeout)
	defer cancel()
	return Speed(ctx, w.config(), "https://shop.example/cart")
}

// A fast deployment has no findings. The frame is requested while checkout.js is still awaited,
// and nothing secret is sent.
func TestSpeed(t *testing.T) {
	w := newSpeedRig(t, speedPage, nil)
	framed := make(chan bool, 1)
	before(w, func(_ http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.Header.Get("Authorization")+r.Header.Get("Cookie") != "":
			t.Error("a secret was sent")
		case r.URL.Path == "/checkout/cs_1":
			framed <- true
		case r.URL.Path == "/checkout.js":
			<-framed
		}
		return true
	})
	r := w.speed(time.Minute)
	var text, data bytes.Buffer
	r.Text(&text, diagnose.Style{})
	var read struct{ Requests []Request }
	if err := r.JSON(&data); err != nil || json.Unmarshal(data.Bytes(), &read) != nil {
		t.Fatalf("as JSON: %v", err)
	}
	for _, f := range r.Findings {
		if f.Severity != diagnose.OK {
			t.Errorf("%s: %s", f.ID, f.Text)
		}
	}
	reused := 0
	for i, name := range []string{"page", "frame", "checkout.js", "embed.js", "app.wasm"} {
		at := slices.IndexFunc(read.Requests, func(q Request) bool { return q.Name == name })
		if at < 0 || len(read.Requests) != 5 {
			t.Fatalf("no request %s in\n%s", name, &text)
		}
		q := read.Requests[at]
		if q.Status != 200 || q.Protocol != "HTTP/2.0" || q.Secure != "TLS 1.3" || q.Whole < 1 ||
			q.First < 1 || q.Coding == "" || q.Bytes == 0 && i < 4 || (q.TCP == 0) != q.Reused {
			t.Errorf("%+v", q)
		}
		if q.Reused {
			reused++
		}
	}
	if reused < 2 {
		t.Errorf("%d connections were reused:\n%s", reused, &text)
	}
}

// Each fault is found, and what is no fault is not.
func TestSlowness(t *testing.T) {
	type answer = func(http.ResponseWriter, *http.Request) (pass bool)
	at := func(path string, do answer) func(*rig) {
		return func(w *rig) {
			before(w, func(rw http.ResponseWriter, r *http.Request) bool {
				return !strings.HasPrefix(r.URL.Path, path) || do(rw, r)
			})
		}
	}
	unpacked := func(_ http.ResponseWriter, r *http.Request) bool {
		r.Header.Del("Accept-Encoding")
		return true
	}
	unstored := func(rw http.ResponseWriter, _ *http.Request) bool {
		rw.Header().Set("Cache-Control", ", no-store")
		return true
	}
	redirected := func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/cart" || r.URL.RawQuery == "" {
			http.Redirect(rw, r, r.URL.Path+"?2", http.StatusFound)
			return false
		}
		return true
	}
	never := func(_ http.ResponseWriter, r *http.Request) bool {
		<-r.Context().Done()
		return false
	}
	http1 := func(s *httptest.Server) { s.EnableHTTP2 = false }
	tls12 := func(s *httptest.Server) { s.TLS.MaxVersion = tls.VersionTLS12 }
	closing := func(s *httptest.Server) {
		http1(s)
		s.Config.SetKeepAlivesEnabled(false)
	}
	inline := strings.Replace(speedPage, speedFrame, "", 1)
	modal := strings.Replace(inline, " session", " mode=modal session", 1)
	for _, c := range []struct {
		want, page string
		tune       func(*httptest.Server)
		cause      func(*rig)
	}{
		{"warn protocol shop.example answers by HTTP/1.1", speedPage, http1, nil},
		{"warn tls shop.example uses TLS 1.2; " + self + " uses TLS 1.2", inline, tls12, nil},
		{"warn reuse " + self + " closes its connections", inline, closing, nil},
		{"ok reuse", inline, http1, nil},
		{"warn compression checkout.js has 5000 bytes", inline, nil, at("/checkout.js", unpacked)},
		{"warn cache checkout.js has max-age=300, no", inline, nil, at("/checkout.js", unstored)},
		{"warn cache app.wasm has public", inline, nil, at("/assets/", unstored)},
		{"warn redirects https://" + self, inline, nil, at("/checkout.js", redirected)},
		{"fail page https://shop.example/cart: status 302", inline, nil, at("/cart", redirected)},
		{"fail page no <script> of /checkout.js in its HTML; its Content-Type is text/html",
			"<p>checkout.js", nil, nil},
		{"fail page https://shop.example/cart: it has more than 2 MB",
			strings.Repeat(" ", 3<<20), nil, at("/cart", unpacked)},
		{"fail page https://shop.example/cart: no answer in time", inline, nil, at("/cart", never)},
		{"fail checkout.js https://none.example/checkout.js: the DNS has no name",
			strings.ReplaceAll(inline, self, "none.example"), nil, nil},
		{"fail frame https://" + self + "/checkout/cs_2: status 404",
			strings.ReplaceAll(speedPage, "cs_1", "cs_2"), nil, nil},
		{"warn frame it waits ", inline + modal, nil, nil},
		{"warn frame it waits ", modal + inline, nil, nil},
		{"ok frame it is a dialog", modal, nil, nil},
		{"unknown frame not tried", strings.Replace(inline, "<a ", "<b ", 1), nil, nil},
	} {
		t.Run(c.want, func(t *testing.T) {
			t.Parallel()
			w := newSpeedRig(t, c.page, c.tune)
			timeout := time.Minute
			if c.cause != nil {
				c.cause(w)
			}
			if strings.HasSuffix(c.want, "in time") {
				timeout = 200 * time.Millisecond
			}
			r := w.speed(timeout)
			if !slices.ContainsFunc(r.Findings, func(f diagnose.Finding) bool {
				return strings.HasPrefix(string(f.Severity)+" "+f.ID+" "+f.Text, c.want)
			}) {
				t.Errorf("%+v", r.Findings)
			}
		})
	}
}

// Browsers share connections between the page and a frame of its site only.
func TestFrameConnections(t *testing.T) {
	inline := strings.Replace(speedPage, speedFrame, "", 1)
	for host, reused := range map[string]bool{self: true, "pay.example": false} {
		r := newSpeedRig(t, strings.ReplaceAll(inline, self, host), nil).speed(time.Minute)
		i := slices.IndexFunc(r.Requests, func(q Request) bool { return q.Name == "frame" })
		if i < 0 || r.Requests[i].Reused != reused {
			t.Errorf("%s: %+v", host, r.Requests)
		}
	}
}

// A terminal of 80 columns shows the table and each finding in lines that fit.
func TestSpeedTable(t *testing.T) {
	q := Request{
		Method: "GET", Status: 200, Protocol: "HTTP/2.0", Secure: "TLS 1.3", Coding: "br",
		host: self, pool: self, Cache: "public, max-age=300",
	}
	page, script, wasm := q, q, q
	page.Name, page.host, page.Coding = "page", "shop.example", "gzip"
	page.Protocol, page.Secure, page.Bytes = "HTTP/1.1", "TLS 1.2", 20_345
	page.DNS, page.TCP, page.TLS, page.First, page.Whole = 31, 151, 304, 160, 650
	script.Name, script.Bytes, script.Start, script.TCP = "checkout.js", 3919, 650, 1201
	script.TLS, script.First, script.Whole = 1305, 1160, 13_672
	wasm.Name, wasm.Method, wasm.Bytes, wasm.began = "app.wasm", "HEAD", 792_438, 1
	wasm.Start, wasm.First, wasm.Whole, wasm.Reused = 14_327, 152, 153, true
	all := []Request{page, script, wasm}
	var text bytes.Buffer
	found := append(fail("frame", "it failed", ""), judge(all)...)
	Report{Version: "v1.0.0", Findings: found, Requests: all}.Text(&text, diagnose.Style{Color: true, Width: 80})
	got := strings.ReplaceAll(text.String(), "\x1b", "^")
	const want = `Coinslot v1.0.0

  ms            start   dns  tcp   tls first   all   bytes  protocol
  page              0    31  151   304   160   650   20345  HTTP/1.1  1.2  gzip
  checkout.js     650     0 1201  1305  1160 13672    3919  HTTP/2.0  1.3  br
  app.wasm      14327     0    0     0   152   153  792438  HTTP/2.0  1.3  br

  ^[1;31mFAIL^[0m  frame       it failed
  ^[32mok^[0m    redirects   none
  ^[33mwarn^[0m  tls         shop.example uses TLS 1.2
                    → turn on TLS 1.3 (nginx: ssl_protocols TLSv1.2 TLSv1.3)
  ^[33mwarn^[0m  protocol    shop.example answers by HTTP/1.1
                    → turn on HTTP/2 (nginx: http2 on)
  ^[32mok^[0m    reuse       connections stay open
  ^[32mok^[0m    compression all that is large is compressed
  ^[33mwarn^[0m  cache       app.wasm has public, max-age=300
                    → let the proxy pass on the checkout's Cache-Control
  ^[33mwarn^[0m  distance    pay.shop.example: 1201 ms for a round trip
                    → serve it nearer to your shoppers, and measure from where
                    they are

Not ready: 1 of 8 checks failed, 4 warnings.
`
	fortest.Equal(t, got, want, "got")
}
