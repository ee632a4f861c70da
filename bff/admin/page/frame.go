package page

import (
	"bytes"
	"html"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/widget"
)

// Section is one entry of the navigation.
type Section struct{ Path, Name string }

// Sections is the navigation, in its order.
func Sections() []Section {
	return []Section{
		{"/admin", "Overview"}, {"/admin/payments", "Payments"}, {"/admin/webhooks", "Webhooks"},
		{"/admin/transactions", "Gateway transactions"}, {"/admin/withdrawals", "Withdrawals"},
		{"/admin/reconciliation", "Reconciliation"}, {"/admin/origins", "Origins"}, {"/admin/audit", "Audit"},
	}
}

// Page is what a handler answers with.
type Page struct {
	Title string
	// Lead is a sentence under the title; empty = none.
	Lead string
	// Section is the path of the navigation's entry that the page belongs to.
	Section string
	// Back leads up to the list that the page is one of; the zero Back is none.
	Back Back
	// Tools are links and buttons beside the title.
	Tools []app.UI
	Body  []app.UI
	// Status of the answer; zero = 200.
	Status int
}

// Back is the way up.
type Back struct{ To, Label string }

// Frame is what surrounds a page.
type Frame struct {
	Page
	CSS string // address of the style sheet
	// Who is signed in; empty = nobody, and there is neither navigation nor a way out.
	Who string
	// Token is of the form that signs out; empty = one cannot, who is named by a proxy.
	Token  string
	Notice Notice
	// Alarms are shown beside entries of the navigation, by path; zero is not shown.
	Alarms map[string]int
	Test   bool // no real money moves
}

// Notice is one line above the page about what was just done; the zero Notice is none.
type Notice struct{ Kind, Text string } // Kind is "good", "warn" or "bad"

// Write writes the whole document.
func Write(out *bytes.Buffer, f Frame) {
	out.WriteString("<!doctype html>\n<html lang=\"en\" dir=\"ltr\">\n<head>\n<meta charset=\"utf-8\">\n<title>")
	out.WriteString(html.EscapeString(Harmless(f.Title)))
	out.WriteString(" – Coinslot console</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
		"<meta name=\"robots\" content=\"noindex, nofollow\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"stylesheet\" href=\"")
	out.WriteString(html.EscapeString(f.CSS))
	out.WriteString("\">\n<link rel=\"icon\" type=\"image/svg+xml\" href=\"/icons/tab.svg\">\n</head>\n<body>\n")
	if f.Who == "" {
		widget.WriteHTML(out, El("main").Class("door").ID("main").Body(append([]app.UI{El("p").Class("brand").Body(brand()...)}, f.main()...)...))
	} else {
		for _, part := range []app.UI{
			El("a").Class("skip").Attr("href", "#main").Text("Skip to the page"), f.top(), f.nav(),
			El("main").ID("main").Attr("tabindex", "-1").Body(f.main()...),
		} {
			widget.WriteHTML(out, part)
			out.WriteByte('\n')
		}
	}
	out.WriteString("\n</body>\n</html>\n")
}

// top is the line across the page: whose console it is, and who is signed in.
func (f Frame) top() app.UI {
	return El("header").Class("top").Body(
		El("a").Class("brand").Attr("href", "/admin").Body(brand()...),
		app.If(f.Test, func() app.UI { return Badge("warn", "Test: no real money") }),
		El("div").Class("who").Body(
			El("span").Class("who-name").Body(offscreen("Signed in as "), Foreign(f.Who)),
			app.If(f.Token != "", func() app.UI {
				return El("form").Attr("method", "post").Attr("action", "/admin/logout").Body(
					Hidden("token", f.Token), El("button").Class("quiet").Attr("type", "submit").DataSet("part", "logout").Text("Sign out"))
			}),
		),
	)
}

// brand is the name that the console goes by, with its sign.
func brand() []app.UI {
	return []app.UI{El("span").Class("slot").Aria("hidden", "true"), Text("Coinslot "), El("span").Class("brand-what").Text("console")}
}

func (f Frame) nav() app.UI {
	var list []app.UI
	for _, s := range Sections() {
		link := El("a").Attr("href", s.Path)
		if s.Path == f.Section {
			link = link.Aria("current", "page")
		}
		list = append(list, El("li").Body(link.Body(
			Text(s.Name),
			app.If(f.Alarms[s.Path] > 0, func() app.UI {
				return El("span").Class("alarm").Body(Text(" "+Count(f.Alarms[s.Path])), offscreen(" to look at"))
			}),
		)))
	}
	return El("nav").Class("sections").Aria("label", "Console").Body(El("ul").Body(list...), El("p").Class("zone").Text("All times are UTC."))
}

func (f Frame) main() []app.UI {
	head := El("div").Class("head").Body(
		El("div").Class("head-words").Body(
			app.If(f.Back.To != "", func() app.UI {
				return El("a").Class("back").Attr("href", f.Back.To).Body(El("span").Aria("hidden", "true").Text("← "), Text(f.Back.Label))
			}),
			El("h1").Body(Foreign(f.Title)),
			app.If(f.Lead != "", func() app.UI { return El("p").Class("lead").Text(f.Lead) }),
		),
		app.If(len(f.Tools) > 0, func() app.UI { return El("div").Class("tools").Body(f.Tools...) }),
	)
	list := []app.UI{}
	if f.Notice.Text != "" {
		list = append(list, El("p").Class("notice").DataSet("kind", f.Notice.Kind).DataSet("part", "notice").Attr("role", "status").Text(f.Notice.Text))
	}
	return append(append(list, head), f.Body...)
}
