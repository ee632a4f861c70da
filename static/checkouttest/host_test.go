package checkouttest_test

import (
	"fmt"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

// styled is a policy of a host page with styles and scripts of its own.
const styled = "script-src * 'unsafe-inline'; frame-src *; style-src * 'unsafe-inline'"

// buyLink is the checkout of the tests in this file.
const buyLink = `<coinslot-checkout session="cs_1" mode=modal prewarm=none><a id=buy href="/thanks">Pay</a></coinslot-checkout>`

// TestNothingInherited: a page may set every property that is inherited; the dialog has its own.
// Radix sets "pointer-events: none" on the body under a modal dialog.
func TestNothingInherited(t *testing.T) {
	s := openPageWith(t, `<style id=odd>
		body { pointer-events: none; visibility: hidden; cursor: none; user-select: none; color: red; font: italic 3px serif;
			letter-spacing: 9px; word-spacing: 9px; line-height: 9; text-indent: 90px; text-transform: uppercase; text-align: right;
			white-space: pre; writing-mode: vertical-rl; text-shadow: 0 0 red; -webkit-text-fill-color: red; word-break: break-all;
			list-style: none; quotes: none; tab-size: 99; caret-color: red; hyphens: auto; forced-color-adjust: none }
		coinslot-checkout { all: inherit } #buy { visibility: visible; pointer-events: auto }
	</style>`+buyLink, styled, browser.Options{})
	s.WaitJS(`!!window.Coinslot`, "the script")
	s.Eval(element+`.show()`, nil)
	s.waitEvent("ready cs_1 open")
	var odd []string
	s.Eval(`(() => {
		const parts = ['dialog', 'dialog > div', 'dialog iframe'].map((one) => `+element+`.shadowRoot.querySelector(one));
		const read = () => parts.map((part) => {
			const style = getComputedStyle(part);
			return [...style].map((name) => name + ': ' + style.getPropertyValue(name));
		});
		const with_ = read();
		document.querySelector('#odd').disabled = true;
		const without = read();
		return with_.flatMap((list, i) => list.filter((one) => !without[i].includes(one)));
	})()`, &odd)
	fortest.Diff(t, odd, []string{}, "inherited")

	s.Eval(`document.querySelector('#odd').disabled = false`, nil)
	s.frameView().Click("input") // a real press
	s.Click(closeButton)
	s.WaitGone(dialog)
}

// TestDialogOverDialog: keys and presses in the checkout are no business of a dialog below it, which
// would close. Escape closes the checkout first, and the page's dialog the next time.
func TestDialogOverDialog(t *testing.T) {
	s := openPageWith(
		t,
		`<div role=dialog><button id=cart>Cart</button></div><p id=outside>outside</p>`,
		styled,
		browser.Options{},
	)
	s.WaitJS(`!!window.Coinslot`, "the script")
	s.Eval(`(() => {
		window.heard = [];
		for (const type of ['keydown', 'pointerdown', 'mousedown', 'click', 'focusin']) {
			for (const capture of [true, false]) {
				document.addEventListener(type, (event) => {
					const isOutside = !event.target.closest('[role=dialog]');
					if (type === 'keydown' ? event.key === 'Escape' : isOutside && !capture) heard.push(type);
				}, { capture });
			}
		}
		document.querySelector('#cart').onclick = () => Coinslot.open({ session: 'cs_1' });
	})()`, nil)
	s.Click("#cart")
	s.waitEvent("ready cs_1 open")
	s.Click(closeButton)
	s.WaitGone(dialog)
	s.Click("#cart")
	s.Wait(dialog)
	s.Press("Escape")
	s.WaitGone(dialog)
	s.WaitJS(`heard.length === 0`, "a page that has heard nothing")
	// until the browser has told the frame, it sends keys there
	s.frameView().WaitJS(`!document.hasFocus()`, "a frame without the focus")
	s.Press("Escape")
	s.WaitJS(`heard.join() === 'keydown,keydown'`, "a page that hears Escape again")
	s.Click("#outside")
	s.WaitJS(`heard.includes('pointerdown')`, "a page that hears presses again")
}

// TestVisibleElementOpens: of two elements for an order, the one that can be seen has the frame, in
// whatever way the other is hidden and however early it loads.
func TestVisibleElementOpens(t *testing.T) {
	for _, hidden := range []string{
		`style="display: none"`, `hidden`, `style="content-visibility: hidden"`,
	} {
		for _, prewarm := range []string{"none", "idle", "load"} {
			t.Run(hidden+" "+prewarm, func(t *testing.T) {
				t.Parallel()
				s := openPageWith(t, `<div `+hidden+
					`><coinslot-checkout id=first session="cs_1" mode=modal prewarm=`+prewarm+
					`><a href="/thanks">Pay</a></coinslot-checkout></div>`+buyLink, styled, browser.Options{})
				s.WaitJS(`!!window.Coinslot`, "the script")
				if prewarm != "none" {
					s.WaitJS(`document.querySelector('#first').status === 'open'`, "a warm frame")
				}
				s.Click("#buy")
				s.WaitJS(`document.querySelector('coinslot-checkout:not(#first)').open`,
					"the visible one")
				s.WaitJS(`!document.querySelector('#first').open`, "no other")
				s.WaitJS(
					`document.querySelector('coinslot-checkout:not(#first)').status === 'open'`,
					"its frame",
				)
				s.Click("coinslot-checkout:not(#first) >>> dialog[open] button")
				s.WaitJS(`document.documentElement.style.overflow === ''`, "a page that scrolls")
			})
		}
	}
}

// TestHiddenElementDoesNotFreeze: an element that can't be seen opens nothing, so that the page can
// be used; Coinslot.open makes one that can.
func TestHiddenElementDoesNotFreeze(t *testing.T) {
	s := openPageWith(
		t,
		`<div hidden><coinslot-checkout id=first session="cs_1" mode=modal></coinslot-checkout></div>`,
		styled,
		browser.Options{},
	)
	s.WaitJS(`!!window.Coinslot`, "the script")
	s.Eval(`document.querySelector('#first').show()`, nil)
	s.WaitJS(
		`!document.querySelector('#first').open && document.documentElement.style.overflow === ''`,
		"a usable page",
	)
	s.Eval(`void (window.el = Coinslot.open({ session: 'cs_1' }))`, nil)
	s.WaitJS(`el.open && el.id === '' && el.status === 'open'`, "an element that can be seen")
}

// TestVisibleInlineElement: an inline element takes the frame over from a hidden one.
func TestVisibleInlineElement(t *testing.T) {
	s := openPageWith(t, `<div hidden><coinslot-checkout id=first session="cs_1" prewarm=load></coinslot-checkout></div>`+
		`<coinslot-checkout id=second session="cs_1" prewarm=none></coinslot-checkout>`, styled, browser.Options{})
	s.WaitJS(
		`document.querySelector('#second').shadowRoot.querySelector('.shown > iframe')?.checkVisibility()`,
		"the visible frame",
	)
	s.WaitJS(`!document.querySelector('#first').shadowRoot.querySelector('iframe')`, "no other")
}

// TestClosedDialogTakesNoRoom: neither in an ancestor that holds what is fixed nor in the page.
func TestClosedDialogTakesNoRoom(t *testing.T) {
	for _, holder := range []string{
		"transform: scale(1)", "filter: blur(0)", "contain: paint", "will-change: transform",
		"container-type: size; contain: layout",
	} {
		for _, dir := range []string{"ltr", "rtl"} {
			t.Run(holder+" "+dir, func(t *testing.T) {
				t.Parallel()
				s := openPageWith(t, `<div id=card dir=`+dir+
					` style="overflow: auto; width: 300px; height: 160px; `+holder+`">`+
					strings.Replace(buyLink, "none", "load", 1)+`</div>`, styled, browser.Options{})
				s.waitEvent("ready cs_1 open")
				const sizes = `(() => { const card = document.querySelector('#card'), page = document.documentElement;
					return [card.scrollWidth, card.scrollHeight, page.scrollWidth > innerWidth, page.scrollHeight > innerHeight].join() })()`
				s.WaitJS(sizes+` === '300,160,false,false'`, "nothing to scroll to")
				s.Click("#buy")
				s.Wait(dialog)
				s.Click(closeButton)
				s.WaitGone(dialog)
				s.WaitJS(sizes+` === '300,160,false,false'`, "nothing to scroll to again")
			})
		}
	}
}

// TestScrollLock: the page does not scroll behind the dialog, keeps its width, and gets back what it
// had.
func TestScrollLock(t *testing.T) {
	for name, c := range map[string]struct {
		head, locked, style string
		isWide              bool // the scrollbar takes a width
	}{
		"plain": {``, "html", "", false},
		"wide":  {``, "html", "", true},
		"inline": {
			`<script>document.documentElement.style.overflow = 'scroll'</script>`,
			"html",
			"overflow: scroll;",
			true,
		},
		"inline, one": {
			`<script>document.documentElement.style.overflowY = 'scroll'</script>`,
			"html",
			"overflow-y: scroll;",
			true,
		},
		"inline gutter": {
			`<script>document.documentElement.style.scrollbarGutter = 'stable both-edges'</script>`,
			"html",
			"scrollbar-gutter: stable both-edges;",
			true,
		},
		"body":          {`<style>body { overflow-x: hidden }</style>`, "body", "", true},
		"body's inline": {`<body style="overflow: auto scroll">`, "body", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := ``
			if c.isWide {
				script = `Object.defineProperty(window, 'innerWidth', { get: () => document.documentElement.clientWidth + 15 })`
			}
			s := openPageWith(t, c.head+buyLink+`<p style="height: 3000px">long</p>`, styled,
				browser.Options{Script: script})
			s.WaitJS(`!!window.Coinslot`, "the script")
			var before [2]string
			const styles = `[document.documentElement, document.body].map((one) => one.style.cssText)`
			s.Eval(styles, &before)
			fortest.Equal(t, before[0], c.style, "style before")
			for range 2 {
				s.Click("#buy")
				s.Wait(dialog)
				s.WaitJS(
					`getComputedStyle(document.querySelector('`+c.locked+
						`')).overflow === 'hidden'`,
					"a locked page",
				)
				s.WaitJS(
					fmt.Sprintf(
						`document.documentElement.style.scrollbarGutter.startsWith('stable') === %t`,
						c.isWide,
					),
					"room for the scrollbar",
				)
				s.Click(closeButton)
				s.WaitGone(dialog)
				var after [2]string
				s.WaitJS(styles+`.join('|') === '`+strings.Join(before[:], "|")+`'`,
					"styles as before")
				s.Eval(styles, &after)
				fortest.Equal(t, after, before, "styles")
			}
		})
	}
}

