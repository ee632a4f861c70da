package screen

import (
	"slices"
	"strings"

	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// searchFrom is the number of networks from which a search field helps more
// than it clutters.
const searchFrom = 4

// searchField filters the coins. It is in the page from the start, so that what is
// typed before the takeover is not lost; without scripts CSS hides it. Enter
// there picks what is found and sends nothing: what is picked may be out of sight.
func (c *chooser) searchField() node.Node {
	n := 0
	for _, currency := range c.Page.View.Currencies {
		n += len(currency.Networks)
	}
	if n < searchFrom {
		return node.Text("")
	}
	return node.Void("input").Attr("type", "search").Class("search").Attr("data-part", "search").
		Attr("placeholder", c.Page.T("choose.search")).
		Attr("aria-label", c.Page.T("choose.search")).
		Attr("autocomplete", "off").Attr("spellcheck", "false").
		On("input", func(ctx app.Context, _ app.Event) {
			c.queryEdited, c.query = true, ctx.JSSrc().Get("value").String()
		}).
		On("keydown", func(_ app.Context, e app.Event) {
			if e.Get("key").String() == "Enter" {
				e.PreventDefault()
				c.pickFound()
			}
		})
}

// searchText is what the search field holds.
func (c *chooser) searchText() string {
	if c.queryEdited {
		return strings.TrimSpace(c.query)
	}
	return strings.TrimSpace(c.Search)
}

// matching is what the search finds of a coin's networks; all without one.
func (c *chooser) matching(currency wire.Currency) []wire.Network {
	return matching(currency, strings.ToLower(c.searchText()))
}

// searchStatus says what the search has found, to those who do not see the list; that
// it has found nothing, to all: it must not look like a shop that takes nothing.
// A live region has to be there before there is something to say.
func (c *chooser) searchStatus() node.Node {
	say := func(class, text string) node.Node {
		return node.El("p").Class(class).Attr("role", "status").Text(text)
	}
	if c.searchText() == "" {
		return say("offscreen", "")
	}
	n, symbols := 0, []string{}
	for _, currency := range c.Page.OrderedCurrencies() {
		if found := len(c.matching(currency)); found > 0 {
			n, symbols = n+found, append(symbols, widget.Isolate(c.Page.Dir, currency.Symbol))
		}
	}
	if n == 0 {
		return say("note", c.Page.T("choose.notfound", "query", c.searchText()))
	}
	return say("offscreen", c.Page.Plural("choose.networks", n)+": "+strings.Join(symbols, ", "))
}

// pickFound takes the coin that the search has found, if it is just one that
// can be chosen; and its network, likewise.
func (c *chooser) pickFound() {
	found, networks := "", []wire.Network(nil)
	for _, currency := range c.Page.View.Currencies {
		list := slices.DeleteFunc(c.matching(currency), func(n wire.Network) bool {
			return !n.Available
		})
		switch {
		case len(list) == 0:
		case found != "":
			return
		default:
			found, networks = currency.Symbol, list
		}
	}
	if found == "" {
		return
	}
	if found != c.selection().Symbol {
		c.pick(found)
	}
	if len(networks) == 1 {
		c.pickedHere, c.picked = true, widget.Choice{
			Symbol: found, Network: widget.NetworkKey(found, networks[0].Code),
		}
	}
}

// containsWords reports whether every word of filter, which is in lower case, is in text;
// an empty filter is in every text.
func containsWords(text, filter string) bool {
	text = strings.ToLower(text)
	for word := range strings.FieldsSeq(filter) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// matching returns those networks of a coin that filter finds by their own name
// or code, or by the coin's.
func matching(c wire.Currency, filter string) []wire.Network {
	if filter == "" {
		return slices.Clone(c.Networks)
	}
	var found []wire.Network
	for _, n := range c.Networks {
		if containsWords(c.Symbol+" "+c.Name+" "+n.Name+" "+n.Code, filter) {
			found = append(found, n)
		}
	}
	return found
}
