package page

import (
	"bytes"
	"html"

	"coinslot/app/widget/node"
)

// Section is one entry of the navigation.
type Section struct{ Path, Name string }

// Sections is the navigation, in its order.
func Sections() []Section {
	return []Section{
		{"/admin", "Overview"}, {"/admin/payments", "Payments"}, {"/admin/webhooks", "Webhooks"},
		{"/admin/transactions", "Gateway transactions"}, {"/admin/withdrawals", "Withdrawals"},
		{"/admin/reconciliation", "Reconciliation"}, {"/admin/origins", "Origins"},
		{"/admin/audit", "Audit"},
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
	Tools []node.Node
	Body  []node.Node
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
	out.WriteString(
		"<!doctype html>\n<html lang=\"en\" dir=\"ltr\">\n<head>\n<meta " +
			"charset=\"utf-8\">\n<title>",
	)
	out.WriteString(html.EscapeString(Harmless(f.Title)))
	out.WriteString(" – Coinslot console</title>\n<meta name=\"viewport\" " +
		"content=\"width=device-width, initial-scale=1\">\n" +
		"<meta name=\"robots\" content=\"noindex, nofollow\">\n<meta name=\"color-scheme\" " +
		"content=\"light dark\">\n<link rel=\"stylesheet\" href=\"")
	out.WriteString(html.EscapeString(f.CSS))
	out.WriteString(
		"\">\n<link rel=\"icon\" type=\"image/svg+xml\" " +
			"href=\"/icons/tab.svg\">\n</head>\n<body>\n",
	)
	if f.Who == "" {
		out.Write(
			node.Append(
				out.AvailableBuffer(),
				El("main").Class("door").ID("main").Body(
					append([]node.Node{El("p").Class("brand").Body(brand()...)}, f.main()...)...,
				),
			),
		)
	} else {
		for _, part := range []node.Node{
			El("a").Class("skip").Attr("href", "#main").Text("Skip to the page"), f.top(), f.nav(),
			El("main").ID("main").Attr("tabindex", "-1").Body(f.main()...),
		} {
			out.Write(node.Append(out.AvailableBuffer(), part))
			out.WriteByte('\n')
		}
	}
	out.WriteString("\n</body>\n</html>\n")
}

// top is the line across the page: whose console it is, and who is signed in.
func (f Frame) top() node.Node {
	return El("header").Class("top").Body(
		El("a").Class("brand").Attr("href", "/admin").Body(brand()...),
		node.If(f.Test, func() node.Node { return Badge("warn", "Test: no real money") }),
		El("div").Class("who").Body(
			El("span").Class("who-name").Body(offscreen("Signed in as "), Foreign(f.Who)),
			node.If(f.Token != "", func() node.Node {
				return El("form").Attr("method", "post").Attr("action", "/admin/logout").Body(
					Hidden("token", f.Token),
					El("button").Class("quiet").Attr("type", "submit").Attr("data-part", "logout").
						Text("Sign out"))
			}),
		),
	)
}

// brand is the name that the console goes by, with its sign.
func brand() []node.Node {
	return []node.Node{
		El("span").Class("slot").Attr("aria-hidden", "true"), Text("Coinslot "),
		El("span").Class("brand-what").Text("console"),
	}
}

func (f Frame) nav() node.Node {
	var list []node.Node
	for _, s := range Sections() {
		link := El("a").Attr("href", s.Path)
		if s.Path == f.Section {
			link = link.Attr("aria-current", "page")
		}
		list = append(list, El("li").Body(link.Body(
			Text(s.Name),
			node.If(f.Alarms[s.Path] > 0, func() node.Node {
				return El("span").Class("alarm").Body(
					Text(" "+Count(f.Alarms[s.Path])), offscreen(" to look at"),
				)
			}),
		)))
	}
	return El("nav").Class("sections").Attr("aria-label", "Console").Body(
		El("ul").Body(list...), El("p").Class("zone").Text("All times are UTC."),
	)
}

func (f Frame) main() []node.Node {
	head := El("div").Class("head").Body(
		El("div").Class("head-words").Body(
			node.If(f.Back.To != "", func() node.Node {
				return El("a").Class("back").Attr("href", f.Back.To).Body(
					El("span").Attr("aria-hidden", "true").Text("← "), Text(f.Back.Label),
				)
			}),
			El("h1").Body(Foreign(f.Title)),
			node.If(f.Lead != "", func() node.Node { return El("p").Class("lead").Text(f.Lead) }),
		),
		node.If(
			len(f.Tools) > 0, func() node.Node { return El("div").Class("tools").Body(f.Tools...) },
		),
	)
	list := []node.Node{}
	if f.Notice.Text != "" {
		list = append(
			list,
			El("p").Class("notice").Attr("data-kind", f.Notice.Kind).Attr("data-part", "notice").
				Attr("role", "status").Text(f.Notice.Text),
		)
	}
	return append(append(list, head), f.Body...)
}
