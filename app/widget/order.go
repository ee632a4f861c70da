package widget

import (
	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// HeadingID is the id of the screen's heading, which gets the focus when the screen changes.
const HeadingID = "coinslot-heading"

// OrderHead shows whom and what is being paid for, and its price.
func OrderHead(p Page) node.Node {
	order := p.View.Order
	if order.AmountUSD == "" {
		return node.Text("") // the order is unknown
	}
	title := order.Title
	if title == "" {
		title = p.T("order.untitled")
	}
	return el("header").Class("order").Body(
		node.If(p.Logo != "", func() node.Node {
			return el("img").Class("order-logo").Attr("src", p.Logo).Attr("alt", "")
		}),
		node.If(p.ShopName() != "", func() node.Node {
			return el("p").Class("order-shop").Text(p.T("order.pay", "shop", p.ShopName()))
		}),
		el("p").Class("order-price").Attr("dir", "auto").Attr("translate", "no").
			Attr("data-part", "amount-usd").Attr("data-value", order.AmountUSD).
			Text(order.Price),
		el("p").Class("order-title").Text(title),
		node.If(order.Description != "", func() node.Node {
			return el("p").Class("order-about order-description").Text(order.Description)
		}),
		node.If(order.Ref != "" || order.Charge != "" || p.View.Test, func() node.Node {
			return el("p").Class("order-about").Body(WithSpaces(
				node.If(p.View.Test, func() node.Node {
					return el("span").Class("pill warn").Attr("title", p.T("order.test.why")).
						Text(p.T("order.test"))
				}),
				node.If(order.Ref != "", func() node.Node {
					return el("span").Text(p.T("order.ref", "ref", order.Ref))
				}),
				node.If(order.Charge != "", func() node.Node {
					return el("span").Class("order-charge").Text(order.Charge)
				}),
			)...)
		}),
	)
}

// Steps shows how far the order is: choose, send, confirm. An ended payment stays where it ended.
func Steps(p Page) node.Node {
	v := p.View
	current := 1
	switch {
	case v.Order.AmountUSD == "":
		return node.Text("") // the order is unknown
	case v.Status.Outcome() == wire.Paid:
		current = 3
	case v.Status == wire.Review, Arrived(v):
		current = 2
	case v.Status == wire.Open, v.Attempt == nil && v.Status.Final():
		current = 0
	}
	list := make([]node.Node, 0, 3)
	for i, key := range []string{"steps.choose", "steps.send", "steps.confirm"} {
		li := el("li").Class(TextIf(i < current, "done")).Body(el("span").Text(p.T(key)))
		if i == current {
			li.Attr("aria-current", "step")
		}
		list = append(list, li)
	}
	return el("ol").Class("steps").Attr("data-part", "steps").
		Attr("aria-label", p.T("steps.label")).Body(list...)
}

// OrderFoot shows the shop's help, the way back to the shop, and the languages.
func OrderFoot(p Page) node.Node {
	return el("footer").Class("foot").Body(WithSpaces(
		node.If(p.View.Support != "", func() node.Node {
			return outLink(p, p.supportURL()).Class("link").Attr("data-part", "help").
				Text(p.T("foot.help"))
		}),
		node.If(p.View.CancelURL != "" && needsShopLink(p.View), func() node.Node {
			return ShopLink(p, "link", "order.back", p.View.CancelURL)
		}),
		languageMenu(p),
	)...)
}

// needsShopLink reports whether the screen of a view has no button back to the shop. If all has
// arrived or the status is unknown, the order may be paid, so CancelURL is not offered.
func needsShopLink(v wire.View) bool {
	return v.Status.Known() && v.Status.Outcome() == wire.Payable && !Arrived(v)
}

// Heading is the screen's name.
func Heading(text string) *node.Element {
	return el("h1").ID(HeadingID).Attr("tabindex", "-1").Text(text)
}

// ShopLink is a link back to the shop.
func ShopLink(p Page, class, text, url string) node.Node {
	return outLink(p, url).Class(class).Text(p.T(text))
}

// outLink leads out of the checkout. A frame must not navigate away, so it opens a tab there.
func outLink(p Page, url string) *node.Element {
	a := el("a").Attr("href", url)
	if p.Embed == "" {
		return a
	}
	return a.Attr("target", "_blank").Attr("rel", "noopener")
}
