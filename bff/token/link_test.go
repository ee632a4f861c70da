package token

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"coinslot/app/wire"
	"coinslot/bff/fortest"

	"github.com/shopspring/decimal"
)

const (
	evm  = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	ton  = "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA"
	tron = "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE"
	sol  = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"
	btc  = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"
	ltc  = "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9"
	doge = "DBXu2kgc3xtvCUWFcxFE3r9hEYgmuaaCyD"
)

func pay(symbol, network, address, amount string) Payment {
	return Payment{Symbol: symbol, Network: network, Address: address, Amount: decimal.RequireFromString(amount)}
}

// The values are reckoned by hand: the amount with its point moved by the coin's digits.
func TestURI(t *testing.T) {
	for _, c := range []struct {
		p        Payment
		want     string
		contract bool
	}{
		{pay("ETH", "erc20", evm, "0.00123456"), "ethereum:" + evm + "@1?value=1234560000000000", false},
		{pay("eth", "Arbitrum", evm, "1.5"), "ethereum:" + evm + "@42161?value=1500000000000000000", false},
		{pay("BNB", "bep20", evm, "0.000000000000000001"), "ethereum:" + evm + "@56?value=1", false},
		{pay("AVAX", "avaxc", evm, "123456789"), "ethereum:" + evm + "@43114?value=123456789000000000000000000", false},
		{pay("POL", "matic", strings.ToLower(evm), "7"), "ethereum:" + strings.ToLower(evm) + "@137?value=7000000000000000000", false},
		{pay("USDT", "erc20", evm, "25.03"), "ethereum:0xdAC17F958D2ee523a2206206994597C13D831ec7@1/transfer?address=" + evm + "&uint256=25030000", true},
		{pay("USDC", "base", evm, "0.000001"), "ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=" + evm + "&uint256=1", true},
		{pay("USDT", "bsc", evm, "25.03000001"), "ethereum:0x55d398326f99059fF775485246999027B3197955@56/transfer?address=" + evm + "&uint256=25030000010000000000", true},
		{pay("TON", "ton", ton, "8.064517"), "ton://transfer/" + ton + "?amount=8064517000", false},
		{pay("TON", "ton", strings.Replace(ton, "-", "+", 1), "1"), "ton://transfer/" + ton + "?amount=1000000000", false},
		{pay("USDT", "ton", ton, "25.030001"), "ton://transfer/" + ton + "?jetton=EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs&amount=25030001", true},
		{pay("BTC", "btc", btc, "0.00012345"), "bitcoin:" + btc + "?amount=0.00012345", false},
		{pay("BTC", "bitcoin", btc, "20.30000000"), "bitcoin:" + btc + "?amount=20.3", false},
		{pay("LTC", "ltc", ltc, "1e2"), "litecoin:" + ltc + "?amount=100", false},
		{pay("DOGE", "doge", doge, "0.5"), "dogecoin:" + doge + "?amount=0.5", false},
		{pay("SOL", "sol", sol, "0.000000001"), "solana:" + sol + "?amount=0.000000001", false},
		{pay("USDC", "solana", sol, "25.03"), "solana:" + sol + "?amount=25.03&spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", true},

		{pay("USDT", "trc20", tron, "25"), "", false}, // no form that wallets agree on
		{pay("TRX", "trx", tron, "25"), "", false},
		{pay("BNB", "opbnb", evm, "1"), "", false}, // not in the list
		{pay("ETH", "bep20", evm, "1"), "", false},
		{pay("X", "y", evm, "1"), "", false},
		{pay("ETH", "erc20", strings.Replace(evm, "Aed", "aed", 1), "1"), "", false}, // checksum
		{pay("ETH", "erc20", "", "1"), "", false},
		{pay("BTC", "btc", ltc, "1"), "", false},
		{pay("TON", "ton", "0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e", "1"), "", false}, // no checksum
		{pay("USDT", "ton", "0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e", "1"), "", false},
		{pay("USDT", "erc20", evm, "25.0300001"), "", false}, // more digits than the token has
		{pay("BTC", "btc", btc, "0.000000001"), "", false},
		{pay("ETH", "erc20", evm, "0"), "", false},
		{pay("ETH", "erc20", evm, "-1"), "", false},
		{pay("ETH", "erc20", evm, "1e10000"), "", false},
		{pay("ETH", "erc20", evm, "115792089237316195423570985008687907853269984665640564039458"), "", false}, // beyond 256 bits
		{pay("SOL", "sol", sol, "18446744073.709551616"), "", false},                                          // beyond 64 bits
	} {
		got, contract := (*Registry)(nil).URI(c.p)
		if got != c.want || contract != c.contract {
			t.Errorf("URI(%+v) = %q, %t; want %q, %t", c.p, got, contract, c.want, c.contract)
		}
	}
}

