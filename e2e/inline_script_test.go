package e2e

import (
	"bytes"
	"net/http"
	"testing"

	"coinslot/e2e/browser"
)

// A proxy that tidies up scripts in pages stops none: the policy refuses what is
// left of the frame's, and the same script comes as a file.
func TestFullProxyRewritesInlineScript(t *testing.T) {
	s := newFaultyProxy(t)
	s.set(func(out *http.Request) {
		out.Header.Set("Accept-Encoding", "identity")
	}, rewritten("", func(page []byte) []byte {
		return bytes.Replace(page, []byte(">try{"), []byte("> try{"), 1)
	}))
	p, f := s.open(t, s.session(order{"amount_usd": "25.00"}), "inline", browser.Options{})
	f.Wait(`[data-live="wasm"]`)
	f.WaitJS(`document.adoptedStyleSheets.length`, "the page to be dressed")
	p.WaitJS(`document.querySelector("coinslot-checkout").status === "open"`,
		"the frame to have greeted the shop")
	s.choose(f, "USDT", "trc20")
}
