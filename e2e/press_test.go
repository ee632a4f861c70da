package e2e

import (
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

// What a press changes is drawn in its task, before the next press: the network in the button's text.
func TestFullPressIsDrawnAtOnce(t *testing.T) {
	s := newStack(t)
	p := s.openPage(t, s.session(order{"amount_usd": "25.00"}), browser.Options{})
	p.Wait(`[data-live="wasm"]`)
	var before, after string
	p.Eval(`document.querySelector('[data-part="currency"][value="USDT"]').click()`, nil)
	p.Eval(twoFrames, nil)
	p.Eval(`(() => {
		const text = () => document.querySelector('[data-part="continue"]').textContent, before = text();
		document.querySelector('[data-part="network"][value="USDT:trc20"]').click();
		return [before, text()];
	})()`, &[]any{&before, &after})
	if before != "Continue with USDT on TON (The Open Network)" ||
		after != "Continue with USDT on TRON" {
		t.Errorf(
			"in the task of a press the page the button came from %q to %q; want it to name the network",
			before,
			after,
		)
	}
}

// A wallet that makes itself known while something is pressed is shown once that is
// releaseProgram go: its button moves all that is below it.
func TestFullWalletAppearsAfterRelease(t *testing.T) {
	s := newStack(t)
	p, _ := s.pay(t, "ETH", "eth", browser.Options{})
	p.WaitText(`[data-part="checked"]`, "just now") // the socket is open
	release := p.Hold(`[data-part="change"]`)
	p.Eval(`dispatchEvent(new CustomEvent("eip6963:announceProvider",
		{detail: {info: {uuid: "1", name: "Late Wallet", icon: "", rdns: "example.late"}, provider: {request() {}}}}))`, nil)
	fortest.Equal(t, p.Count(`[data-part="wallet"]`), 0, "wallets are shown under a press")
	release()
	p.Wait(`[data-part="continue"]`)
	p.Click(`form.choose a.link`)
	p.WaitText(`[data-part="wallet"]`, "Late Wallet")
}

// Without WebAssembly the page loads itself anew when something has changed, but not
// while it is pressed, nor on the way to where a press leads.
func TestFullNoReloadWhilePressed(t *testing.T) {
	s := newStack(t)
	p, tx := s.pay(t, "USDT", "trc20",
		browser.Options{BlockURLs: []string{"*.wasm"}, Script: caughtViews})
	s.simulate(tx, "pay")
	p.WaitJS(`dispatchEvent(new Event("online")) && caught.length > 1`,
		"the page to ask how the payment is")
	p.Eval(`(at => {
		performance.now = () => at + (window.later ?? 0);
		document.addEventListener("click", e => e.preventDefault()); // where it leads to is far away
	})(performance.now())`, nil)
	release := p.Hold(`[data-part="change"]`)
	p.Eval(`new Promise(done => { caught.pop()(); setTimeout(done, 200) })`,
		nil) // as long as a press may last
	release()
	p.Eval(
		`new Promise(done => { window.through = true; caught.forEach(go => go()); setTimeout(done, 200) })`,
		nil,
	)
	pressed := browser.Eval[[]string](p, `pressed`)
	fortest.Equal(t, strings.Join(pressed, " "), "pointerdown pointerup click",
		"the page has heard")
	p.Eval(`(() => { window.later = 10_000; dispatchEvent(new Event("online")); })()`, nil)
	p.Wait(paid)
}

// caughtViews is JavaScript that keeps back the answers that say that it is paid, and
// notes what is pressed.
const caughtViews = `window.caught = []; window.pressed = [];
const real = fetch;
window.fetch = async (...given) => {
	const answer = await real(...given);
	if (String(given[0]).endsWith("/view") && (await answer.clone().json()).status === "confirmed" && !window.through) await new Promise(go => caught.push(go));
	return answer;
};
for (const type of ["pointerdown", "pointerup", "click"]) addEventListener(type, () => pressed.push(type), true);`

// recordCopies keeps what is given to the clipboard, which takes it or not.
const recordCopies = `(() => {
	const taken = navigator.clipboard.writeText.bind(navigator.clipboard);
	window.copied = [];
	navigator.clipboard.writeText = async text => {
		if (window.refuse) throw new DOMException("no", "NotAllowedError");
		await taken(text);
		window.copied.push(text);
	};
	const old = document.execCommand.bind(document);
	document.execCommand = (...how) => window.refuse ? false : old(...how);
})()`

// The copy buttons put on the clipboard what the shopper reads, whole, and say
// so only when it is there; in a frame, by the program and by the page's script.
func TestFullCopies(t *testing.T) {
	runParallel(t)
	for name, blocked := range map[string][]string{"wasm": nil, "html": {"*.wasm"}} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t)
			_, f := s.open(t, s.session(order{"amount_usd": "25.00"}), "inline",
				browser.Options{BlockURLs: blocked})
			f.Wait(`[data-live="` + name + `"]`)
			s.gateway.Inject(slowCreate)
			pick(f, "USDC", "polygon")
			f.Eval(
				`(b => { b.click(); b.click(); })(document.querySelector('[data-part="continue"]'))`,
				nil,
			)
			f.Wait(pending)
			f.Wait(`[data-live="` + name + `"]`)
			tx := s.matches(f)
			fortest.Equal(t, len(s.issued()), 1, "a double click on continue created transactions")
			f.Eval(recordCopies, nil)
			f.Click(`[data-part="copy-address"]`)
			f.WaitText(`.address .label`, "Copied. Send it on Polygon only.")
			f.Click(`[data-part="copy-amount"]`)
			f.WaitText(`[data-part="copy-amount"]`, "Copied")
			f.WaitText(`.announce`, "Amount copied")
			copied := browser.Eval[[]string](f, `window.copied`)
			if len(copied) != 2 || copied[0] != tx.WalletAddress ||
				copied[1] != f.Attr(`[data-part="pay-amount"]`, "data-value") {
				t.Errorf("the clipboard was given %q; want the address %q and the amount", copied,
					tx.WalletAddress)
			}
			f.WaitText(`.address .label`, "To this address") // the words are back
			f.Wait(`[data-part="copy-address"][aria-label="Copy address"]:not(.done)`)
			f.Eval(`window.refuse = true`, nil)
			f.Click(`[data-part="copy-address"]`)
			f.WaitText(`.address .label`, "Copying is blocked")
		})
	}
}
