package widget

import "coinslot/app/widget/node"

// device takes the payment to another device: the page's address as a QR code
// and as text. Both pages follow the payment.
func device(p Page) node.Node {
	return node.If(p.URL != "" && p.View.Session != "", func() node.Node {
		return opened("device", p.Opened == "device").Attr("data-part", "device").Body(
			el("summary").Text(p.say("pay.device")),
			el("p").Text(p.say("pay.device.why")),
			still(p, "device", p.say("pay.device")),
			el("div").Class("qr-box").Body(
				void("img").Class("qr").Attr("src", p.QR("page")).Attr("loading", "lazy").
					Attr("width", "160").Attr("height", "160").Attr("alt", p.say("pay.device.qr")),
			),
			&copyable{Part: "page-link", Copy: "copy-link", Value: p.URL,
				Label: p.say("pay.device.link"),
				Text: copyText{Button: p.say("copy.link"), Copied: p.say("copy.link.done"),
					Failed: p.say("copy.failed")}},
		)
	})
}
