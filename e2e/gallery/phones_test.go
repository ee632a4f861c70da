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

// TestNothingUnderWhatSticks: on no phone does anything that can be pressed lie under something that
// sticks, whether coins are chosen and details open or not.
func TestNothingUnderWhatSticks(t *testing.T) {
	t.Parallel()
	options := browser.Options{Width: 430, Height: 700, ReducedMotion: true}
	page := open(t, serve(t)+"/all", options)
	for _, isOpen := range []bool{false, true} {
		const openAll = `document.querySelectorAll("details").forEach(d => { d.open = %v; })`
		page.Eval(fmt.Sprintf(openAll, isOpen), nil)
		for _, width := range []int{280, 320, 360, 390, 430} {
			page.Resize(width, 700)
			reportFindings(t, page, fmt.Sprintf("%d px", width), finds("sticky"))
		}
	}
}

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
