package gateway

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

const networkJSON = `{"network_name":"Tron","network_symbol":"TRX","network_code":"trc20","network_fee":1.5,
	"minimum_pay_usd":1,"maximum_pay_usd":10000,"max_ttl":60,"icon":""}`

func currencyJSON(networks string) string {
	return `{"currency_name":"Tether","currency_symbol":"USDT","currency_type":"stable","price_in_usdt":1,
		"icon":"https://x.example/i.png","supported_networks":` + networks + `}`
}

func TestCurrencies(t *testing.T) {
	c, seen := record(t, done("["+currencyJSON("["+networkJSON+"]")+"]"))
	got := fortest.Must(c.Currencies(t.Context()))(t)
	want := []payment.Currency{{
		Name:        "Tether",
		Symbol:      "USDT",
		Type:        "stable",
		PriceInUSDT: dec("1"),
		Icon:        "https://x.example/i.png",
		Networks: []payment.Network{{
			Name: "Tron", Symbol: "TRX", Code: "trc20", Fee: dec("1.5"),
			MinimumUSD: dec("1"), MaximumUSD: dec("10000"), MaxTTL: 60,
		}},
	}}
	fortest.Diff(t, got, want, "Currencies")
	req := <-seen
	if req.method != "GET" || req.path != "/api/v1/merchant/currencies/list" ||
		len(req.query) != 0 {
		t.Errorf("request is %+v", req)
	}
}

// TestCurrenciesAnswers counts what is offered of a changed list.
func TestCurrenciesAnswers(t *testing.T) {
	changed := func(old, new string) string {
		return "[" +
			currencyJSON("["+networkJSON+","+strings.Replace(networkJSON, old, new, 1)+"]") + "]"
	}
	for _, tt := range []struct {
		data       string
		currencies int // -1 = unknown
		networks   int // of the first
	}{
		{`[]`, 0, 0},
		{changed(`"max_ttl":60`, `"max_ttl":"60"`), 1, 2},
		{changed(`"max_ttl":60`, `"max_ttl":null`), 1, 2},
		{changed(`"max_ttl":60`, `"max_ttl":"long"`), 1, 1},
		{changed(`"minimum_pay_usd":1,`, `"minimum_pay_usd":"1.00",`), 1, 2},
		{changed(`"minimum_pay_usd":1,`, `"minimum_pay_usd":null,`), 1, 2},
		{changed(`"minimum_pay_usd":1,`, `"minimum_pay_usd":-1,`), 1, 1},
		{changed(`"minimum_pay_usd":1,`, `"minimum_pay_usd":1e1,`), 1, 2},
		{changed(`"maximum_pay_usd":10000`, `"maximum_pay_usd":5e+04`), 1, 2},
		{changed(`"minimum_pay_usd":1,`, `"minimum_pay_usd":1e999999999,`), 1, 1},
		{changed(`"minimum_pay_usd":1,`, `"minimum_pay_usd":1e-999999999,`), 1, 1},
		{changed(`"minimum_pay_usd":1,`, `"minimum_pay_usd":"1e1",`), 1, 1},
		{changed(`"maximum_pay_usd":10000`, `"maximum_pay_usd":"lots"`), 1, 1},
		{changed(`"network_fee":1.5`, `"network_fee":1.0e-5`), 1, 2},
		{changed(`"network_code":"trc20"`, `"network_code":"TRC20"`), 1, 2},
		{changed(`"network_code":"trc20"`, `"network_code":""`), 1, 1},
		{changed(`"network_code":"trc20"`, `"network_code":"a b"`), 1, 1},
		{changed(`"network_code":"trc20"`, `"network_code":[]`), 1, 1},
		{changed(networkJSON, `null`), 1, 1},
		{`[` + currencyJSON(`null`) + `]`, 1, 0},
		{`[` + strings.Replace(currencyJSON(`[]`), `"USDT"`, `""`, 1) + `]`, 0, 0},
		{`[` + strings.Replace(currencyJSON(`[]`), `"USDT"`, `{}`, 1) + `]`, 0, 0},
		{
			`[` +
				strings.Replace(currencyJSON(`[]`), `"price_in_usdt":1`, `"price_in_usdt":"?"`,
					1) + `]`,
			1,
			0,
		},
		{`[` + currencyJSON(`{}`) + `]`, -1, 0},
		{`[null]`, -1, 0},
		{`["USDT"]`, -1, 0},
		{`{}`, -1, 0},
		{`null`, -1, 0},
		{changed(`"minimum_pay_usd":1,`, `"minimum_pay_usd":1,"Minimum_pay_usd":0,`), -1, 0},
	} {
		got, err := serveText(t, done(tt.data)).Currencies(t.Context())
		if tt.currencies < 0 {
			fortest.Equal(t, outcome(t, err), "unknown", "Currencies answered %s", tt.data)
			continue
		}
		if err != nil || got == nil || len(got) != tt.currencies {
			t.Errorf("Currencies answered %s = %+v, %v; want %d currencies", tt.data, got, err,
				tt.currencies)
			continue
		}
		if len(got) > 0 && len(got[0].Networks) != tt.networks {
			t.Errorf("Currencies answered %s: %d networks; want %d", tt.data, len(got[0].Networks),
				tt.networks)
		}
	}
}

