package e2e

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"coinslot/e2e/browser"
)

// A proxy that tidies up scripts in pages stops none: the policy refuses what is
// left of the frame's, and the same script comes as a file.
func TestProxyRewritesInlineScript(t *testing.T) {
	s := newFaultyProxy(t)
	s.set(func(out *http.Request) { out.Header.Set("Accept-Encoding", "identity") }, respaced)
	p, f := s.open(t, s.session(order{"amount_usd": "25.00"}), "inline", browser.Options{})
	f.Wait(`[data-live="wasm"]`)
	f.WaitJS(`document.adoptedStyleSheets.length`, "the page to be dressed")
	p.WaitJS(`document.querySelector("coinslot-checkout").status === "open"`, "the frame to have greeted the shop")
	choose(f, "USDT", "trc20")
	s.matches(f)
}

// respaced is the page with a space more in the script that is in it.
func respaced(r *http.Response) {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	body = bytes.Replace(body, []byte(">try{"), []byte("> try{"), 1)
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
}
