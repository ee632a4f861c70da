package wire

import (
	"coinslot/bff/fortest"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzParseView: what a page takes for a view has a status, and survives its
// own JSON, so that what the BFF sends is what every part of the page sees.
func FuzzParseView(f *testing.F) {
	for _, s := range []string{
		`{"version":3,"session":"cs_1","status":"pending","attempt":{"number":1,"address":"T","pay_amount":"1.50"},"actions":["cancel"]}`,
		`null`, `{}`, `{"status":""}`, `{"status":"paid","version":9223372036854775807}`, `{"status":"open","version":-1}`, `{"status":"open","actions":null}`,
		`{"status":"open"}{}`, `[]`, `"open"`, `{"status":"open","attempt":{"address":1}}`, `{"status":"open","version":1e3}`, "\ufeff{\"status\":\"open\"}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		v, err := ParseView(message)
		if err != nil {
			if !cmp.Equal(v, View{}) {
				t.Fatalf("ParseView(%q) = %+v beside an error", message, v)
			}
			return
		}
		if v.Status == "" || v.Can("") && len(v.Actions) == 0 || v.Status.Final() && !v.Status.Known() {
			t.Fatalf("ParseView(%q) = %+v", message, v)
		}
		text, err := json.Marshal(v)
		fortest.OK(t, err)
		again, err := ParseView(text)
		if err != nil {
			t.Fatalf("ParseView(%s): %v", text, err)
		}
		if last, err := json.Marshal(again); err != nil || string(last) != string(text) {
			t.Fatalf("%s became %s, %v", text, last, err)
		}
	})
}

// TestParseViewRefuses: JSON that is no view is an error, not an empty view.
func TestParseViewRefuses(t *testing.T) {
	for _, message := range []string{"", "null", "{}", "[]", `"open"`, `{"version":9}`, `{"status":"","version":9}`, `{"status":"open"}x`} {
		if v, err := ParseView([]byte(message)); err == nil {
			t.Errorf("ParseView(%q) = %+v; want an error", message, v)
		}
	}
}