// The selector and the layout are those of the Solidity ABI specification.
func TestCall(t *testing.T) {
	for _, c := range []struct {
		p    Payment
		want *wire.Call
	}{
		{pay("ETH", "erc20", evm, "0.00123456"), &wire.Call{ChainID: "0x1", To: evm, Value: "0x462d366410000", Data: "0x"}},
		{pay("BNB", "bep20", evm, "1"), &wire.Call{ChainID: "0x38", To: evm, Value: "0xde0b6b3a7640000", Data: "0x"}},
		{pay("USDT", "erc20", evm, "25.03"), &wire.Call{
			ChainID: "0x1", To: "0xdAC17F958D2ee523a2206206994597C13D831ec7", Value: "0x0",
			Data: "0xa9059cbb" + "0000000000000000000000005aaeb6053f3e94c9b9a09f33669435e7ef1beaed" +
				"00000000000000000000000000000000000000000000000000000000017ded70", // 25,030,000
		}},
		{pay("USDT", "bsc", evm, "1"), &wire.Call{
			ChainID: "0x38", To: "0x55d398326f99059fF775485246999027B3197955", Value: "0x0",
			Data: "0xa9059cbb" + "0000000000000000000000005aaeb6053f3e94c9b9a09f33669435e7ef1beaed" +
				"0000000000000000000000000000000000000000000000000de0b6b3a7640000",
		}},
		{pay("TON", "ton", ton, "1"), nil}, {pay("USDT", "trc20", tron, "1"), nil}, {pay("BTC", "btc", btc, "1"), nil},
		{pay("USDT", "erc20", evm, "25.0300001"), nil}, {pay("USDT", "erc20", tron, "1"), nil}, {pay("ETH", "erc20", evm, "0"), nil},
	} {
		fortest.Diff(t, (*Registry)(nil).Call(c.p), c.want, "Call(%+v)", c.p)
	}
}

// TestAmountsAreExact sends random numbers of the smallest unit through the decimal text of the
// coin: each link and call carries that number again, which math/big reckons.
func TestAmountsAreExact(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 1))
	for range 1000 {
		units := new(big.Int).SetUint64(random.Uint64() >> random.IntN(63))
		if units.Sign() == 0 {
			continue
		}
		for _, c := range []struct {
			symbol, network, address string
			decimals                 int
		}{{"ETH", "erc20", evm, 18}, {"USDT", "bsc", evm, 18}, {"USDT", "erc20", evm, 6}, {"TON", "ton", ton, 9}, {"USDT", "ton", ton, 6}} {
			r := (*Registry)(nil)
			p := pay(c.symbol, c.network, c.address, inCoins(units, c.decimals))
			uri, _ := r.URI(p)
			if got := uri[strings.LastIndexByte(uri, '=')+1:]; got != units.String() {
				t.Fatalf("%s %s on %s: link %q; want %s units", p.Amount, c.symbol, c.network, uri, units)
			}
			call := r.Call(p)
			if call == nil {
				continue
			}
			digits := call.Value[2:]
			if len(call.Data) > 2 {
				digits = call.Data[len(call.Data)-64:]
			}
			if got, ok := new(big.Int).SetString(digits, 16); !ok || got.Cmp(units) != 0 {
				t.Fatalf("%s %s on %s: call %+v; want %s units", p.Amount, c.symbol, c.network, call, units)
			}
		}
	}
}

// inCoins writes a number of the smallest unit in the coin.
func inCoins(units *big.Int, decimals int) string {
	digits := units.String()
	if len(digits) <= decimals {
		digits = strings.Repeat("0", decimals-len(digits)+1) + digits
	}
	return digits[:len(digits)-decimals] + "." + digits[len(digits)-decimals:]
}
