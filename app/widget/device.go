package widget

import "coinslot/app/widget/node"

// Device takes the payment to another device: the page's address as a QR code
// and as text. Both pages follow the payment.
func Device(p Page) node.Node {
	return node.If(p.URL != "" && p.View.Session != "", func() node.Node {
		return Opened("device", p.Opened == "device").Attr("data-part", "device").Body(
			el("summary").Text(p.Say("pay.device")),
			el("p").Text(p.Say("pay.device.why")),
			still(p, "device", p.Say("pay.device")),
			el("div").Class("qr-box").Body(
				void("img").Class("qr").Attr("src", p.QR("page")).Attr("loading", "lazy").
					Attr("width", "160").Attr("height", "160").Attr("alt", p.Say("pay.device.qr")),
			),
			&Copyable{Part: "page-link", Copy: "copy-link", Value: p.URL,
				Label: p.Say("pay.device.link"),
				Text: CopyText{Button: p.Say("copy.link"), Copied: p.Say("copy.link.done"),
					Failed: p.Say("copy.failed")}},
		)
	})
}
