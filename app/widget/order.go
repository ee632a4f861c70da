package widget

import (
	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// HeadingID is the id of the screen's heading, which gets the focus when the screen changes.
const HeadingID = "coinslot-heading"

// OrderHead shows what is being paid for and its price.
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
		el("div").Class("order-what").Body(
			el("p").Class("order-title").Text(title),
			node.If(order.Description != "", func() node.Node {
				return el("p").Class("order-description").Text(order.Description)
			}),
		),
		el("p").Class("order-price").Body(
			el("span").Attr("data-part", "amount-usd").Attr("data-value", order.AmountUSD).
				Text(p.Price(order.AmountUSD)),
		),
		node.If(p.View.Test, func() node.Node {
			return el("p").Class("order-test").Text(p.T("order.test"))
		}),
	)
}

// OrderFoot shows the order's reference, the way back to the shop, and the languages.
func OrderFoot(p Page) node.Node {
	return el("footer").Class("foot").Body(WithSpaces(
		node.If(p.View.Order.Ref != "", func() node.Node {
			return el("span").Class("foot-ref").Text(p.T("order.ref", "ref", p.View.Order.Ref))
		}),
		node.If(p.View.CancelURL != "" && needsShopLink(p.View.Status), func() node.Node {
			return ShopLink(p, "foot-back", "order.back", p.View.CancelURL)
		}),
		languageMenu(p),
	)...)
}

// needsShopLink reports whether the screens of a status have no button back to the shop. An unknown
// status may mean that the order is paid, so CancelURL is not offered.
func needsShopLink(s wire.Status) bool { return s.Known() && s.Outcome() == wire.Payable }

// Heading is the screen's name.
func Heading(text string) node.Node {
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
