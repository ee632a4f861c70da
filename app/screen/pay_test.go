package screen

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"coinslot/app/screen/screentest"
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"
	"coinslot/bff/fortest"
)

// payPage is the pay screen of Ether in English.
func payPage(t *testing.T, change func(*widget.Page)) string {
	t.Helper()
	p := screentest.NewSample("", wire.Pending, screentest.Attempt(screentest.Ether), wire.Cancel).Page
	p.Text = english(t)
	p.URL = "https://pay.example/checkout/cs_gallery"
	if change != nil {
		change(&p)
	}
	return node.HTML(&Checkout{Page: p})
}

// The QR code, its description and the link to the other kind match.
func TestQRSwitch(t *testing.T) {
	link := func(p *widget.Page) { *p = p.WithQR("uri") }
	const linkByDefault = "uri"
	const toAddress, toLink = "Won’t scan? Try the plain code", "Use the code with the amount"
	for name, c := range map[string]struct {
		change         func(*widget.Page)
		src, alt       string
		address, other string // of the link to the other kind
		warns          bool
	}{
		"address": {func(*widget.Page) {}, `src="/checkout/cs_gallery/qr.svg?a=1"`,
			"QR code of the ETH address on Ethereum", `href="/checkout/cs_gallery?qr=uri"`, toLink,
			false},
		"link by default": {func(p *widget.Page) { p.View.Attempt.QR = linkByDefault },
			`src="/checkout/cs_gallery/qr.svg?kind=uri&amp;a=1&amp;due="`, "QR code to pay",
			`href="/checkout/cs_gallery?qr=address"`, toAddress, false},
		"address instead": {func(p *widget.Page) {
			p.View.Attempt.QR = linkByDefault
			*p = p.WithQR("address")
		}, `src="/checkout/cs_gallery/qr.svg?a=1"`, "QR code of the ETH address",
			`href="/checkout/cs_gallery?qr=uri"`, toLink, false},
		"link": {link, `src="/checkout/cs_gallery/qr.svg?kind=uri&amp;a=1&amp;due="`,
			"QR code to pay 0.00912345\u00a0ETH on Ethereum", `href="/checkout/cs_gallery?qr=address"`,
			toAddress, false},
		"link of the rest": {func(p *widget.Page) {
			link(p)
			p.View.Attempt.PaidAmount = "0.009"
			p.View.Attempt.MissingAmount = "0.00012345"
		}, `src="/checkout/cs_gallery/qr.svg?kind=uri&amp;a=1&amp;due=0.00012345"`,
			"pay 0.00012345\u00a0ETH on", `href="/checkout/cs_gallery?qr=address"`, toAddress,
			false},
		"link of a token": {func(p *widget.Page) {
			link(p)
			p.View.Attempt.TokenURI = true
		}, "kind=uri", "to pay", `href="/checkout/cs_gallery?qr=address"`, toAddress, true},
		"no link": {func(p *widget.Page) {
			link(p)
			p.View.Attempt.QR = linkByDefault
			p.View.Attempt.URI = ""
		}, `src="/checkout/cs_gallery/qr.svg?a=1"`, "QR code of the ETH address", "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			page := payPage(t, c.change)
			fortest.Has(t, "picture", part(page, "qr")[0], c.src, c.alt)
			other := strings.Join(part(page, "qr-kind"), "")
			if !strings.Contains(other, c.address) || (other == "") != (c.other == "") ||
				!strings.Contains(page, c.other) {
				t.Errorf("link %q; want %s, %q", other, c.address, c.other)
			}
			if strings.Contains(page, english(t)["pay.qr.token.why"]) != c.warns {
				t.Errorf("warns of tokens: %t", !c.warns)
			}
		})
	}
}

