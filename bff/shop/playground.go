package shop

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"

	"coinslot/bff/order"
	"coinslot/bff/web"
)

//go:embed playground.html
var playgroundHTML string

var playgroundTemplate = template.Must(template.New("playground").Parse(playgroundHTML))

// playgroundItem is sold in sandboxes only.
const playgroundItem = "playground"

var playgroundCatalog, _ = order.ParseCatalog([]byte(`items:
  ` + playgroundItem + `: {title: "House blend, 500 g", amount_usd: "18.50"}`)) // it is valid

type playground struct {
	site *web.Server
}

// show is GET /checkout/playground, in sandboxes only: a checkout beside controls of its appearance,
// and the HTML for it.
func (p *playground) show(w http.ResponseWriter, _ *http.Request) error {
	var page bytes.Buffer
	err := playgroundTemplate.Execute(&page, map[string]any{
		"Server": p.site.PublicURL,
		"Item":   playgroundItem,
		"CSS":    p.site.Assets.URL("checkout.css"),
		"OwnCSS": p.site.Assets.URL("playground.css"),
		"JS":     p.site.Assets.URL("playground.js"),
	})
	if err != nil {
		return fmt.Errorf("rendering the playground: %w", err)
	}

	p.site.SetKind(w, web.KindDoctor)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(page.Bytes()) // a client that has gone is not our error
	return nil
}
