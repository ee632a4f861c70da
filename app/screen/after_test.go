package screen

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/app/screen/screentest"
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"
	"coinslot/bff/fortest"
)

// named returns the sample of the gallery of that name, in English.
func named(t *testing.T, name string) widget.Page {
	t.Helper()
	list := screentest.Gallery()
	i := slices.IndexFunc(list, func(s screentest.Sample) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("the gallery has no %q", name)
	}
	return screentest.Localize(list[i].Page, "en", english(t))
}

func page(p widget.Page) string { return node.HTML(&Checkout{Page: p}) }

var (
	someForm = regexp.MustCompile(`<form[^>]* action="/checkout[^"]*"`)
	someLink = regexp.MustCompile(`<a [^>]*href="(/checkout[^"]*|https://[^"]+|mailto:[^"]+)"`)
	footer   = regexp.MustCompile(`(?s)<footer.*</footer>`)
)

// waysOn returns the forms and links of a screen that work without scripts, or that it updates by
// itself.
func waysOn(p widget.Page) []string {
	html := footer.ReplaceAllString(page(p), "") // without the language menu
	found := append(someForm.FindAllString(html, -1), someLink.FindAllString(html, -1)...)
	if p.AutoRefreshes() {
		found = append(found, "updates by itself")
	}
	return found
}

// TestNoDeadEnds: every screen has a way on without scripts and at most one filled button, whatever
// the merchant has set.
func TestNoDeadEnds(t *testing.T) {
	text := english(t)
	for name, set := range map[string]func(*widget.Page){
		"unchanged":   nil,
		"nothing set": func(*widget.Page) {},
		"shop set":    func(p *widget.Page) { p.Shop = "https://shop.example" },
		"support set": func(p *widget.Page) { p.View.Support = "mailto:a@b.example" },
	} {
		for _, s := range screentest.Gallery() {
			p := screentest.Localize(s.Page, "en", text)
			if set != nil {
				p.View.CancelURL = ""
				p.View.SuccessURL = ""
				p.View.Support = ""
				p.Shop = ""
				set(&p)
			}
			html := page(p)
			if len(waysOn(p)) == 0 || strings.Count(html, `"button primary`) > 1 {
				t.Errorf("%s, %s: a dead end, or several filled buttons\n%s", s.Name, name, html)
			}
		}
	}
}

// TestUncheckedOrder: a request that is refused before the order is loaded may be about a paid
// order, so the page must not say that nothing was charged.
func TestUncheckedOrder(t *testing.T) {
	text := english(t)
	for code, title := range map[wire.Code]string{
		wire.CodeRateLimited:        "choose.busy",
		wire.CodeStorageUnavailable: "choose.busy",
		wire.CodeGatewayUnavailable: "closed.title",
		wire.CodeSessionUnknown:     "closed.news",
	} {
		html := page(widget.Page{
			Text: text,
			Base: "/checkout/cs_gallery",
			View: wire.View{Status: wire.Open, Notice: &wire.Notice{Code: code, Message: "Why."}},
		})
		if !strings.Contains(html, ">"+text[title]+"</h1>") ||
			strings.Contains(html, text["closed.text"]) != (title == "closed.title") {
			t.Errorf("%s: want the title %q, and a word of charges only if it is a failure:\n%s",
				code, text[title], html)
		}
		if title == "choose.busy" && !strings.Contains(html, `href="/checkout/cs_gallery"`) {
			t.Errorf("%s leads nowhere", code)
		}
	}
}

// A fully paid page asks for no money, although the gateway has not confirmed the payment yet.
func TestNoAddressWhenFullyPaid(t *testing.T) {
	p := named(t, "pending-arrived")
	fortest.Lacks(t, "the page", strings.ReplaceAll(page(p), ">Send <", ""),
		"Send ", "TXYZ", "qr.svg", "exactly", "countdown")
	if announcementKey(p.View) != "seen" || p.Title() != p.T("seen.title") {
		t.Errorf("said %s, title %q", announcementKey(p.View), p.Title())
	}
}

