// Package screentest has samples of every screen, for tests and the gallery.
package screentest

import (
	"slices"
	"strings"
	"time"

	"coinslot/app/widget"
	"coinslot/app/wire"
	"coinslot/bff/locale"
)

// Sample is one page of the gallery.
type Sample struct {
	Name string      // file name without extension: "pending-partial"
	Page widget.Page // without a language: see [Localize]
}

// Localize returns a sample's page with texts, and with its notice as the server words it. A notice
// without a code has the key of its text as its message.
func Localize(p widget.Page, lang string, text map[string]string) widget.Page {
	p.Text = text
	localizePrices(&p, lang)
	if p.View.Notice == nil {
		return p
	}

	n := *p.View.Notice
	key := n.Message
	if n.Code != "" {
		key = "problem." + string(n.Code)
	}

	n.Message = p.T(key, "coin", "USDT", "network", "TRON")
	p.View.Notice = &n
	return p
}

// localizePrices writes the prices of a page as the server does.
func localizePrices(p *widget.Page, lang string) {
	o := &p.View.Order
	if o.Currency == "" {
		return // the order is unknown
	}
	o.Price = locale.FormatPrice(lang, o.Currency, o.Amount)
	if o.Charge != "" {
		day := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
		charge := p.T("order.charge", "price", locale.FormatPrice(lang, "USD", o.AmountUSD))
		o.Charge = charge + " · " + p.T("order.rate.ecb", "day", locale.FormatDay(lang, day))
	}
	if p.Offer == nil {
		return
	}
	offer := *p.Offer
	offer.Prices = map[string]string{}
	for amount := range p.Offer.Prices {
		offer.Prices[amount] = locale.FormatPrice(lang, o.Currency, amount)
	}
	p.Offer = &offer
}

// Gallery returns the checkout in every state and variant. All amounts, addresses and ids are
// invented.
func Gallery() []Sample { return slices.Concat(choosing(), paying(), ended()) }

func choosing() []Sample {
	return []Sample{
		NewSample("open", wire.Open, nil, wire.Choose),
		unsaved(),
		// The most used coins in sight, the others folded.
		NewSample("open-many", wire.Open, func(p *widget.Page) { p.View.Currencies = Many() },
			wire.Choose),
		openAmountSample("open-amount", "20.00", ""),
		openAmountSample("open-amount-wrong", "1,000", "amount"),
		quantitySample("open-quantity", 3, ""),
		quantitySample("open-quantity-wrong", 1, "quantity"),
		NewSample("open-chosen", wire.Open, func(p *widget.Page) {
			p.Chosen = "USDT"
			p.ChosenNetwork = "USDT:trc20"
			p.Email = "ann@example.com"
		}, wire.Choose),
		NewSample("open-sole", wire.Open,
			func(p *widget.Page) { p.View.Currencies = Coins()[4:] }, wire.Choose),
		// The server's first network is one that few exchanges know.
		NewSample("open-few-exchanges", wire.Open, func(p *widget.Page) {
			p.View.Currencies = Sorted()
			p.Chosen = "USDC"
			p.ChosenNetwork = "USDC:base"
		}, wire.Choose),
		NewSample("open-one-coin", wire.Open,
			func(p *widget.Page) { p.View.Currencies = Sorted()[:1] }, wire.Choose),
		// Each coin has one network.
		NewSample("open-one-network", wire.Open, func(p *widget.Page) {
			p.View.Currencies = Sorted()[2:]
			p.Chosen = "ETH"
		}, wire.Choose),
		// No coin is possible for this amount.
		NewSample("open-nothing", wire.Open, func(p *widget.Page) {
			tooDear := wire.Network{
				Code:       "trc20",
				Name:       "TRON",
				Fee:        "1",
				MinimumUSD: "50",
				Reason:     "from $50",
			}
			p.View.Currencies = []wire.Currency{
				coin("USDT", "Tether", tooDear,
					wire.Network{
						Code:       "bep20",
						Name:       "BNB Smart Chain",
						Fee:        "0.3",
						MaximumUSD: "20",
						Reason:     "up to $20",
					}),
				Coins()[3],
			}
		}, wire.Choose),
		NewSample("open-refused", wire.Open, func(p *widget.Page) {
			p.View.Notice = &wire.Notice{Code: wire.CodePaymentRefused}
		}, wire.Choose),
		NewSample("closed", wire.Open, func(p *widget.Page) {
			p.View.Currencies = nil
			p.View.Notice = &wire.Notice{Code: wire.CodeGatewayUnavailable}
		}),
		NewSample("news", wire.Open, func(p *widget.Page) {
			p.View = wire.View{Status: wire.Open,
				Notice: &wire.Notice{Message: "return.neutral"}}
			p.Base = "/checkout"
		}),
	}
}

