package checkouttest_test

import (
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

const modal = `<coinslot-checkout session="cs_1" mode=modal><a id=buy href="{bff}/checkout/cs_1">Pay</a></coinslot-checkout>` +
	`<button id=other>other</button><p id=tall></p>`

const (
	dialog      = "coinslot-checkout >>> dialog[open]"
	closeButton = "coinslot-checkout >>> dialog[open] button"
)

func TestModal(t *testing.T) {
	s := openPage(t, modal)
	s.Click("#buy")
	s.WaitJS(`seen.some((line) => line.startsWith('open cs_1'))`,
		"the event, before ready or after it")
	s.waitEvent("ready cs_1 open")
	s.Wait(dialog)
	s.WaitJS(`document.documentElement.style.overflow === 'hidden'`, "locked scroll")
	s.frameView().Click("input")
	s.frameView().Press("a")
	fortest.Equal(t, s.frameView().Value("input"), "a", "input")
	s.Click(closeButton)
	s.waitEvent("close cs_1 open")
	s.WaitGone(dialog)
	s.WaitJS(`document.activeElement.id === 'buy'`, "focus on the opener")
	s.WaitJS(`document.documentElement.style.overflow === ''`, "free scroll")

	s.Click("#buy") // reopening shows the same frame
	s.Wait(dialog)
	s.Press("Escape")
	s.WaitGone(dialog)
	fortest.Equal(t, len(s.requested()), 1, "frames were loaded")
}

func TestEscapeAndCloseFromTheFrame(t *testing.T) {
	s := openPage(t, modal)
	for _, message := range []string{`{ type: 'escape' }`, `{ type: 'close' }`} {
		s.Click("#buy")
		s.waitEvent("ready cs_1 open")
		s.post(message)
		s.WaitGone(dialog)
		s.WaitJS(`document.activeElement.id === 'buy'`, "focus on the opener")
	}
}

func TestCloseCanBeRefused(t *testing.T) {
	s := openPage(t, modal)
	s.Click("#buy")
	s.waitEvent("ready cs_1 open")
	s.Eval(`window.refuse = 'close'`, nil)
	s.Press("Escape")
	s.waitEvent("close cs_1 open")
	s.Wait(dialog)
	s.Eval(`window.refuse = ''`, nil)
	s.Press("Escape")
	s.WaitGone(dialog)
}

func TestBackdrop(t *testing.T) {
	s := openPage(t, modal)
	press := func(kind, at string) {
		s.Eval(`(() => { const dialog = document.querySelector('coinslot-checkout').shadowRoot.querySelector('dialog');
			(`+at+`).dispatchEvent(new PointerEvent('`+kind+`', { bubbles: true, composed: true, detail: 1 })) })()`, nil)
	}
	s.Click("#buy")
	s.Wait(dialog)
	press("mousedown", "dialog.firstChild") // begun in the panel
	press("mouseup", "dialog")
	press("click", "dialog")
	s.Wait(dialog)
	press("mousedown", "dialog")
	press("mouseup", "dialog.firstChild") // ended in the panel
	press("click", "dialog")
	s.Wait(dialog)
	for _, kind := range []string{"mousedown", "mouseup", "click"} {
		press(kind, "dialog")
	}
	s.WaitGone(dialog)
}

func TestClickForNewTab(t *testing.T) {
	s := openPage(t, modal)
	s.WaitJS(`!!customElements.get('coinslot-checkout')`, "the script")
	var prevented bool
	s.Eval(`new Promise((done) => {
		document.addEventListener('click', (event) => { done(event.defaultPrevented); event.preventDefault() }, { once: true });
		document.querySelector('#buy').dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true, cancelable: true, ctrlKey: true }));
	})`, &prevented)
	if prevented {
		t.Error("a click with Control was taken; want it to pass")
	}
}

// TestPrewarm: the frame loads in the closed dialog on intent, and gets "shown" only when it opens.
func TestPrewarm(t *testing.T) {
	s := openPage(t, modal)
	s.WaitJS(`!!customElements.get('coinslot-checkout')`, "the script")
	s.Eval(`document.querySelector('#buy').focus()`, nil)
	s.waitEvent("ready cs_1 open")
	var heard []string
	s.frameView().Eval(`heard.map(({ type }) => type)`, &heard)
	if len(heard) != 1 || heard[0] != "style" {
		t.Errorf("a warm frame heard %v; want its style, so that it has it when it opens", heard)
	}
	s.WaitJS(`(() => { const dialog = `+dialogJS+`;
		return dialog.inert && !dialog.checkVisibility({ opacityProperty: true }) && dialog.querySelector('iframe').offsetHeight > 400 })()`, "a dialog laid out, but invisible and inert")
	s.Click("#buy")
	s.Wait(dialog)
	s.frameView().WaitJS(`heard.some(({ type }) => type === 'shown')`, "shown")
	fortest.Equal(t, len(s.requested()), 1, "frames were loaded")
}

func TestPrewarmNoneWaitsForTheClick(t *testing.T) {
	s := openPage(
		t,
		`<coinslot-checkout session=cs_1 mode=modal prewarm=none><button id=buy>Pay</button></coinslot-checkout>`,
	)
	s.WaitJS(`!!customElements.get('coinslot-checkout')`, "the script")
	s.Eval(`document.querySelector('#buy').focus()`, nil)
	fortest.Equal(t, len(s.requested()), 0, "frames (none before the click)")
	s.Click("#buy")
	s.waitEvent("ready cs_1 open")
}

func TestOpenAttribute(t *testing.T) {
	s := openPage(t, `<coinslot-checkout session=cs_1 mode=modal open></coinslot-checkout>`)
	s.waitEvent("ready cs_1 open")
	s.Wait(dialog)
	s.Click(closeButton)
	s.WaitGone(dialog)
	s.WaitJS(`!document.querySelector('coinslot-checkout').hasAttribute('open')`, "no attribute")
	s.Eval(`document.querySelector('coinslot-checkout').setAttribute('open', '')`, nil)
	s.Wait(dialog)
}

func TestOpenIsIdempotent(t *testing.T) {
	s := openPage(t, "")
	s.WaitJS(`!!window.Coinslot`, "the script")
	s.WaitJS(
		`Coinslot.open({ session: 'cs_7', theme: 'dark' }) === Coinslot.open({ session: 'cs_7' })`,
		"the same element",
	)
	s.waitEvent("ready cs_7 open")
	s.Wait(dialog)
	var ready map[string]string
	s.Eval(`document.querySelector('coinslot-checkout').ready`, &ready)
	fortest.Diff(t, ready, map[string]string{"session": "cs_7", "status": "open"}, "ready")
	frames, elements := len(s.requested()), s.Count("coinslot-checkout")
	if frames != 1 || elements != 1 {
		t.Errorf("%d frames in %d elements; want one each", frames, elements)
	}
}

func TestCreateSession(t *testing.T) {
	s := openPage(t, "")
	s.WaitJS(`!!window.Coinslot`, "the script")
	s.Eval(`(() => { window.calls = 0; window.buy = () => Coinslot.open({ createSession: () => new Promise((done) => { calls++; window.done = done }) });
		buy(); buy() })()`, nil)
	s.Wait(dialog) // at once, in the click's gesture
	s.Eval(`done('cs_8')`, nil)
	s.waitEvent("ready cs_8 open")
	var calls int
	s.Eval(`calls`, &calls)
	fortest.Equal(t, calls, 1, "createSession was called times")
	s.Click(closeButton)
	s.WaitGone(dialog)
	s.Eval(`buy()`, nil) // shows the same session, because it can be paid
	s.Wait(dialog)
	s.post(`{ type: 'complete', session: 'cs_8', status: 'confirmed', receipt: '' }`)
	s.waitEvent("complete cs_8 confirmed")
	s.Click(closeButton)
	s.WaitGone(dialog)
	s.Eval(`buy(), done('cs_9')`, nil)
	s.waitEvent("ready cs_9 open")
	fortest.Equal(t, s.Count("coinslot-checkout"), 1, "elements")
}

// TestModalPlace: a dialog of a fixed height, on a phone a sheet below a strip of the shop's page. The
// frame fills it. The button floats over the frame's corner, at the end of the language's lines.
func TestModalPlace(t *testing.T) {
	s := openPage(t, modal)
	s.Click("#buy")
	s.waitEvent("ready cs_1 open")
	for _, c := range []struct {
		width, height int
		lang, where   string // x, y, width and height of dialog, frame and button
	}{
		{1000, 900, "en", "280,50,440,800 280,50,440,800 666,60,44,44"},
		{1000, 600, "ar", "280,16,440,568 280,16,440,568 290,26,44,44"},
		{390, 700, "en", "0,12,390,688 0,12,390,688 336,22,44,44"},
	} {
		s.Resize(c.width, c.height)
		s.Eval(element+`.lang = '`+c.lang+`'`, nil)
		s.WaitJS(`['dialog', '.shown > iframe', 'dialog > button'].map((name) => {
			const { x, y, width, height } = `+element+`.shadowRoot.querySelector(name).getBoundingClientRect();
			return [x, y, width, height] }).join(' ') === '`+c.where+`'`, c.where)
	}
}

// TestDialogScheme: without a theme, frame and dialog follow the system.
func TestDialogScheme(t *testing.T) {
	s := openPageWith(t, modal, "", browser.Options{Dark: true})
	s.Click("#buy")
	s.waitEvent("ready cs_1 open")
	const scheme = `getComputedStyle(` + dialogJS + `).colorScheme`
	s.WaitJS(scheme+` === 'light dark'`, "the system's scheme")
	s.Eval(element+`.theme = 'light'`, nil)
	s.WaitJS(scheme+` === 'light'`, "the theme's scheme")
}