// TestExtendOffered: without WebAssembly always, with it in the last minutes.
func TestExtendOffered(t *testing.T) {
	for name, c := range map[string]struct {
		left         time.Duration
		live         bool
		early, shown bool
	}{
		"early, from the server": {20 * time.Minute, false, true, true},
		"early, live":            {20 * time.Minute, true, true, false},
		"late, from the server":  {4 * time.Minute, false, false, true},
		"late, live":             {4 * time.Minute, true, false, true},
		"over, live":             {0, true, false, true},
	} {
		p := named(t, "pending-last-minutes")
		p.View.Attempt.ExpiresInMs = c.left.Milliseconds()
		s := &widget.Timing{Page: p, Shows: widget.MoreTime}
		if c.live {
			s.At = time.Now()
		}
		found := part(node.HTML(s), "more-time")
		if len(found) != 1 || strings.Contains(found[0], "extend-early") != c.early ||
			strings.Contains(found[0], " hidden") == c.shown {
			t.Errorf("%s: %q; want early %t, shown %t", name, found, c.early, c.shown)
		}
	}
}

// TestExtendAnnounced distinguishes more time from another payment.
func TestExtendAnnounced(t *testing.T) {
	pendingAs := func(number int, symbol string) wire.View {
		v := pendingView()
		v.Version = int64(10 + number)
		v.Attempt.Number = number
		v.Attempt.CurrencySymbol = symbol
		return v
	}
	preparing := wire.View{Version: 11, Session: "cs_gallery", Status: wire.Preparing}
	ended := wire.View{Version: 11, Session: "cs_gallery", Status: wire.Expired}
	for name, c := range map[string]struct {
		views []wire.View
		want  string
	}{
		"more time":             {[]wire.View{pendingAs(2, "USDT")}, "said.extended"},
		"more time, slowly":     {[]wire.View{preparing, pendingAs(2, "USDT")}, "said.extended"},
		"another coin":          {[]wire.View{pendingAs(2, "TON")}, "said.pending"},
		"again after the end":   {[]wire.View{ended, pendingAs(2, "USDT")}, "said.pending"},
		"the same one, fresher": {[]wire.View{pendingAs(1, "USDT")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			root, ctx, _ := live(t, "pending", &browserFake{})
			for _, v := range c.views {
				root.announcement = ""
				root.show(ctx, v)
			}
			fortest.Equal(t, root.announcement, english(t)[c.want], "said")
		})
	}
}

// TestReviewOfAnAbsentTransaction: the page must not say that a payment was reported if the gateway
// does not know the transaction.
func TestReviewOfAnAbsentTransaction(t *testing.T) {
	p := named(t, "review")
	p.View.Notice = &wire.Notice{Message: p.T("problem.payment_in_progress")}
	html := page(p)
	if strings.Contains(html, p.T("review.step.reported")) ||
		strings.Count(html, p.View.Notice.Message) != 1 || strings.Contains(html, p.T("review.text")) {
		t.Errorf("the page says the wrong thing: %s", html)
	}
}

// TestUnknownInFrame: a frame inside the shop's page offers no other try of an order that does not
// exist, and one of a gateway that does not answer.
func TestUnknownInFrame(t *testing.T) {
	for code, want := range map[wire.Code]bool{wire.CodeSessionUnknown: false, wire.CodeGatewayUnavailable: true} {
		p := widget.Page{
			Text:   english(t),
			Embed:  "inline",
			Origin: "https://shop.example",
			View:   wire.View{Status: wire.Open, Notice: &wire.Notice{Code: code, Message: "why"}},
		}
		fortest.Equal(t, strings.Contains(page(p), `data-part="reload"`), want,
			"%s: a button to try again", code)
	}
}

// TestReceiptNamesShop: the receipt and the head of the order name the shop as the merchant does,
// else by a host.
func TestReceiptNamesShop(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*widget.Page)
		want   string
	}{
		"name": {func(p *widget.Page) { p.View.Order.ShopName = "متجر" }, "متجر"},
		"host": {func(*widget.Page) {}, "two-tickets.example"},
		"success_url": {func(p *widget.Page) {
			p.Shop = ""
			p.View.SuccessURL = "https://thanks.example:8443/ok?a=b"
		}, "thanks.example:8443"},
		"checkout": {func(p *widget.Page) {
			p.Shop = ""
			p.View.SuccessURL = ""
		},
			"pay.shop.example"},
	} {
		p := named(t, "receipt")
		c.change(&p)
		html := page(p)
		fortest.Has(t, name, html,
			`<p data-part="shop" dir="auto" translate="no">`+c.want+"<")
		isInHead := strings.Contains(html, `class="order-shop">Pay `+c.want+"<")
		fortest.Equal(t, isInHead, p.ShopName() != "", "%s: the head names the shop", name)
	}
}
