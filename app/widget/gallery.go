package widget

import "coinslot/app/wire"

// Sample is one page of the gallery.
type Sample struct {
	Name string // file name without extension: "pending-partial"
	Page Page   // Text is empty: the caller fills in a language
}

// Gallery returns the checkout in every state and variant, for eyes and for
// tests. All amounts, addresses and ids in it are invented.
func Gallery() []Sample {
	return []Sample{
		sample("open", wire.Open, nil, wire.Choose),
		unsaved(),
		chosenSample(),
		soleSample(),
		sample("open-refused", wire.Open, func(p *Page) {
			p.View.Notice = &wire.Notice{Code: wire.CodePaymentRefused, Message: "The payment service did not accept this choice."}
		}, wire.Choose),
		sample("closed", wire.Open, func(p *Page) {
			p.View.Currencies = nil
			p.View.Notice = &wire.Notice{Code: wire.CodeGatewayUnavailable, Message: "The payment service cannot be reached right now."}
		}),
		sample("news", wire.Open, func(p *Page) {
			p.View = wire.View{Status: wire.Open, Notice: &wire.Notice{Message: "Your payment is being looked after."}}
			p.Base = "/checkout"
		}),
		sample("preparing", wire.Preparing, func(p *Page) {
			a := waiting()
			a.Address, a.PayAmount, a.PayableAmount, a.PaymentURL = "", "", "", ""
			p.View.Attempt, p.View.CheckedMsAgo = &a, -1
		}),
		sample("pending", wire.Pending, attempt(nil), wire.Cancel, wire.Change, wire.Recheck),
		sample("pending-uri", wire.Pending, attempt(func(a *wire.Attempt) {
			a.CurrencySymbol, a.CurrencyName, a.NetworkCode, a.NetworkName = "ETH", "Ether", "erc20", "Ethereum"
			a.Address, a.PayAmount, a.PayableAmount = "0x52908400098527886E0F7030069857D2E4169EE7", "0.009123450000", "0.00912345"
			a.URI = "ethereum:0x52908400098527886E0F7030069857D2E4169EE7@1?value=9123450000000000"
		}), wire.Cancel, wire.Change, wire.Recheck),
		sample("pending-hosted", wire.Pending, attempt(func(a *wire.Attempt) { a.Address = "" }), wire.Cancel),
		sample("pending-partial", wire.Pending, attempt(func(a *wire.Attempt) {
			a.PaidAmount, a.MissingAmount, a.ExpiresInMs = "9.80", "15.23", 192_000
		}), wire.Recheck),
		changingSample(),
		sandboxSample(),
		framedSample(),
		sample("refused", wire.Open, func(p *Page) { p.Embed = "inline" }, wire.Choose),
		sample("confirmed", wire.Confirmed, attempt(paid)),
		sample("confirmed-late-overpaid", wire.Confirmed, attempt(func(a *wire.Attempt) {
			paid(a)
			a.Late, a.PaidAmount, a.OverpaidAmount, a.TxURL = true, "30.00", "4.97", ""
		})),
		sample("confirmed-by-hand", wire.Confirmed, nil),
		sample("expired", wire.Expired, attempt(gone), wire.Retry, wire.Recheck),
		sample("expired-partial", wire.Expired, attempt(func(a *wire.Attempt) {
			gone(a)
			a.PaidAmount, a.MissingAmount = "9.80", "15.23"
		}), wire.Recheck),
		sample("expired-unchosen", wire.Expired, func(p *Page) {
			p.View.Notice = &wire.Notice{Code: wire.CodeSessionExpired, Message: "This checkout has ended."}
		}),
		sample("expired-coin-gone", wire.Expired, attempt(func(a *wire.Attempt) { gone(a); a.NetworkCode = "omni" }), wire.Retry),
		sample("cancelled", wire.Cancelled, attempt(gone), wire.Retry, wire.Recheck),
		sample("cancelled-paid", wire.Cancelled, attempt(func(a *wire.Attempt) { gone(a); paid(a) }), wire.Recheck),
		sample("review", wire.Review, attempt(paid), wire.Recheck),
		sample("unknown-status", "frozen", attempt(nil)),
		rightToLeft(),
	}
}

// sample returns a page of a stored session.
func sample(name string, status wire.Status, change func(*Page), actions ...wire.Action) Sample {
	p := Page{
		Lang: "en", Dir: "ltr", Theme: "auto", Base: "/checkout/cs_gallery",
		View: wire.View{
			Version: 7, Session: "cs_gallery", Status: status, Currencies: coins(), Actions: actions, CheckedMsAgo: 4000,
			Order:      wire.Order{Ref: "1001", Title: "Two tickets", Description: "Row 4, seats 11 and 12", AmountUSD: "25.00"},
			SuccessURL: "https://shop.example/thanks", CancelURL: "https://shop.example/cart",
		},
	}
	if change != nil {
		change(&p)
	}
	return Sample{Name: name, Page: p}
}

