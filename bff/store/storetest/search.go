package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/console"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

var searchTests = cases{
	"search by text": on(func(t *testing.T, b Backend) {
		for n := range 4 {
			s := fresh(n)
			s.Order.Ref = []string{"shop/1001", "shop/1002", "shops\x00", ""}[n]
			s.Order.Email = []string{"Ann@Shop.example", "", "", "ann@shop.example"}[n]
			inserted(t, b, s)
		}

		id := func(n int) string { return fresh(n).ID }
		a := paying(1, "USDT", "trc20", "TRK-a", "TAbcDef")
		a.OrderID = 654321
		a.TxID = "0xAABBcc"
		a.State = payment.InReview
		second := paying(2, "ETH", "erc20", "TRK-b", "0xFF00ff")
		second.Email = "bob@shop.example"
		second.OrderID = 100100
		second.Drawn = true
		updated(t, b, id(1), with(a))
		updated(t, b, id(1), with(second))
		updated(t, b, id(3), func(s *payment.Session) {
			s.Refunds = []payment.Refund{{TxID: "0xDDee11"}}
		})
		for text, want := range map[string][]string{
			id(2):                 {id(2)},
			" " + id(2) + "\n":    {id(2)},
			id(2)[:28]:            nil,
			"shop/1001":           {id(0)},
			"shop/100":            {id(1), id(0)},
			"sho":                 {id(1), id(0)},
			"sh":                  nil,
			"SHOP/1001":           nil,
			"shops\x00":           {id(2)},
			"ann@shop.example":    {id(3), id(0)},
			"ANN@shop.example ":   {id(3), id(0)},
			"ann@shop":            nil,
			"bob@shop.example":    {id(1)},
			"TRK-a":               {id(1)},
			"TRK-b":               {id(1)},
			"trk-a":               nil,
			"654321":              {id(1)},
			"100100":              {id(1)},
			"65432":               nil,
			"tabcdef":             {id(1)},
			"TAbcDef":             {id(1)},
			"0xff00FF":            {id(1)},
			"ff00ff":              {id(1)},
			"aabbcc":              {id(1)},
			"0xaabbcc":            {id(1)},
			"0xddee11":            {id(3)},
			"0x":                  nil,
			"%":                   nil,
			"' OR 1=1 --":         nil,
			"\xff\x00":            nil,
			"\x01":                nil,
			"\U0010FFFF":          nil,
			"a\U0010FFFF\x00\xff": nil,
		} {
			same(t, fmt.Sprintf("Search(%q)", text),
				ids(search(t, b, console.Query{Text: text}).Sessions), want)
		}

		for _, s := range search(t, b, console.Query{Text: "TRK-a"}).Sessions {
			check(t, b, s)
		}

		long := console.Query{Text: string(make([]byte, 4096))}
		same(t, "Search of what nothing is", search(t, b, long), payment.Page{})
	}),
	"search by coin, status, time": on(func(t *testing.T, b Backend) {
		for n := range 6 {
			s := fresh(n)
			s.Order.Email = "ann@shop.example"
			inserted(t, b, s)
			coin := "USDT"
			network := "trc20"
			if n%2 == 0 {
				coin = "Eth"
				network = "ERC20"
			}
			if n == 5 {
				network = "bep20"
			}
			if n > 0 {
				updated(t, b, s.ID, with(paying(1, coin, network, fmt.Sprint("TRK-", n), "A")))
			}
			if n > 3 {
				updated(t, b, s.ID, func(s *payment.Session) { s.Status = wire.Review })
			}
		}

		found := fortest.Must(b.Choices(t.Context()))(t)
		same(t, "Choices", found, console.Choices{
			Coins:      []string{"ETH", "USDT"},
			Networks:   []string{"bep20", "erc20", "trc20"},
			Currencies: []string{"USD"},
		})
		at := func(n int) time.Time { return fresh(n).CreatedAt }
		for _, c := range []struct {
			query console.Query
			want  []int
		}{
			{console.Query{}, []int{5, 4, 3, 2, 1, 0}},
			{console.Query{Status: "review"}, []int{5, 4}},
			{console.Query{Coin: "usdt"}, []int{5, 3, 1}},
			{console.Query{Coin: "ETH", Network: "erc20"}, []int{4, 2}},
			{console.Query{Network: "bep20"}, []int{5}},
			{console.Query{Coin: "USDT", Network: "erc20"}, nil},
			{console.Query{Coin: "USDT", Status: "review"}, []int{5}},
			{console.Query{Coin: "USDT", Status: "open"}, []int{3, 1}},
			{console.Query{From: at(2), To: at(4)}, []int{3, 2}},
			{console.Query{From: at(2).Add(1), To: at(4).Add(1)}, []int{4, 3}},
			{console.Query{From: at(4), To: at(2)}, nil},
			{console.Query{From: at(2), To: at(5), Coin: "USDT"}, []int{3}},
			{console.Query{From: at(2), To: at(5), Status: "review"}, []int{4}},
			{
				console.Query{
					Text:    "ann@shop.example",
					Coin:    "USDT",
					Network: "TRC20",
					Status:  "open",
					From:    at(2),
				},
				[]int{3},
			},
			{console.Query{Text: "order", Coin: "ETH", To: at(4)}, []int{2}},
			{console.Query{Text: fresh(1).ID, Coin: "ETH"}, nil},
			{console.Query{Text: "TRK-4", Status: "open"}, nil},
			{console.Query{Text: "TRK-4", Status: "review", Coin: "eth"}, []int{4}},
		} {
			got := search(t, b, c.query).Sessions
			wantSessions(t, fmt.Sprintf("Search(%+v)", c.query), got, c.want...)
		}
	}),
	"search by currency": on(searchByCurrency),
	// A reader of page after page sees everything once, however it is searched for.
	"search pages": on(func(t *testing.T, b Backend) {
		var want []string
		for n := range 7 {
			s := fresh(n)
			s.CreatedAt = epoch().Add(time.Duration(n/3) * time.Second) // three at a time
			s.Order.Email = "ann@shop.example"
			inserted(t, b, s)
			updated(t, b, s.ID, with(paying(1, "USDT", "trc20", fmt.Sprint("TRK-", n), "A")))
			want = append(want, s.ID)
		}

		slices.Reverse(want)
		for _, q := range []console.Query{
			{}, {Text: "ann@shop.example"}, {Text: "order "}, {Coin: "USDT"}, {Status: "open"},
			{Currency: "USD"}, {To: epoch().Add(time.Hour)},
		} {
			q.Limit = 2
			got := allPages(func(cursor string) ([]string, string) {
				q.Cursor = cursor
				page := search(t, b, q)
				return ids(page.Sessions), page.Next
			})
			same(t, fmt.Sprintf("all pages of %+v", q), got, want)
		}
	}),
	// A shopper writes about the address that was shown at first: it still finds the
	// session. The filters go by what is chosen now.
	"search keeps what once was": on(func(t *testing.T, b Backend) {
		s := inserted(t, b, fresh(1))
		updated(t, b, s.ID, with(paying(1, "USDT", "trc20", "TRK-1", "first")))
		updated(t, b, s.ID, func(s *payment.Session) { s.Attempts[0].State = payment.Cancelled })
		updated(t, b, s.ID, with(paying(2, "ETH", "erc20", "TRK-2", "second")))
		for _, q := range []console.Query{
			{Text: "first"}, {Text: "second"}, {Text: "TRK-1"}, {Coin: "ETH"},
		} {
			same(t, fmt.Sprintf("Search(%+v)", q), ids(search(t, b, q).Sessions), []string{s.ID})
		}
		same(t, "Search of the coin it had", search(t, b, console.Query{Coin: "USDT"}),
			payment.Page{})
	}),
	"tally": on(tally),
	// The night of 2026-10-25 has 25 hours in Berlin.
	"tally of days of a time zone": on(func(t *testing.T, b Backend) {
		berlin := fortest.Must(time.LoadLocation("Europe/Berlin"))(t)
		day := time.Date(2026, 10, 25, 0, 0, 0, 0, berlin)
		for n, at := range []time.Time{
			day.Add(-time.Microsecond), day, day.Add(25*time.Hour - time.Microsecond),
			day.Add(25 * time.Hour),
		} {
			s := fresh(n)
			s.CreatedAt = at
			inserted(t, b, s)
		}

		var got []string
		from := day.AddDate(0, 0, -1)
		for _, c := range fortest.Must(b.Tally(t.Context(), from, day.AddDate(0, 0, 2)))(t) {
			got = append(got, fmt.Sprint(c.Day.Format(time.RFC3339), " ", c.Sessions))
		}
		same(t, "Tally", got, []string{
			"2026-10-24T00:00:00+02:00 1", "2026-10-25T00:00:00+02:00 2",
			"2026-10-26T00:00:00+01:00 1",
		})
	}),
	"tally of too long": on(func(t *testing.T, b Backend) {
		from := epoch()
		for to, want := range map[time.Time]error{
			from:                   nil,
			from.AddDate(0, 0, 92): nil,
			from.AddDate(0, 0, 93): console.ErrRange,
			from.Add(-time.Second): console.ErrRange,
		} {
			got, err := b.Tally(t.Context(), from, to)
			if !errors.Is(err, want) || len(got) > 0 {
				t.Errorf("Tally until %s = %v, %v; want %v", to, got, err, want)
			}
		}
	}),
}

