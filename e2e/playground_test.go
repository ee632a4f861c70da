package e2e

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
	"coinslot/e2e/need"
)

// What is set in the playground is printed and shown by the frame, for both schemes; a pair that
// fails is marked, and ignored by the checkout. It passes axe and fits a phone.
func TestFullPlayground(t *testing.T) {
	runParallel(t)
	out := startDemo(t)
	address := regexp.MustCompile(`Checkout +(http://\S+)`)
	fortest.Until(t, "the demo to print its address",
		func() bool { return address.MatchString(out.String()) })
	page := address.FindStringSubmatch(out.String())[1] + "/checkout/playground"
	axe := fortest.Must(os.ReadFile(need.File(t, "../.cache/npm/axe-core/axe.min.js")))(t)
	paper := func(f *browser.View, want string) {
		f.WaitJS(`getComputedStyle(document.body).backgroundColor === "`+want+`"`,
			"the background "+want)
	}
	for _, dark := range []bool{false, true} {
		p := chromium.Open(t, page,
			browser.Options{Width: 390, Height: 844, Dark: dark, ReducedMotion: true})
		f := p.Frame(frame)
		f.Wait(`[data-part="continue"]`)
		p.Type(`[name="background"]`, "#fff1d6")
		p.Type(`[name="background-dark"]`, "#1b1512")
		p.Type(`[name="text"]`, "#fff")
		p.WaitText(`[data-front="text"][data-back="background"] [data-scheme="light"]`, "1.1 fails")
		p.WaitConsole(
			0,
			"coinslot contrast_failed --coinslot-text on --coinslot-background is ignored: contrast 1.1",
		)
		for _, line := range []string{
			"--coinslot-background: #fff1d6;", "--coinslot-background-dark: #1b1512;",
			"--coinslot-text: #fff;",
		} {
			p.WaitText(`[data-part="html"]`, line)
		}
		if dark {
			paper(f, "rgb(27, 21, 18)")
		} else {
			paper(f, "rgb(255, 255, 255)")
		}
		p.Eval(
			`document.querySelector('[name=text]').value = '', document.querySelector('[name=preset][value=night]').click()`,
			nil,
		)
		paper(f, "rgb(27, 21, 18)") // night is dark for everybody
		p.WaitText(`[data-part="html"]`, `preset="night"`)
		p.Click(`[data-part="copy-html"]`)
		p.WaitText(`[data-part="copy-html"]`, "Copied")

		p.Eval(string(axe)+";0", nil)
		for _, found := range browser.Eval[[]string](
			p,
			`axe.run(document, {resultTypes: ['violations'], iframes: false}).then(r => r.violations.map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.target.join(' ') + ' ' + (n.any[0]?.message ?? '')).join('; ')))`,
		) {
			t.Errorf("dark %t: %s", dark, found)
		}
		for _, width := range []int{280, 390, 1280} {
			p.Resize(width, 844)
			p.WaitJS(`document.documentElement.scrollWidth <= innerWidth`, "no scrolling sideways")
		}
		kept := p.URL()
		p.Goto(kept) // the address has what was set
		p.WaitText(`[data-part="html"]`, "--coinslot-background: #fff1d6;")
		for _, line := range p.Console() {
			if strings.HasPrefix(line, "[exception]") ||
				strings.Contains(line, "Content Security Policy") {
				t.Errorf("the console says %s", line)
			}
		}
	}
}