func paying() []Sample {
	return []Sample{
		NewSample("preparing", wire.Preparing, func(p *widget.Page) {
			a := waiting()
			a.Address = ""
			a.PayAmount = ""
			a.PayableAmount = ""
			a.PaymentURL = ""
			p.View.Attempt = &a
			p.View.CheckedMsAgo = -1
		}),
		NewSample("pending", wire.Pending, Attempt(nil), wire.Cancel, wire.Change, wire.Recheck),
		NewSample("pending-currency", wire.Pending, func(p *widget.Page) {
			Attempt(nil)(p)
			euros(p)
		}, wire.Cancel, wire.Change, wire.Recheck),
		NewSample(
			"pending-uri", wire.Pending, Attempt(Ether), wire.Cancel, wire.Change, wire.Recheck,
		),
		NewSample("pending-link", wire.Pending, func(p *widget.Page) {
			Attempt(func(a *wire.Attempt) {
				Ether(a)
				a.CurrencySymbol = "USDC"
				a.CurrencyName = "USD Coin"
				a.PayableAmount = "25.01"
				a.TokenURI = true
				a.URI = "ethereum:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48@1/transfer" +
					"?address=0x52908400098527886E0F7030069857D2E4169EE7&uint256=25010000"
			})(p)
			p.Embed = "inline"
			p.Origin = "https://shop.example"
			p.URL = "https://pay.example/checkout/cs_gallery"
			p.Carry = []widget.Field{
				{Name: "embed", Value: "inline"}, {Name: "origin", Value: "https://shop.example"},
			}
			*p = p.WithQR("uri")
		}, wire.Cancel, wire.Change, wire.Recheck),
		checkedSample("pending-checked",
			"ethereum:0x52908400098527886e0f7030069857d2e4169ee7@1?value=1"),
		checkedSample("pending-differs", "0x52908400098527886E0F7030069857D2E4168EE7"),
		NewSample("pending-wallets", wire.Pending, func(p *widget.Page) {
			Attempt(Ether)(p)
			p.URL = "https://pay.example/checkout/cs_gallery"
			p.Opened = "device"
			p.Wallets = []widget.Wallet{
				{
					ID:   "1",
					Name: "Fox Wallet",
					RDNS: "example.fox-wallet",
					Icon: "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' " +
						"viewBox='0 0 8 8'%3E%3Ccircle cx='4' cy='4' r='4' " +
						"fill='%23e8821e'/%3E%3C/svg%3E",
				},
				{
					ID:   "2",
					Name: "A wallet whose name is as long as it can…",
					RDNS: "example.long-name",
				},
			}
		}, wire.Cancel, wire.Change, wire.Recheck),
		NewSample("pending-phone", wire.Pending, func(p *widget.Page) {
			Attempt(func(a *wire.Attempt) { a.Wallets = WalletLinks() })(p)
			p.URL = "https://pay.example/checkout/cs_gallery"
			p.Phone = true
		}, wire.Cancel, wire.Change, wire.Recheck),
		// All rows and the QR code are unfolded.
		NewSample("pending-phone-link", wire.Pending, func(p *widget.Page) {
			Attempt(func(a *wire.Attempt) {
				Ether(a)
				a.Wallets = WalletLinks()
			})(p)
			p.Phone = true
			p.LastWallet = "bitget"
			p.Embed = "inline"
			p.Origin = "https://shop.example"
			p.Carry = []widget.Field{
				{Name: "embed", Value: "inline"}, {Name: "origin", Value: "https://shop.example"},
				{Name: "open", Value: "apps"},
			}
			p.Opened = "apps"
		}, wire.Cancel, wire.Change, wire.Recheck),
		NewSample("pending-hosted", wire.Pending,
			Attempt(func(a *wire.Attempt) { a.Address = "" }), wire.Cancel),
		NewSample("pending-arrived", wire.Pending, Attempt(func(a *wire.Attempt) {
			a.PaidAmount = "25.03"
			a.TxID = "3b1a9f0c7d5e"
		}), wire.Recheck),
		NewSample("pending-partial", wire.Pending, Attempt(func(a *wire.Attempt) {
			a.PaidAmount = "9.80"
			a.MissingAmount = "15.23"
			a.ExpiresInMs = 192_000
		}), wire.Recheck),
		NewSample("pending-last-minutes", wire.Pending, Attempt(func(a *wire.Attempt) {
			a.ExpiresInMs = 192_000
			a.ExtendMinutes = 60
		}), wire.Cancel, wire.Change, wire.Extend),
		NewSample("pending-changing", wire.Pending, func(p *widget.Page) {
			Attempt(nil)(p)
			p.Changing = true
		}, wire.Cancel, wire.Change),
		NewSample("pending-sandbox", wire.Pending, func(p *widget.Page) {
			Attempt(nil)(p)
			p.View.Test = true
			p.Simulate = []string{"pay", "half", "over", "parts", "late", "expire", "cancel", "tenfold", "tolerated"}
		}, wire.Cancel, wire.Change, wire.Recheck),
	}
}

