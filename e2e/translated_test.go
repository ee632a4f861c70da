package e2e

import (
	"strings"
	"testing"

	"coinslot/e2e/browser"
)

// translators are scripts that do to a page what browsers' translators do. Both mark what they have
// translated, and go on when the page changes.
var translators = map[string]string{
	"replaces texts": `const font = document.createElement("font");
		font.append(document.createElement("font"));
		font.firstChild.textContent = "«" + text.data + "»";
		text.before(font);
		text.remove();`,
	"wraps texts": `const font = document.createElement("font");
		text.replaceWith(font);
		font.append(text);`,
}

const translatePage = `(() => {
	const translate = () => {
		observer.disconnect();
		const walker = document.createTreeWalker(document.getElementById("coinslot"), NodeFilter.SHOW_TEXT);
		const texts = [];
		while (walker.nextNode()) texts.push(walker.currentNode);
		for (const text of texts) {
			if (!text.data.trim() || text.parentElement.closest("font, [translate=no], option")) continue;
			TRANSLATE
		}
		observer.observe(document.body, {childList: true, characterData: true, subtree: true});
	};
	const observer = new MutationObserver(() => setTimeout(translate, 100));
	translate();
})()`

// TestFullTranslatedPage: in a page that the browser translates, what changes is shown, and what must not
// be translated is not.
func TestFullTranslatedPage(t *testing.T) {
	runParallel(t)
	for name, script := range translators {
		t.Run(name, func(t *testing.T) {
			s := newStack(t)
			_, p, tx := s.waiting(t, 4, browser.Options{})
			p.Eval(strings.Replace(translatePage, "TRANSLATE", script, 1), nil)
			p.WaitJS(`document.querySelector('[data-part="status"] font')`, "a translated status")
			for range 2 { // it goes on after it was translated again
				was := p.Text(`[data-part="countdown"]`)
				p.WaitJS(`document.querySelector('[data-part="countdown"]').textContent !== "`+was+
					`"`,
					"the countdown to go on")
			}
			p.Click(`[data-part="copy-address"]`)
			p.WaitText(`[data-part="copy-address"]`, "Copied")

			s.simulate(tx, "half")
			p.WaitText(`[data-part="status"]`, "Part of it has arrived")
			p.WaitJS(`(missing => missing.textContent === "12.50" && missing.dataset.value === "12.5")
				(document.querySelector('[data-part="missing"]'))`, "the missing amount as it is")
			s.simulate(tx, "pay")
			p.Wait(paid)
			p.WaitText("h1", "Paid")
			p.WaitText(`.receipt [data-part="paid"]`, "USDT")
			assertCleanConsole(t, p)
		})
	}
}