// TestScrollLockOfTwo: a page with two open dialogs scrolls when both are closed, in any order.
func TestScrollLockOfTwo(t *testing.T) {
	s := openPage(t, "")
	s.WaitJS(`!!window.Coinslot`, "the script")
	for _, order := range []string{"one, two", "two, one"} {
		s.Eval(`(() => { document.documentElement.style.overflow = 'auto';
			window.one = Coinslot.open({ session: 'cs_1' }); window.two = Coinslot.open({ session: 'cs_2' }) })()`, nil)
		s.WaitJS(`document.documentElement.style.overflow === 'hidden'`, "a locked page")
		s.Eval(`(async () => { for (const el of [`+order+`]) {
			await new Promise((done) => setTimeout(done, 50)); el.close() } })()`, nil)
		s.WaitJS(`!one.open && !two.open && document.documentElement.style.overflow === 'auto'`,
			"a page that scrolls")
	}
}

// TestBaseTarget: a page whose links open tabs gets none of the script's.
func TestBaseTarget(t *testing.T) {
	const base = `<base target="_blank">`
	s := openPage(t,
		base+`<coinslot-checkout session=cs_1 return-url="/thanks"></coinslot-checkout>`)
	s.waitEvent("ready cs_1 open")
	s.Eval(`window.opened = [];
		HTMLAnchorElement.prototype.click = ((click) => function () { opened.push(this.target + ' ' + this.protocol); if (this.protocol !== 'bitcoin:') click.call(this) })(HTMLAnchorElement.prototype.click)`, nil)
	s.post(`{ type: 'open', href: 'bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' }`)
	s.WaitJS(`opened.join() === '_self bitcoin:'`, "the wallet's link")
	s.post(`{ type: 'complete', session: 'cs_1', status: 'confirmed', receipt: '' }`)
	s.WaitJS(`location.pathname === '/thanks'`, "the return URL, in this tab")

	s.visit(base+`<coinslot-checkout session=cs_mute></coinslot-checkout>`,
		fmt.Sprintf(policy, s.bff))
	s.WaitText("coinslot-checkout >>> [role=alert]", "Checkout did not load. Open checkout Retry")
	s.WaitJS(element+`.shadowRoot.querySelector('p a').target === '_self'`,
		"the link of the failure")
}

