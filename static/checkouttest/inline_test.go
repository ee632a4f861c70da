package checkouttest_test

import (
	"fmt"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"

	"github.com/google/go-cmp/cmp"
)

const inline = `<coinslot-checkout session="cs_1" lang=de theme=dark><a href="{bff}/checkout/cs_1">Pay</a></coinslot-checkout>`

func TestInline(t *testing.T) {
	s := openReady(t)
	s.waitEvent("status cs_1 open")
	s.WaitGone("coinslot-checkout a")

	want := s.bff + "/checkout/cs_1?embed=inline&origin=" +
		strings.NewReplacer(":", "%3A", "/", "%2F").Replace(s.host) + "&lang=de&theme=dark"
	fortest.Equal(t, s.frameView().URL(), want, "frame URL")
	s.WaitJS(iframe+`.title === 'Kasse'`, "the title")
	var got map[string]any
	s.Eval(`(() => { const f = `+iframe+`;
		return { allow: f.allow, sandbox: f.sandbox.value, height: f.offsetHeight } })()`, &got)
	if diff := cmp.Diff(map[string]any{
		"allow": "clipboard-write", "height": 333.0,
		"sandbox": "allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox",
	}, got); diff != "" {
		t.Errorf("iframe (-want +got):\n%s", diff)
	}
	fortest.Lacks(t, "console", strings.Join(s.Console(), "\n"), "Content Security Policy")
}

// ownFrame is the element with a frame that the page's HTML has, and a test page can name.
const ownFrame = `<coinslot-checkout session="%[1]s"><iframe name="coinslot-checkout"
	src="{bff}/checkout/%[1]s?embed=inline&origin={host}&lang=en" sandbox="allow-scripts allow-same-origin"></iframe></coinslot-checkout>`

// The element takes over a frame of the page's HTML, whether its script comes first or last, without
// loading it again, and moves it nowhere.
func TestFrameOfThePage(t *testing.T) {
	s := openPage(t, fmt.Sprintf(ownFrame, "cs_1"))
	s.waitEvent("ready cs_1 open")
	s.WaitJS(element+`.querySelector('iframe').offsetHeight === 333`, "the frame's height")
	s.frameView().WaitJS(`heard.some(({ type }) => type === 'shown')`, "shown")
	s.Eval(element+`.theme = 'dark'`, nil)
	s.frameView().WaitJS(`heard.at(-2)?.value === 'dark'`, "the theme")
	s.sync()
	fortest.Equal(t, len(s.requested()), 1, "frames loaded (the page's own only)")

	s.Eval(element+`.remove()`, nil) // the element is known already, as in a page of a framework
	s.Eval(`(() => { const e = document.createElement('coinslot-checkout'), f = document.createElement('iframe');
		e.setAttribute('session', 'cs_2');
		f.name = 'coinslot-checkout';
		f.src = '`+s.bff+`/checkout/cs_2?embed=inline&origin=' + location.origin;
		e.append(f);
		document.body.append(e); })()`, nil)
	s.waitEvent("ready cs_2 open")
	s.WaitJS(`!`+iframe+` && `+element+`.querySelector('iframe')`, "the page's frame alone")
	s.Eval(element+`.session = 'cs_3'`, nil)
	s.waitEvent("ready cs_3 open")
	if s.WaitGone(`coinslot-checkout > iframe`); !strings.Contains(fmt.Sprint(s.requested()),
		"/checkout/cs_3?embed=inline") {
		t.Errorf("frames loaded: %v; want one of the element for another session", s.requested())
	}
}

// A frame of the page's HTML that says nothing gives way to one of the element, which says why.
func TestSilentFrameOfThePage(t *testing.T) {
	s := openPage(t, fmt.Sprintf(ownFrame, "cs_mute"))
	s.WaitJS(`details.at(-1)?.code === 'frame_blocked'`, "the error")
	fortest.Equal(t, len(s.requested()), 2,
		"frames loaded (the page's own, and one of the element)")
	s.WaitJS(iframe+` && !`+element+`.querySelector('iframe')`, "the element's frame alone")
}

