package sandbox

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"
)

// Family is a kind of blockchain: it decides what addresses and transaction ids look like.
type Family string

// The families of the coins that the gateway names.
const (
	TRON Family = "TRON"
	EVM  Family = "EVM"
	TON  Family = "TON"
	// Chains of one coin.
	Bitcoin  Family = "Bitcoin"
	Litecoin Family = "Litecoin"
	Dogecoin Family = "Dogecoin"
	Solana   Family = "Solana"
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

// defaultCurrencies is what a merchant of the sandbox has enabled. USDT and USDC on Ethereum have a
// minimum of 100 dollars, so that a coin that is too small for an order can be seen.
func defaultCurrencies() []Currency {
	usdt := []Network{
		network("trc20", 6, "1", "1", "10000", 60), network("erc20", 6, "3.5", "100", "50000", 60),
		network("bep20", 18, "0.3", "1", "10000", 60), network("ton", 6, "0.2", "1", "5000", 30),
	}
	usdc := []Network{
		network("erc20", 6, "3.5", "100", "50000", 60),
		network("bep20", 18, "0.3", "1", "10000", 60),
		network("polygon", 6, "0.1", "1", "5000", 60),
	}
	eth := []Network{
		network("eth", 18, "0.0009", "10", "50000", 120),
		network("arbitrum", 18, "0.00005", "2", "2000", 60),
	}
	one := func(code string, digits int32, fee, least, most string, ttl int) []Network {
		return []Network{network(code, digits, fee, least, most, ttl)}
	}
	return []Currency{
		{"Tether", "USDT", "stable", dec("1"), usdt},
		{"USD Coin", "USDC", "stable", dec("0.9998"), usdc},
		{"Ethereum", "ETH", "crypto", dec("3471.25"), eth},
		{"BNB", "BNB", "crypto", dec("612.4"), one("bep20", 18, "0.0005", "2", "10000", 60)},
		{"Gram", "GRAM", "crypto", dec("3.1875"), one("ton", 9, "0.05", "1", "5000", 30)},
		{"Bitcoin", "BTC", "crypto", dec("93420.5"),
			one("bitcoin", 8, "0.00002", "5", "50000", 120)},
		{"Solana", "SOL", "crypto", dec("143.6"), one("solana", 9, "0.001", "1", "10000", 60)},
		{"TRON", "TRX", "crypto", dec("0.3211"), one("tron", 6, "1", "1", "10000", 60)},
		{"Litecoin", "LTC", "crypto", dec("88.45"), one("litecoin", 8, "0.001", "1", "10000", 120)},
		{"Dogecoin", "DOGE", "crypto", dec("0.1646"), one("dogecoin", 8, "4", "2", "5000", 120)},
	}
}

// network returns the network of that code for a coin of so many digits; fee and bounds are decimal
// text.
func network(code string, decimals int32, fee, low, high string, maxTTL int) Network {
	of := map[string]struct {
		name, chain, symbol string
		family              Family
		explorer            string
	}{
		"trc20":    {"TRON (TRC20)", "TRON", "TRX", TRON, "tronscan.org/#/transaction/"},
		"erc20":    {"Ethereum (ERC20)", "Ethereum", "ETH", EVM, "etherscan.io/tx/"},
		"eth":      {"Ethereum", "Ethereum", "ETH", EVM, "etherscan.io/tx/"},
		"bep20":    {"BNB Smart Chain (BEP20)", "BSC", "BNB", EVM, "bscscan.com/tx/"},
		"polygon":  {"Polygon", "Polygon", "POL", EVM, "polygonscan.com/tx/"},
		"arbitrum": {"Arbitrum One", "Arbitrum", "ETH", EVM, "arbiscan.io/tx/"},
		"tron":     {"TRON", "TRON", "TRX", TRON, "tronscan.org/#/transaction/"},
		"bitcoin":  {"Bitcoin", "Bitcoin", "BTC", Bitcoin, "mempool.space/tx/"},
		"litecoin": {"Litecoin", "Litecoin", "LTC", Litecoin, "litecoinspace.org/tx/"},
		"dogecoin": {"Dogecoin", "Dogecoin", "DOGE", Dogecoin, "dogechain.info/tx/"},
		"solana":   {"Solana", "Solana", "SOL", Solana, "solscan.io/tx/"},
		"ton":      {"TON", "TON", "GRAM", TON, "tonviewer.com/transaction/"},
	}[code]
	return Network{
		Name:        of.name,
		Chain:       of.chain,
		Symbol:      of.symbol,
		Code:        code,
		Family:      of.family,
		Decimals:    decimals,
		Fee:         dec(fee),
		MinimumUSD:  dec(low),
		MaximumUSD:  dec(high),
		MaxTTL:      maxTTL,
		ExplorerURL: "https://" + of.explorer,
	}
}

func dec(text string) decimal.Decimal { return decimal.RequireFromString(text) }

func findCurrency(all []Currency, symbol string) *Currency {
	return find(all, func(c Currency) bool { return strings.EqualFold(c.Symbol, symbol) })
}

// network returns c's network with that code in any case, nil if there is none.
func (c *Currency) network(code string) *Network {
	return find(c.Networks, func(n Network) bool { return strings.EqualFold(n.Code, code) })
}

func find[T any](all []T, is func(T) bool) *T {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return &all[i]
	}
	return nil
}
