package screen

import (
	"regexp"
	"strings"
	"testing"

	"coinslot/app/screen/screentest"
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// described returns the text of the elements that an input's attribute refers to.
func described(t *testing.T, page, input, attribute string) string {
	t.Helper()
	ids := regexp.MustCompile(attribute + `="([^"]*)"`).FindStringSubmatch(input)
	if ids == nil {
		t.Fatalf("%s has no %s", input, attribute)
	}
	var words []string
	for id := range strings.FieldsSeq(ids[1]) {
		_, rest, found := strings.Cut(page, ` id="`+id+`"`)
		if !found || strings.Contains(rest, ` id="`+id+`"`) {
			t.Fatalf("%s is described by %q, of which there is not one", input, id)
		}
		_, rest, _ = strings.Cut(rest, ">")
		for depth := 1; depth > 0; { // of a tree of spans and the like, without void elements
			text, tag, _ := strings.Cut(rest, "<")
			words = append(words, strings.Fields(text)...)
			depth++
			if tag[0] == '/' {
				depth -= 2
			}
			_, rest, _ = strings.Cut(tag, ">")
		}
	}
	return strings.Join(words, " ")
}

func TestRadiosAreDescribed(t *testing.T) {
	page := node.HTML(&Checkout{Page: named(t, "open-exchange")})
	for value, want := range map[string][2]string{
		"USDT":       {"Tether USDT", "≈ 25.03 USDT 2 networks"},
		"ETH":        {"Ether ETH", "≈ 0.00912345 ETH 1 network"},
		"BNB":        {"BNB BNB", "at most $20 possible"},
		"USDT:trc20": {"TRON TRC20", "network fee 1 lowest fee most exchanges"},
		"USDT:erc20": {"Ethereum ERC20", "network fee 4.5 most exchanges"},
		"USDT:bep20": {"BNB Smart Chain BEP20", "at least $50 needed"},
		"USDC:base":  {"Base", "no network fee lowest fee not every exchange"},
	} {
		radio := regexp.MustCompile(`<input [^>]*value="` + value + `">`).FindString(page)
		got := [2]string{described(t, page, radio, "aria-labelledby"),
			described(t, page, radio, "aria-describedby")}
		if got[0] != want[0] || strings.ReplaceAll(got[1], "\u00a0", " ") != want[1] {
			t.Errorf("%s is called and described as %q; want %q", value, got, want)
		}
	}
}

// A single choice is hidden and still sent.
func TestSingleChoice(t *testing.T) {
	for sample, want := range map[string]struct {
		seen, unseen int // radios
		text         string
	}{
		"open-sole":     {0, 2, "Continue with TON on TON"},
		"open-one-coin": {3, 1, ""},
		"open-chosen":   {13, 0, ""},
	} {
		t.Run(sample, func(t *testing.T) {
			c := &chooser{Page: named(t, sample)}
			page := node.HTML(c)
			all, unseen := strings.Count(page, `type="radio"`),
				strings.Count(page, `class="offscreen" data-part`)
			if all-unseen != want.seen || unseen != want.unseen {
				t.Errorf("%d radios to see and %d not; want %d and %d", all-unseen, unseen,
					want.seen, want.unseen)
			}
			for _, radio := range regexp.MustCompile(`<input [^>]*class="offscreen"[^>]*>`).
				FindAllString(page, -1) {
				if !strings.Contains(radio, " checked ") ||
					!strings.Contains(radio, `tabindex="-1"`) {
					t.Errorf("the hidden radio is not checked, or can be focused: %s", radio)
				}
			}
			if want.text != "" && !strings.Contains(page, ">"+want.text+"<") {
				t.Errorf("the page does not say %q", want.text)
			}
		})
	}
}

// Without scripts the button does not follow the radios, so it must not name a coin.
func TestContinueButtonText(t *testing.T) {
	c := &chooser{Page: named(t, "open-chosen")}
	if got := c.continueText(); got != "Continue" {
		t.Errorf("the button says %q", got)
	}
	c.pick("TON")
	if got := c.continueText(); got != "Continue with TON on TON" {
		t.Errorf("after picking, the button says %q", got)
	}
}

func TestEstimateFollowsThePick(t *testing.T) {
	c := &chooser{Page: named(t, "open")}
	if page := node.HTML(c); len(part(page, "estimate")) != 0 {
		t.Error("an estimate before anything is picked")
	}
	for symbol, want := range map[string]string{"TON": "about 8.1\u00a0TON on TON",
		"ETH": "about 0.00912345\u00a0ETH on Ethereum", "USDT": ""} {
		c.pick(symbol)
		page := node.HTML(c)
		if shown := len(part(page, "estimate")) == 1; shown != (want != "") ||
			!strings.Contains(page, want) {
			t.Errorf("with %s picked an estimate is shown: %t; want %q", symbol, shown, want)
		}
	}
}

func TestSetExchangeKeepsChoice(t *testing.T) {
	b := &browserFake{}
	c, _, _ := live(t, "open-chosen", b)
	c.Page.View.Currencies = screentest.Sorted()
	c.setExchange(true)
	page := node.HTML(c)
	if !strings.Contains(b.address, "from=exchange") || !strings.Contains(page, `name="from"`) ||
		c.announcement != english(t)["choose.exchange.why"] {
		t.Errorf("address %s, said %q", b.address, c.announcement)
	}
	if !strings.Contains(page,
		` checked data-part="network" name="network_code" type="radio" value="USDT:trc20"`) {
		t.Error("the network that was picked is not")
	}
	c.setExchange(false)
	if strings.Contains(b.address, "from") || c.Page.Exchange {
		t.Errorf("back again: address %s", b.address)
	}
}

// The server refuses unknown members, and "from" is one.
func TestExchangeIsNotPartOfOrder(t *testing.T) {
	b := &browserFake{status: 200, answer: pendingView()}
	c, ctx, engine := live(t, "open-unsaved", b)
	c.setExchange(true)
	c.send(ctx, widget.Request{Sub: "/attempts"})
	engine.ConsumeAll()
	want := `POST /checkout?from=exchange {"amount":"5.00","item":"coffee","key":"page_1"}`
	if b.sent[0] != want {
		t.Errorf("sent %s; want %s", b.sent[0], want)
	}
	if want := "/checkout/cs_gallery?from=exchange"; b.address != want {
		t.Errorf("address %s; want %s", b.address, want)
	}
}

// The last coin is preselected after the payment has ended.
func TestShowRemembersCoin(t *testing.T) {
	c, ctx, _ := live(t, "open", &browserFake{})
	v := pendingView()
	c.show(ctx, v)
	v.Version, v.Status, v.Actions = v.Version+1, wire.Cancelled, []wire.Action{wire.Retry}
	c.show(ctx, v)
	if got := c.Page.InitialChoice(); got != (widget.Choice{Symbol: "USDT", Network: "USDT:trc20"}) {
		t.Errorf("preselected is %+v", got)
	}
	second := *v.Attempt
	second.Number, second.CurrencySymbol, second.NetworkCode = 2, "TON", "ton"
	v.Version, v.Status, v.Attempt = v.Version+1, wire.Pending, &second
	c.show(ctx, v)
	if got := c.Page.InitialChoice(); got != (widget.Choice{Symbol: "TON", Network: "TON:ton"}) {
		t.Errorf("after a second attempt, preselected is %+v", got)
	}
}
