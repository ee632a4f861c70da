package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strconv"

	"coinslot/app/widget"
	"coinslot/app/wire"
)

// refreshEvery is how often a page without scripts loads itself again while
// something is expected, in seconds; refreshSlow is that while more time is
// offered, which has to be read and decided.
const (
	refreshEvery = 5
	refreshSlow  = 15
)

func refresh(p widget.Page) int {
	if p.LastMinutes() && p.View.Can(wire.Extend) {
		return refreshSlow
	}
	return refreshEvery
}

// document writes the page around the widget. It is complete as it leaves the
// server: forms post, links go, and what waits refreshes itself.
type document struct {
	css, frame, wasm string // addresses; wasm is empty if it was not built
}

// newDocument returns a document that refers to the given assets.
func newDocument(a *assets) *document {
	return &document{css: a.URL("checkout.css"), frame: a.URL("frame.js"), wasm: a.URL("app.wasm")}
}

// write answers with the page; its policy is set already. The error says that
// nothing was written.
func (d *document) write(w http.ResponseWriter, status int, p widget.Page) error {
	var page bytes.Buffer
	if err := d.render(&page, p); err != nil {
		return fmt.Errorf("rendering the page of %q: %w", p.View.Session, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(page.Len()))
	w.WriteHeader(status)
	w.Write(page.Bytes()) // a client that has gone is not our error
	return nil
}

// render writes the document.
func (d *document) render(page *bytes.Buffer, p widget.Page) error {
	data, err := json.Marshal(p) // escapes <, > and &, so that no text ends the block
	if err != nil {
		return fmt.Errorf("encoding the page's data: %w", err)
	}
	fmt.Fprintf(page, "<!doctype html>\n<html lang=%s dir=%s class=%s>\n<head>\n<meta charset=\"utf-8\">\n",
		quote(p.Lang), quote(p.Dir), quote("theme-"+theme(p.Theme)))
	fmt.Fprintf(page, "<script src=%s data-origin=%s data-embed=%s data-wasm=%s data-refresh=%s></script>\n",
		quote(d.frame), quote(p.Origin), quote(p.Embed), quote(d.wasm), quote(p.Link("")))
	fmt.Fprintf(page, "<title>%s</title>\n", html.EscapeString(p.Title()))
	page.WriteString("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
	page.WriteString("<meta name=\"robots\" content=\"noindex\">\n")
	fmt.Fprintf(page, "<meta name=\"color-scheme\" content=%s>\n", quote(scheme(p.Theme)))
	fmt.Fprintf(page, "<link rel=\"stylesheet\" href=%s>\n", quote(d.css))
	fmt.Fprintf(page, "<link rel=\"icon\" type=\"image/svg+xml\" href=%s>\n", quote(p.Icon()))
	if p.Waits() {
		fmt.Fprintf(page, "<noscript><meta http-equiv=\"refresh\" content=%s></noscript>\n",
			quote(fmt.Sprintf("%d; url=%s", refresh(p), p.Link(""))))
	}
	page.WriteString("</head>\n<body>\n")
	page.WriteString(widget.HTML(&widget.Checkout{Page: p}))
	fmt.Fprintf(page, "\n<script type=\"application/json\" id=\"coinslot-page\">%s</script>\n</body>\n</html>\n", data)
	return nil
}

// quote returns an attribute's value with its quotation marks.
func quote(value string) string { return `"` + html.EscapeString(value) + `"` }

func theme(name string) string {
	switch name {
	case "light", "dark":
		return name
	}
	return "auto"
}

// scheme tells the browser how to paint before the style sheet is there.
func scheme(name string) string {
	if name == "light" || name == "dark" {
		return name
	}
	return "light dark"
}
