package shop

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"coinslot/bff/fortest"
	"coinslot/bff/realtime"
	"coinslot/bff/web"
	"coinslot/static"

	"github.com/andybalholm/brotli"
)

// open returns a site and the handler of its routes. Defaults: static's files, https://pay.example
// and one shop.
func open(tb testing.TB, c web.Config, own Config) (*web.Server, http.Handler) {
	tb.Helper()
	if c.Static == nil {
		c.Static = static.Files
	}
	if c.PublicURL == "" {
		c.PublicURL = "https://pay.example"
	}
	if c.Origins == nil {
		c.Origins = []string{"https://shop.example"}
	}
	if own.Hub == nil {
		own.Hub = realtime.NewHub(realtime.HubConfig{})
	}
	site, err := web.New(c)
	fortest.OK(tb, err)
	routes, err := Routes(site, own)
	fortest.OK(tb, err)
	return site, site.Handler(routes)
}

// builtFiles is what tools/assets leaves, in short, with all texts.
func builtFiles(tb testing.TB) fstest.MapFS {
	tb.Helper()
	var packed bytes.Buffer
	w := brotli.NewWriter(&packed)
	if _, err := w.Write([]byte("\x00asm")); err != nil {
		tb.Fatal(err)
	}
	w.Close()
	return fstest.MapFS{
		"dist/manifest.json": {Data: []byte(`{"files":{
			"checkout.js":{"file":"checkout.aaaaaaaaaaaa.js","plain":true,"integrity":"sha384-x"},
			"icon-default.svg":{"file":"icon-default.cccccccccccc.svg","plain":true},
			"app.wasm":{"file":"app.bbbbbbbbbbbb.wasm","brotli":1,"plain":false}}}`)},
		"dist/checkout.aaaaaaaaaaaa.js":      {Data: []byte(`Coinslot={version:"1.2.3"}`)},
		"dist/app.bbbbbbbbbbbb.wasm.br":      {Data: packed.Bytes()},
		"dist/icon-default.cccccccccccc.svg": {Data: []byte("<svg/>")},
	}
}

// ask sends one request.
func ask(h http.Handler, method, target string, header ...string) *http.Response {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

// unpack reads a body in its coding.
func unpack(tb testing.TB, coding string, body []byte) []byte {
	tb.Helper()
	var r io.Reader = bytes.NewReader(body)
	var err error
	switch coding {
	case "br":
		r = brotli.NewReader(r)
	case "gzip":
		r, err = gzip.NewReader(r)
	}
	fortest.OK(tb, err)
	plain, err := io.ReadAll(r)
	fortest.OK(tb, err)
	return plain
}

// from is a request of that connection with those X-Forwarded-For headers.
func from(remote string, forwarded ...string) *http.Request {
	r := httptest.NewRequest("POST", "/checkout", nil)
	r.RemoteAddr = remote
	r.Header["X-Forwarded-For"] = forwarded
	return r
}

// A subscriber gets the present state, and takes a place of its client until it leaves.
func TestJoin(t *testing.T) {
	site, _ := open(t, web.Config{Limits: web.Limits{Sockets: 1}}, Config{})
	hub := realtime.NewHub(realtime.HubConfig{PerSession: 1})
	s := &liveSockets{site: site, hub: hub}
	r, notified := from("203.0.113.9:1", ""), 0
	first := &liveView{liveSockets: s, session: "cs_1"}
	other := &liveView{liveSockets: s, session: "cs_1"}
	if !first.subscribe(r, func() { notified++ }) || notified != 1 {
		t.Errorf("notified %d times; want once", notified)
	}
	if other.subscribe(r, func() { notified++ }) || notified != 1 {
		t.Errorf("notified %d times: a session has one place here", notified)
	}
	first.Leave()
	fortest.Equal(t, hub.Len(), 0, "subscribers")
	for range 2 { // a place that is refused by the session is the client's again
		again := &liveView{liveSockets: s, session: "cs_2"}
		if !again.subscribe(r, func() {}) {
			t.Error("the client has no place, though nothing of it is open")
		}
		again.Leave()
	}
}
