package widget

import "github.com/maxence-charriere/go-app/v10/pkg/app"

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
		el("p").Text(p.say("closed.text")),
		el("div").Class("buttons").Body(
			el("a").Class("button primary").DataSet("part", "reload").Attr("href", p.Link("")).Text(p.say("closed.again")),
		),
	)
}

// title is that of a failure, unless the notice is only news.
func (s *closed) title() string {
	if n := s.Page.View.Notice; n != nil && n.Code == "" {
		return "closed.news"
	}
	return "closed.title"
}
