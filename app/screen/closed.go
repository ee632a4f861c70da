package screen

import (
	"slices"
	"strings"

	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// closed is shown when there is nothing to choose from: the order is unknown, or the gateway cannot
// be reached. The notice above says why.
type closed struct {
	app.Compo

	Page widget.Page
}

// Draw draws title, reason and buttons, of which the first is the filled one.
func (s *closed) Draw() *node.Element {
	p := s.Page
	p.View.Session = s.sessionID()
	symbol := "stop"
	if s.isNotFound() {
		symbol = "ask"
	}
	return box("blocks",
		outcome(p, mark(symbol), s.title(),
			node.If(p.View.Notice != nil, func() node.Node {
				return reason(p, p.View.Notice.Message)
			}),
			node.If(!s.isNotFound() && !s.notChecked(), func() node.Node {
				return sentence(p, "closed.text")
			})),
		box("actions", s.buttons()...),
		widget.Ask(p, true),
	)
}

// buttons are "try again" where that can help or is the only way on, the way to the shop, and
// "back", which frame.js handles.
func (s *closed) buttons() []node.Node {
	p := s.Page
	again := s.isTransient() || p.Embed != "" && p.Embed != "modal"
	back := !again && p.Embed == ""
	isStuck := shopURL(p, p.View.CancelURL) == ""
	filled := func(is bool) string { return "button" + widget.TextIf(is, " primary") }
	return []node.Node{
		node.If(again, func() node.Node { return reloadButton(p, filled(true)) }),
		backToShop(p, p.View.CancelURL, filled(!again)),
		closeButton(p, filled(!again && isStuck)),
		node.If(back, func() node.Node {
			return node.El("button").Attr("type", "button").
				Class(filled(isStuck)+" needs-script").Attr("data-part", "back").
				Text(p.T("closed.back"))
		}),
		node.If(back && isStuck && p.View.Support == "", func() node.Node {
			return reloadButton(p, filled(false))
		}),
	}
}

func reloadButton(p widget.Page, class string) node.Node {
	return node.El("a").Class(class).Attr("data-part", "reload").Attr("href", p.Link("")).
		Text(p.T("closed.again"))
}

// title is the key of the heading.
func (s *closed) title() string {
	switch {
	case s.isNotFound():
		return "closed.news"
	case s.notChecked():
		return "choose.busy"
	}
	return "closed.title"
}

// notChecked reports whether the server could not look the order up. It may be paid, so the page
// does not say that nothing was charged.
func (s *closed) notChecked() bool {
	return s.Page.View.Session == "" && s.hasCode(wire.CodeRateLimited,
		wire.CodeStorageUnavailable, wire.CodeInternal)
}

// isNotFound reports whether there is no such payment, or nothing has failed. The shopper may have
// paid, so the page does not say that nothing was charged.
func (s *closed) isNotFound() bool {
	return s.hasCode("", wire.CodeSessionUnknown, wire.CodeNotFound, wire.CodeMethod)
}

// hasCode reports whether there is a notice with one of the codes.
func (s *closed) hasCode(codes ...wire.Code) bool {
	n := s.Page.View.Notice
	return n != nil && slices.Contains(codes, n.Code)
}

// sessionID returns the session id in the page's path, known or not, to be quoted; "" if there is
// none.
func (s *closed) sessionID() string {
	if id := s.Page.View.Session; id != "" {
		return id
	}
	if id, ok := strings.CutPrefix(s.Page.Base, "/checkout/cs_"); ok {
		return "cs_" + id
	}
	return ""
}

// isTransient reports whether another try can help.
func (s *closed) isTransient() bool {
	return s.Page.View.Notice == nil || s.hasCode(wire.CodeGatewayUnavailable,
		wire.CodeStorageUnavailable, wire.CodeRateLimited, wire.CodeInternal)
}
