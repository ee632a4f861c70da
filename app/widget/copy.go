package widget

import (
	"strings"
	"time"

	"coinslot/app/address"
	"coinslot/app/widget/node"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// CopyRequest asks the root component to copy a value to the clipboard.
type CopyRequest struct {
	Part  string // data-part of what shows the value
	Value string
	Done  func(err error) // is called once, from any goroutine
}

// Copyable is a value that a shopper takes into a wallet: shown in full, selected as a whole by one
// click, with a copy button.
type Copyable struct {
	app.Compo

	Part   string // data-part of the value: "address"
	Copy   string // data-part of the button: "copy-address"
	Label  string
	Value  string // what is copied
	Unit   string // shown after the value, not copied; may be empty
	Groups bool   // show in groups of four, for comparing
	Text   CopyText

	button copyButton
}

// CopyText are the texts of a copy button.
type CopyText struct {
	Button string
	Copied string
	Failed string
}

// copyButton is the state of a copy button, which shows for a while how the copying went.
type copyButton struct {
	value  string // that result is about
	result string // empty = none
}

// How long the result is shown. After a failure, the shopper has to read what to do instead.
const (
	copiedFor = 3 * time.Second
	failedFor = 10 * time.Second
)

// text is the button's text while it copies value.
func (b *copyButton) text(t CopyText, value string) string {
	if b.result != "" && b.value == value {
		return b.result
	}
	return t.Button
}

// copy requests the copying of a value that part shows.
func (b *copyButton) copy(ctx app.Context, part, value string, t CopyText) {
	done := func(err error) {
		ctx.Dispatch(func(ctx app.Context) {
			*b = copyButton{value, t.Copied}
			wait := copiedFor
			if err != nil {
				b.result, wait = t.Failed, failedFor
			}
			ctx.NewActionWithValue(ActionAnnounce, b.result)
			ctx.After(wait, func(app.Context) { b.result = "" })
		})
	}
	ctx.NewActionWithValue(ActionCopy, CopyRequest{Part: part, Value: value, Done: done})
}

// Draw draws label, value and button.
func (c *Copyable) Draw() *node.Element {
	return el("div").Class("copyable").Body(
		el("span").Class("copyable-label").ID("coinslot-"+c.Part).Text(c.Label),
		el("div").Class("copyable-row").Body(WithSpaces(
			el("span").Class("copyable-value").Attr("translate", "no").Attr("dir", "ltr").
				Attr("data-part", c.Part).Attr("data-value", c.Value).Body(c.shown()...),
			node.If(c.Unit != "", func() node.Node {
				return el("span").Class("copyable-unit").Text(c.Unit)
			}),
			el("button").Attr("type", "button").Class("button copy").Attr("data-part", c.Copy).
				Attr("data-copy", c.Value).
				Attr("data-copied", c.Text.Copied).Attr("data-failed", c.Text.Failed).
				Attr("aria-describedby", "coinslot-"+c.Part).Text(c.button.text(c.Text, c.Value)).
				On("click", func(ctx app.Context, _ app.Event) {
					c.button.copy(ctx, c.Part, c.Value, c.Text)
				}),
		)...),
	)
}

func (c *Copyable) shown() []node.Node {
	if !c.Groups {
		return []node.Node{node.Text(c.Value)}
	}
	list := address.SplitGroups(c.Value, nil)
	shown := make([]node.Node, 0, len(list))
	for i, g := range list {
		shown = append(shown, el("span").Class("group "+emphasisOf(list, i)).Text(g.Text))
	}
	return shown
}

// emphasisOf returns the CSS class of the groups of an address that are worth comparing: "end" at
// both ends, and "mid" in the middle, which a look-alike address rarely shares. Next to a group
// that says little, such as "0x" or a short last one, its neighbor is an end too.
func emphasisOf(list []address.Group, i int) string {
	last := len(list) - 1
	switch {
	case i == 0, i == 1 && strings.HasPrefix(list[0].Text, "0x"),
		i == last, i == last-1 && len(list[last].Text) < 4:
		return "end"
	case i == len(list)/2:
		return "mid"
	}
	return ""
}
