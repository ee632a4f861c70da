package widget

import "coinslot/app/widget/node"

// Device shows the page's URL as a QR code and as text, to continue on another device.
func Device(p Page) node.Node {
	return node.If(p.URL != "" && p.View.Session != "", func() node.Node {
		return Details("device", p.Opened == "device").Attr("data-part", "device").Body(
			el("summary").Text(p.T("pay.device")),
			el("p").Text(p.T("pay.device.why")),
			NoScriptLink(p, "device", p.T("pay.device")),
			void("img").Class("qr").Attr("src", p.QR("page")).Attr("loading", "lazy").
				Attr("width", "160").Attr("height", "160").Attr("alt", p.T("pay.device.qr")),
			&Copyable{Part: "page-link", Copy: "copy-link", Value: p.URL,
				Label: p.T("pay.device.link"),
				Text: CopyText{Button: p.T("copy.button"), Name: p.T("copy.link"),
					Copied: p.T("copy.done"), Said: p.T("copy.link.done"),
					Failed: p.T("copy.failed")}},
		)
	})
}
