package screen

import (
	"errors"
	"strings"
	"testing"

	"coinslot/app/screen/screentest"
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// payPage is the pay screen of Ether in English.
func payPage(t *testing.T, change func(*widget.Page)) string {
	t.Helper()
	p := screentest.NewSample("", wire.Pending, screentest.Attempt(screentest.Ether), wire.Cancel).Page
	p.Text, p.URL = english(t), "https://pay.example/checkout/cs_gallery"
	if change != nil {
		change(&p)
	}
	return node.HTML(&Checkout{Page: p})
}

// The QR code and its description match the switch.
func TestQRSwitch(t *testing.T) {
	for name, c := range map[string]struct {
		change           func(*widget.Page)
		src, alt, why    string
		address, current string // link to the other kinds, and which is on
	}{
		"address": {func(*widget.Page) {}, `src="/checkout/cs_gallery/qr.svg?a=1"`,
			"QR code of the ETH address on Ethereum", "pay.qr.address.why",
			`href="/checkout/cs_gallery?qr=uri"`, "Address only"},
		"link": {func(p *widget.Page) {
			*p = p.WithLinkQR(true)
		}, `src="/checkout/cs_gallery/qr.svg?kind=uri&amp;a=1&amp;due="`,
			"QR code of the payment link for 0.00912345\u00a0ETH on Ethereum", "pay.qr.link.why",
			`href="/checkout/cs_gallery"`, "With amount"},
		"link of the rest": {func(p *widget.Page) {
			*p = p.WithLinkQR(true)
			p.View.Attempt.PaidAmount, p.View.Attempt.MissingAmount = "0.009", "0.00012345"
		}, `src="/checkout/cs_gallery/qr.svg?kind=uri&amp;a=1&amp;due=0.00012345"`,
			"for 0.00012345\u00a0ETH on", "pay.qr.link.why", `href="/checkout/cs_gallery"`,
			"With amount"},
		"link of a token": {func(p *widget.Page) {
			*p = p.WithLinkQR(true)
			p.View.Attempt.TokenURI = true
		}, "kind=uri", "payment link", "pay.qr.token.why", `href="/checkout/cs_gallery"`,
			"With amount"},
		"no link": {func(p *widget.Page) {
			*p = p.WithLinkQR(true)
			p.View.Attempt.URI = ""
		}, `src="/checkout/cs_gallery/qr.svg?a=1"`, "QR code of the ETH address", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			page := payPage(t, c.change)
			img := part(page, "qr")[0]
			if !strings.Contains(img, c.src) || !strings.Contains(img, c.alt) {
				t.Errorf("picture %s; want %s and %s", img, c.src, c.alt)
			}
			if (c.why == "") != (len(part(page, "qr-kind")) == 0) ||
				!strings.Contains(page, english(t)[c.why]) || !strings.Contains(page, c.address) {
				t.Errorf("the switch is not as it should be; want %s and %q", c.address,
					english(t)[c.why])
			}
			if c.current != "" {
				_, on, _ := strings.Cut(page, `<a aria-current="true"`)
				if _, text, _ := strings.Cut(on, ">"); !strings.HasPrefix(text, c.current) {
					t.Errorf("%.30q is on; want %q", text, c.current)
				}
			}
		})
	}
}

// Copy button, selection and QR code have the whole address.
func TestAddressIsComplete(t *testing.T) {
	page := payPage(t, nil)
	for _, handle := range []string{"address", "copy-address"} {
		if tag := part(page, handle)[0]; !strings.Contains(tag, evmPlain) {
			t.Errorf("%s does not hold the address: %s", handle, tag)
		}
	}
	_, inner, _ := strings.Cut(page, `data-part="address"`)
	_, inner, _ = strings.Cut(inner, ">")
	inner, _, _ = strings.Cut(inner, "</span></span>")
	var shown strings.Builder
	for _, piece := range strings.Split(inner, "<") {
		_, text, _ := strings.Cut(piece, ">")
		shown.WriteString(text)
	}
	if shown.String() != evmPlain {
		t.Errorf("select and copy would give %q; want %q", shown.String(), evmPlain)
	}
}

func TestVerifiedOnlyWithChecksum(t *testing.T) {
	words := english(t)["pay.address.verified"]
	if strings.Contains(payPage(t, nil), words) {
		t.Error("an address without a checksum is said to have passed it")
	}
	if !strings.Contains(payPage(t, func(p *widget.Page) { p.View.Attempt.Address = evmOurs }), words) {
		t.Error("nothing is said of an address with a checksum")
	}
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
	if !strings.Contains(page, `<details class="device" data-part="device" open>`) {
		t.Error("the part for another device is not open")
	}
}

func TestStandaloneAndWithSession(t *testing.T) {
	p := widget.Page{Base: "/checkout", URL: "https://pay.example/checkout?item=coffee&lang=de",
		Carry: []widget.Field{{Name: "embed", Value: "modal"}, {Name: "origin", Value: "https://shop.example"}, {Name: "theme", Value: "dark"},
			{Name: "lang", Value: "de"}, {Name: "item", Value: "coffee"}, {Name: "key", Value: "page_1"}}}
	if got, want := p.Standalone().Link(""), "/checkout?lang=de&item=coffee"; got != want {
		t.Errorf("on its own %s; want %s", got, want)
	}
	if got, want := p.WithSession("cs_1").URL, "https://pay.example/checkout/cs_1?lang=de"; got != want {
		t.Errorf("its address %s; want %s", got, want)
	}
	if p.URL = ""; p.WithSession("cs_1").URL != "" {
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
	c.copy(ctx, widget.CopyRequest{Part: "address", Value: tronOurs, Done: func(err error) { copyErr = err }})
	engine.ConsumeAll()
	if copyErr == nil || selected != `[data-part="address"]` {
		t.Errorf("copyErr %v, selected %q", copyErr, selected)
	}
	b.copied, selected = nil, ""
	c.copy(ctx, widget.CopyRequest{Part: "address", Value: tronOurs, Done: func(err error) { copyErr = err }})
	engine.ConsumeAll()
	if copyErr != nil || selected != "" {
		t.Errorf("copyErr %v, selected %q after a success", copyErr, selected)
	}
}

func TestMarkID(t *testing.T) {
	for mark, want := range map[string]string{
		"/icons/net-tron.svg": "tron", "/assets/icon-net-bsc.027f.svg": "bsc", "": "", "ton.svg": "ton", "/": "",
	} {
		if got := markID(mark); got != want {
			t.Errorf("markID(%q) = %q; want %q", mark, got, want)
		}
	}
}