func TestFrameGetsStyleThemeAndShown(t *testing.T) {
	s := openPageWith(t, `<style>coinslot-checkout{--coinslot-accent:#0a0;--coinslot-font:Georgia;--coinslot-text-dark:#eee}</style>`+
		inline,
		"frame-src *; script-src * 'unsafe-inline'", browser.Options{})
	s.waitEvent("ready cs_1 open")
	for attribute, value := range map[string]string{"theme": "light", "preset": "night"} {
		s.Eval(
			`document.querySelector('coinslot-checkout').setAttribute('`+attribute+`', '`+value+
				`')`,
			nil,
		)
	}
	s.frameView().WaitJS(`heard.at(-1)?.preset === 'night'`, "the preset")
	style := func(preset string) map[string]string {
		m := map[string]string{"type": "style", "preset": preset}
		for _, name := range []string{
			"radius", "density", "background", "surface", "text", "border", "danger",
		} {
			m[name], m[name+"-dark"] = "", ""
		}
		m["accent"], m["font"], m["text-dark"] = "#0a0", "Georgia", "#eee"
		delete(m, "radius-dark")
		delete(m, "density-dark")
		return m
	}
	var got []map[string]string
	s.frameView().Eval(`[...heard.slice(0, 2), ...heard.slice(-2)]`, &got)
	want := []map[string]string{
		style(""),
		{"type": "shown"},
		{"type": "theme", "value": "dark"},
		style("night"), // night is always dark
	}
	fortest.Diff(t, got, want, "frame heard")
	s.Eval(`document.querySelector('coinslot-checkout').simulate('pay')`, nil)
	s.frameView().WaitJS(`heard.at(-1).type === 'simulate' && heard.at(-1).kind === 'pay'`,
		"simulate")

	s.post(`{ type: 'warning', code: 'contrast_failed', cure: 'two colors' }`)
	s.sync()
	fortest.Has(t, "console", strings.Join(s.Console(), "\n"),
		"coinslot contrast_failed two colors "+s.bff+"/checkout/doctor?origin=")
}

func TestOutcome(t *testing.T) {
	s := openReady(t)
	s.Eval(
		`document.querySelector('coinslot-checkout').result.then((result) => { window.result = result }), 0`,
		nil,
	)
	s.sync()
	for range 2 { // a final status is reported once
		s.post(`{ type: 'complete', session: 'cs_1', status: 'confirmed', receipt: 'e30.e30.a-_1' }`)
	}
	s.post(`{ type: 'error', code: 'gateway_unavailable', recoverable: true }`)
	s.waitEvent("error cs_1 confirmed")
	var got struct {
		Seen    []string
		Result  map[string]string
		Details []map[string]any
	}
	s.Eval(`({ Seen: seen, Result: result, Details: details.slice(-2) })`, &got)
	wantSeen := []string{
		"ready cs_1 open", "status cs_1 open", "status cs_1 pending", "status cs_1 confirmed",
		"complete cs_1 confirmed", "error cs_1 confirmed",
	}
	fortest.Diff(t, got.Seen, wantSeen, "events")
	diff := cmp.Diff(
		map[string]string{"session": "cs_1", "status": "confirmed", "receipt": "e30.e30.a-_1"},
		got.Result,
	)
	if diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	wantDetails := []map[string]any{
		{"name": "complete", "session": "cs_1", "status": "confirmed", "receipt": "e30.e30.a-_1"},
		{
			"name":        "error",
			"session":     "cs_1",
			"status":      "confirmed",
			"code":        "gateway_unavailable",
			"recoverable": true,
			"url":         s.bff + "/checkout/cs_1"},
	}
	fortest.Diff(t, got.Details, wantDetails, "details")
}

// TestForgedMessages: messages from other windows and invalid messages change nothing.
func TestForgedMessages(t *testing.T) {
	s := openPage(t, inline+`<iframe name=evil src="{bff}/checkout/cs_evil"></iframe>`)
	s.waitEvent("ready cs_1 open")
	s.Eval(`(() => { const { port1, port2 } = new MessageChannel();
		postMessage({ coinslot: 1, type: 'hello', version: 'forged' }, '*', [port2]);
		port1.postMessage({ type: 'complete', session: 'cs_1', status: 'confirmed', receipt: '' });
		postMessage(null, '*'); postMessage({ type: 'complete', session: 'cs_1', status: 'confirmed' }, '*') })()`, nil)
	evil := s.Frame("evil") // the right origin, but not our frame
	evil.Eval(`(() => { const { port1, port2 } = new MessageChannel();
		parent.postMessage({ coinslot: 1, type: 'hello', version: 'forged' }, '*', [port2]);
		port1.postMessage({ type: 'complete', session: 'cs_1', status: 'confirmed', receipt: '' }) })()`, nil)
	s.frameView().Eval(`parent.postMessage({ coinslot: 1, type: 'hello' }, '*')`, nil) // no port
	for _, message := range []string{
		`null`, `'text'`, `{}`, `{ type: 'status' }`, `{ type: 'status', session: 'cs_1' }`,
		`{ type: 'status', session: 'x"', status: 'pending' }`,
		`{ type: 'status', session: 'cs_1', status: '<b>' }`,
		`{ type: 'open', href: 'javascript:document.title="bad"' }`,
		`{ type: 'open', href: 'https://example.com/' }`, `{ type: 'error', code: '<b>' }`,
	} {
		s.post(message)
	}
	s.sync()
	var got []string
	s.Eval(`seen`, &got)
	fortest.Diff(t, got, []string{"ready cs_1 open", "status cs_1 open", "status cs_1 pending"},
		"events")
}

// TestWalletLink: the page opens wallet links, because the frame's sandbox does not allow it.
func TestWalletLink(t *testing.T) {
	s := openReady(t)
	s.Eval(`HTMLAnchorElement.prototype.click = function () { window.opened = this.href }`, nil)
	s.post(`{ type: 'open', href: 'bitcoin:bc1qw508?amount=1' }`)
	s.WaitJS(`window.opened === 'bitcoin:bc1qw508?amount=1'`, "the wallet's link")
}

