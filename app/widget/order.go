package widget

import (
	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// HeadingID is the id of the one heading that names the screen; it gets the
// keyboard when the screen changes.
const HeadingID = "coinslot-heading"

// OrderHead shows what is being paid for and its price.
func OrderHead(p Page) node.Node {
	order := p.View.Order
	if order.AmountUSD == "" {
		return node.Text("") // a page about an order that is not known
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

// OrderFoot tells what to quote when asking for help, and lets an embedded
// checkout be closed.
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

// needsShopLink reports whether the screens of a status have no button of their own that
// leads back to the shop. One that is not known may be paid: CancelURL is not for it.
func needsShopLink(s wire.Status) bool { return s.Known() && s.Outcome() == wire.Payable }

// Heading is the screen's name.
func Heading(text string) node.Node {
	return el("h1").ID(HeadingID).Attr("tabindex", "-1").Text(text)
}

// ShopLink is a link back to the shop. A frame must not show the shop inside the
// shop, so there it opens a page of its own.
func ShopLink(p Page, class, text, url string) node.Node {
	a := el("a").Class(class).Attr("href", url).Text(p.T(text))
	if p.Embed == "" {
		return a
	}
	return a.Attr("target", "_blank").Attr("rel", "noopener")
}
