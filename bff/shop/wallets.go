package shop

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"coinslot/app/wire"
	"coinslot/bff/token"
	"coinslot/bff/wallet"
	"coinslot/bff/web"

	"github.com/shopspring/decimal"
)

//go:embed wallets.html
var walletsHTML string

var walletsTemplate = template.Must(template.New("wallets").Parse(walletsHTML))

// exampleAddresses are well-formed addresses from public documentation. Nobody is to pay them.
var exampleAddresses = map[token.Kind]string{
	token.EVM:      "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
	token.TRON:     "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE",
	token.TON:      "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA",
	token.Solana:   "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM",
	token.Bitcoin:  "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
	token.Litecoin: "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9",
	token.Dogecoin: "DBXu2kgc3xtvCUWFcxFE3r9hEYgmuaaCyD",
}

// exampleAmount shows whether a wallet reads every digit of a coin.
var exampleAmount = decimal.RequireFromString("0.123456789012345678")

type walletLinks struct {
	site    *web.Server
	tokens  *token.Registry
	wallets *wallet.Registry
}

// walletNetwork is a section of the page.
type walletNetwork struct {
	ID      string
	Mark    string // path; may be empty
	Address string
	Coins   []walletCoin
	Opens   []walletCard // the same for each coin
}

// walletCoin has the wallets that fill in a payment of one coin.
type walletCoin struct {
	Symbol string
	Amount string
	Fills  []walletCard
}

// walletCard is one link.
type walletCard struct {
	Name      string
	Mark      string
	Platforms string
	Link      template.URL // of the table of wallets, which has checked its scheme
	Code      template.HTML
}

// show is GET /checkout/wallets, in sandboxes only: every link of every wallet, and its QR code, to
// be printed or scanned. The payments are examples.
func (l *walletLinks) show(w http.ResponseWriter, _ *http.Request) error {
	networks, err := l.networks()
	if err != nil {
		return err
	}

	var page bytes.Buffer
	err = walletsTemplate.Execute(&page, map[string]any{
		"Networks": networks,
		"CSS":      l.site.Assets.URL("checkout.css"),
		"OwnCSS":   l.site.Assets.URL("wallets.css"),
	})
	if err != nil {
		return fmt.Errorf("rendering the wallets: %w", err)
	}

	l.site.SetKind(w, web.KindAlone)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(page.Bytes()) // a client that has gone is not our error
	return nil
}

// networks lists what wallets can pay with, by network.
func (l *walletLinks) networks() (list []walletNetwork, err error) {
	for _, t := range l.tokens.Tokens() {
		p := token.Payment{
			Symbol:  t.Symbol,
			Network: t.Network.ID,
			Address: exampleAddresses[t.Network.Kind],
			Amount:  exampleAmount.Truncate(t.Decimals),
		}
		links := l.wallets.Links(p, l.tokens, l.site.PublicURL+"/checkout/wallets")
		if len(links) == 0 {
			continue
		}
		opens := slices.IndexFunc(links, func(link wire.WalletLink) bool { return !link.Fills })
		if opens < 0 {
			opens = len(links)
		}

		coin := walletCoin{Symbol: t.Symbol, Amount: p.Amount.String()}
		coin.Fills, err = l.cards(links[:opens])
		if err != nil {
			return nil, err
		}

		if len(list) == 0 || list[len(list)-1].ID != t.Network.ID {
			n := walletNetwork{ID: t.Network.ID, Mark: t.Network.Mark(), Address: p.Address}
			n.Opens, err = l.cards(links[opens:])
			if err != nil {
				return nil, err
			}
			list = append(list, n)
		}
		if len(coin.Fills) > 0 {
			last := &list[len(list)-1]
			last.Coins = append(last.Coins, coin)
		}
	}
	return list, nil
}

// cards draws the codes of links.
func (l *walletLinks) cards(links []wire.WalletLink) (cards []walletCard, err error) {
	for _, link := range links {
		code, err := drawQR(link.Link)
		if err != nil {
			return nil, err
		}
		cards = append(cards, walletCard{
			Name:      link.Name,
			Mark:      link.Mark,
			Platforms: l.platforms(link.ID),
			Link:      template.URL(link.Link),
			Code:      template.HTML(code),
		})
	}
	return cards, nil
}

// platforms are those of a wallet, for people.
func (l *walletLinks) platforms(id string) string {
	names := map[string]string{"ios": "iOS", "android": "Android"}
	for _, w := range l.wallets.Wallets() {
		if w.ID != id {
			continue
		}
		var list []string
		for _, platform := range w.Platforms {
			list = append(list, names[platform])
		}
		return strings.Join(list, ", ")
	}
	return ""
}
