package checkouttest_test

import (
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

// waitLabels waits for the labels of frame, dialog and close button.
func (s *testPage) waitLabels(want string) {
	s.WaitJS(`(() => { const root = `+element+`.shadowRoot, dialog = root.querySelector('dialog');
		return [root.querySelector('iframe')?.title, dialog.ariaLabel, dialog.querySelector('button').ariaLabel].join() === '`+want+`' })()`, "labels "+
		want)
}

func TestServerTexts(t *testing.T) {
	s := openPage(
		t,
		`<main lang=de><coinslot-checkout session=cs_mute text-close="Weg damit"></coinslot-checkout></main>`,
	)
	s.waitLabels("Kasse,Kasse,Weg damit") // the page's own text wins
	s.WaitText("coinslot-checkout >>> [role=alert]", "Die Kasse lädt nicht. Kasse öffnen Nochmals")
	want := "/checkout/embed.js?embed=inline&origin=" +
		strings.NewReplacer(":", "%3A", "/", "%2F").Replace(s.host) + "&lang=de"
	fortest.Diff(t, s.textRequests, []string{want}, "asked for words")
}

// TestWithoutTexts: if the policy blocks the import of texts, the checkout works in English.
func TestWithoutTexts(t *testing.T) {
	s := openPage(t, "")
	csp := fmt.Sprintf(
		"default-src 'none'; script-src %[1]s/checkout.js %[1]s/seen.js; frame-src %[1]s; require-trusted-types-for 'script'; trusted-types 'none'",
		s.bff,
	)
	s.visit(inline, csp)
	s.waitEvent("ready cs_1 open")
	s.waitLabels("Checkout,Checkout,Close")
	s.WaitConsole(0, "embed.js")
	console := strings.Join(s.Console(), "\n")
	if !strings.Contains(console, "embed.js") ||
		strings.Contains(console, "coinslot") && strings.Contains(console, "csp_frame_src") {
		t.Errorf("console = %s; want one blocked import, and no failure by it", console)
	}
	s.checkNoError(t)
}

// TestPinnedScript: a pinned script loads no other script.
func TestPinnedScript(t *testing.T) {
	s := openPage(t, "")
	sum := sha512.Sum384(minified(t))
	pinned := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><html lang=de><script src="%s/checkout.js" integrity="sha384-%s" crossorigin></script>
<coinslot-checkout session=cs_1 prewarm=load></coinslot-checkout>`, s.bff, base64.StdEncoding.EncodeToString(sum[:]))
	}))
	t.Cleanup(pinned.Close)
	s.Goto(pinned.URL)
	s.waitLabels("Checkout,Checkout,Close")
	for _, url := range s.Requests() {
		fortest.Lacks(t, "asked for", url, "embed.js")
	}
}

// TestTextsBeforeFrame: the texts are loaded before the frame, in the page's language.
func TestTextsBeforeFrame(t *testing.T) {
	s := openPage(
		t,
		`<main lang=de><coinslot-checkout session=cs_1 mode=modal prewarm=none><a id=buy href="/thanks">Pay</a></coinslot-checkout></main>`,
	)
	s.waitLabels(",Kasse,Schließen")
	s.Eval(element+`.lang = 'en'`, nil)
	s.waitLabels(",Checkout,Close")
	fortest.Equal(t, len(s.requested()), 0, "frames")
}

func TestOriginRefused(t *testing.T) {
	s := openPage(t, `<coinslot-checkout session=cs_mute lang=x-refused></coinslot-checkout>`)
	s.waitFailure(t, failedText, "origin_refused", "COINSLOT_ORIGINS must list it "+s.bff)
	s.checkReportedOnce(t)
}

// TestFrameOfUnlistedPage: a frame of the page's HTML, which stays silent there, is refused likewise.
// It gives way to one of the element, and that to the words.
func TestFrameOfUnlistedPage(t *testing.T) {
	s := openPage(
		t,
		strings.Replace(fmt.Sprintf(ownFrame, "cs_mute"), " session=", " lang=x-refused session=",
			1),
	)
	s.waitFailure(t, failedText, "origin_refused", "COINSLOT_ORIGINS must list it "+s.bff)
	s.WaitGone(`coinslot-checkout > iframe`)
	s.checkReportedOnce(t)
}

// checkReportedOnce checks that a failure is one console line and one event, also after all
// timeouts.
func (s *testPage) checkReportedOnce(t *testing.T) {
	t.Helper()
	s.wait(4500) // the timeout of a blocked frame is 4 s
	lines := 0
	for _, line := range s.Console() {
		if strings.Contains(line, "/checkout/doctor?origin=") {
			lines++
		}
	}
	var events int
	s.Eval(`details.filter(({ name }) => name === 'error').length`, &events)
	if lines != 1 || events != 1 {
		t.Errorf("%d console lines, %d events; want one each", lines, events)
	}
}

// TestFixFromFrame: the frame's fix is logged if it is one short line of ASCII.
func TestFixFromFrame(t *testing.T) {
	s := openReady(t)
	for code, cure := range map[string]string{
		"order_invalid":       `'COINSLOT_ORDER_KEY'`,
		"session_unknown":     `'a\nb'`,
		"session_paid":        `'é'`,
		"session_expired":     `'x'.repeat(201)`,
		"item_unknown":        `['COINSLOT_\n']`,
		"wasm_failed":         `''`,
		"gateway_unavailable": `undefined`,
	} {
		s.post(`{ type: 'error', code: '` + code + `', recoverable: false, cure: ` + cure + ` }`)
		s.WaitJS(`details.some(({ name, code }) => name === 'error' && code === '`+code+`')`, code)
	}
	fortest.Has(t, "console", strings.Join(s.Console(), "\n"),
		"coinslot order_invalid COINSLOT_ORDER_KEY "+s.bff, "coinslot session_unknown  "+s.bff,
		"coinslot session_paid  "+s.bff, "coinslot session_expired  "+s.bff,
		"coinslot item_unknown  "+s.bff, "coinslot wasm_failed  "+s.bff)
}

// TestReadyRejects: with an Error, which keeps its fields.
func TestReadyRejects(t *testing.T) {
	s := openPageWith(t, inline,
		"default-src 'none'; script-src *; frame-src https://elsewhere.example", browser.Options{})
	var got map[string]any
	s.Eval(
		element+
			`.ready.catch((error) => ({ ...error, real: error instanceof Error, message: error.message }))`,
		&got,
	)
	want := map[string]any{
		"real":        true,
		"message":     "csp_frame_src",
		"code":        "csp_frame_src",
		"recoverable": true,
		"url":         s.bff + "/checkout/cs_1",
	}
	fortest.Diff(t, got, want, "ready was rejected with")
	s.checkReportedOnce(t)
}

// TestPromisesSurviveRestart: promises of a changed or retried checkout settle with the next one.
func TestPromisesSurviveRestart(t *testing.T) {
	s := openPage(t,
		`<coinslot-checkout mode=modal><button id=buy>Pay</button></coinslot-checkout>`)
	s.WaitJS(`!!window.Coinslot`, "the script")
	s.Eval(`(() => { const { ready, result } = `+element+`;
		ready.then(({ session }) => { window.first = session }); result.then(({ status }) => { window.last = status });
		`+element+`.order = 'x'; setTimeout(() => { `+element+`.order = ''; `+element+`.session = 'cs_5'; `+element+`.show() }) })()`, nil)
	s.WaitJS(`window.first === 'cs_5'`, "the first promise")
	s.post(`{ type: 'complete', session: 'cs_5', status: 'confirmed', receipt: '' }`)
	s.WaitJS(`window.last === 'confirmed'`, "the first result")
}
