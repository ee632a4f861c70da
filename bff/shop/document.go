package shop

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"slices"
	"strconv"

	"coinslot/app/screen"
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"
	"coinslot/bff/web"
)

// refreshEvery is how often a waiting page without scripts reloads, in seconds; refreshSlow is
// that while the shopper decides about more time.
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

// document writes the page around the widget, which works without scripts.
type document struct {
	// URLs of styles.
	css   string
	after string
	phone string
	print string
	// URLs of scripts and the program; empty if not built.
	frame    string
	framed   string // in frames: frame.js with the stylesheet
	fallback string // in frames
	wasm     string
	loader   string
	// inline is the content of framed; empty if not built.
	inline string
	texts  textFiles
	assets *web.Assets
}

func newDocument(a *web.Assets, texts textFiles) *document {
	return &document{
		css:      a.URL("checkout.css"),
		after:    a.URL("after.css"),
		phone:    a.URL("phone.css"),
		print:    a.URL("print.css"),
		frame:    a.URL("frame.js"),
		framed:   a.URL("framed.js"),
		fallback: a.URL("fallback.js"),
		wasm:     a.URL("app.wasm"),
		loader:   a.URL("wasm_exec.js"),
		inline:   a.Text("framed.js"),
		texts:    texts,
		assets:   a,
	}
}

