package sandbox

import (
	"strings"

	"github.com/shopspring/decimal"
)

// Family is a kind of blockchain: it decides what addresses and transaction
// ids look like.
type Family string

// The families of the coins that the gateway names.
const (
	TRON Family = "TRON"
	EVM  Family = "EVM"
	TON  Family = "TON"
)

// Currency is a coin that the merchant has enabled.
type Currency struct {
	Name        string
	Symbol      string          // "USDT"
	Type        string          // "stable"; other values are not documented
	PriceInUSDT decimal.Decimal // of one unit; positive
	Networks    []Network
}

// Network is a blockchain on which a coin can be paid.
type Network struct {
	Name        string // display name
	Chain       string // the network family's name, `network` of create's answer
	Symbol      string // of the chain's own coin
	Code        string // lower case, "trc20"
	Family      Family
	Decimals    int32           // digits that a transfer can carry; above eight counts as eight
	Fee         decimal.Decimal // network_fee
	MinimumUSD  decimal.Decimal // inclusive
	MaximumUSD  decimal.Decimal // inclusive
	MaxTTL      int             // minutes
	ExplorerURL string          // a transaction id is appended
}

// DefaultCurrencies is what a merchant of the sandbox has enabled unless Config
// says otherwise. USDT and USDC on Ethereum have a minimum of 100 dollars, so
// that a coin that is too small for an order can be seen.
func DefaultCurrencies() []Currency {
	usdt := []Network{
		tron("1", "1", "10000", 60), ethereum("erc20", 6, "3.5", "100", "50000", 60),
		bsc("0.3", "1", "10000", 60), ton(6, "0.2", "1", "5000", 30),
	}
	usdc := []Network{
		ethereum("erc20", 6, "3.5", "100", "50000", 60), bsc("0.3", "1", "10000", 60),
		polygon("0.1", "1", "5000", 60),
	}
	return []Currency{
		{Name: "Tether", Symbol: "USDT", Type: "stable", PriceInUSDT: dec("1"), Networks: usdt},
		{
			Name: "USD Coin", Symbol: "USDC", Type: "stable", PriceInUSDT: dec("0.9998"),
			Networks: usdc,
		},
		{Name: "Ethereum", Symbol: "ETH", Type: "crypto", PriceInUSDT: dec("3471.25"),
			Networks: []Network{
				ethereum("eth", 18, "0.0009", "10", "50000", 120),
				arbitrum("0.00005", "2", "2000", 60),
			}},
		{
			Name: "BNB", Symbol: "BNB", Type: "crypto", PriceInUSDT: dec("612.4"),
			Networks: []Network{bsc("0.0005", "2", "10000", 60)},
		},
		{
			Name: "Toncoin", Symbol: "TON", Type: "crypto", PriceInUSDT: dec("3.1875"),
			Networks: []Network{ton(9, "0.05", "1", "5000", 30)},
		},
	}
}

func tron(fee, low, high string, maxTTL int) Network {
	return Network{
		Name: "TRON (TRC20)", Chain: "TRON", Symbol: "TRX", Code: "trc20", Family: TRON,
		Decimals: 6, MaxTTL: maxTTL,
		ExplorerURL: "https://tronscan.org/#/transaction/",
	}.limits(fee, low, high)
}

func ethereum(code string, decimals int32, fee, low, high string, maxTTL int) Network {
	n := Network{
		Name: "Ethereum", Chain: "Ethereum", Symbol: "ETH", Code: code, Family: EVM,
		Decimals: decimals, MaxTTL: maxTTL,
		ExplorerURL: "https://etherscan.io/tx/",
	}
	if code == "erc20" {
		n.Name = "Ethereum (ERC20)"
	}
	return n.limits(fee, low, high)
}

func bsc(fee, low, high string, maxTTL int) Network {
	return Network{
		Name: "BNB Smart Chain (BEP20)", Chain: "BSC", Symbol: "BNB", Code: "bep20", Family: EVM,
		Decimals: 18, MaxTTL: maxTTL,
		ExplorerURL: "https://bscscan.com/tx/",
	}.limits(fee, low, high)
}

func polygon(fee, low, high string, maxTTL int) Network {
	return Network{
		Name: "Polygon", Chain: "Polygon", Symbol: "POL", Code: "polygon", Family: EVM,
		Decimals: 6, MaxTTL: maxTTL,
		ExplorerURL: "https://polygonscan.com/tx/",
	}.limits(fee, low, high)
}

func arbitrum(fee, low, high string, maxTTL int) Network {
	return Network{
		Name: "Arbitrum One", Chain: "Arbitrum", Symbol: "ETH", Code: "arbitrum", Family: EVM,
		Decimals: 18, MaxTTL: maxTTL,
		ExplorerURL: "https://arbiscan.io/tx/",
	}.limits(fee, low, high)
}

func ton(decimals int32, fee, low, high string, maxTTL int) Network {
	return Network{
		Name: "TON", Chain: "TON", Symbol: "TON", Code: "ton", Family: TON, Decimals: decimals,
		MaxTTL:      maxTTL,
		ExplorerURL: "https://tonviewer.com/transaction/",
	}.limits(fee, low, high)
}

// limits returns n with its fee and bounds set from decimal text.
func (n Network) limits(fee, low, high string) Network {
	n.Fee, n.MinimumUSD, n.MaximumUSD = dec(fee), dec(low), dec(high)
	return n
}

// dec reads decimal text of this package's own.
func dec(text string) decimal.Decimal { return decimal.RequireFromString(text) }

// findCurrency returns the currency with that symbol in any case, nil if there
// is none.
func findCurrency(all []Currency, symbol string) *Currency {
	for i := range all {
		if strings.EqualFold(all[i].Symbol, symbol) {
			return &all[i]
		}
	}
	return nil
}

// network returns c's network with that code in any case, nil if there is none.
func (c *Currency) network(code string) *Network {
	for i := range c.Networks {
		if strings.EqualFold(c.Networks[i].Code, code) {
			return &c.Networks[i]
		}
	}
	return nil
}
