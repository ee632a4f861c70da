package screen

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"
	"coinslot/bff/fortest"
)

// The label of each radio has the name, and what is worth knowing about it.
func TestRadioLabels(t *testing.T) {
	page := node.HTML(&Checkout{Page: named(t, "open-few-exchanges")})
	labels := regexp.MustCompile(`(?s)<label[^>]*>(.*?)</label>`).FindAllString(page, -1)
	for value, want := range map[string]string{
		"USDT":       "Tether USDT ≈ 25.03",
		"ETH":        "Ether ETH ≈ 0.00912345",
		"BNB":        "BNB BNB · up to $20",
		"USDT:trc20": "TRON Lowest fee · TRC20 · most exchanges Fee 1.00",
		"USDT:erc20": "Ethereum ERC20 · most exchanges Fee 4.50",
		"USDT:bep20": "BNB Smart Chain BEP20 · from $50",
		"USDC:base":  "Base Lowest fee No fee",
	} {
		i := slices.IndexFunc(labels, func(label string) bool {
			return strings.Contains(label, `value="`+value+`"`)
		})
		if i < 0 {
			t.Errorf("no radio %s", value)
			continue
		}
		text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(labels[i], "")
		fortest.Equal(t, strings.Join(strings.Fields(text), " "), want, "%s is labeled", value)
	}
}

// Without scripts the button does not follow the radios, so it must not name a coin.
func TestContinueButtonText(t *testing.T) {
	c := &chooser{Page: named(t, "open-chosen")}
	fortest.Equal(t, c.continueText(), "Continue", "the button says")
	c.pick("TON", "")
	fortest.Equal(t, c.continueText(), "Continue with GRAM on TON (The Open Network)",
		"after picking, the button says")
}

// Each coin has its best network checked from the start, and keeps the one that was picked.
func TestNetworkOfCoin(t *testing.T) {
	c := &chooser{Page: named(t, "open-few-exchanges")}
	c.Page.Chosen = ""
	c.Page.ChosenNetwork = ""
	for _, step := range []struct{ symbol, key, want string }{
		{"USDC", "", "USDC:erc20"}, // most exchanges can send to it; Base is cheaper
		{"USDT", "", "USDT:trc20"},
		{"USDT", "USDT:erc20", "USDT:erc20"},
		{"USDC", "", "USDC:erc20"},
		{"USDT", "", "USDT:erc20"},
	} {
		c.pick(step.symbol, step.key)
		body, missing := c.body()
		got := widget.NetworkKey(body["currency_symbol"], body["network_code"])
		if got != step.want || missing != "" {
			t.Errorf("after picking %s %s, the form sends %s, %q; want %s",
				step.symbol, step.key, got, missing, step.want)
		}
		page := node.HTML(c)
		if want := `name="network.` + step.symbol + `"`; strings.Count(page, want) < 1 {
			t.Errorf("no radios %s", want)
		}
	}
}

// An error asks at the button for what is missing; a refusal stands above the list.
func TestWhereErrorsStand(t *testing.T) {
	for name, c := range map[string]struct {
		problem wire.Error
		atList  bool
	}{
		"nothing chosen": {wire.Error{Detail: "Choose a coin."}, false},
		"no network":     {wire.Error{Code: wire.CodeNetworkRequired, Detail: "No."}, false},
		"refused":        {wire.Error{Code: wire.CodePaymentRefused, Detail: "No."}, true},
	} {
		page := node.HTML(&chooser{Page: named(t, "open"), Problem: &c.problem})
		above, _, _ := strings.Cut(page, `<fieldset`)
		got := strings.Contains(above, `data-part="error"`)
		if got != c.atList ||
			strings.Count(page, `data-part="error"`) != 1 {
			t.Errorf("%s: above the list %t; want %t\n%s", name, got, c.atList, page)
		}
	}
}

// The last coin is preselected after the payment has ended.
func TestShowRemembersCoin(t *testing.T) {
	c, ctx, _ := live(t, "open", &browserFake{})
	v := pendingView()
	c.show(ctx, v)
	v.Version++
	v.Status = wire.Cancelled
	v.Actions = []wire.Action{wire.Retry}
	c.show(ctx, v)
	if got := c.Page.InitialChoice(); got != (widget.Choice{Symbol: "USDT", Network: "USDT:trc20"}) {
		t.Errorf("preselected is %+v", got)
	}
	second := *v.Attempt
	second.Number = 2
	second.CurrencySymbol = "TON"
	second.NetworkCode = "ton"
	v.Version++
	v.Status = wire.Pending
	v.Attempt = &second
	c.show(ctx, v)
	got := c.Page.InitialChoice()
	if got != (widget.Choice{Symbol: "TON", Network: "TON:ton"}) {
		t.Errorf("after a second attempt, preselected is %+v", got)
	}
}