// write answers with the page; the caller has set the policy. On an error nothing was written.
func (d *document) write(w http.ResponseWriter, r *http.Request, status int, p widget.Page) error {
	page, err := d.render(p)
	if err != nil {
		return fmt.Errorf("rendering the page of %q: %w", p.View.Session, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if d.inlines(p) {
		d.assets.SendInlining(w, r, status, page)
		return nil
	}
	web.Send(w, r, status, page)
	return nil
}

// render returns the page.
func (d *document) render(p widget.Page) ([]byte, error) {
	var page bytes.Buffer
	d.writeHead(&page, p)
	page.WriteString("<body data-refresh=\"" + html.EscapeString(p.Link("")) + "\">\n")
	page.WriteString(node.HTML(&screen.Checkout{Page: p}))
	err := d.writeData(&page, p)
	return page.Bytes(), err
}

func (d *document) writeHead(page *bytes.Buffer, p widget.Page) {
	// put writes markup and values in turn; it escapes the values.
	put := func(parts ...string) {
		for i, part := range parts {
			if i%2 == 1 {
				part = html.EscapeString(part)
			}
			page.WriteString(part)
		}
	}
	attributes, script, style := d.scriptAndStyle(p)
	theme := web.OneOf(p.Theme, "light", "dark") // how the browser paints before the styles

	put("<!doctype html>\n<html lang=\"", p.Lang, "\" dir=\"", p.Dir,
		"\" class=\"theme-", cmp.Or(theme, "auto"), "\">\n<head>\n<meta charset=\"utf-8\">\n")

	put("<script"+attributes+
		" data-origin=\"", p.Origin,
		"\" data-embed=\"", p.Embed,
		"\" data-wasm=\"", d.wasm,
		"\" data-loader=\"", d.loader,
		"\" data-text=\"", d.texts.URL(p.Lang), "\">")
	page.WriteString(script)
	page.WriteString("</script>\n")

	put("<title>", p.Title(), "</title>\n")
	put("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
		"<meta name=\"robots\" content=\"noindex\">\n")
	put("<meta name=\"color-scheme\" content=\"", cmp.Or(theme, "light dark"), "\">\n")
	page.WriteString(style + d.lateStyle(p))
	put("<link rel=\"icon\" type=\"image/svg+xml\" href=\"", p.Icon(), "\">\n")
	if p.AutoRefreshes() {
		put("<noscript><meta http-equiv=\"refresh\" content=\"", strconv.Itoa(refreshSeconds(p)),
			"; url=", p.Link(""), "\"></noscript>\n")
	}
	page.WriteString("</head>\n")
}

// writeData writes the initial data of the WebAssembly program, without what its text file has,
// and ends the page.
func (d *document) writeData(page *bytes.Buffer, p widget.Page) error {
	p.Text = nil
	p.Languages = nil
	if p.View.Status == wire.Pending && !p.Changing { // the feed brings the other coins
		p.View.Currencies = onlyCoin(p.View.Currencies, p.View.LatestAttempt().CurrencySymbol)
	}
	if p.View.Attempt != nil && !p.LeadsToWallets() { // and links, where the page is small after all
		attempt := *p.View.Attempt
		attempt.Wallets = nil
		p.View.Attempt = &attempt
	}

	page.WriteString("\n<script type=\"application/json\" id=\"coinslot-page\">")
	// escapes <, > and &, so that no text ends the block
	if err := json.NewEncoder(page).Encode(dataOf(p)); err != nil {
		return fmt.Errorf("encoding the page's data: %w", err)
	}
	page.WriteString("</script>\n")
	if d.inlines(p) { // last: it is rarely needed
		page.WriteString("<script id=\"coinslot-end\" type=\"module\" async src=\"" + d.fallback +
			"\"></script>\n")
	}
	page.WriteString("</body>\n</html>\n")
	return nil
}

// onlyCoin returns the coin of a symbol out of a list, which it leaves as it is.
func onlyCoin(list []wire.Currency, symbol string) []wire.Currency {
	return slices.DeleteFunc(slices.Clone(list), func(c wire.Currency) bool {
		return c.Symbol != symbol
	})
}

// inlines reports whether a page has its script and styles inline: that of an open order in a
// frame, which a shopper sees first. Files would cost another round trip; later pages use them.
func (d *document) inlines(p widget.Page) bool {
	return p.Embed != "" && p.View.Status == wire.Open && d.inline != ""
}

// scriptAndStyle returns the attributes and the content of the page's script, and the markup of
// its styles. A frame is shown only after its script has run, so both come in one file, and layout
// waits for them: earlier layouts cost a slow phone 0.1 s.
func (d *document) scriptAndStyle(p widget.Page) (attributes, script, style string) {
	attribute := func(name, value string) string {
		return " " + name + "=\"" + html.EscapeString(value) + "\""
	}
	style = "<link rel=\"stylesheet\"" + attribute("href", d.css) + ">\n"
	plain := "<noscript>" + style + "</noscript>\n"
	switch {
	case d.inlines(p):
		attributes = attribute("data-style", d.css) + attribute("data-framed", d.framed)
		// Painting waits for the last element: a browser lays the fields out for autofill when the
		// document ends, and would do so once more.
		whole := "<link rel=\"expect\" href=\"#coinslot-end\" blocking=\"render\">\n"
		keep := "<link rel=\"compression-dictionary\"" + attribute("data-href", d.framed) + ">\n"
		return attributes, d.inline, whole + plain + keep
	case p.Embed == "" || d.framed == "":
		return attribute("src", d.frame), "", style
	}
	attributes = attribute("data-style", d.css) + attribute("src", d.framed)
	return " async blocking=\"render\"" + attributes, "", plain
}

// lateStyle links the styles that an order's first pages do not need. There the frame's script
// loads them when the program starts.
func (d *document) lateStyle(p widget.Page) string {
	link := func(attributes, href string) string {
		return "<link rel=\"stylesheet\"" + attributes + "href=\"" +
			html.EscapeString(href) + "\">\n"
	}
	switch {
	case p.Receipt:
		return link(" ", d.after) + link(" media=\"print\" ", d.print)
	case screen.IsFirst(p) && p.LeadsToWallets():
		return link(" ", d.phone) + link(" id=\"after\" data-", d.after)
	case screen.IsFirst(p):
		return link(" id=\"after\" data-", d.after)
	}
	return link(" ", d.after)
}

// pageData is what the program gets of a page: all but what it does not read of the order, because a
// shopper waits for each byte.
type pageData struct {
	widget.Page
	View viewData
}

type viewData struct {
	wire.View
	Order orderData `json:"order"`
}

type orderData struct {
	Ref         string `json:"ref,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	ShopName    string `json:"shop_name,omitempty"`
	Amount      string `json:"amount,omitempty"` // set if the shopper can change it
	AmountUSD   string `json:"amount_usd"`
	Price       string `json:"price"`
	Charge      string `json:"charge,omitempty"`
}

func dataOf(p widget.Page) pageData {
	order := p.View.Order
	data := orderData{
		Ref:         order.Ref,
		Title:       order.Title,
		Description: order.Description,
		ShopName:    order.ShopName,
		AmountUSD:   order.AmountUSD,
		Price:       order.Price,
		Charge:      order.Charge,
	}
	if p.Offer != nil {
		data.Amount = order.Amount
	}
	return pageData{Page: p, View: viewData{View: p.View, Order: data}}
}