// The network's name is one text, besides those that are folded; the sums are padded, and what is
// copied is not. Without an address, the gateway's page is the way to pay.
func TestSlip(t *testing.T) {
	words := regexp.MustCompile(`<details.*?</details>|<[^>]*>`)
	for name, c := range map[string]struct {
		change      func(*wire.Attempt)
		shown, copy string
		network     string
	}{
		"padded":      {func(a *wire.Attempt) { a.PayableAmount = "18.5" }, ">18.50<", "18.5", "Ethereum (ERC20)"},
		"a whole one": {func(a *wire.Attempt) { a.PayableAmount = "18" }, ">18.00<", "18", "Ethereum (ERC20)"},
		"the rest": {func(a *wire.Attempt) {
			a.PayableAmount = "18.50"
			a.PaidAmount = "12"
			a.MissingAmount = "6.5"
		}, ">6.50<", "6.5", "Ethereum (ERC20)"},
		"the coin's own network": {func(a *wire.Attempt) {
			a.CurrencySymbol = "TON"
			a.CurrencyName = "Toncoin"
			a.NetworkName = "TON"
			a.NetworkCode = "ton"
		}, ">0.00912345<", "0.00912345", "TON"},
		"no address": {func(a *wire.Attempt) {
			a.Address = ""
			a.URI = ""
		}, ">0.00912345<",
			"0.00912345", "Ethereum (ERC20)"},
	} {
		page := payPage(t, func(p *widget.Page) { c.change(p.View.Attempt) })
		if !strings.Contains(page, c.shown) ||
			!strings.Contains(part(page, "copy-amount")[0], `data-copy="`+c.copy+`"`) {
			t.Errorf("%s: not %s, to be copied as %s", name, c.shown, c.copy)
		}
		text := words.ReplaceAllString(strings.Replace(page, " TON</bdi>", "", 1), " ")
		n := strings.Count(text, strings.Fields(c.network)[0])
		if n != 1 || !strings.Contains(text, c.network) {
			t.Errorf("%s: %s is named %d times; want once as %s", name, c.network, n, c.network)
		}
		filled := strings.Count(page, "button primary")
		hosted := part(page, "hosted")
		if filled != 1 || len(hosted) != 1 ||
			strings.Contains(hosted[0], "primary") != (name == "no address") {
			t.Errorf("%s: %d filled buttons, the gateway's page is %q", name, filled, hosted)
		}
	}
}

// A renamed coin is named as wallets do. Of the gateway's symbol only the forms know.
func TestRenamedCoinOnThePaySlip(t *testing.T) {
	page := payPage(t, func(p *widget.Page) {
		a := p.View.Attempt
		a.CurrencySymbol = "TON"
		a.CurrencyName = "Gram"
		a.DisplaySymbol = "GRAM"
		a.Formerly = "Toncoin (TON)"
		a.NetworkCode = "ton"
		a.NetworkName = "TON (The Open Network)"
	})
	fortest.Has(t, "the page", page, "0.00912345\u00a0GRAM", "GRAM sent on any other network",
		"GRAM address on TON (The Open Network)", "Withdraw GRAM and pick TON (The Open Network)",
		"GRAM · formerly Toncoin (TON)")
	if strings.Contains(page, "TON sent") || strings.Contains(page, "\u00a0TON") {
		t.Error("the old symbol is the unit")
	}
}

// A recheck says that it looks, and for a while what it has found.
func TestRecheckSaysWhatItFound(t *testing.T) {
	c, ctx, engine := live(t, "pending", &browserFake{})
	c.send(ctx, widget.Request{Sub: "/recheck"})
	fortest.Has(t, "the button does not say that it looks", node.HTML(c), "Looking for it…")
	engine.ConsumeAll()
	c.busy = true
	c.asked = "/recheck"
	answer := []byte(`{"status":"pending","version":9,"session":"cs_gallery","attempt":{"number":1}}`)
	c.handleAnswer(ctx, c.sent, 200, answer, nil)
	html := node.HTML(c)
	if !strings.Contains(html, "Nothing yet.") || c.announcement != c.note {
		t.Errorf("it does not say that it found nothing: %q, %q", c.note, c.announcement)
	}
	c.busy = true
	c.asked = "/recheck"
	paid := []byte(`{"status":"pending","version":10,"session":"cs_gallery","attempt":` +
		`{"number":1,"paid_amount":"1","missing_amount":"2"}}`)
	c.handleAnswer(ctx, c.sent, 200, paid, nil)
	fortest.Equal(t, c.note, "", "although something has arrived")
}

// Copy button, selection and QR code have the whole address.
func TestAddressIsComplete(t *testing.T) {
	page := payPage(t, nil)
	for _, handle := range []string{"address", "copy-address"} {
		fortest.Has(t, handle+" does not hold the address", part(page, handle)[0], evmPlain)
	}
	_, inner, _ := strings.Cut(page, `data-part="address"`)
	_, inner, _ = strings.Cut(inner, ">")
	inner, _, _ = strings.Cut(inner, "</p>")
	var shown strings.Builder
	for _, piece := range strings.Split(inner, "<") {
		_, text, _ := strings.Cut(piece, ">")
		shown.WriteString(text)
	}
	fortest.Equal(t, shown.String(), evmPlain, "select and copy would give")
}

