package wallet

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// builtin returns a built-in wallet.
func builtin(t *testing.T, id string) Wallet {
	t.Helper()
	for _, w := range Builtin().wallets {
		if w.ID == id {
			return w
		}
	}
	t.Fatalf("no wallet %s", id)
	return Wallet{}
}

// The examples of the wallets' documentation come out of our templates. Each source is beside the
// template in wallets.yaml; what was read there, and when, is in docs/wallets.md.
func TestDocumentedForms(t *testing.T) {
	metamask := builtin(t, "metamask").forms[0]
	// "The example displays the confirmation screen to send 0.01 POL (1e16 wei) in Polygon (chain ID
	// 137) to the recipient address 0x0000000."
	fortest.Equal(t, metamask.coin.fill(map[string]string{
		"address": "0x0000000", "chain_id": "137", "units": "1e16",
	}), "https://link.metamask.io/send/0x0000000@137?value=1e16", "MetaMask, coin")
	// "The example displays the confirmation screen to send 1 USDC (1e6 units, contract address
	// 0x1762…) on Linea (chain ID 59144) to recipient address 0x0000000."
	fortest.Equal(t, metamask.token.fill(map[string]string{
		"address": "0x0000000", "chain_id": "59144", "units": "1e6",
		"contract": "0x176211869cA2b568f2A7D4EE941E073a821EE1ff",
	}), "https://link.metamask.io/send/0x176211869cA2b568f2A7D4EE941E073a821EE1ff@59144/transfer"+
		"?address=0x0000000&uint256=1e6", "MetaMask, token")

	trust := builtin(t, "trust").forms[0]
	// "Send Payment"; a memo is optional, and not ours.
	const send = "https://link.trustwallet.com/send?asset=c60_t0x6B175474E89094C44Da98b954EedeAC495271d0F" +
		"&address=0x650b5e446edabad7eba7fa7bb2f6119b2630bfbb&amount=1&memo=test"
	fortest.Equal(t, trust.token.fill(map[string]string{
		"network": trust.networks["ethereum"], "amount": "1",
		"contract": "0x6B175474E89094C44Da98b954EedeAC495271d0F",
		"address":  "0x650b5e446edabad7eba7fa7bb2f6119b2630bfbb",
	}), strings.TrimSuffix(send, "&memo=test"), "Trust Wallet")
	// "Universal Asset ID": Bitcoin c0, Ethereum c60, BNB Chain (BSC) c20000714, USDT (Tron)
	// c195_tTR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t.
	for id, asset := range map[string]string{
		"bitcoin": "c0", "ethereum": "c60", "bsc": "c20000714", "tron": "c195_t" + usdtTRON,
	} {
		values := map[string]string{"network": trust.networks[id], "contract": usdtTRON}
		made := trust.coin.fill(values)
		if id == "tron" {
			made = trust.token.fill(values)
		}
		fortest.Has(t, "Trust Wallet", made, "asset="+asset+"&")
	}

	keeper := builtin(t, "keeper").forms[0]
	// "Address + amount (1 nanoton)", with one of the interchangeable prefixes.
	const address = "UQAZZNjwN-h6UbWmu1P10bG-p-_N_JSjGdunix4cMFdqsNQh"
	values := map[string]string{"address": address, "units": "1", "contract": usdtTON}
	keep := strings.NewReplacer("ton://", "https://app.keeperwallet.com/")
	fortest.Equal(t, keeper.coin.fill(values), keep.Replace("ton://transfer/"+address+"?amount=1"),
		"Keeper, coin")
	// {PREFIX}transfer/{ADDRESS}?jetton={JETTON_ADDRESS}&amount={AMOUNT}&text=…; "Jetton + amount"
	// has the same parameters in the other order.
	example := fortest.Must(url.Parse(
		keep.Replace("ton://transfer/" + address + "?amount=1&jetton=" + usdtTON)))(t)
	ours := fortest.Must(url.Parse(keeper.token.fill(values)))(t)
	fortest.Diff(t, ours.Query(), example.Query(), "Keeper, jetton")
	fortest.Equal(t, ours.Host+ours.Path, example.Host+example.Path, "Keeper, jetton")
}

func TestDocumentedPages(t *testing.T) {
	for _, c := range []struct{ wallet, page, want string }{
		{"metamask", "https://app.uniswap.org", "https://link.metamask.io/dapp/app.uniswap.org"},
		{
			"phantom",
			"https://magiceden.io/item-details/8yjN8iRuoiYiKW487cnW9vn6mLBR5E8aCNKsBRmTP9vN",
			"https://phantom.app/ul/browse/https%3A%2F%2Fmagiceden.io%2Fitem-details%2F8yjN8iRuoiYiKW487cnW9vn6mLBR5E8aCNKsBRmTP9vN?ref=https%3A%2F%2Fmagiceden.io",
		},
		{
			"base",
			"https://nft.coinbase.com/@barmstrong?param1=hello&param2=world",
			"https://go.cb-w.com/dapp?cb_url=https%3A%2F%2Fnft.coinbase.com%2F%40barmstrong%3Fparam1%3Dhello%26param2%3Dworld",
		},
		{
			// "https://web3.okx.com/download?deeplink=" + encodeURIComponent(
			//   "okx://wallet/dapp/url?dappUrl=" + encodeURIComponent("https://app.uniswap.org/"))
			"okx",
			"https://app.uniswap.org/",
			"https://web3.okx.com/download?deeplink=" +
				url.QueryEscape("okx://wallet/dapp/url?dappUrl="+
					url.QueryEscape("https://app.uniswap.org/")),
		},
		{
			// The documentation's own example is not escaped, and says how to escape one.
			"imtoken", "https://fee.token.im/eth",
			"imtokenv2://navigate/DappView?url=https%3A%2F%2Ffee.token.im%2Feth",
		},
	} {
		got := builtin(t, c.wallet).page.link.fill(pageValues(c.page))
		fortest.Equal(t, got, c.want, "%s opens %s", c.wallet, c.page)
	}

	// "https://bkcode.vip?action=dapp&url=https://app.uniswap.org/#/swap", which is escaped before it
	// is opened.
	bitget := builtin(t, "bitget").page.link.fill(pageValues("https://app.uniswap.org/#/swap"))
	u := fortest.Must(url.Parse(bitget))(t)
	fortest.Diff(t, u.Query(), url.Values{
		"action": {"dapp"}, "url": {"https://app.uniswap.org/#/swap"},
	}, "Bitget Wallet")
	fortest.Equal(t, u.Host, "bkcode.vip", "host of Bitget Wallet's link")

	// tronlinkoutside://pull.activity?param={}, with the JSON of "Open DApp", escaped.
	tronlink := builtin(t, "tronlink").page.link.fill(pageValues("https://www.tronlink.org/"))
	u = fortest.Must(url.Parse(tronlink))(t)
	var param map[string]string
	fortest.OK(t, json.Unmarshal([]byte(u.Query().Get("param")), &param))
	fortest.Diff(t, param, map[string]string{
		"url": "https://www.tronlink.org/", "action": "open", "protocol": "TronLink", "version": "1.0",
	}, "TronLink")
	fortest.Equal(t, u.Scheme+"://"+u.Host, "tronlinkoutside://pull.activity", "TronLink")
}
