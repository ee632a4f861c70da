package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"
	"coinslot/static"

	"github.com/andybalholm/brotli"
)

// builtFiles is the output of tools/assets: one file in all forms, one only compressed.
func builtFiles(tb testing.TB) fstest.MapFS {
	tb.Helper()
	script := []byte(`(()=>{window.Coinslot={version:"1.2.3"}})()`)
	program := bytes.Repeat([]byte("\x00asm"), 500)
	return fstest.MapFS{
		"dist/manifest.json": {Data: []byte(`{"files":{
			"checkout.js":{"file":"checkout.aaaaaaaaaaaa.js","brotli":1,"gzip":1,"plain":true,"integrity":"sha384-x"},
			"icon-default.svg":{"file":"icon-default.cccccccccccc.svg","plain":true},
			"app.wasm":{"file":"app.bbbbbbbbbbbb.wasm","brotli":1,"plain":false}}}`)},
		"dist/checkout.aaaaaaaaaaaa.js":      {Data: script},
		"dist/checkout.aaaaaaaaaaaa.js.br":   {Data: pack(tb, "br", script)},
		"dist/checkout.aaaaaaaaaaaa.js.gz":   {Data: pack(tb, "gzip", script)},
		"dist/app.bbbbbbbbbbbb.wasm.br":      {Data: pack(tb, "br", program)},
		"dist/icon-default.cccccccccccc.svg": {Data: []byte("<svg/>")},
	}
}

func pack(tb testing.TB, coding string, content []byte) []byte {
	tb.Helper()
	var packed bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&packed)
	if coding == "br" {
		w = brotli.NewWriter(&packed)
	}
	fortest.Must(w.Write(content))(tb)
	fortest.OK(tb, w.Close())
	return packed.Bytes()
}

func unpack(tb testing.TB, coding string, content []byte) []byte {
	tb.Helper()
	var r io.Reader = bytes.NewReader(content)
	switch coding {
	case "br":
		r = brotli.NewReader(r)
	case "gzip":
		z := fortest.Must(gzip.NewReader(r))(tb)
		r = z
	}
	return fortest.Must(io.ReadAll(r))(tb)
}

// ask sends one request to the assets of files.
func ask(tb testing.TB, a *Assets, method, target string, header ...string) *http.Response {
	tb.Helper()
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	serving(a).ServeHTTP(w, r)
	return w.Result()
}

// serving is a server of nothing but assets.
func serving(a *Assets) http.Handler {
	s := proxied()
	s.Assets = a
	return s.Handler(nil)
}

func TestAssetCodings(t *testing.T) {
	a := fortest.Must(newAssets(builtFiles(t)))(t)
	program := bytes.Repeat([]byte("\x00asm"), 500)
	for _, c := range []struct{ accept, want string }{
		{"", ""},
		{"identity", ""},
		{"gzip, deflate, br, zstd", "br"},
		{"gzip", "gzip"},
		{"BR", "br"},
		{"br;q=0, gzip", "gzip"},
		{"br;q=0.000, gzip;q=0", ""},
		{"*", "br"},
		{"br;q=0, *", "gzip"},
		{"*;q=0", ""},
		{"br; q=0.1 , gzip;q=1.0", "br"}, {"br;q=x", ""}, {"compress", ""},
	} {
		t.Run(c.accept, func(t *testing.T) {
			answer := ask(t, a, "GET", a.URL("app.wasm"), "Accept-Encoding", c.accept)
			body := fortest.Must(io.ReadAll(answer.Body))(t)
			fortest.Equal(t, answer.Header.Get("Content-Encoding"), c.want, "Content-Encoding")
			if !bytes.Equal(unpack(t, c.want, body), program) {
				t.Error("the content is another one")
			}
			if int64(len(body)) != answer.ContentLength {
				t.Errorf("Content-Length = %d; want %d", answer.ContentLength, len(body))
			}
		})
	}
}

func TestAssetHeaders(t *testing.T) {
	a := fortest.Must(newAssets(builtFiles(t)))(t)
	const forever = "public, max-age=31536000, immutable"
	for _, c := range []struct{ target, mime, cache, anyOrigin string }{
		{"/assets/app.bbbbbbbbbbbb.wasm", "application/wasm", forever, ""},
		{"/assets/checkout.aaaaaaaaaaaa.js", "text/javascript; charset=utf-8", forever, ""},
		{
			"/checkout.js",
			"text/javascript; charset=utf-8",
			"public, max-age=300, stale-while-revalidate=86400",
			"*",
		},
		{"/checkout/1.2.3/checkout.js", "text/javascript; charset=utf-8", forever, "*"},
		{"/icons/usdt.svg", "image/svg+xml", "public, max-age=86400", "*"},
	} {
		answer := ask(t, a, "HEAD", c.target)
		for name, want := range map[string]string{
			"Content-Type":                 c.mime,
			"Cache-Control":                c.cache,
			"Access-Control-Allow-Origin":  c.anyOrigin,
			"Vary":                         "Accept-Encoding",
			"Cross-Origin-Resource-Policy": "cross-origin",
		} {
			fortest.Equal(t, answer.Header.Get(name), want, "HEAD %s: %s", c.target, name)
		}
		body, _ := io.ReadAll(answer.Body)
		if answer.StatusCode != 200 || len(body) != 0 || answer.ContentLength == 0 {
			t.Errorf("HEAD %s = %d with %d bytes, length %d", c.target, answer.StatusCode,
				len(body), answer.ContentLength)
		}
	}
}