// refund is money that was sent back; explorer is the beginning of its link, empty = there is none.
func refund(amount, explorer string) wire.Refund {
	const id = "7f2b6c1d9e0a4835b7c6d1e2f3a4958677b8c9d0e1f2a3b4c5d6e7f8091a2b3c"
	r := wire.Refund{Amount: amount, Symbol: "USDT", Day: "November 29", TxID: id}
	if explorer != "" {
		r.TxURL = explorer + id
	}
	return r
}

func ended() []Sample {
	return []Sample{
		NewSample("confirmed-modal", wire.Confirmed, func(p *widget.Page) {
			Attempt(paid)(p)
			p.Embed = "modal"
			p.Origin = "https://shop.example"
			p.Theme = "dark"
			p.Carry = []widget.Field{
				{Name: "embed", Value: "modal"}, {Name: "origin", Value: "https://shop.example"},
				{Name: "theme", Value: "dark"},
			}
		}),
		NewSample("refused", wire.Open, func(p *widget.Page) { p.Embed = "inline" }, wire.Choose),
		NewSample("confirmed", wire.Confirmed, Attempt(paid)),
		NewSample("confirmed-late-overpaid", wire.Confirmed, Attempt(func(a *wire.Attempt) {
			paid(a)
			a.Late = true
			a.PaidAmount = "30.00"
			a.OverpaidAmount = "4.97"
			a.TxURL = ""
		})),
		NewSample("confirmed-in-parts", wire.Confirmed, Attempt(func(a *wire.Attempt) {
			paid(a)
			a.Transactions = []wire.Transaction{
				{TxID: "0f6e5d4c3b2a190817263544536271809f8e7d6c5b4a39281706f5e4d3c2b1a0"},
				{TxID: a.TxID, TxURL: a.TxURL},
			}
		})),
		NewSample("confirmed-by-hand", wire.Confirmed, nil),
		// The excess went back in two parts.
		NewSample("confirmed-refunded", wire.Confirmed, func(p *widget.Page) {
			Attempt(paid)(p)
			p.View.Refunds = []wire.Refund{
				refund("4.5", "https://tronscan.org/#/transaction/"),
				refund("0.47", ""),
			}
		}),
		NewSample("expired", wire.Expired, Attempt(gone), wire.Retry, wire.Recheck),
		NewSample("expired-partial", wire.Expired, Attempt(func(a *wire.Attempt) {
			gone(a)
			a.PaidAmount = "9.80"
			a.MissingAmount = "15.23"
		}), wire.Recheck),
		NewSample("expired-refunded", wire.Expired, func(p *widget.Page) {
			Attempt(func(a *wire.Attempt) {
				gone(a)
				a.PaidAmount = "9.80"
				a.MissingAmount = "15.23"
			})(p)
			p.View.Refunds = []wire.Refund{refund("9.8", "https://tronscan.org/#/transaction/")}
		}, wire.Recheck),
		NewSample("expired-unchosen", wire.Expired, func(p *widget.Page) {
			p.View.Notice = &wire.Notice{Code: wire.CodeSessionExpired}
		}),
		NewSample("expired-coin-gone", wire.Expired, Attempt(func(a *wire.Attempt) {
			gone(a)
			a.NetworkCode = "omni"
		}), wire.Retry),
		NewSample("cancelled", wire.Cancelled, Attempt(gone), wire.Retry, wire.Recheck),
		NewSample("cancelled-paid", wire.Cancelled, Attempt(func(a *wire.Attempt) {
			gone(a)
			paid(a)
		}), wire.Recheck),
		NewSample("review", wire.Review, Attempt(paid), wire.Recheck),
		NewSample("unknown-status", "frozen", Attempt(nil)),
		supportSample("expired-support", wire.Expired, "mailto:help@shop.example", gone, wire.Retry,
			wire.Recheck),
		supportSample("review-support", wire.Review, "https://shop.example/help", paid,
			wire.Recheck),
		NewSample("receipt", wire.Confirmed, func(p *widget.Page) {
			Attempt(paid)(p)
			p.Receipt = true
			p.Shop = "https://two-tickets.example"
			p.URL = "https://pay.shop.example/checkout/cs_gallery"
			p.View.Receipt = strings.Repeat("eyJhbGciOiJFZERTQSJ9", 4) + "." +
				strings.Repeat("eyJzdGF0dXMiOiJjb25maXJtZWQifQ", 14) + "." +
				strings.Repeat("c2lnbmF0dXJl", 7)
		}),
		// A link with an unknown session.
		NewSample("unknown", wire.Open, func(p *widget.Page) {
			p.View = wire.View{
				Status:       wire.Open,
				CheckedMsAgo: -1,
				Notice:       &wire.Notice{Code: wire.CodeSessionUnknown},
			}
			p.Base = "/checkout/cs_aaaaaaaaaaaaaaaaaaaaaaaaaa"
			p.Shop = "https://shop.example"
		}),
		NewSample("pending-rtl", wire.Pending, func(p *widget.Page) {
			Attempt(nil)(p)
			p.Lang = "ar"
			p.Dir = "rtl"
		}, wire.Cancel),
	}
}

