package screen

import (
	"slices"
	"strings"

	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// searchFrom is the number of coins from which there is a search field.
const searchFrom = 9

// searchField filters the folded coins. It is in the server's page too, so that nothing typed there
// is lost; without scripts CSS hides it. Enter selects what is found and does not submit the form,
// because the selection may be out of sight.
func (c *chooser) searchField() node.Node {
	if len(c.Page.View.Currencies) < searchFrom {
		return node.Text("")
	}
	return node.Void("input").Attr("type", "search").Class("search").Attr("data-part", "search").
		Attr("placeholder", c.Page.T("choose.search")).
		Attr("aria-label", c.Page.T("choose.search")).
		Attr("autocomplete", "off").Attr("spellcheck", "false").
		On("input", func(ctx app.Context, _ app.Event) {
			c.queryEdited = true
			c.query = ctx.JSSrc().Get("value").String()
		}).
		On("keydown", func(_ app.Context, e app.Event) {
			if e.Get("key").String() == "Enter" {
				e.PreventDefault()
				c.pickFound()
			}
		})
}

// searchText is the content of the search field.
func (c *chooser) searchText() string {
	if c.queryEdited {
		return strings.TrimSpace(c.query)
	}
	return strings.TrimSpace(c.Search)
}

// matches reports whether the search finds a coin.
func (c *chooser) matches(currency wire.Currency) bool {
	return len(matching(currency, strings.ToLower(c.searchText()))) > 0
}

// searchStatus announces to screen readers what the search has found, and shows everyone that it
// has found nothing. A live region must exist before it has a text.
func (c *chooser) searchStatus() node.Node {
	class := "offscreen"
	text := ""
	if c.searchText() != "" {
		var names []string
		for _, currency := range c.Page.View.Currencies {
			if c.matches(currency) {
				names = append(names, widget.Isolate(c.Page.Dir, currency.Name))
			}
		}
		text = strings.Join(names, ", ")
		if len(names) == 0 {
			class = "note"
			text = c.Page.T("choose.notfound", "query", c.searchText())
		}
	}
	return node.El("p").Class(class).Attr("role", "status").Text(text)
}

// pickFound selects the coin that the search has found if only one can be chosen, and its network
// likewise.
func (c *chooser) pickFound() {
	found := ""
	networks := []wire.Network(nil)
	for _, currency := range c.Page.View.Currencies {
		list := slices.DeleteFunc(matching(currency, strings.ToLower(c.searchText())),
			func(n wire.Network) bool { return !n.Available })
		switch {
		case len(list) == 0:
		case found != "":
			return
		default:
			found = currency.Symbol
			networks = list
		}
	}
	switch {
	case len(networks) == 1:
		c.pick(found, widget.NetworkKey(found, networks[0].Code))
	case found != "":
		c.pick(found, "")
	}
}

// containsWords reports whether text contains every word of filter, which is in lower case.
func containsWords(text, filter string) bool {
	text = strings.ToLower(text)
	for word := range strings.FieldsSeq(filter) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// matching returns the networks of a coin whose name or code, or whose coin's, contains filter.
func matching(c wire.Currency, filter string) []wire.Network {
	if filter == "" {
		return slices.Clone(c.Networks)
	}
	var found []wire.Network
	for _, n := range c.Networks {
		if containsWords(c.Shown()+" "+c.Name+" "+c.Formerly+" "+n.Name+" "+n.Code, filter) {
			found = append(found, n)
		}
	}
	return found
}
