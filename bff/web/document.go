package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strconv"
	"sync"

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
	css, frame, wasm, loader string // addresses; the last two are empty if they were not built
	framed                   string // of frame.js with the style sheet in it; empty if it was not built
	sentences                sentences
}

// newDocument returns a document that refers to the given assets.
func newDocument(a *assets) *document {
	return &document{
		css: a.URL("checkout.css"), frame: a.URL("frame.js"), framed: a.URL("framed.js"),
		wasm: a.URL("app.wasm"), loader: a.URL("wasm_exec.js"), sentences: a.sentences,
	}
}

// pages is memory for pages on their way out.
var pages = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// write answers with the page; its policy is set already. The error says that
// nothing was written.
func (d *document) write(w http.ResponseWriter, r *http.Request, status int, p widget.Page) error {
	page := pages.Get().(*bytes.Buffer)
	defer pages.Put(page)
	page.Reset()
	if err := d.render(page, p); err != nil {
		return fmt.Errorf("rendering the page of %q: %w", p.View.Session, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	send(w, r, status, page.Bytes())
	return nil
}

// render writes the document.
func (d *document) render(page *bytes.Buffer, p widget.Page) error {
	d.head(page, p)
	page.WriteString("<body>\n")
	widget.WriteHTML(page, &widget.Checkout{Page: p})
	return d.data(page, p)
}

// head writes everything before the body.
func (d *document) head(page *bytes.Buffer, p widget.Page) {
	put := func(parts ...string) {
		for i, part := range parts {
			if i%2 == 1 {
				part = html.EscapeString(part)
			}
			page.WriteString(part)
		}
	}
	here := p.Link("")
	script, attributes, style := d.start(p)
	put("<!doctype html>\n<html lang=\"", p.Lang, "\" dir=\"", p.Dir, "\" class=\"theme-", theme(p.Theme), "\">\n<head>\n<meta charset=\"utf-8\">\n")
	put("<script"+attributes+" src=\"", script, "\" data-origin=\"", p.Origin, "\" data-embed=\"", p.Embed, "\" data-wasm=\"", d.wasm,
		"\" data-loader=\"", d.loader, "\" data-text=\"", d.sentences.URL(p.Lang), "\" data-refresh=\"", here, "\"></script>\n")
	put("<title>", p.Title(), "</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"robots\" content=\"noindex\">\n")
	put("<meta name=\"color-scheme\" content=\"", scheme(p.Theme), "\">\n"+style+"<link rel=\"icon\" type=\"image/svg+xml\" href=\"", p.Icon(), "\">\n")
	if p.Waits() {
		put("<noscript><meta http-equiv=\"refresh\" content=\"", strconv.Itoa(refresh(p)), "; url=", here, "\"></noscript>\n")
	}
	page.WriteString("</head>\n")
}

// data writes what the WebAssembly program starts from, but for what its file of
// sentences holds, and ends the page.
func (d *document) data(page *bytes.Buffer, p widget.Page) error {
	p.Text, p.Languages = nil, nil
	page.WriteString("\n<script type=\"application/json\" id=\"coinslot-page\">")
	if err := json.NewEncoder(page).Encode(p); err != nil { // escapes <, > and &, so that no text ends the block
		return fmt.Errorf("encoding the page's data: %w", err)
	}
	page.WriteString("</script>\n</body>\n</html>\n")
	return nil
}

// start returns the address of the page's script, attributes of it, and the
// markup of the page's looks. A frame is seen only once its script has run: it
// gets both in one file. The page is read meanwhile, and not laid out before it is
// dressed: that cost a slow phone a tenth of a second, for nobody to see.
func (d *document) start(p widget.Page) (script, attributes, style string) {
	style = "<link rel=\"stylesheet\" href=\"" + html.EscapeString(d.css) + "\">\n"
	if p.Embed == "" || d.framed == "" {
		return d.frame, "", style
	}
	return d.framed, " async blocking=\"render\" data-style=\"" + html.EscapeString(d.css) + "\"", "<noscript>" + style + "</noscript>\n"
}

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
