package widget

import (
	"testing"

	"coinslot/app/address"
	"coinslot/app/wire"
	"coinslot/bff/fortest"
)

// Unused addresses.
const (
	evmOurs  = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" // an example of EIP-55
	tronOurs = "TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf"
	tonOurs  = "EQAREREREREREREREREREREREREREREREREREREREREREeYT" // 0x11 32 times
)

// An address that is being typed is not compared before the button is pressed.
func TestAddressCheckerWaitsForWholeAddress(t *testing.T) {
	c := &AddressChecker{Page: Page{View: wire.View{Attempt: &wire.Attempt{Address: tronOurs}}}, typed: true}
	for _, step := range []struct {
		text  string
		asked bool
		want  address.Match
	}{
		{"", false, address.None}, {"TX", false, address.None}, {"TRabc", false, address.None},
		{tronOurs[:30], false, address.None},
		{tronOurs[:30], true, address.Differs}, {tronOurs[:29] + "zz", false, address.Differs},
		{tronOurs, false, address.Same}, {"TX", true, address.Other}, {evmOurs, false, address.OtherNetwork},
	} {
		c.text = step.text
		c.submitted = step.asked
		if got := c.compare().Match; got != step.want {
			t.Errorf("%q, asked %t: %s; want %s", step.text, step.asked, got.Name(),
				step.want.Name())
		}
	}
}

func TestIsKey(t *testing.T) {
	for of, want := range map[string]string{
		tronOurs: "key......keykey",
		evmOurs:  "keykey.......keykey",
		tonOurs:  "key..........key",
		"short":  "keykey",
	} {
		list := address.SplitGroups(of, nil)
		got := ""
		for i := range list {
			if isKey(list, i) {
				got += "key"
			} else {
				got += "."
			}
		}
		fortest.Equal(t, got, want, "%s", of)
	}
}
