package widget

import (
	"strings"

	"coinslot/app/widget/node"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Help tells whom to ask and with which reference. It is on every screen that a
// shopper may not be able to leave alone.
func Help(p Page) node.Node {
	lines := p.reference()
	if len(lines) == 0 && p.View.Support == "" {
		return node.Text("")
	}
	return el("section").Class("ask").Attr("aria-labelledby", "coinslot-ask").Body(
		el("h2").ID("coinslot-ask").Text(p.T("ask.title")),
		node.If(len(lines) > 0, func() node.Node {
			return &Reference{Lines: lines, Label: p.T("ask.text"),
				Text: CopyText{Button: p.T("ask.copy"), Copied: p.T("ask.copied"),
					Failed: p.T("copy.failed")}}
		}),
		supportLink(p),
	)
}

// reference is what names this payment to the shop and to whoever the shop asks,
// one name a line.
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

// supportLink leads to the people who answer. A frame must not navigate away, so
// there it opens a page of its own.
func supportLink(p Page) node.Node {
	return node.If(p.View.Support != "", func() node.Node {
		a := el("a").Class("button quiet").Attr("data-part", "support").Attr("href", p.supportURL()).
			Text(p.T("ask.link"))
		if p.Embed == "" {
			return a
		}
		return a.Attr("target", "_blank").Attr("rel", "noopener")
	})
}

// supportURL is the address of the people who answer; a letter to them starts with
// the order's reference as its subject.
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

// Reference shows what to quote, with a button that copies all of it.
type Reference struct {
	app.Compo

	Label string
	Lines []string
	Text  CopyText

	state copyState
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
			Attr("data-value", value).
			Attr("aria-labelledby", "coinslot-reference").Body(lines...),
		el("button").Attr("type", "button").Class("button copy needs-script").
			Attr("data-part", "copy-reference").Attr("data-copy", value).
			Attr("data-copied", r.Text.Copied).Attr("data-failed", r.Text.Failed).
			Text(r.buttonText()).On("click", r.copy, value),
	)
}

func (r *Reference) buttonText() string {
	switch r.state {
	case copyDone:
		return r.Text.Copied
	case copyFailed:
		return r.Text.Failed
	case copyIdle:
	}
	return r.Text.Button
}

// copy asks for the copying; the button tells the result for a while.
func (r *Reference) copy(ctx app.Context, _ app.Event) {
	ctx.NewActionWithValue(ActionCopy,
		CopyRequest{Part: "reference", Value: strings.Join(r.Lines, "\n"), Done: func(err error) {
			ctx.Dispatch(func(ctx app.Context) { r.showResult(ctx, err) })
		}})
}

func (r *Reference) showResult(ctx app.Context, err error) {
	r.state = copyDone
	wait := copiedFor
	if err != nil {
		r.state, wait = copyFailed, failedFor
	}
	ctx.NewActionWithValue(ActionAnnounce, r.buttonText())
	ctx.After(wait, func(app.Context) { r.state = copyIdle })
}

// NextSteps says what happens next, in the sentences of keys; an empty key is left out.
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
