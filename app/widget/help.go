package widget

import (
	"strings"

	"coinslot/app/widget/node"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Ask shows which reference to quote, and if wanted the link to the merchant's support. It is on
// every screen where a shopper may need the shop.
func Ask(p Page, contact bool) node.Node {
	lines := p.reference()
	label := "ask.text"
	if p.View.LatestAttempt().OverpaidAmount != "" {
		label = "over.next"
	}
	link := node.If(contact, func() node.Node { return SupportLink(p, "button") })
	if len(lines) == 0 {
		return link
	}
	return el("section").Class("card ask").Attr("aria-label", p.T("ask.title")).
		Body(&Reference{Lines: lines, Label: p.T(label), Text: CopyText{
			Button: p.T("copy.button"), Name: p.T("ask.copy"), Copied: p.T("copy.done"),
			Said: p.T("ask.copied"), Failed: p.T("copy.failed"),
		}}, link)
}

// reference lists what identifies this payment to the shop and the gateway, one name a line.
func (p *Page) reference() []string {
	var lines []string
	add := func(value, line string) {
		if value != "" {
			lines = append(lines, line)
		}
	}
	v := p.View
	add(v.Order.Ref, p.T("order.ref", "ref", v.Order.Ref))
	add(v.Session, v.Session)
	if a := v.Attempt; a != nil {
		add(a.TrackingCode, p.T("ask.payment")+" "+a.TrackingCode)
		for _, tx := range transactions(*a) {
			add(tx.TxID, p.T("tx.label")+" "+tx.TxID)
		}
	}
	return lines
}

// SupportLink leads to the merchant's support.
func SupportLink(p Page, class string) node.Node {
	return node.If(p.View.Support != "", func() node.Node {
		return outLink(p, p.supportURL()).Class(class).Attr("data-part", "support").
			Text(p.T("ask.link"))
	})
}

// supportURL is the merchant's support; an e-mail has the order's reference as its subject.
func (p *Page) supportURL() string {
	subject := p.View.Order.Ref
	if subject == "" {
		subject = p.View.Session
	}
	if subject == "" || !strings.HasPrefix(p.View.Support, "mailto:") {
		return p.View.Support
	}
	// RFC 6068
	return p.View.Support + "?subject=" + strings.ReplaceAll(queryEscape(subject), "+", "%20")
}

// Reference shows what to quote, one name a line, with a button that copies all of it.
type Reference struct {
	app.Compo

	Label string
	Lines []string
	Text  CopyText

	button copyButton
}

// Draw draws the sentence, the button and the lines.
func (r *Reference) Draw() *node.Element {
	value := strings.Join(r.Lines, "\n")
	lines := make([]node.Node, 0, len(r.Lines))
	for _, line := range r.Lines {
		lines = append(lines, el("li").Attr("dir", "auto").Text(line))
	}
	return el("div").Class("reference-box").Body(WithSpaces(
		el("p").Class("label").ID("coinslot-reference").Text(r.Label),
		r.button.draw("copy-reference", "reference", value, r.Text).
			Text(r.button.text(r.Text, value)),
		el("ul").Class("reference").Attr("translate", "no").Attr("data-part", "reference").
			Attr("data-value", value).Attr("aria-labelledby", "coinslot-reference").Body(lines...),
	)...)
}
