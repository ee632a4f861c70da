package screen

import (
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// outcome is the head of a screen after paying: mark, title and sentences.
func outcome(p widget.Page, mark node.Node, title string, sentences ...node.Node) node.Node {
	return box("outcome", append([]node.Node{mark, widget.Heading(p.T(title))}, sentences...)...)
}

// mark is the symbol above an outcome's heading, drawn by CSS and hidden from screen readers.
func mark(kind string, inside ...node.Node) node.Node {
	return box("mark mark-"+kind, inside...).Attr("aria-hidden", "true")
}

func sentence(p widget.Page, key string) node.Node { return node.El("p").Text(p.T(key)) }

// reason is a sentence instead of the view's notice, whose code frame.js reports to the host page.
func reason(p widget.Page, text string) node.Node {
	if n := p.View.Notice; n != nil && n.Code != "" {
		return errorText(n.Code, text)
	}
	return node.El("p").Text(text)
}

// tellsNotice reports whether the screen of p has the view's notice as its sentence.
func tellsNotice(p widget.Page) bool {
	name := screenOf(p)
	return name == "closed" || name == "review" || name == "expired" && p.View.Attempt == nil
}

// box is one of the boxes of these screens: "blocks" one below the other, "actions" with at most
// one filled button, "links" that matter less, and "card".
func box(class string, parts ...node.Node) *node.Element {
	return node.El("div").Class(class).Body(widget.WithSpaces(parts...)...)
}

// shopURL is url, or outside of a frame the shop itself; empty if there is no way back.
func shopURL(p widget.Page, url string) string {
	if url == "" && p.Embed == "" {
		return p.Shop
	}
	return url
}

// backToShop is a link to shopURL.
func backToShop(p widget.Page, url, class string) node.Node {
	url = shopURL(p, url)
	return node.If(url != "", func() node.Node {
		return widget.ShopLink(p, class, "order.back", url)
	})
}

// canClose reports whether frame.js can close the checkout.
func canClose(p widget.Page) bool { return p.Embed == "modal" && p.Origin != "" }

func closeButton(p widget.Page, class string) node.Node {
	return node.If(canClose(p), func() node.Node {
		return node.El("button").Attr("type", "button").Class(class+" needs-script").
			Attr("data-part", "close").Text(p.T("close"))
	})
}

func networkFact(p widget.Page, a wire.Attempt) node.Node {
	return node.If(a.NetworkName != "", func() node.Node {
		return widget.Line(p, "done.network", node.El("dd").Attr("data-part", "network-name").
			Attr("data-value", a.NetworkName).Attr("translate", "no").Attr("dir", "auto").
			Text(widget.NetworkTitle(a.NetworkName, a.NetworkCode)))
	})
}

// till is the receipt that comes out of a slot: price, what was paid, and facts.
func till(p widget.Page, a wire.Attempt, facts ...node.Node) node.Node {
	paid := a.PaidAmount
	if paid == "" { // the gateway may leave it out if it is the requested one
		paid = a.PayableAmount
	}
	return box("till",
		box("slot").Attr("aria-hidden", "true"),
		box("printer", box("receipt",
			node.El("p").Class("receipt-sum").Body(widget.WithSpaces(
				node.El("strong").Attr("dir", "auto").Attr("translate", "no").
					Text(p.View.Order.Price),
				node.If(paid != "", func() node.Node {
					return node.El("small").Body(
						node.El("span").Class("offscreen").Text(p.T("done.paid")+" "),
						widget.Sum(p, "span", "paid", paid, a.Shown()),
					)
				}),
			)...),
			node.El("dl").Class("facts").Body(facts...),
		)),
	)
}
