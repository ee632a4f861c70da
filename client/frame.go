package client

import (
	"net/url"
	"strings"
)

// Frame is what the frame of an inline checkout shows, and how. Its fields are named as the
// attributes of <coinslot-checkout>: give the element around the frame the same values.
type Frame struct {
	Session string // the id of a session; the next four are for orders without one
	Order   string // an order token
	Item    string // of the catalog
	// Amount and Quantity are choices for the item; empty = the checkout asks.
	Amount   string
	Quantity string
	// Origin is your page's own, "https://shop.example"; empty = the server takes the one that the
	// browser sends, and a Referrer-Policy of your page may keep it from that.
	Origin string
	Lang   string // BCP 47 tag; empty = the language of the shopper's browser
	Theme  string // "auto", "light" or "dark"; empty = auto
}

// CheckoutFrame returns the address of a checkout's frame, for the src of the <iframe> inside the
// element (docs/embed.md). server is the COINSLOT_PUBLIC_URL. Nothing is sent and nothing is
// validated: the frame says what is wrong. Escape the address as html/template does.
func CheckoutFrame(server string, f Frame) string {
	address := strings.TrimRight(server, "/") + "/checkout"
	if f.Session != "" {
		address += "/" + url.PathEscape(f.Session)
		f.Order, f.Item, f.Amount, f.Quantity = "", "", "", ""
	}

	// checkout.js compares the beginning, so what is sold comes first, in this order.
	separator := "?"
	for _, parameter := range []struct{ name, value string }{
		{"order", f.Order},
		{"item", f.Item},
		{"amount", f.Amount},
		{"quantity", f.Quantity},
		{"embed", "inline"},
		{"origin", f.Origin},
		{"lang", f.Lang},
		{"theme", f.Theme},
	} {
		if parameter.value == "" {
			continue
		}
		address += separator + parameter.name + "=" + url.QueryEscape(parameter.value)
		separator = "&"
	}

	return address
}