// Without scripts the page reloads every few seconds, which must not clear typed text or close the
// QR code.
func TestDetailsStayOpen(t *testing.T) {
	p := screentest.NewSample("", wire.Pending, screentest.Attempt(screentest.Ether)).Page
	if !p.AutoRefreshes() ||
		!strings.Contains(payPage(t, nil),
			`<noscript><a class="button" href="/checkout/cs_gallery?open=check">`) {
		t.Error("the page without scripts has no way to keep still")
	}
	p = p.WithField("open", "check")
	p.Opened = "check"
	if p.AutoRefreshes() {
		t.Error("the page loads itself again while an address is checked")
	}
	page := payPage(t, func(p *widget.Page) { p.Opened = "device" })
	fortest.Has(t, "the part for another device is not open", page,
		`<details class="device" data-part="device" open>`)
}

func TestStandaloneAndWithSession(t *testing.T) {
	p := widget.Page{
		Base: "/checkout",
		URL:  "https://pay.example/checkout?item=coffee&lang=de",
		Carry: []widget.Field{{Name: "embed", Value: "modal"}, {Name: "origin", Value: "https://shop.example"}, {Name: "theme", Value: "dark"},
			{Name: "lang", Value: "de"}, {Name: "item", Value: "coffee"}, {Name: "key", Value: "page_1"}},
	}
	if got, want := p.Standalone().Link(""), "/checkout?lang=de&item=coffee"; got != want {
		t.Errorf("on its own %s; want %s", got, want)
	}
	got := p.WithSession("cs_1").URL
	want := "https://pay.example/checkout/cs_1?lang=de"
	if got != want {
		t.Errorf("its address %s; want %s", got, want)
	}
	p.URL = ""
	if p.WithSession("cs_1").URL != "" {
		t.Error("an address is made up")
	}
}

// What cannot be copied is selected.
func TestCopyFails(t *testing.T) {
	b := &browserFake{copied: errors.New("refused")}
	c, ctx, engine := live(t, "pending", b)
	var selected string
	c.Host.Select = func(selector string) { selected = selector }
	var copyErr error
	c.copy(ctx, widget.CopyRequest{
		Part:  "address",
		Value: tronOurs,
		Done:  func(err error) { copyErr = err },
	})
	engine.ConsumeAll()
	if copyErr == nil || selected != `[data-part="address"]` {
		t.Errorf("copyErr %v, selected %q", copyErr, selected)
	}
	b.copied = nil
	selected = ""
	c.copy(ctx, widget.CopyRequest{
		Part:  "address",
		Value: tronOurs,
		Done:  func(err error) { copyErr = err },
	})
	engine.ConsumeAll()
	if copyErr != nil || selected != "" {
		t.Errorf("copyErr %v, selected %q after a success", copyErr, selected)
	}
}

// phonePage is the pay screen of a phone.
func phonePage(t *testing.T, change func(*widget.Page)) string {
	t.Helper()
	return payPage(t, func(p *widget.Page) {
		p.Phone = true
		p.View.Attempt.Wallets = screentest.WalletLinks()
		change(p)
	})
}

// A phone opens wallets by links, three in sight; its QR code is folded and not loaded.
func TestPhoneLeadsToWallets(t *testing.T) {
	page := phonePage(t, func(*widget.Page) {})
	list, folded, _ := strings.Cut(page, "<details class=\"more\">")
	fortest.Equal(t, len(part(list, "wallet")), 3, "wallets in sight")
	fortest.Equal(t, len(part(folded, "wallet")), 2, "folded wallets")
	fortest.Equal(t, strings.Count(page, "button primary"), 0, "filled buttons")
	fortest.Has(t, "the standard link is not the last row", part(folded, "open-wallet")[0], "ethereum:")
	if slip, _, _ := strings.Cut(page, `data-part="wallet-back"`); strings.Contains(slip, "<img class=\"qr") {
		t.Error("the slip has the QR code")
	}
	fortest.Has(t, "the QR code", part(page, "qr")[0], `loading="lazy"`)
	fortest.Has(t, "the switch closes the QR code", part(page, "qr-kind")[0], "open=scan&amp;qr=uri")
}

// An app's own scheme opens in the page itself, as a blank tab would stay; a frame cannot open it.
func TestWalletLinksOpenTabs(t *testing.T) {
	for embed, tabs := range map[string]int{"": 4, "inline": 5} {
		page := phonePage(t, func(p *widget.Page) {
			p.Embed = embed
			p.Origin = "https://shop.example"
		})
		found := 0
		for _, link := range part(page, "wallet") {
			if strings.Contains(link, `rel="noopener" target="_blank"`) {
				found++
			}
		}
		fortest.Equal(t, found, tabs, "links that open a tab, embed %q", embed)
		fortest.Equal(t, len(part(page, "browser-tab")), len(embed)/6, "rows for a tab, embed %q", embed)
	}
}