// order returns an order in dollars.
func order(dollars, ref, title, description string) wire.Order {
	return wire.Order{
		Ref:         ref,
		Title:       title,
		Description: description,
		Amount:      dollars,
		Currency:    "USD",
		AmountUSD:   dollars,
		Price:       "$" + dollars,
	}
}

// euros changes a page to one of an order in euros.
func euros(p *widget.Page) {
	o := &p.View.Order
	o.Amount = "17.00"
	o.Currency = "EUR"
	o.AmountUSD = "18.57"
	o.Price = "€17.00"
	o.Charge = "charged as $18.57 · ECB rate of 26 November"
}

// NewSample returns a page of a stored session.
func NewSample(
	name string, status wire.Status, change func(*widget.Page), actions ...wire.Action,
) Sample {
	p := widget.Page{
		Lang:  "en",
		Dir:   "ltr",
		Theme: "auto",
		Base:  "/checkout/cs_gallery",
		View: wire.View{
			Version:      7,
			Session:      "cs_gallery",
			Status:       status,
			Currencies:   Coins(),
			Actions:      actions,
			CheckedMsAgo: 4000,
			Order:        order("25.00", "1001", "Two tickets", "Row 4, seats 11 and 12"),
			SuccessURL:   "https://shop.example/thanks",
			CancelURL:    "https://shop.example/cart",
		},
	}
	if change != nil {
		change(&p)
	}

	return Sample{Name: name, Page: p}
}

// Attempt returns a change that gives a page an attempt.
func Attempt(change func(*wire.Attempt)) func(*widget.Page) {
	return func(p *widget.Page) {
		a := waiting()
		if change != nil {
			change(&a)
		}
		p.View.Attempt = &a
	}
}

func unsaved() Sample {
	return NewSample("open-unsaved", wire.Open, func(p *widget.Page) {
		p.Base = "/checkout"
		p.View.Session = ""
		p.View.Version = 0
		p.Carry = []widget.Field{
			{Name: "item", Value: "coffee"}, {Name: "amount", Value: "5.00"},
			{Name: "key", Value: "page_1"},
		}
	}, wire.Choose)
}

