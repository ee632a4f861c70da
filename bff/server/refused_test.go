package server_test

import (
	"net/http"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/sandbox/sandboxtest"
	"coinslot/bff/server/servertest"
)

// The page of a refused create names the coin, in every form that a page or view has.
func TestRefusedCreateNamesTheCoin(t *testing.T) {
	t.Parallel()
	w := newPolicyRig(t, ownOrigin, []string{shop}, servertest.NoLimits)
	for _, refuse := range []func(){
		func() {
			w.Gateway.Inject(sandbox.Fault{Path: "create", Status: http.StatusUnprocessableEntity})
		},
		func() { w.Gateway.Inject(sandbox.Fault{Path: "create", Status: http.StatusNotFound}) },
		func() {
			w.Gateway.Falsify(sandboxtest.Answer{
				Path: "transaction/create", Set: map[string]any{"amount_usd": "1"},
			})
		},
	} {
		id := w.Open(`{"amount_usd":"25.00"}`)
		refuse()
		w.Choose(id)
		for _, path := range []string{
			"", "?lang=de", "?lang=ar&embed=inline", "/view", "/view?lang=ja",
		} {
			body := w.Do("GET", "/checkout/"+id+path, "").Body.String()
			fortest.Lacks(t, path+" has a placeholder", body, "{coin}", "{network}")
		}
		page := w.Do("GET", "/checkout/"+id, "").Body.String()
		if !strings.Contains(page, "USDT on TRON") {
			t.Errorf("the page does not name the coin: %.300s", page)
		}
	}
}