// TestExponents: a number means the same in every notation of JSON.
func TestExponents(t *testing.T) {
	for in, want := range map[string]string{
		"1e-05": "0.00001", "5e+04": "50000", "5E4": "50000", "1.5e3": "1500", "1.25e1": "12.5",
		"0.1e1": "1", "0e5": "0", "1.000e-3": "0.001", "1e29": "1" + strings.Repeat("0", 29),
		"1e30": "0", "1e-31": "0", "-1e1": "0", "1e999999999": "0", "1e99999999999999999999": "0",
	} {
		row := strings.Replace(currencyJSON("[]"), `"price_in_usdt":1`, `"price_in_usdt":`+in, 1)
		got, err := serveText(t, done("["+row+"]")).Currencies(t.Context())
		if err != nil || len(got) != 1 || !got[0].PriceInUSDT.Equal(dec(want)) {
			t.Errorf("price %s = %+v, %v; want %s", in, got, err, want)
		}
	}
}

// TestLeftOutIsNamed: what is left out is named with the reason.
func TestLeftOutIsNamed(t *testing.T) {
	bad := strings.Replace(networkJSON, `"maximum_pay_usd":10000`, `"maximum_pay_usd":"lots"`, 1)
	nameless := strings.Replace(networkJSON, `"network_code":"trc20"`, `"network_code":""`, 1)
	odd := strings.Replace(currencyJSON("[]"), `"USDT"`, `{}`, 1)
	c := serveText(t, done("["+currencyJSON("["+networkJSON+","+bad+","+nameless+"]")+","+odd+"]"))
	var log bytes.Buffer
	c.log = slog.New(slog.NewTextHandler(&log, nil))
	fortest.Must(c.Currencies(t.Context()))(t)
	for _, want := range []string{
		"count=3", "USDT trc20: reading maximum_pay_usd: not a decimal",
		"USDT network 3 (Tron): reading network_code: not well formed",
		"currency 2 (Tether): reading currency_symbol: not a string",
	} {
		fortest.Has(t, "log", log.String(), want)
	}
}

// A list that no page could show has a maximum, and what is left out is named.
func TestLongCurrencyList(t *testing.T) {
	for _, c := range []struct{ currencies, networks, left int }{
		{maxCurrencies, 1, 0}, {maxCurrencies + 1200, 1, 1}, {1, maxNetworks, 0},
		{1, maxNetworks + 1, 1},
	} {
		networks := "[" + networkJSON + strings.Repeat(","+networkJSON, c.networks-1) + "]"
		one := currencyJSON(networks)
		client, _ := record(t, done("["+one+strings.Repeat(","+one, c.currencies-1)+"]"))
		list := fortest.Must(client.CurrencyList(t.Context()))(t)
		fortest.Equal(t, len(list.Currencies), min(c.currencies, maxCurrencies), "currencies")
		fortest.Equal(t, len(list.Currencies[0].Networks), min(c.networks, maxNetworks), "networks")
		fortest.Equal(t, len(list.LeftOut), c.left, "%v", list.LeftOut)
	}
}
