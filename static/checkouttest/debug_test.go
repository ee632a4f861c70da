package checkouttest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/check"
	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

// explained is what a page with data-debug logs about a code, with the server and the page named.
func (s *testPage) explained(code string) []string {
	codes := check.Codes("")
	c := codes[slices.IndexFunc(codes, func(c check.Code) bool { return c.ID == code })]
	want := []string{
		"coinslot explains " + code, "Cause: " + c.Text, "Fix: " + c.Fix,
		s.bff + "/docs/errors#" + code,
	}
	for _, line := range c.Add {
		want = append(want,
			": "+strings.NewReplacer("{server}", s.bff, "{origin}", s.host).Replace(line))
	}
	return want
}

// waitExplained waits for a failure's explanation, which has every line and comes once.
func (s *testPage) waitExplained(t *testing.T, code string) {
	t.Helper()
	s.WaitJS(`explanations.some((text) => text.includes('coinslot explains `+code+`\n'))`,
		"the explanation of "+code)
	var logged []string
	s.Eval(`explanations.filter((text) => text.includes('coinslot explains `+code+`\n'))`, &logged)
	fortest.Equal(t, len(logged), 1, "%s was explained times", code)
	for _, want := range s.explained(code) {
		fortest.Has(t, "explanation", logged[0], want)
	}
}

// recordInfo keeps what the page logs by console.info.
var recordInfo = browser.Options{Script: `window.explanations = [];
	const { info } = console;
	console.info = (...texts) => { explanations.push(texts.join('')); info(...texts) };`}

// TestDebug: with data-debug, every code that checkout.js can report is explained with its cause and
// the line to add. Only script_blocked is not, because nothing runs then.
func TestDebug(t *testing.T) {
	const open = "default-src 'none'; script-src *; frame-src *"
	pages := map[string]struct{ csp, element, script string }{
		"csp_frame_src": {
			"script-src *; frame-src https://elsewhere.example",
			`session=cs_1 prewarm=load`,
			``,
		},
		"frame_blocked":   {open, `session=cs_mute`, ``},
		"timeout":         {open, `session=cs_hang`, ``},
		"origin_refused":  {open, `session=cs_mute lang=x-refused`, ``},
		"session_unknown": {open, ``, ``},
		"create_failed": {
			open,
			`mode=modal`,
			`el.createSession = () => Promise.reject(Error('sold out')), el.show()`,
		},
	}
	codes := []string{"script_blocked", "offline"} // the latter is in TestOfflineExplained
	for code, c := range pages {
		codes = append(codes, code)
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			s := openPageWith(t, `<coinslot-checkout data-debug `+c.element+`></coinslot-checkout>`,
				c.csp, recordInfo)
			s.WaitJS(`explanations[0]?.includes('data-debug')`, "the module")
			s.Eval(`(() => { const el = `+element+`; `+c.script+` })()`, nil)
			s.waitExplained(t, code)
		})
	}
	reported := slices.DeleteFunc(check.Codes(""),
		func(c check.Code) bool { return pages[c.ID].csp != "" || slices.Contains(codes, c.ID) })
	t.Run("reported by the frame", func(t *testing.T) {
		t.Parallel()
		s := openPageWith(t, `<coinslot-checkout session=cs_1 data-debug></coinslot-checkout>`,
			open, recordInfo)
		s.waitEvent("ready cs_1 open")
		for _, c := range reported {
			kind := "error"
			if c.ID == "contrast_failed" {
				kind = "warning"
			}
			s.post(`{ type: '` + kind + `', code: '` + c.ID + `', recoverable: false, cure: 'x' }`)
			s.waitExplained(t, c.ID)
		}
	})
	fortest.Equal(t, len(reported), 8, "codes come from the frame")
}

func TestOfflineExplained(t *testing.T) {
	s := openPageWith(
		t,
		`<script src="{bff}/seen.js?again" data-debug></script><coinslot-checkout session=cs_1 mode=modal prewarm=none><button id=buy>Pay</button></coinslot-checkout>`,
		"",
		recordInfo,
	)
	s.WaitJS(`explanations[0]?.includes('data-debug')`, "the module, by an attribute of a script")
	s.Offline(true)
	s.Click("#buy")
	s.waitExplained(t, "offline")
}

// TestNoDebug: without data-debug a page neither asks for explanations nor logs them.
func TestNoDebug(t *testing.T) {
	s := openPageWith(t, `<coinslot-checkout session=cs_mute></coinslot-checkout>`, "", recordInfo)
	s.waitFailure(t, failedText, "frame_blocked", "frame_blocked")
	s.WaitJS(`explanations.length === 0`, "silence")
	fortest.Lacks(t, "texts", strings.Join(s.textRequests, " "), "debug")
}

// TestDebugNamesIgnoredStyle: with data-debug, custom properties and values that are ignored are
// named once, wherever the page sets them.
func TestDebugNamesIgnoredStyle(t *testing.T) {
	s := openPageWith(t, `<style>@media all { coinslot-checkout { --coinslot-accent-drak: red; --coinslot-accent-dark: red; --coinslot-radius: 1em;
		--coinslot-text: var(--mine); --coinslot-font: Nunito; --coinslot-border: nocolor; --coinslot-surface: light-dark(#fff, #000); } }</style>
		<coinslot-checkout session=cs_1 data-debug style="--coinslot-colour: red"></coinslot-checkout>`, styled, recordInfo)
	s.waitEvent("ready cs_1 open")
	s.WaitJS(`explanations.length >= 6`, "the lines")
	var got []string
	s.Eval(`explanations.slice(1).map((text) => text.split('\n')[0]).sort()`, &got)
	fortest.Diff(t, got, []string{
		"coinslot: --coinslot-accent-drak is unknown",
		"coinslot: --coinslot-border: nocolor is ignored, because it is no value of it",
		"coinslot: --coinslot-colour is unknown",
		"coinslot: --coinslot-radius: 1em is ignored, because it is no value of it",
		"coinslot: this frame waits for checkout.js. In the HTML of the page, it loads at once. Put it into the element:",
	}, "named")
}

// TestDebugNamesLateFrames: with data-debug, inline checkouts without a frame in the HTML are named,
// with the frame to add.
func TestDebugNamesLateFrames(t *testing.T) {
	s := openPageWith(t, `<coinslot-checkout session=cs_1 data-debug></coinslot-checkout>
		<coinslot-checkout item=tip quantity=2></coinslot-checkout>
		<coinslot-checkout session=cs_2 mode=modal></coinslot-checkout><coinslot-checkout></coinslot-checkout>`+
		fmt.Sprintf(ownFrame, "cs_3"), "", recordInfo)
	s.WaitJS(`explanations.length >= 3`, "the lines")
	var got []string
	s.Eval(`explanations.filter((text) => text.includes('this frame waits')).map((text) => text.match(/src="(.*?)"/)[1])`, &got)
	tail := "embed=inline&origin=" + s.host + "&lang=en"
	fortest.Diff(t, got, []string{
		s.bff + "/checkout/cs_1?" + tail,
		s.bff + "/checkout?item=tip&quantity=2&" + tail,
	}, "addresses")
}
