package widget

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// copyRequest asks the root to put a value on the clipboard and to tell the
// result.
type copyRequest struct {
	Value string
	Done  func(err error)
}

// copyable is a value that a shopper takes into a wallet: shown in full,
// selected as a whole by one click, with a button.
type copyable struct {
	app.Compo

	Part   string // handle of the value: "address"
	Copy   string // handle of the button: "copy-address"
	Label  string
	Value  string // what is copied
	Unit   string // shown after the value, not copied; may be empty
	Groups bool   // show in groups of four, for comparing
	Text   copyText

	state copyState
}

// copyText are the sentences of a copyable.
type copyText struct {
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

// Render draws label, value and button.
func (c *copyable) Render() app.UI {
	return el("div").Class("copyable").Body(
		el("span").Class("copyable-label").ID("coinslot-"+c.Part).Text(c.Label),
		el("div").Class("copyable-row").Body(
			el("span").Class("copyable-value").Attr("translate", "no").Attr("dir", "ltr").
				DataSet("part", c.Part).DataSet("value", c.Value).Body(c.shown()...),
			app.If(c.Unit != "", func() app.UI {
				return el("span").Class("copyable-unit").Text(c.Unit)
			}),
			el("button").Attr("type", "button").Class("button copy").DataSet("part", c.Copy).DataSet("copy", c.Value).
				DataSet("copied", c.Text.Copied).DataSet("failed", c.Text.Failed).
				Aria("describedby", "coinslot-"+c.Part).
				Text(c.buttonText()).OnClick(c.copy),
		),
	)
}

func (c *copyable) shown() []app.UI {
	if !c.Groups {
		return []app.UI{app.Text(c.Value)}
	}
	list := make([]app.UI, 0, len(c.Value)/4+1)
	for _, g := range groups(c.Value, 4) {
		list = append(list, el("span").Class("group").Text(g))
	}
	return list
}

// groups cuts s into pieces of n bytes; addresses are ASCII.
func groups(s string, n int) []string {
	var list []string
	for len(s) > n {
		list, s = append(list, s[:n]), s[n:]
	}
	return append(list, s)
}

func (c *copyable) buttonText() string {
	switch c.state {
	case copyDone:
		return c.Text.Copied
	case copyFailed:
		return c.Text.Failed
	case copyIdle:
	}
	return c.Text.Button
}

// copy asks for the copying; the button tells the result for three seconds.
func (c *copyable) copy(ctx app.Context, _ app.Event) {
	ctx.NewActionWithValue(actionCopy, copyRequest{Value: c.Value, Done: func(err error) {
		ctx.Dispatch(func(ctx app.Context) { c.tell(ctx, err) })
	}})
}

func (c *copyable) tell(ctx app.Context, err error) {
	c.state = copyDone
	if err != nil {
		c.state = copyFailed
	}
	ctx.NewActionWithValue(actionSay, c.buttonText())
	ctx.After(3*time.Second, func(app.Context) { c.state = copyIdle })
}
