package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"coinslot/bff/fortest"
	"coinslot/e2e/link"
	"coinslot/e2e/need"
)

// adyenVersion is that of @adyen/adyen-web, which is under the MIT license and only measured: no
// file of it is in this repository.
const adyenVersion = "6.45.2"

// adyenEntry imports what a shop does that offers three methods, as Adyen's manual has it.
const adyenEntry = `
export { AdyenCheckout, Card, Dropin, Klarna, Redirect } from "@adyen/adyen-web";
import "@adyen/adyen-web/styles/adyen.css";`

// adyenHTML is a shop's page with Drop-in from %[1]s. The list of methods is in the page, as in
// Adyen's advanced flow, so the page need not ask for it. English is in the script. The first
// method, which opens by itself, has no frames for a card.
const adyenHTML = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="%[1]s/adyen.css">
<div id="checkout"></div>
<script src="%[1]s/adyen.js"></script>
<script>
const { AdyenCheckout, Card, Dropin, Klarna, Redirect } = Adyen;
AdyenCheckout({
	environment: "test",
	clientKey: "test_bench",
	countryCode: "NL",
	locale: "en-US",
	amount: { value: 2500, currency: "EUR" },
	paymentMethodsResponse: { paymentMethods: [
		{ name: "iDEAL", type: "ideal" },
		{ name: "Pay later with Klarna", type: "klarna" },
		{ name: "Cards", type: "scheme", brands: ["visa", "mc"] },
	] },
	_environmentUrls: {
		api: "%[1]s/api/",
		analytics: "%[1]s/analytics/",
		cdn: { images: "%[1]s/", translations: "%[1]s/" },
	},
}).then(checkout => {
	const paymentMethodComponents = [Card, Klarna, Redirect];
	new Dropin(checkout, { paymentMethodComponents }).mount("#checkout");
});
</script>`

// adyenClocks are those of Drop-in: usable is the first method that can be chosen, once the list
// has stopped loading. Its handlers are there when it is.
var adyenClocks = clocks(`true`, `document.querySelector(
	".adyen-checkout__dropin--ready button[role=radio]:enabled")?.checkVisibility()`, `true`)

// startAdyen serves a shop's page with Adyen's Drop-in over TLS, and Drop-in's files, pictures and
// interfaces from one origin of their own, and returns the address of the page.
func startAdyen(t testing.TB, l *link.Link) string {
	t.Helper()
	files := bundleAdyen(t)
	var origin string // of Adyen, known before the first request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, adyenHTML, origin)
			return
		}
		answerAsAdyen(t, w, r, files)
	}))
	t.Cleanup(server.Close)

	const shop, adyen = "shop.test", "pay.test"
	inner := strings.TrimPrefix(server.URL, "http://")
	caddy := startCaddy(t, map[string]string{shop: inner, adyen: inner})
	address := func() string { return caddy }
	l.SlowStart = true
	origin = "https://" + adyen + ":" + port(front(t, l, address))
	return "https://" + shop + ":" + port(front(t, l, address)) + "/"
}

// answerAsAdyen answers a request of Drop-in. Files are compressed and may be kept for a year.
// Analytics gets a number, as it must to go on. All pictures are one that is empty, and so is the
// frame that tells devices apart. Anything else fails the test.
func answerAsAdyen(
	t testing.TB, w http.ResponseWriter, r *http.Request, files map[string][]byte,
) {
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Access-Control-Allow-Headers", "*")
	answer := func(kind string, content []byte) {
		header.Set("Content-Type", kind)
		_, _ = w.Write(content) // the browser may have left
	}

	kinds := map[string]string{".js": "text/javascript", ".css": "text/css"}
	path := r.URL.Path
	switch {
	case files[path] != nil:
		header.Set("Content-Encoding", "br")
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
		answer(kinds[filepath.Ext(path)], files[path])
	case strings.HasPrefix(path, "/images/"):
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
		answer("image/svg+xml", []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`))
	case strings.HasPrefix(path, "/analytics/"):
		answer("application/json", []byte(`{"checkoutAttemptId":"1"}`))
	case strings.HasPrefix(path, "/api/assets/html/"):
		answer("text/html", []byte("<!doctype html>"))
	default:
		t.Errorf("Drop-in asks for %s %s, which is not served", r.Method, r.URL)
		http.NotFound(w, r)
	}
}

// bundleAdyen installs Drop-in from the npm registry and returns its script and its styles,
// minified and compressed, by their paths.
func bundleAdyen(t testing.TB) map[string][]byte {
	t.Helper()
	need.Long(t, "it installs Adyen's Drop-in from the npm registry")
	npm := need.Command(t, "npm")
	dir := t.TempDir()
	runIn(t, dir, npmSettings(t, "npm_config_prefer_offline=true"), npm, "install",
		"--ignore-scripts", "@adyen/adyen-web@"+adyenVersion)

	built := api.Build(api.BuildOptions{
		Stdin:             &api.StdinOptions{Contents: adyenEntry, ResolveDir: dir},
		Outfile:           filepath.Join(dir, "adyen.js"),
		Bundle:            true,
		Format:            api.FormatIIFE,
		GlobalName:        "Adyen",
		Target:            api.ES2022,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		MinifyWhitespace:  true,
	})
	for _, message := range built.Errors {
		t.Fatalf("bundling Adyen's Drop-in: %s", message.Text)
	}
	files := map[string][]byte{}
	for _, file := range built.OutputFiles {
		files["/"+filepath.Base(file.Path)] = pack(t, file.Contents)
	}
	fortest.Equal(t, len(files), 2, "the files of Drop-in")
	return files
}
