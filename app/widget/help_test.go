package widget

import (
	"testing"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
)

func TestSupportLink(t *testing.T) {
	for _, c := range []struct{ support, ref, session, want string }{
		{"mailto:help@shop.example", "1001", "cs_1", "mailto:help@shop.example?subject=1001"},
		{"mailto:help@shop.example", "A&b=c d+e\r\nBcc: x", "cs_1",
			"mailto:help@shop.example?subject=A%26b%3Dc%20d%2Be%0D%0ABcc%3A%20x"},
		{"mailto:help@shop.example", "", "cs_1", "mailto:help@shop.example?subject=cs_1"},
		{"mailto:help@shop.example", "", "", "mailto:help@shop.example"},
		{"https://shop.example/help", "1001", "cs_1", "https://shop.example/help"},
	} {
		p := Page{View: wire.View{
			Support: c.support,
			Session: c.session,
			Order:   wire.Order{Ref: c.ref},
		}}
		fortest.Equal(t, p.supportURL(), c.want, "%s of order %q", c.support, c.ref)
	}
}