// TestPageLanguage: the language is that of the nearest ancestor that has one, through shadow trees,
// and follows it.
func TestPageLanguage(t *testing.T) {
	s := openPageWith(t, `<script>document.documentElement.lang = 'de';
		addEventListener('load', () => {
			const outer = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'open' });
			const inner = outer.appendChild(document.createElement('div')).attachShadow({ mode: 'closed' });
			window.el = inner.appendChild(document.createElement('coinslot-checkout'));
			window.outer = outer.host; el.session = 'cs_1' });</script>`, styled, browser.Options{})
	language := func(want string) {
		t.Helper()
		s.WaitJS(
			`new URL(el.shadowRoot.querySelector('iframe')?.src ?? 'x:').searchParams.get('lang') === '`+
				want+`'`,
			want,
		)
	}
	language("de") // of the document
	for _, c := range [][2]string{
		{`document.documentElement.lang = 'fr'`, "fr"}, {`document.body.lang = 'it'`, "it"},
		{`outer.lang = 'es'`, "es"},
		{`el.lang = 'pl'`, "pl"},
		{`el.lang = ''`, "es"},
		{`outer.lang = ''`, "it"},
		{`document.body.removeAttribute('lang')`, "fr"},
		{`document.documentElement.removeAttribute('lang')`, "en-US"},
	} {
		s.Eval(c[0]+`, 0`, nil)
		language(c[1])
	}
}
