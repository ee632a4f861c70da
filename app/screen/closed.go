package screen

import (
	"strings"

	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// closed is shown when there is nothing to choose from: the order is not known,
// or the gateway cannot be reached. Why is in the notice above.
type closed struct {
	app.Compo

	Page widget.Page
}

// Draw draws words and the ways on.
func (s *closed) Draw() *node.Element {
	p := s.Page
	p.View.Session = s.sessionID()
	return node.El("div").Class("outcome").Body(
		mark("ended"),
		widget.Heading(p.T(s.title())),
		node.If(!s.isNews() && !s.notChecked(), func() node.Node {
			return node.El("p").Text(p.T("closed.text"))
		}),
		node.El("div").Class("buttons").Body(append(s.mainButtons(),
			backToShop(p, p.View.CancelURL, s.shopLinkClass()),
			closeButton(p),
		)...),
		widget.Help(p),
	)
}

// mainButtons is another try where one can help, or nothing else leads on; else the
// way back, which frame.js goes.
func (s *closed) mainButtons() []node.Node {
	p := s.Page
	switch {
	case s.isTransient() || p.Embed != "" && p.Embed != "modal":
		return []node.Node{s.reloadLink("primary")}
	case p.Embed != "":
		return nil
	}
	class := "button needs-script"
	if p.View.CancelURL+p.Shop == "" {
		class += " primary"
	}
	return []node.Node{
		node.El("button").Attr("type", "button").Class(class).Attr("data-part", "back").
			Text(p.T("closed.back")),
		node.If(p.View.CancelURL+p.Shop+p.View.Support == "", func() node.Node {
			return s.reloadLink("quiet")
		}),
	}
}

// shopLinkClass makes the way to the shop the first one where no other try can help.
func (s *closed) shopLinkClass() string {
	if s.isTransient() {
		return "quiet"
	}
	return "primary"
}

func (s *closed) reloadLink(class string) node.Node {
	return node.El("a").Class("button "+class).Attr("data-part", "reload").
		Attr("href", s.Page.Link("")).
		Text(s.Page.T("closed.again"))
}

// title is that of a failure, unless the notice is only news, there is nothing
// that could be paid, or only this look at it came to nothing.
func (s *closed) title() string {
	switch {
	case s.isNews():
		return "closed.news"
	case s.notChecked():
		return "choose.busy"
	}
	return "closed.title"
}

// notChecked reports whether the order was not even looked at: it may be paid, and
// nothing is said of charges.
func (s *closed) notChecked() bool {
	n := s.Page.View.Notice
	return n != nil && s.Page.View.Session == "" &&
		(n.Code == wire.CodeRateLimited || n.Code == wire.CodeStorageUnavailable ||
			n.Code == wire.CodeInternal)
}

// isNews reports whether nothing has failed, or nothing is known of any payment:
// then nothing is said of charges, because one may well have been made.
func (s *closed) isNews() bool {
	n := s.Page.View.Notice
	if n == nil {
		return false
	}
	switch n.Code {
	case "", wire.CodeSessionUnknown, wire.CodeNotFound, wire.CodeMethod:
		return true
	}
	return false
}

// sessionID returns the session that the page's address names, known or not, so that
// it can be quoted; "" if it names none.
func (s *closed) sessionID() string {
	if id := s.Page.View.Session; id != "" {
		return id
	}
	if id, ok := strings.CutPrefix(s.Page.Base, "/checkout/cs_"); ok {
		return "cs_" + id
	}
	return ""
}

// isTransient reports whether another try can help: the order is known, and what
// is in its way is not itself.
func (s *closed) isTransient() bool {
	n := s.Page.View.Notice
	if n == nil {
		return true
	}
	switch n.Code {
	case wire.CodeGatewayUnavailable, wire.CodeStorageUnavailable, wire.CodeRateLimited,
		wire.CodeInternal:
		return true
	}
	return false
}