// openAmountSample is an item with an open amount; wrong is Offer.Wrong.
func openAmountSample(name, typed, wrong string) Sample {
	return NewSample(name, wire.Open, func(p *widget.Page) {
		*p = unsaved().Page
		p.View.Order = order("20.00", "", "A tip for the kitchen", "")
		p.Carry = []widget.Field{
			{Name: "item", Value: "tip"}, {Name: "amount", Value: "20.00"},
			{Name: "key", Value: "page_1"},
		}
		p.Offer = &widget.Offer{
			Minimum:   "1.00",
			Maximum:   "500.00",
			Suggested: []string{"5.00", "10.00", "20.00", "50.00"},
			Prices: map[string]string{
				"1.00":   "$1.00",
				"5.00":   "$5.00",
				"10.00":  "$10.00",
				"20.00":  "$20.00",
				"50.00":  "$50.00",
				"500.00": "$500.00",
			},
			Amount: typed,
			Wrong:  wrong,
		}
		p.View.Currencies = Sorted()
	}, wire.Choose)
}

// quantitySample is an item with a quantity.
func quantitySample(name string, n int, wrong string) Sample {
	return NewSample(name, wire.Open, func(p *widget.Page) {
		*p = unsaved().Page
		p.View.Order = order("13.50", "", "3 × Coffee", "Whole beans, 250 g")
		p.Carry = []widget.Field{
			{Name: "item", Value: "coffee"}, {Name: "quantity", Value: "3"},
			{Name: "key", Value: "page_1"},
		}
		p.Offer = &widget.Offer{
			Least:    1,
			Most:     10,
			Quantity: n,
			Wrong:    wrong,
		}
		p.View.Currencies = Sorted()
	}, wire.Choose)
}

// Sorted is Coins as the server sends them: by fee, and with details of the networks.
func Sorted() []wire.Currency {
	list := Coins()
	usdc := list[1].Networks
	usdc[0], usdc[1] = usdc[1], usdc[0]
	// By code; "ton" has none.
	marks := map[string]string{"trc20": "tron", "erc20": "ethereum", "bep20": "bsc", "base": "base"}
	for _, c := range list {
		c.Networks[0].Lowest = c.Networks[0].Available
		for i := range c.Networks {
			n := &c.Networks[i]
			if file, ok := marks[n.Code]; ok {
				n.Mark = "/icons/net-" + file + ".svg"
			}
			n.Exchanges = n.Code == "trc20" || n.Code == "erc20" || n.Code == "bep20"
		}
	}

	return list
}

// Many are more coins than are in sight at once.
func Many() []wire.Currency {
	one := func(symbol, name, code, network, fee, estimate string) wire.Currency {
		n := net(code, network, fee, estimate)
		n.Mark = "/icons/net-" + code + ".svg"
		return coin(symbol, name, n)
	}
	list := Sorted()[:3]
	return append(list, one("BTC", "Bitcoin", "bitcoin", "Bitcoin", "0.00002", "0.000268"),
		one("SOL", "Solana", "solana", "Solana", "0.001", "0.1741"),
		one("LTC", "Litecoin", "litecoin", "Litecoin", "0.001", "0.2826"),
		one("DOGE", "Dogecoin", "dogecoin", "Dogecoin", "4", "151.9"),
		one("POL", "Polygon", "polygon", "Polygon", "0.1", "101.2"),
		one("TRX", "TRON", "tron", "TRON", "1", "77.85"))
}

// Ether makes a an attempt of Ether, with everything for wallets.
func Ether(a *wire.Attempt) {
	a.CurrencySymbol = "ETH"
	a.CurrencyName = "Ether"
	a.NetworkCode = "erc20"
	a.NetworkName = "Ethereum"
	a.Address = "0x52908400098527886E0F7030069857D2E4169EE7"
	a.PayAmount = "0.009123450000"
	a.PayableAmount = "0.00912345"
	a.URI = "ethereum:0x52908400098527886E0F7030069857D2E4169EE7@1?value=9123450000000000"
	a.NetworkMark = "/icons/net-ethereum.svg"
	a.Family = wire.EVM
	a.Call = &wire.Call{
		ChainID: "0x1",
		To:      a.Address,
		Value:   "0x206991fb9b2200",
		Data:    "0x",
	}
}

