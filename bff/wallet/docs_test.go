package wallet

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/token"
)

var update = flag.Bool("update", false, "rewrite the field test sheet of docs/wallets.md")

const (
	docs       = "../../docs/wallets.md"
	sheetBegin = "<!-- sheet -->\n"
	sheetEnd   = "<!-- end of sheet -->"
)

// The worked example of docs/wallets.md is a file that loads, and each built-in wallet has a row with
// its sources.
func TestDocs(t *testing.T) {
	text := string(fortest.Must(os.ReadFile(docs))(t))
	example := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(text)
	if example == nil {
		t.Fatal("no example")
	}
	r := fortest.Must(Parse([]byte(example[1]), nil))(t)
	fortest.Equal(t, ids(r, pay("USDT", "trc20", tron, "1")), "acme+ trust+ tronlink", "the example")
	fortest.Equal(t, ids(r, pay("LTC", "ltc", ltc, "1")), "trust+ acme", "the example")

	for _, name := range append(append(ofPayment, ofPage...), ofNetwork...) {
		fortest.Has(t, "the table of placeholders", text, "| `{"+name+"}` |")
	}
	for _, w := range Builtin().wallets {
		for _, f := range w.forms {
			fortest.Has(t, "the sources of "+w.ID, text, "]("+f.source+")")
		}
		if w.page != nil {
			fortest.Has(t, "the sources of "+w.ID, text, "]("+w.page.source+")")
		}
	}
}

// The sheet has a row for each link. What testers have written behind the links is theirs.
func TestSheet(t *testing.T) {
	text := string(fortest.Must(os.ReadFile(docs))(t))
	before, rest, _ := strings.Cut(text, sheetBegin)
	old, after, found := strings.Cut(rest, sheetEnd)
	if !found {
		t.Fatal("no sheet")
	}

	written := map[string]string{} // results by the row's first cells
	for _, row := range strings.Split(old, "\n") {
		cells := strings.SplitAfterN(row, " | ", 4)
		if len(cells) == 4 {
			written[strings.Join(cells[:3], "")] = cells[3]
		}
	}
	want := sheet(written)
	if *update {
		fortest.OK(t, os.WriteFile(docs, []byte(before+sheetBegin+want+sheetEnd+after), 0o644))
		return
	}
	fortest.Diff(t, strings.Split(old, "\n"), strings.Split(want, "\n"),
		"sheet (-docs +links); go test ./bff/wallet -update")
}

// sheet writes a table for each network that has links.
func sheet(written map[string]string) string {
	var b strings.Builder
	row := func(name, source, coin, link string) {
		cells := fmt.Sprintf("| [%s](%s) | %s | `%s` | ", name, source, coin, link)
		results := written[cells]
		if results == "" {
			results = "| | |"
		}
		b.WriteString(cells + results + "\n")
	}

	for _, coins := range byNetwork() {
		b.WriteString("\n### " + coins[0].Network.ID + "\n\n" +
			"| wallet | coin | link | version | date | result |\n|---|---|---|---|---|---|\n")
		for _, coin := range coins {
			for _, w := range Builtin().wallets {
				filled, network := w.formOf(coin)
				if filled != "" {
					row(w.Name, w.forms[0].source, coin.Symbol, spell(filled, network, coin))
				}
			}
		}
		for _, w := range Builtin().wallets {
			filled, _ := w.formOf(coins[0])
			if filled != "" || w.page == nil {
				continue
			}
			if network, ok := w.page.networks[coins[0].Network.ID]; ok {
				link := spell(w.page.link, network, coins[0])
				row(w.Name, w.page.source, "opens the page", link)
			}
		}
	}
	return b.String() + "\n"
}

// byNetwork lists the coins that can be sent by a link, a list for each network.
func byNetwork() (list [][]token.Token) {
	for _, coin := range token.Builtin().Tokens() {
		last := len(list) - 1
		if last < 0 || list[last][0].Network.ID != coin.Network.ID {
			list = append(list, nil)
			last++
		}
		list[last] = append(list[last], coin)
	}
	return list
}

// spell writes a template with what it says of the coin.
func spell(link template, network string, coin token.Token) string {
	return strings.NewReplacer(
		"{network}", network,
		"{chain_id}", fmt.Sprint(coin.Network.ChainID),
		"{contract}", coin.Contract,
	).Replace(string(link))
}
