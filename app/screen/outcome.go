package screen

import (
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// outcome is the head of a screen after paying: mark, title and sentences.
func outcome(p widget.Page, mark node.Node, title string, sentences ...node.Node) node.Node {
	return node.El("div").Class("outcome").Body(
		append([]node.Node{mark, widget.Heading(p.T(title))}, sentences...)...)
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
	switch screenOf(p) {
	case "closed", "review":
		return true
	case "expired":
		return p.View.Attempt == nil
	}
	return false
}

// blocks are the parts of a screen, one below the other.
func blocks(parts ...node.Node) *node.Element {
	return node.El("div").Class("blocks").Body(parts...)
}

// actions are buttons, of which one at most is filled.
func actions(buttons ...node.Node) node.Node {
	return node.El("div").Class("actions").Body(widget.WithSpaces(buttons...)...)
}

// links are the ways on that matter less than the buttons.
func links(list ...node.Node) node.Node {
	return node.El("div").Class("links").Body(widget.WithSpaces(list...)...)
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

func reloadLink(p widget.Page, class, text string) node.Node {
	return node.El("a").Class(class).Attr("data-part", "reload").Attr("href", p.Link("")).
		Text(p.T(text))
}

// till is the receipt that comes out of a slot: price, what was paid, and facts.
func till(p widget.Page, a wire.Attempt, facts ...node.Node) node.Node {
	paid := a.PaidAmount
	if paid == "" { // the gateway may leave it out if it is the requested one
		paid = a.PayableAmount
	}
	return node.El("div").Class("till").Body(
		node.El("div").Class("slot").Attr("aria-hidden", "true"),
		node.El("div").Class("printer").Body(node.El("div").Class("receipt").Body(
			node.El("p").Class("receipt-sum").Body(widget.WithSpaces(
				node.El("strong").Attr("dir", "auto").Text(p.Price(p.View.Order.AmountUSD)),
				node.If(paid != "", func() node.Node {
					return node.El("small").Body(
						node.El("span").Class("offscreen").Text(p.T("done.paid")+" "),
						widget.Sum("span", "paid", paid, a.CurrencySymbol),
					)
				}),
			)...),
			node.El("dl").Class("facts").Body(facts...),
		)),
	)
}