// TestFormsInTheFrame: every page in the frame says hello again; coinslot-ready comes once.
func TestFormsInTheFrame(t *testing.T) {
	s := openReady(t)
	s.frameView().Eval(`location.reload()`, nil)
	s.frameView().WaitJS(`heard.some(({ type }) => type === 'shown')`, "shown again")
	s.sync()
	var ready int
	s.Eval(`seen.filter((line) => line.startsWith('ready')).length`, &ready)
	fortest.Equal(t, ready, 1, "coinslot-ready was seen times")
}

func TestReturnURL(t *testing.T) {
	s := openPage(t,
		`<coinslot-checkout item=coffee amount=5 return-url="/thanks?a=1#top"></coinslot-checkout>`)
	s.WaitJS(`seen.some((line) => line.startsWith('ready'))`, "ready")
	got, want := s.requested()[0], "/checkout?item=coffee&amount=5&embed=inline"
	if !strings.HasPrefix(got, want) {
		t.Errorf("frame = %s; want %s…", got, want)
	}
	s.post(`{ type: 'complete', session: 'cs_9', status: 'confirmed', receipt: '' }`)
	s.WaitJS(`location.pathname === '/thanks'`, "the return URL")
	fortest.Equal(t, s.URL(), s.host+"/thanks?a=1&session=cs_9&status=confirmed#top", "URL")
}

func TestReturnURLIsHTTPOnly(t *testing.T) {
	s := openPageWith(t, `<coinslot-checkout item=coffee return-url="javascript:document.title='bad'"></coinslot-checkout>`,
		"frame-src *; script-src * 'unsafe-inline'", browser.Options{})
	s.WaitJS(`seen.some((line) => line.startsWith('ready'))`, "ready")
	s.post(`{ type: 'complete', session: 'cs_9', status: 'confirmed', receipt: '' }`)
	s.waitEvent("complete cs_9 confirmed")
	s.wait(2500) // a return URL is gone to after 2 s
	var got string
	if s.Eval(`location.pathname + document.title`, &got); got != "/shop" {
		t.Errorf("the page is at %q; want the shop, untouched", got)
	}
}

func TestSessionChangeRestarts(t *testing.T) {
	s := openReady(t)
	s.Eval(`document.querySelector('coinslot-checkout').session = 'cs_2'`, nil)
	s.waitEvent("ready cs_2 open")
	s.WaitJS(
		`document.querySelector('coinslot-checkout').shadowRoot.querySelectorAll('iframe').length === 1`,
		"one frame",
	)
	s.WaitJS(`document.querySelector('coinslot-checkout').session === 'cs_2'`, "the new session")
}

// TestRemount: React's strict mode, routers and drag and drop move elements.
func TestRemount(t *testing.T) {
	s := openPage(t, inline+`<main></main>`)
	s.waitEvent("ready cs_1 open")
	s.Eval(`(() => { const el = document.querySelector('coinslot-checkout');
		window.frame = el.shadowRoot.querySelector('iframe'); document.querySelector('main').moveBefore(el, null) })()`, nil)
	s.frameView().WaitJS(`heard.length > 0`, "the same document")
	fortest.Equal(t, len(s.requested()), 1, "after moveBefore frames were loaded")
	s.Eval(
		`(() => { const el = document.querySelector('coinslot-checkout'); el.remove(); document.body.append(el) })()`,
		nil,
	)
	s.frameView().WaitJS(`heard.some(({ type }) => type === 'shown')`, "the frame again")
	s.WaitJS(`frame === `+iframe+` && frame.isConnected`, "the same iframe")
	s.sync()

	s.Eval(`(() => { window.el = document.querySelector('coinslot-checkout'); el.remove() })()`,
		nil)
	s.WaitJS(`!el.shadowRoot.querySelector('iframe')`, "no frame once it is gone for good")
}

func TestScriptTwiceAndTwoElements(t *testing.T) {
	s := openPage(t, inline+`<script src="{bff}/checkout.js?2"></script>`+inline)
	s.waitEvent("ready cs_1 open")
	s.WaitJS(`typeof Coinslot.open === 'function' && /^\d+\.\d+\.\d+$/.test(Coinslot.version)`,
		"the global")
	fortest.Equal(t, len(s.requested()), 1, "frames for one session")
	// The other element of the same session keeps its link, and takes over when the one with the
	// frame goes.
	const all = `[...document.querySelectorAll('coinslot-checkout')]`
	s.WaitJS(all+`.filter((el) => el.querySelector('a').checkVisibility()).length === 1`,
		"one link")
	s.Eval(all+`.find((el) => el.shadowRoot.querySelector('iframe')).remove()`, nil)
	s.WaitJS(`seen.filter((line) => line === 'ready cs_1 open').length === 2`,
		"the other one's turn")
}