func TestAssetNotModified(t *testing.T) {
	a := fortest.Must(newAssets(builtFiles(t)))(t)
	fortest.Equal(t, a.Integrity("checkout.js"), "sha384-x", "Integrity")
	target := a.URL("checkout.js")
	plain := ask(t, a, "GET", target).Header.Get("ETag")
	packed := ask(t, a, "GET", target, "Accept-Encoding", "br").Header.Get("ETag")
	if plain == packed || !strings.HasPrefix(plain, `"`) || !strings.HasSuffix(packed, `"`) {
		t.Fatalf("entity tags %s and %s; want two, quoted", plain, packed)
	}
	for _, c := range []struct {
		tag  string
		want int
	}{
		{packed, 304},
		{"W/" + packed, 304},
		{`"x", ` + packed, 304},
		{"*", 304},
		{plain, 200},
		{`"x"`, 200},
	} {
		answer := ask(t, a, "GET", target, "Accept-Encoding", "br", "If-None-Match", c.tag)
		fortest.Equal(t, answer.StatusCode, c.want, "If-None-Match %s", c.tag)
	}
}

func TestAssetRefusals(t *testing.T) {
	a := fortest.Must(newAssets(builtFiles(t)))(t)
	for _, c := range []struct {
		method, target string
		want           int
	}{
		{"GET", "/assets/app.wasm", 404},
		{"GET", "/assets/app.aaaaaaaaaaaa.js?tried=4", 404},
		{"GET", "/assets/app.aaaaaaaaaaaa.js?tried=99", 404},
		{"GET", "/assets/manifest.json", 404},
		{"GET", "/checkout/9.9.9/checkout.js", 404},
		{"GET", "/checkout.d.ts", 404},
		{"POST", "/checkout.js", 405},
		{"DELETE", a.URL("app.wasm"), 405},
	} {
		fortest.Equal(t, ask(t, a, c.method, c.target).StatusCode, c.want,
			"%s %s", c.method, c.target)
	}
}

// A load balancer alternates between instances of two releases: clients get the files of both, and
// an unknown file ends after a few hops.
func TestAssetsOfTwoReleases(t *testing.T) {
	var turns atomic.Int64
	instances := []http.Handler{instance(t, "old"), instance(t, "new")}
	balancer := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Context().Value(taken{}).(http.Handler).ServeHTTP(w, r)
	}))
	balancer.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, taken{}, instances[turns.Add(1)%2])
	}
	balancer.Start()
	t.Cleanup(balancer.Close)
	for _, c := range []struct {
		name   string
		status int
		body   string
	}{
		{"page.aaaaaaaaaaaa.js", 200, "old"},
		{"page.bbbbbbbbbbbb.js", 200, "new"},
		{"page.cccccccccccc.js", 404, `"code":"not_found"`},
		{"page.js", 404, `"code":"not_found"`},
	} {
		for range 4 { // with either instance first
			answer := fortest.Must(balancer.Client().Get(balancer.URL + "/assets/" + c.name))(t)
			body, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil || answer.StatusCode != c.status ||
				!strings.Contains(string(body), c.body) {
				t.Errorf("%s: %d %q, %v; want %d %q", c.name, answer.StatusCode, body, err,
					c.status, c.body)
			}
		}
	}
}

// taken is the key of the instance that a connection leads to.
type taken struct{}

// instance serves the files of a release, whose one file holds its name.
func instance(t *testing.T, release string) http.Handler {
	t.Helper()
	file := map[string]string{"old": "page.aaaaaaaaaaaa.js", "new": "page.bbbbbbbbbbbb.js"}[release]
	a := fortest.Must(newAssets(fstest.MapFS{
		"dist/manifest.json": {
			Data: []byte(`{"files":{"page.js":{"file":"` + file + `","plain":true}}}`),
		},
		"dist/" + file: {Data: []byte(release)},
	}))(t)
	return serving(a)
}

func TestAssetsWithoutABuild(t *testing.T) {
	a := fortest.Must(newAssets(fstest.MapFS{
		"css/1-tokens.css":  {Data: []byte("p{}")},
		"manual.css":        {},
		"docs.css":          {Data: []byte("p{}")},
		"icons/default.svg": {Data: []byte("<svg/>")},
	}))(t)
	fortest.Equal(t, a.URL("app.wasm"), "", "the program is at")
	for _, target := range []string{a.URL("checkout.css"), a.URL("docs.css"), "/icons/ton.svg"} {
		fortest.Equal(t, ask(t, a, "GET", target, "Accept-Encoding", "br").StatusCode, 200,
			"GET %s", target)
	}
}

func TestAssetsBrokenManifest(t *testing.T) {
	for name, files := range map[string]fstest.MapFS{
		"not JSON": {"dist/manifest.json": {Data: []byte("{")}},
		"missing a file": {
			"dist/manifest.json": {
				Data: []byte(`{"files":{"a.js":{"file":"a.1.js","plain":true}}}`),
			},
		},
	} {
		if _, err := newAssets(files); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The embedded files: every form has the same content, and the hash in the name matches it.
func TestBuiltFiles(t *testing.T) {
	need.Assets(t, static.Files)
	a := fortest.Must(newAssets(static.Files))(t)
	for name, f := range a.byName {
		for coding, content := range f.forms {
			sum := sha256.Sum256(unpack(t, coding, content))
			if hash := hex.EncodeToString(sum[:6]); !strings.Contains(f.name, "."+hash+".") {
				t.Errorf("%s, %s: content %s is not that of %s", name, coding, hash, f.name)
			}
		}
	}
	if a.version == "" {
		t.Error("checkout.js does not say its version")
	}
}
