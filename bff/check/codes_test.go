package check

import (
	"encoding/json"
	"testing"

	"coinslot/bff/fortest"
)

// Where the setting does not count, the line is another one, everywhere.
func TestAllowLine(t *testing.T) {
	const origin = "https://shop.example"
	listed := []string{"https://a.example", "https://b.example"}
	for _, c := range []struct {
		add    string
		listed []string
		want   string
	}{
		{"", nil, "COINSLOT_ORIGINS=https://shop.example"},
		{"", listed, "COINSLOT_ORIGINS=https://a.example,https://b.example,https://shop.example"},
		{"", Unnamed, "COINSLOT_ORIGINS=…,https://shop.example"},
		{"coinslot demo -own-shop ", listed, "coinslot demo -own-shop https://shop.example"},
	} {
		fortest.Equal(t, AllowLine(c.add, c.listed, origin), c.want, "%q, %q", c.add, c.listed)
	}
}

// data-debug and the doctor's page read the same members in every release.
func TestCodesAsJSON(t *testing.T) {
	e := Embedding{
		URL: "https://pay.example", Origin: "https://shop.example", Code: "origin_refused",
		AddOrigin: "coinslot demo -own-shop ",
	}
	got := fortest.Must(json.Marshal(e.Explain()))(t)
	const want = `{"code":"origin_refused","cause":"The server does not know your page.",` +
		`"cure":"List its origin, exactly as browsers write it, and restart.",` +
		`"line":"coinslot demo -own-shop https://shop.example","place":"coinslot",` +
		`"checks":["origin"]}`
	fortest.Equal(t, string(got), want, "a code")

	e.Given = Opaque
	fortest.Equal(t, e.Explain().Fix, opaqueRefused.Fix, "the fix of a page without an origin")

	e.Code = "no code"
	if e.Explain() != nil {
		t.Error("an unknown code is explained")
	}
	for _, c := range Codes("") {
		if len(c.Add) > 1 {
			t.Errorf("%s has %d lines; its JSON has one", c.ID, len(c.Add))
		}
	}
}