// WalletLinks are links of wallets: two that fill in the payment, and three that open the page.
func WalletLinks() []wire.WalletLink {
	page := "https%3A%2F%2Fpay.example%2Fcheckout%2Fcs_gallery"
	return []wire.WalletLink{
		{
			ID:    "trust",
			Name:  "Trust Wallet",
			Mark:  "T",
			Link:  "https://link.trustwallet.com/send?asset=c195&address=TXYZ&amount=25.03",
			Fills: true,
		},
		{
			ID:    "metamask",
			Name:  "MetaMask",
			Mark:  "M",
			Link:  "https://link.metamask.io/send/0x5290@1?value=2.503e1",
			Fills: true,
		},
		{ID: "tronlink", Name: "TronLink", Mark: "TL", Link: "tronlinkoutside://pull.activity?param=" + page},
		{ID: "okx", Name: "OKX Wallet", Mark: "O", Link: "https://web3.okx.com/download?deeplink=" + page},
		{ID: "bitget", Name: "Bitget Wallet", Mark: "BG", Link: "https://bkcode.vip?action=dapp&url=" + page},
	}
}

func checkedSample(name, pasted string) Sample {
	return NewSample(name, wire.Pending, func(p *widget.Page) {
		Attempt(Ether)(p)
		p.Pasted = pasted
		p.Opened = "check"
	}, wire.Cancel, wire.Change, wire.Recheck)
}

// supportSample is an ended payment without CancelURL.
func supportSample(name string, status wire.Status, support string, change func(*wire.Attempt),
	actions ...wire.Action) Sample {
	return NewSample(name, status, func(p *widget.Page) {
		Attempt(change)(p)
		p.View.Support = support
		p.View.CancelURL = ""
	}, actions...)
}

func waiting() wire.Attempt {
	return wire.Attempt{
		Number:           1,
		CurrencySymbol:   "USDT",
		CurrencyName:     "Tether",
		NetworkCode:      "trc20",
		NetworkName:      "TRON",
		Address:          "TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf",
		PayAmount:        "25.03000000",
		PayableAmount:    "25.03",
		TolerancePercent: "1",
		ExpiresInMs:      899_000,
		PaymentURL:       "https://gateway.example/pay/abc",
		NetworkMark:      "/icons/net-tron.svg",
		Family:           wire.TRON,
		TrackingCode:     "8f3kq2mz7t",
	}
}

func paid(a *wire.Attempt) {
	a.PaidAmount = "25.03"
	a.ExpiresInMs = 0
	a.PaidAt = "2026-11-22T01:40:05Z"
	a.TxID = "3b1a9f0c7d5e4f2a8b6c1d0e9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a"
	a.TxURL = "https://explorer.example/tx/3b1a9f0c"
}

func gone(a *wire.Attempt) { a.ExpiresInMs = 0 }

// Coins is a typical list, with some networks unavailable for the order.
func Coins() []wire.Currency {
	return []wire.Currency{
		coin("USDT", "Tether",
			net("trc20", "TRON", "1", "25.03"), net("erc20", "Ethereum", "4.5", "25.03"),
			wire.Network{
				Code:       "bep20",
				Name:       "BNB Smart Chain",
				Fee:        "0.3",
				MinimumUSD: "50",
				Reason:     "from $50",
			}),
		coin("USDC", "USD Coin", net("erc20", "Ethereum", "4.5", "25.01"),
			net("base", "Base", "0", "25.01")),
		coin("ETH", "Ether", net("erc20", "Ethereum", "0.001", "0.00912345")),
		coin("BNB", "BNB",
			wire.Network{
				Code:       "bep20",
				Name:       "BNB Smart Chain",
				Fee:        "0",
				MaximumUSD: "20",
				Reason:     "up to $20",
			}),
		gram(),
	}
}

// gram is a renamed coin, of a gateway that has its old symbol.
func gram() wire.Currency {
	c := coin("TON", "Gram", net("ton", "TON (The Open Network)", "0.02", "8.1"))
	c.Icon = "/icons/gram.svg"
	c.DisplaySymbol = "GRAM"
	c.Formerly = "Toncoin (TON)"
	return c
}

func coin(symbol, name string, networks ...wire.Network) wire.Currency {
	icon := "/icons/" + strings.ToLower(symbol) + ".svg"
	return wire.Currency{
		Symbol:   symbol,
		Name:     name,
		Icon:     icon,
		Networks: networks,
	}
}

func net(code, name, fee, estimate string) wire.Network {
	return wire.Network{
		Code:      code,
		Name:      name,
		Fee:       fee,
		Estimate:  estimate,
		Available: true,
	}
}
