package shop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strconv"
	"sync"

	"coinslot/app/screen"
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"
	"coinslot/bff/web"
)

// refreshEvery is how often a page without scripts loads itself again while
// something is expected, in seconds; refreshSlow is that while more time is
// offered, which has to be read and decided.
const (
	refreshEvery = 5
	refreshSlow  = 15
)

func refreshSeconds(p widget.Page) int {
	if p.LastMinutes() && p.View.Can(wire.Extend) {
		return refreshSlow
	}
	return refreshEvery
}

// document writes the page around the widget. It is complete as it leaves the
// server: forms post, links go, and what waits refreshes itself.
type document struct {
	css, frame, wasm, loader string // addresses; all but css are empty if they were not built
	framed, fallback         string // addresses for frames; empty if they were not built
	// what framed holds: frame.js with the style sheet in it; empty as that
	inline string
	texts  textFiles
}

// newDocument returns a document that refers to the given assets.
func newDocument(a *web.Assets, texts textFiles) *document {
	d := &document{
		css: a.URL("checkout.css"), frame: a.URL("frame.js"), framed: a.URL("framed.js"),
		fallback: a.URL("fallback.js"),
		wasm:     a.URL("app.wasm"), loader: a.URL("wasm_exec.js"), texts: texts,
	}
	d.inline = a.Text("framed.js")
	return d
}

// pageBuffers is memory for pages on their way out.
var pageBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// write answers with the page; its policy is set already. The error says that
// nothing was written.
func (d *document) write(w http.ResponseWriter, r *http.Request, status int, p widget.Page) error {
	page := pageBuffers.Get().(*bytes.Buffer)
	defer pageBuffers.Put(page)
	page.Reset()
	if err := d.render(page, p); err != nil {
		return fmt.Errorf("rendering the page of %q: %w", p.View.Session, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	web.Send(w, r, status, page.Bytes())
	return nil
}

// render writes the document.
func (d *document) render(page *bytes.Buffer, p widget.Page) error {
	d.writeHead(page, p)
	page.WriteString("<body>\n")
	page.Write(node.Append(page.AvailableBuffer(), &screen.Checkout{Page: p}))
	return d.writeData(page, p)
}

// writeHead writes everything before the body.
func (d *document) writeHead(page *bytes.Buffer, p widget.Page) {
	put := func(parts ...string) {
		for i, part := range parts {
			if i%2 == 1 {
				part = html.EscapeString(part)
			}
			page.WriteString(part)
		}
	}
	here := p.Link("")
	attributes, script, style := d.scriptAndStyle(p)
	put("<!doctype html>\n<html lang=\"", p.Lang, "\" dir=\"", p.Dir, "\" class=\"theme-",
		themeClass(p.Theme), "\">\n<head>\n<meta charset=\"utf-8\">\n")
	put("<script"+attributes+" data-origin=\"", p.Origin, "\" data-embed=\"", p.Embed,
		"\" data-wasm=\"", d.wasm,
		"\" data-loader=\"", d.loader, "\" data-text=\"", d.texts.URL(p.Lang),
		"\" data-refresh=\"", here, "\">"+script+"</script>\n")
	put("<title>", p.Title(),
		"</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"+
			"<meta name=\"robots\" content=\"noindex\">\n")
	put("<meta name=\"color-scheme\" content=\"", colorScheme(p.Theme),
		"\">\n"+style+"<link rel=\"icon\" type=\"image/svg+xml\" href=\"", p.Icon(), "\">\n")
	if p.AutoRefreshes() {
		put("<noscript><meta http-equiv=\"refresh\" content=\"", strconv.Itoa(refreshSeconds(p)),
			"; url=",
			here, "\"></noscript>\n")
	}
	page.WriteString("</head>\n")
}

// writeData writes what the WebAssembly program starts from, but for what its file of
// sentences holds, and ends the page.
func (d *document) writeData(page *bytes.Buffer, p widget.Page) error {
	p.Text, p.Languages = nil, nil
	page.WriteString("\n<script type=\"application/json\" id=\"coinslot-page\">")
	// escapes <, > and &, so that no text ends the block
	if err := json.NewEncoder(page).Encode(p); err != nil {
		return fmt.Errorf("encoding the page's data: %w", err)
	}
	page.WriteString("</script>\n</body>\n</html>\n")
	return nil
}

// inlines reports whether a page has its script and its looks in it: that of an open
// order in a frame, which is where a shopper comes first. A file would be asked for
// when the page is there, and come a round trip later. Pages after it have the file.
func (d *document) inlines(p widget.Page) bool {
	return p.Embed != "" && p.View.Status == wire.Open && d.inline != ""
}

// scriptAndStyle returns attributes of the page's script, what is in it, and the markup of
// the page's looks. A frame is seen only once its script has run: it gets both in
// one. Nothing is laid out before the page is read and dressed: that cost a slow
// phone a tenth of a second, for nobody to see.
func (d *document) scriptAndStyle(p widget.Page) (attributes, script, style string) {
	attribute := func(name, value string) string {
		return " " + name + "=\"" + html.EscapeString(value) + "\""
	}
	style = "<link rel=\"stylesheet\"" + attribute("href", d.css) + ">\n"
	plain := "<noscript>" + style + "</noscript>\n"
	if d.inlines(p) {
		whole := "<link rel=\"expect\" href=\"#coinslot-page\" blocking=\"render\">\n"
		fallback := "<script type=\"module\" async" + attribute("src", d.fallback) + "></script>\n"
		return attribute("data-style", d.css) + attribute("data-framed", d.framed), d.inline,
			whole + fallback + plain
	}
	if p.Embed == "" || d.framed == "" {
		return attribute("src", d.frame), "", style
	}
	return " async blocking=\"render\"" + attribute("data-style", d.css) +
		attribute("src", d.framed), "", plain
}

func themeClass(name string) string {
	switch name {
	case "light", "dark":
		return name
	}
	return "auto"
}

// colorScheme tells the browser how to paint before the style sheet is there.
func colorScheme(name string) string {
	if name == "light" || name == "dark" {
		return name
	}
	return "light dark"
}
