package e2e

import (
	"testing"

	"coinslot/e2e/browser"
)

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
func TestCopies(t *testing.T) {
	runParallel(t)
	for name, blocked := range map[string][]string{"wasm": nil, "html": {"*.wasm"}} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t)
			_, f := s.open(t, s.session(order{"amount_usd": "25.00"}), "inline", browser.Options{BlockURLs: blocked})
			f.Wait(`[data-live="` + name + `"]`)
			s.gateway.Inject(slowCreate)
			pick(f, "USDC", "polygon")
			f.Eval(`(b => { b.click(); b.click(); })(document.querySelector('[data-part="continue"]'))`, nil)
			f.Wait(pending)
			f.Wait(`[data-live="` + name + `"]`)
			tx := s.matches(f)
			if n := len(s.issued()); n != 1 {
				t.Errorf("a double click on continue created %d transactions; want 1", n)
			}
			f.Eval(recordCopies, nil)
			f.Click(`[data-part="copy-address"]`)
			f.WaitText(`.address .label`, "Copied. Send it on Polygon only.")
			f.Click(`[data-part="copy-amount"]`)
			f.WaitText(`[data-part="copy-amount"]`, "Copied")
			f.WaitText(`.announce`, "Amount copied")
			copied := browser.Eval[[]string](f, `window.copied`)
			if len(copied) != 2 || copied[0] != tx.WalletAddress || copied[1] != f.Attr(`[data-part="pay-amount"]`, "data-value") {
				t.Errorf("the clipboard was given %q; want the address %q and the amount", copied, tx.WalletAddress)
			}
			f.WaitText(`.address .label`, "To this address") // the words are back
			f.Wait(`[data-part="copy-address"][aria-label="Copy address"]:not(.done)`)
			f.Eval(`window.refuse = true`, nil)
			f.Click(`[data-part="copy-address"]`)
			f.WaitText(`.address .label`, "Copying is blocked")
		})
	}
}
