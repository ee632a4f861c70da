package widget

import (
	"strings"

	"coinslot/app/widget/node"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Help shows whom to ask and which reference to quote. It is on every screen where a shopper may
// need the shop.
func Help(p Page) node.Node {
	lines := p.reference()
	if len(lines) == 0 && p.View.Support == "" {
		return node.Text("")
	}
	return el("section").Class("ask").Attr("aria-labelledby", "coinslot-ask").Body(
		el("h2").ID("coinslot-ask").Text(p.T("ask.title")),
		node.If(len(lines) > 0, func() node.Node { return NewReference(p, "ask.text", lines...) }),
		supportLink(p),
	)
}

// NewReference returns a Reference whose label has a key.
func NewReference(p Page, label string, lines ...string) *Reference {
	return &Reference{Lines: lines, Label: p.T(label), Text: CopyText{
		Button: p.T("ask.copy"), Copied: p.T("ask.copied"), Failed: p.T("copy.failed"),
	}}
}

// reference lists what identifies this payment to the shop and the gateway, one name a line.
func (p Page) reference() []string {
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
		add(a.TxID, p.T("tx.label")+" "+a.TxID)
	}
	return lines
}

// supportLink leads to the merchant's support.
func supportLink(p Page) node.Node {
	return node.If(p.View.Support != "", func() node.Node {
		return outLink(p, p.supportURL()).Class("button quiet").Attr("data-part", "support").
			Text(p.T("ask.link"))
	})
}

// supportURL is the merchant's support; an e-mail has the order's reference as its subject.
func (p Page) supportURL() string {
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

// Draw draws the sentence, the lines and the button.
func (r *Reference) Draw() *node.Element {
	value := strings.Join(r.Lines, "\n")
	lines := make([]node.Node, 0, len(r.Lines))
	for _, line := range r.Lines {
		lines = append(lines, el("li").Attr("dir", "auto").Text(line))
	}
	return el("div").Class("reference-box").Body(
		el("p").ID("coinslot-reference").Text(r.Label),
		el("ul").Class("reference").Attr("translate", "no").Attr("data-part", "reference").
			Attr("data-value", value).Attr("aria-labelledby", "coinslot-reference").Body(lines...),
		el("button").Attr("type", "button").Class("button copy needs-script").
			Attr("data-part", "copy-reference").Attr("data-copy", value).
			Attr("data-copied", r.Text.Copied).Attr("data-failed", r.Text.Failed).
			Text(r.button.text(r.Text, value)).
			On("click", func(ctx app.Context, _ app.Event) {
				r.button.copy(ctx, "reference", value, r.Text)
			}, value),
	)
}

// NextSteps says what happens next, in the texts of keys; an empty key is left out.
func NextSteps(p Page, keys ...string) node.Node {
	var sentences []node.Node
	for _, key := range keys {
		if key != "" {
			sentences = append(sentences, el("p").Text(p.T(key)))
		}
	}
	return node.If(len(sentences) > 0, func() node.Node {
		return el("section").Class("next").Attr("aria-labelledby", "coinslot-next").Body(
			append([]node.Node{el("h2").ID("coinslot-next").Text(p.T("next.title"))},
				sentences...)...)
	})
}