// searchByCurrency: a price in dollars is found as one in USD.
func searchByCurrency(t *testing.T, b Backend) {
	for n, code := range []string{"", "EUR", "JPY", "EUR", ""} {
		s := fresh(n)
		s.Order.Currency = code
		inserted(t, b, s)
	}
	updated(t, b, fresh(3).ID, with(paying(1, "USDT", "trc20", "TRK-3", "A")))

	found := fortest.Must(b.Choices(t.Context()))(t)
	same(t, "the currencies", found.Currencies, []string{"EUR", "JPY", "USD"})
	for _, c := range []struct {
		query console.Query
		want  []int
	}{
		{console.Query{Currency: "EUR"}, []int{3, 1}},
		{console.Query{Currency: "USD"}, []int{4, 0}},
		{console.Query{Currency: "eur"}, nil},
		{console.Query{Currency: "CHF"}, nil},
		{console.Query{Currency: "EUR", Coin: "USDT"}, []int{3}},
		{console.Query{Currency: "EUR", To: fresh(3).CreatedAt}, []int{1}},
		{console.Query{Currency: "JPY", Text: "order"}, []int{2}},
		{console.Query{Currency: "EUR", Status: "open"}, []int{3, 1}},
	} {
		got := search(t, b, c.query).Sessions
		wantSessions(t, fmt.Sprintf("Search(%+v)", c.query), got, c.want...)
	}
}

