package checkouttest_test

import (
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

const (
	retry      = "coinslot-checkout >>> [role=alert] button"
	fallback   = "coinslot-checkout >>> [role=alert] a"
	failedText = "Checkout did not load."
)

// waitFailure waits for a failure and checks text, link, event, promise and console line.
func (s *testPage) waitFailure(t *testing.T, words, code, cure string) {
	t.Helper()
	s.WaitJS(`details.some(({ name, code }) => name === 'error' && code === '`+code+`')`,
		"error "+code)
	s.WaitText("coinslot-checkout >>> [role=alert]", words)
	got := s.Attr(fallback, "href")
	if !strings.HasPrefix(got, s.bff+"/checkout/cs_") || strings.Contains(got, "?") {
		t.Errorf("link = %q; want the checkout's own page", got)
	}
	var rejected string
	s.Eval(`document.querySelector('coinslot-checkout').ready.catch(({ code }) => code)`, &rejected)
	fortest.Equal(t, rejected, code, "ready was rejected with")
	console := strings.Join(s.Console(), "\n")
	fortest.Lacks(t, "console", console, "Uncaught")
	fortest.Has(t, "console", console,
		"coinslot "+code, cure, s.bff+"/checkout/doctor?origin="+s.host+"&code="+code)
}

func TestFrameBlocked(t *testing.T) {
	s := openPage(t, `<coinslot-checkout session=cs_mute></coinslot-checkout>`)
	s.waitFailure(t, failedText, "frame_blocked",
		"frame_blocked a proxy must not add X-Frame-Options")
	s.Click(retry)
	s.WaitJS(`details.filter(({ name }) => name === 'error').length === 2`, "a second try")
	fortest.Equal(t, len(s.requested()), 2, "frames were asked for")
}

func TestFrameSourceRefused(t *testing.T) {
	s := openPageWith(t, inline,
		"default-src 'none'; script-src *; frame-src https://elsewhere.example", browser.Options{})
	s.waitFailure(t, "Die Kasse lädt nicht.", "csp_frame_src", "csp_frame_src frame-src "+s.bff)
}

// TestOtherViolations: other CSP violations do not count as a blocked frame.
func TestOtherViolations(t *testing.T) {
	s := openReady(t)
	for _, event := range []string{
		`effectiveDirective: 'frame-src', blockedURI: ''`,
		`effectiveDirective: 'img-src', blockedURI: '` + s.bff + `'`,
	} {
		s.Eval(
			`window.dispatchEvent(new SecurityPolicyViolationEvent('securitypolicyviolation', { disposition: 'enforce', `+
				event+` }))`,
			nil,
		)
	}
	s.checkNoError(t)
}

// TestPageLink: without a sale, a failure offers the page's own link, if there is one.
func TestPageLink(t *testing.T) {
	for body, want := range map[string]int{`<a href="/thanks">Pay</a>`: 1, ``: 0} {
		s := openPage(t, `<coinslot-checkout>`+body+`</coinslot-checkout>`)
		s.WaitJS(`!!window.Coinslot`, "the script")
		s.Eval(
			element+`.createSession = () => Promise.reject(Error('sold out')), `+element+`.show()`,
			nil,
		)
		s.Wait(retry)
		fortest.Equal(t, s.Count(fallback), want, "%q links", body)
		if want == 1 && s.Attr(fallback, "href") != s.host+"/thanks" {
			t.Errorf("link = %q; want the page's", s.Attr(fallback, "href"))
		}
	}
}

// TestReportOnlyPolicy: a policy that only reports blocks nothing, so it is no failure.
func TestReportOnlyPolicy(t *testing.T) {
	s := openPageWith(t, inline, "report only: frame-src https://elsewhere.example",
		browser.Options{})
	s.waitEvent("ready cs_1 open")
	s.checkNoError(t)
}

func TestFailureInModal(t *testing.T) {
	s := openPageWith(t, `<coinslot-checkout session=cs_1 mode=modal prewarm=none><a id=buy href="/thanks">Pay</a></coinslot-checkout>`,
		"default-src 'none'; script-src *; frame-src https://elsewhere.example", browser.Options{})
	s.Click("#buy")
	s.Wait(retry)
	s.Click(closeButton)
	s.WaitGone(dialog)
	s.Click("#buy") // now the link is a link
	s.WaitJS(`location.pathname === '/thanks'`, "the fallback")
}

func TestTimeout(t *testing.T) {
	s := openPage(t, `<coinslot-checkout session=cs_hang></coinslot-checkout>`)
	s.waitFailure(t, failedText, "timeout", "timeout is it reachable?")
}

func TestOffline(t *testing.T) {
	s := openPage(
		t,
		`<coinslot-checkout session=cs_1 lang=de mode=modal prewarm=none><button id=buy>Pay</button></coinslot-checkout>`,
	)
	s.waitLabels(",Kasse,Schließen") // the words are there
	s.Offline(true)
	s.Click("#buy")
	s.waitFailure(t, "Sie sind offline.", "offline", "offline offline")
	s.Offline(false) // it retries automatically
	s.waitEvent("ready cs_1 open")
	s.WaitGone(retry)
}

// TestLateHello: a frame that says hello after its timeout is shown. Until then link and button are
// wide and at least 44 px high.
func TestLateHello(t *testing.T) {
	s := openPage(t, `<coinslot-checkout session=cs_mute></coinslot-checkout>`)
	s.waitFailure(t, failedText, "frame_blocked",
		"frame_blocked a proxy must not add X-Frame-Options")
	s.WaitJS(
		`[...`+element+
			`.shadowRoot.querySelectorAll('p > *')].filter((node) => node.offsetHeight >= 44 && node.offsetWidth >= 200).length === 2`,
		"two targets",
	)
	s.frameView().Eval(
		`(() => { const s = document.createElement('script'); s.src = '/frame.js'; s.dataset.session = 'cs_mute'; document.body.append(s) })()`,
		nil,
	)
	s.waitEvent("ready cs_mute open")
	s.WaitGone(retry)
}

func TestWithoutScript(t *testing.T) {
	for name, body := range map[string]string{"inline": inline, "modal": modal} {
		t.Run(name, func(t *testing.T) {
			s := openPageWith(t, body, "", browser.Options{NoJS: true})
			s.Click("coinslot-checkout a")
			s.WaitText("h1", "Pay here")
		})
	}
}
