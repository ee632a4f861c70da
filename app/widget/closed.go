package widget

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/wire"
)

// closed is shown when there is nothing to choose from: the order is not known,
// or the gateway cannot be reached. Why is in the notice above.
type closed struct {
	app.Compo

	Page Page
}

// Render draws words and the ways on.
func (s *closed) Render() app.UI {
	p := s.Page
	return el("div").Class("outcome").Body(
		mark("ended"),
		heading(p.say(s.title())),
		app.If(!s.news(), func() app.UI { return el("p").Text(p.say("closed.text")) }),
		el("div").Class("buttons").Body(
			s.onward(),
			closing(p),
		),
	)
}

// onward is another try where one can help, else the way back; frame.js goes it.
func (s *closed) onward() app.UI {
	p := s.Page
	if s.passing() {
		return el("a").Class("button primary").DataSet("part", "reload").Attr("href", p.Link("")).Text(p.say("closed.again"))
	}
	return app.If(p.Embed == "", func() app.UI {
		return el("button").Attr("type", "button").Class("button primary").DataSet("part", "back").Text(p.say("closed.back"))
	})
}

// title is that of a failure, unless the notice is only news.
func (s *closed) title() string {
	if s.news() {
		return "closed.news"
	}
	return "closed.title"
}

// news reports whether nothing has failed: then nothing is said of charges,
// because a payment may well have been made.
func (s *closed) news() bool {
	n := s.Page.View.Notice
	return n != nil && n.Code == ""
}

// passing reports whether another try can help: the order is known, and what
// is in its way is not itself.
func (s *closed) passing() bool {
	n := s.Page.View.Notice
	if n == nil {
		return true
	}
	switch n.Code {
	case wire.CodeGatewayUnavailable, wire.CodeStorageUnavailable, wire.CodeRateLimited, wire.CodeInternal:
		return true
	}
	return false
}