// attempt returns a change that gives a page an attempt.
func attempt(change func(*wire.Attempt)) func(*Page) {
	return func(p *Page) {
		a := waiting()
		if change != nil {
			change(&a)
		}
		p.View.Attempt = &a
	}
}

func unsaved() Sample {
	return sample("open-unsaved", wire.Open, func(p *Page) {
		p.Base, p.View.Session, p.View.Version = "/checkout", "", 0
		p.Carry = []Field{{"item", "coffee"}, {"amount", "5.00"}, {"key", "page_1"}}
	}, wire.Choose)
}

func chosenSample() Sample {
	return sample("open-chosen", wire.Open, func(p *Page) {
		p.Chosen, p.ChosenNetwork, p.Email = "USDT", "USDT:trc20", "ann@example.com"
	}, wire.Choose)
}

func soleSample() Sample {
	return sample("open-sole", wire.Open, func(p *Page) { p.View.Currencies = coins()[4:] }, wire.Choose)
}

func changingSample() Sample {
	return sample("pending-changing", wire.Pending, func(p *Page) {
		attempt(nil)(p)
		p.Changing = true
	}, wire.Cancel, wire.Change)
}

func sandboxSample() Sample {
	return sample("pending-sandbox", wire.Pending, func(p *Page) {
		attempt(nil)(p)
		p.View.Test = true
		p.Simulate = []string{"pay", "half", "over", "parts", "late", "expire", "cancel"}
	}, wire.Cancel, wire.Change, wire.Recheck)
}

func framedSample() Sample {
	return sample("confirmed-modal", wire.Confirmed, func(p *Page) {
		attempt(paid)(p)
		p.Embed, p.Origin, p.Theme = "modal", "https://shop.example", "dark"
		p.Carry = []Field{{"embed", "modal"}, {"origin", "https://shop.example"}, {"theme", "dark"}}
	})
}

func rightToLeft() Sample {
	return sample("pending-rtl", wire.Pending, func(p *Page) {
		attempt(nil)(p)
		p.Lang, p.Dir = "ar", "rtl"
	}, wire.Cancel)
}

func waiting() wire.Attempt {
	return wire.Attempt{
		Number: 1, CurrencySymbol: "USDT", CurrencyName: "Tether", NetworkCode: "trc20", NetworkName: "TRON",
		Address: "TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf", PayAmount: "25.03000000", PayableAmount: "25.03",
		TolerancePercent: "1", ExpiresInMs: 899_000, PaymentURL: "https://gateway.example/pay/abc",
	}
}

func paid(a *wire.Attempt) {
	a.PaidAmount, a.ExpiresInMs = "25.03", 0
	a.TxID = "3b1a9f0c7d5e4f2a8b6c1d0e9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a"
	a.TxURL = "https://explorer.example/tx/3b1a9f0c"
}

func gone(a *wire.Attempt) { a.ExpiresInMs = 0 }

// coins is a list as a shop would have it, with one network too dear for the order.
func coins() []wire.Currency {
	return []wire.Currency{
		coin("USDT", "Tether",
			net("trc20", "TRON", "1", "25.03"), net("erc20", "Ethereum", "4.5", "25.03"),
			wire.Network{Code: "bep20", Name: "BNB Smart Chain", Fee: "0.3", MinimumUSD: "50", Reason: "at least $50 needed"}),
		coin("USDC", "USD Coin", net("erc20", "Ethereum", "4.5", "25.01"), net("base", "Base", "0", "25.01")),
		coin("ETH", "Ether", net("erc20", "Ethereum", "0.001", "0.00912345")),
		coin("BNB", "BNB", wire.Network{Code: "bep20", Name: "BNB Smart Chain", Fee: "0", MaximumUSD: "20", Reason: "at most $20 possible"}),
		coin("TON", "Toncoin", net("ton", "TON", "0.02", "8.1")),
	}
}

func coin(symbol, name string, networks ...wire.Network) wire.Currency {
	icons := map[string]string{"USDT": "usdt", "USDC": "usdc", "ETH": "eth", "BNB": "bnb", "TON": "ton"}
	return wire.Currency{Symbol: symbol, Name: name, Icon: "/icons/" + icons[symbol] + ".svg", Networks: networks}
}

func net(code, name, fee, estimate string) wire.Network {
	return wire.Network{Code: code, Name: name, Fee: fee, Estimate: estimate, Available: true}
}
