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

// Draw draws title, text and buttons.
func (s *closed) Draw() *node.Element {
	p := s.Page
	p.View.Session = s.sessionID()
	return node.El("div").Class("outcome").Body(
		mark("ended"),
		widget.Heading(p.T(s.title())),
		node.If(!s.isNotFound() && !s.notChecked(), func() node.Node {
			return node.El("p").Text(p.T("closed.text"))
		}),
		node.El("div").Class("buttons").Body(append(s.mainButtons(),
			backToShop(p, p.View.CancelURL, s.shopLinkClass()),
			closeButton(p),
		)...),
		widget.Help(p),
	)
}

// mainButtons are "try again" where that can help or is the only way on, else "back", which
// frame.js handles.
func (s *closed) mainButtons() []node.Node {
	p := s.Page
	switch {
	case s.isTransient() || p.Embed != "" && p.Embed != "modal":
		return []node.Node{s.reloadLink("primary")}
	case p.Embed != "":
		return nil
	}
	class := "button needs-script" + widget.TextIf(p.View.CancelURL+p.Shop == "", " primary")
	return []node.Node{
		node.El("button").Attr("type", "button").Class(class).Attr("data-part", "back").
			Text(p.T("closed.back")),
		node.If(p.View.CancelURL+p.Shop+p.View.Support == "", func() node.Node {
			return s.reloadLink("quiet")
		}),
	}
}

// shopLinkClass makes the link to the shop the primary one where another try cannot help.
func (s *closed) shopLinkClass() string {
	if s.isTransient() {
		return "quiet"
	}
	return "primary"
}

func (s *closed) reloadLink(class string) node.Node {
	return node.El("a").Class("button "+class).Attr("data-part", "reload").
		Attr("href", s.Page.Link("")).Text(s.Page.T("closed.again"))
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
