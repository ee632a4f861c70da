package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"coinslot/bff/fortest"

	"github.com/klauspost/compress/zstd"
)

// framedScript is a script that pages have inline; no part of it is in it twice.
func framedScript() []byte {
	var script strings.Builder
	for n := range 300 {
		fmt.Fprintf(&script, "%x\n", sha256.Sum256([]byte{byte(n), byte(n >> 8)}))
	}
	return []byte(script.String())
}

// withFramedScript is builtFiles with framed.js.
func withFramedScript(tb testing.TB, script []byte) *Assets {
	tb.Helper()
	files := builtFiles(tb)
	files["dist/manifest.json"] = &fstest.MapFile{Data: []byte(
		`{"files":{"framed.js":{"file":"framed.dddddddddddd.js","plain":true}}}`)}
	files["dist/framed.dddddddddddd.js"] = &fstest.MapFile{Data: script}
	return fortest.Must(newAssets(files))(tb)
}

// keptAs is the value of Available-Dictionary of a browser that has kept a file.
func keptAs(content []byte) string {
	sum := sha256.Sum256(content)
	return ":" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

// sentInlining returns what SendInlining answers to a client with these headers.
func sentInlining(
	tb testing.TB, a *Assets, page []byte, accept, kept string,
) (coding string, body []byte) {
	tb.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Accept-Encoding", accept)
	if kept != "" {
		r.Header.Set("Available-Dictionary", kept)
	}
	a.SendInlining(w, r, http.StatusTeapot, page)
	body = fortest.Must(io.ReadAll(w.Result().Body))(tb)
	fortest.Equal(tb, w.Code, http.StatusTeapot, "status")
	fortest.Equal(tb, w.Header().Get("Content-Length"), fmt.Sprint(len(body)), "Content-Length")
	return w.Header().Get("Content-Encoding"), body
}

// A browser that has kept the script gets a page without it, and reads the same page.
func TestSendInliningWithoutWhatIsKept(t *testing.T) {
	script := framedScript()
	a := withFramedScript(t, script)
	reader := fortest.Must(zstd.NewReader(nil, zstd.WithDecoderDictRaw(0, script)))(t)
	defer reader.Close()
	for _, rest := range []int{0, 10, 10_000, 2 * pageWindow} {
		page := append(bytes.Clone(script), bytes.Repeat([]byte("<p>of a page</p>"), rest/16)...)
		coding, body := sentInlining(t, a, page, "gzip, br, zstd, dcb, dcz", keptAs(script))
		fortest.Equal(t, coding, "dcz", "Content-Encoding")

		// Source: RFC 9842, 5: a frame that decoders skip, with the hash of the dictionary.
		sum := sha256.Sum256(script)
		header := append([]byte("\x5e\x2a\x4d\x18\x20\x00\x00\x00"), sum[:]...)
		if !bytes.HasPrefix(body, header) {
			t.Errorf("the body begins with %x; want %x", body[:min(len(body), 40)], header)
		}
		if read := fortest.Must(reader.DecodeAll(body, nil))(t); !bytes.Equal(read, page) {
			t.Errorf("of %d bytes, %d other ones are read", len(page), len(read))
		}
		if len(body) > 500 {
			t.Errorf("%d bytes are sent for a page that is kept but for %d", len(body), rest)
		}
	}
}

func TestSendInliningWhole(t *testing.T) {
	script := framedScript()
	for name, c := range map[string]struct {
		assets             *Assets
		accept, kept, want string
	}{
		"nothing is kept":      {withFramedScript(t, script), "br, dcz", "", "br"},
		"of another release":   {withFramedScript(t, script), "br, dcz", keptAs([]byte("old")), "br"},
		"no hash":              {withFramedScript(t, script), "br, dcz", "dictionary", "br"},
		"not asked for":        {withFramedScript(t, script), "br, dcb", keptAs(script), "br"},
		"refused":              {withFramedScript(t, script), "gzip, dcz;q=0", keptAs(script), "gzip"},
		"framed.js is no file": {fortest.Must(newAssets(builtFiles(t)))(t), "br, dcz", keptAs(script), "br"},
	} {
		t.Run(name, func(t *testing.T) {
			coding, body := sentInlining(t, c.assets, script, c.accept, c.kept)
			fortest.Equal(t, coding, c.want, "Content-Encoding")
			if !bytes.Equal(unpack(t, coding, body), script) {
				t.Error("the content is another one")
			}
		})
	}
}

// Browsers keep framed.js, and no other file, for documents in frames.
func TestUseAsDictionary(t *testing.T) {
	const header = "Use-As-Dictionary"
	a := withFramedScript(t, framedScript())
	answer := ask(t, a, "GET", a.URL("framed.js"))
	fortest.Equal(t, answer.Header.Get(header), `match="/checkout/*", match-dest=("iframe")`, header)

	a = fortest.Must(newAssets(builtFiles(t)))(t)
	answer = ask(t, a, "GET", a.URL("checkout.js"))
	fortest.Equal(t, answer.Header.Get(header), "", header)
}
