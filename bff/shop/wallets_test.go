package shop

import (
	"context"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"coinslot/bff/checkout"
	"coinslot/bff/fortest"
	"coinslot/bff/web"
	"coinslot/static"
)

// The page has a code for each link, and no script.
func TestWalletsPage(t *testing.T) {
	_, handler := open(t, web.Config{}, Config{
		Checkout: &checkout.Service{},
		Simulate: func(context.Context, string, string) error { return nil },
	})
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "https://pay.example/checkout/wallets", nil)
	handler.ServeHTTP(w, r)
	page := html.UnescapeString(w.Body.String())

	fortest.Equal(t, w.Code, http.StatusOK, "status")
	fortest.Has(t, "the page", page,
		`href="https://app.keeperwallet.com/transfer/UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA`+
			`?jetton=EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs&amount=123456"`,
		`href="https://link.trustwallet.com/send?asset=c0&address=bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq`+
			`&amount=0.12345678"`,
		`href="https://link.metamask.io/send/0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed@1`+
			`?value=123456789012345678"`,
		`href="imtokenv2://navigate/DappView?url=https%3A%2F%2Fpay.example%2Fcheckout%2Fwallets"`,
	)
	fortest.Lacks(t, "the page", page, "<script", "ZgotmplZ", `style="`)

	cards := strings.Count(page, `class="wl-card"`)
	codes := strings.Count(page, "<svg")
	if cards < 50 || codes != cards {
		t.Errorf("%d links with %d codes", cards, codes)
	}
}

// Real shops have no such page.
func TestWalletsPageIsForSandboxes(t *testing.T) {
	site := fortest.Must(web.New(web.Config{
		PublicURL: "https://pay.example",
		Static:    static.Files,
	}))(t)
	for _, route := range fortest.Must(Routes(site, Config{Checkout: &checkout.Service{}}))(t) {
		if strings.HasSuffix(route.Pattern, "/wallets") {
			t.Errorf("a shop has %s", route.Pattern)
		}
	}
}
