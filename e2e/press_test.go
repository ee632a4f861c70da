package e2e

import (
	"testing"

	"coinslot/e2e/browser"
)

// What a press changes is there before anything else can happen: the amount that a
// network would cost pushes the button below it down, and drawn any later it would do
// so under the next press.
func TestPressIsDrawnAtOnce(t *testing.T) {
	s := newStack(t)
	p := s.alone(t, s.session(order{"amount_usd": "25.00"}), browser.Options{})
	p.Wait(`[data-live="wasm"]`)
	var before, after, said string
	p.Eval(`document.querySelector('[data-part="currency"][value="USDT"]').click()`, nil)
	p.Eval(twoFrames, nil)
	p.Eval(`(() => {
		const text = part => document.querySelector('[data-part=' + part + ']')?.textContent ?? '';
		const before = text('estimate');
		document.querySelector('[data-part="network"][value="USDT:trc20"]').click();
		return [before, text('estimate'), text('continue')];
	})()`, &[]any{&before, &after, &said})
	if before != "" || after == "" || said != "Continue with USDT on TRON (TRC20)" {
		t.Errorf("in the task of a press the page came from %q to %q and %q; want the amount, and the button to name the network", before, after, said)
	}
}

// A wallet that makes itself known while something is pressed is shown once that is
// let go: its button moves all that is below it.
func TestWalletWaitsForThePress(t *testing.T) {
	s := newStack(t)
	p, _ := s.pay(t, "ETH", "eth", browser.Options{})
	p.WaitText(`[data-part="checked"]`, "just now") // the socket is open
	release := p.Hold(`[data-part="change"]`)
	p.Eval(`dispatchEvent(new CustomEvent("eip6963:announceProvider",
		{detail: {info: {uuid: "1", name: "Late Wallet", icon: "", rdns: "example.late"}, provider: {request() {}}}}))`, nil)
	if n := p.Count(`[data-part="wallet"]`); n != 0 {
		t.Errorf("%d wallets are shown under a press; want 0", n)
	}
	release()
	p.Wait(`[data-part="continue"]`)
	p.Click(`form.choose a.quiet`)
	p.WaitText(`[data-part="wallet"]`, "Late Wallet")
}
