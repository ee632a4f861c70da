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
	p.View.Session = s.named()
	return node.El("div").Class("outcome").Body(
		mark("ended"),
		widget.Heading(p.Say(s.title())),
		node.If(!s.news() && !s.unseen(), func() node.Node {
			return node.El("p").Text(p.Say("closed.text"))
		}),
		node.El("div").Class("buttons").Body(append(s.onward(),
			backToShop(p, p.View.CancelURL, s.backClass()),
			closing(p),
		)...),
		widget.Ask(p),
	)
}

// onward is another try where one can help, or nothing else leads on; else the
// way back, which frame.js goes.
func (s *closed) onward() []node.Node {
	p := s.Page
	switch {
	case s.passing() || p.Embed != "" && p.Embed != "modal":
		return []node.Node{s.again("primary")}
	case p.Embed != "":
		return nil
	}
	class := "button needs-script"
	if p.View.CancelURL+p.Shop == "" {
		class += " primary"
	}
	return []node.Node{
		node.El("button").Attr("type", "button").Class(class).Attr("data-part", "back").
			Text(p.Say("closed.back")),
		node.If(p.View.CancelURL+p.Shop+p.View.Support == "", func() node.Node {
			return s.again("quiet")
		}),
	}
}

// backClass makes the way to the shop the first one where no other try can help.
func (s *closed) backClass() string {
	if s.passing() {
		return "quiet"
	}
	return "primary"
}

func (s *closed) again(class string) node.Node {
	return node.El("a").Class("button "+class).Attr("data-part", "reload").
		Attr("href", s.Page.Link("")).
		Text(s.Page.Say("closed.again"))
}

// title is that of a failure, unless the notice is only news, there is nothing
// that could be paid, or only this look at it came to nothing.
func (s *closed) title() string {
	switch {
	case s.news():
		return "closed.news"
	case s.unseen():
		return "choose.busy"
	}
	return "closed.title"
}

// unseen reports whether the order was not even looked at: it may be paid, and
// nothing is said of charges.
func (s *closed) unseen() bool {
	n := s.Page.View.Notice
	return n != nil && s.Page.View.Session == "" &&
		(n.Code == wire.CodeRateLimited || n.Code == wire.CodeStorageUnavailable ||
			n.Code == wire.CodeInternal)
}

// news reports whether nothing has failed, or nothing is known of any payment:
// then nothing is said of charges, because one may well have been made.
func (s *closed) news() bool {
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

// named returns the session that the page's address names, known or not, so that
// it can be quoted; "" if it names none.
func (s *closed) named() string {
	if id := s.Page.View.Session; id != "" {
		return id
	}
	if id, ok := strings.CutPrefix(s.Page.Base, "/checkout/cs_"); ok {
		return "cs_" + id
	}
	return ""
}

// passing reports whether another try can help: the order is known, and what
// is in its way is not itself.
func (s *closed) passing() bool {
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
