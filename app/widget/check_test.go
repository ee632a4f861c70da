package widget

import (
	"testing"

	"coinslot/app/wire"
)

// While an address is typed by hand nothing is said of it; pressing the button
// asks.
func TestCheckerWaitsForTheWholeAddress(t *testing.T) {
	c := &Checker{Page: Page{View: wire.View{Attempt: &wire.Attempt{Address: tronOurs}}}, typed: true}
	for _, step := range []struct {
		text  string
		asked bool
		want  match
	}{
		{"", false, matchNone}, {"TX", false, matchNone}, {"TRabc", false, matchNone},
		{tronOurs[:30], false, matchNone},
		{tronOurs[:30], true, matchDiffers}, {tronOurs[:29] + "zz", false, matchDiffers},
		{tronOurs, false, matchSame}, {"TX", true, matchOther}, {evmOurs, false, matchNetwork},
	} {
		c.text, c.asked = step.text, step.asked
		if got := c.compare().Match; got != step.want {
			t.Errorf("%q, asked %t: %s; want %s", step.text, step.asked, got.name(),
				step.want.name())
		}
	}
}