// paying is an attempt as it is after create's answer.
func paying(number int, coin, network, code, address string) payment.Attempt {
	a := attempt(number, payment.Waiting, "marker "+code)
	a.CurrencySymbol = coin
	a.NetworkCode = network
	a.TrackingCode = code
	a.Address = address
	return a
}

func search(t *testing.T, b Backend, q console.Query) payment.Page {
	return fortest.Must(b.Search(t.Context(), q))(t)
}

func tally(t *testing.T, b Backend) {
	day := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for n, c := range []struct {
		at     time.Duration
		amount string
		coin   string
		status wire.Status
	}{
		{0, "0.01", "", wire.Open},
		{time.Hour, "0.02", "", wire.Open},
		{time.Hour, "999999999.99", "USDT", wire.Confirmed},
		{24*time.Hour - time.Microsecond, "999999999.99", "usdt", wire.Confirmed},
		{time.Hour, "25", "ETH", wire.Confirmed},
		{24 * time.Hour, "1.10", "USDT", wire.Confirmed},
		{-time.Microsecond, "7", "", wire.Open},
	} {
		s := fresh(n)
		s.CreatedAt = day.Add(c.at)
		s.Status = c.status
		s.Order.AmountUSD = decimal.RequireFromString(c.amount)
		inserted(t, b, s)
		if c.coin != "" {
			updated(t, b, s.ID, with(paying(1, c.coin, "x", fmt.Sprint("TRK-", n), "A")))
		}
	}

	usd := decimal.RequireFromString
	got := fortest.Must(b.Tally(t.Context(), day, day.Add(48*time.Hour)))(t)
	slices.SortStableFunc(got, func(a, b console.OrderCount) int { return a.Day.Compare(b.Day) })
	same(t, "Tally", got, []console.OrderCount{
		{
			Day:       day,
			Status:    "confirmed",
			Coin:      "ETH",
			Sessions:  1,
			AmountUSD: usd("25"),
		},
		{
			Day:       day,
			Status:    "confirmed",
			Coin:      "USDT",
			Sessions:  2,
			AmountUSD: usd("1999999999.98"),
		},
		{
			Day:       day,
			Status:    "open",
			Sessions:  2,
			AmountUSD: usd("0.03"),
		},
		{
			Day:       day.Add(24 * time.Hour),
			Status:    "confirmed",
			Coin:      "USDT",
			Sessions:  1,
			AmountUSD: usd("1.10"),
		},
	})
	got, err := b.Tally(t.Context(), day.Add(time.Hour), day.Add(2*time.Hour))
	if err != nil || len(got) != 3 || got[2].Sessions != 1 {
		t.Errorf("Tally of an hour = %v, %v", got, err)
	}
}
