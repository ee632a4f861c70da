package gallery

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
	"coinslot/static"
)

// TestWordsStayWhole: on no phone, in no language and on no screen does a word break inside, with all
// details open.
func TestWordsStayWhole(t *testing.T) {
	t.Parallel()
	base := serve(t)
	texts := fortest.Must(readTexts(static.Files))(t)
	delete(texts, Pseudo) // its words are longer than any language's
	options := browser.Options{Width: 430, Height: 844, ReducedMotion: true}
	page := open(t, base+"/all", options)
	for _, tag := range slices.Sorted(maps.Keys(texts)) {
		replaceDocument(page, base+"/all"+Look{Lang: tag, Dir: directions[tag]}.Query())
		page.Eval(`document.querySelectorAll("details").forEach(d => { d.open = true; })`, nil)
		for _, width := range []int{280, 320, 360, 390, 430} {
			page.Resize(width, 844)
			reportFindings(t, page, fmt.Sprintf("%s, %d px", tag, width), finds("words"))
		}
	}
}
