package widget

import (
	"strings"
	"time"

	"coinslot/app/address"
	"coinslot/app/widget/node"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// CopyRequest asks the root to put a value on the clipboard and to tell the
// result.
type CopyRequest struct {
	Part  string // handle of what shows the value
	Value string
	Done  func(err error)
}

// Copyable is a value that a shopper takes into a wallet: shown in full,
// selected as a whole by one click, with a button.
type Copyable struct {
	app.Compo

	Part   string // handle of the value: "address"
	Copy   string // handle of the button: "copy-address"
	Label  string
	Value  string // what is copied
	Unit   string // shown after the value, not copied; may be empty
	Groups bool   // show in groups of four, for comparing
	Text   CopyText

	state    copyState
	resultOf string // the value that state is about
}

// CopyText are the sentences of a copyable.
type CopyText struct {
	Button string
	Copied string
	Failed string
}

// copyState is what the button has to say.
type copyState int

const (
	copyIdle copyState = iota
	copyDone
	copyFailed
)

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
				Attr("aria-describedby", "coinslot-"+c.Part).
				Text(c.buttonText()).On("click", c.copy),
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

// emphasisOf names the groups of an address that are worth comparing: "end" those at
// both ends, "mid" the one in the middle, which a look-alike address rarely has
// too. What stands for nothing, as "0x" does, makes another one an end.
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

func (c *Copyable) buttonText() string {
	if c.resultOf != c.Value {
		return c.Text.Button
	}
	switch c.state {
	case copyDone:
		return c.Text.Copied
	case copyFailed:
		return c.Text.Failed
	case copyIdle:
	}
	return c.Text.Button
}

// How long the button tells the result. What to do instead takes longer to read.
const (
	copiedFor = 3 * time.Second
	failedFor = 10 * time.Second
)

// copy asks for the copying; the button tells the result for a while.
func (c *Copyable) copy(ctx app.Context, _ app.Event) {
	value := c.Value
	ctx.NewActionWithValue(ActionCopy,
		CopyRequest{Part: c.Part, Value: value, Done: func(err error) {
			ctx.Dispatch(func(ctx app.Context) { c.showResult(ctx, value, err) })
		}})
}

func (c *Copyable) showResult(ctx app.Context, value string, err error) {
	c.state, c.resultOf = copyDone, value
	wait := copiedFor
	if err != nil {
		c.state, wait = copyFailed, failedFor
	}
	ctx.NewActionWithValue(ActionAnnounce, c.buttonText())
	ctx.After(wait, func(app.Context) { c.state = copyIdle })
}
