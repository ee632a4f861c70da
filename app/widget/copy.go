package widget

import (
	"strings"
	"time"
	"unicode/utf8"

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
// click, with a copy button. With a unit, it is the sum, and the heading of the screen.
type Copyable struct {
	app.Compo

	Part   string // data-part of the value: "address"
	Copy   string // data-part of the button: "copy-address"
	Label  string
	Value  string // what is copied
	Shown  string // of a sum, in the page's language; a selection of all of it copies Value
	Unit   string // shown after the value, not copied; may be empty
	Icon   string // path of the coin's logo; may be empty
	Groups bool   // show in groups of four, for comparing
	Text   CopyText

	button copyButton
}

// CopyText are the texts of a copy button. Name and Said may be empty.
type CopyText struct {
	Button string
	Name   string // for screen readers, instead of Button
	Copied string
	Said   string // announced instead of Copied, and the label of an address
	Failed string
}

// copyButton is the state of a copy button, which shows for a while how the copying went.
type copyButton struct {
	value  string // that result is about
	result copyResult
}

type copyResult int

const (
	notCopied copyResult = iota // not tried
	copied
	copyFailed
)

// How long the result is shown. After a failure, the shopper has to read what to do instead.
const (
	copiedFor = 3 * time.Second
	failedFor = 10 * time.Second
)

// about is the result of copying value.
func (b *copyButton) about(value string) copyResult {
	if b.value != value {
		return notCopied
	}
	return b.result
}

// text is the button's text while it copies value.
func (b *copyButton) text(t CopyText, value string) string {
	return [...]string{t.Button, t.Copied, t.Failed}[b.about(value)]
}

// copy requests the copying of a value that part shows.
func (b *copyButton) copy(ctx app.Context, part, value string, t CopyText) {
	done := func(err error) {
		ctx.Dispatch(func(ctx app.Context) {
			*b = copyButton{value, copied}
			said := t.Said
			wait := copiedFor
			if said == "" {
				said = t.Copied
			}
			if err != nil {
				b.result = copyFailed
				said = t.Failed
				wait = failedFor
			}
			ctx.NewActionWithValue(ActionAnnounce, said)
			ctx.After(wait, func(app.Context) { b.result = notCopied })
		})
	}
	ctx.NewActionWithValue(ActionCopy, CopyRequest{Part: part, Value: value, Done: done})
}

// draw has the texts that controls.js shows until WebAssembly takes over. The data-part of what
// shows value is shownBy.
func (b *copyButton) draw(part, shownBy, value string, t CopyText) *node.Element {
	text := t.Button
	done := b.about(value) == copied
	if done {
		text = t.Copied
	}
	return el("button").Attr("type", "button").Class("copy"+TextIf(done, " done")).
		Attr("data-part", part).Attr("data-copy", value).Attr("data-copied", t.Copied).
		Attr("data-said", t.Said).Attr("data-failed", t.Failed).Attr("aria-label", t.Name).
		Text(text).
		On("click", func(ctx app.Context, _ app.Event) { b.copy(ctx, shownBy, value, t) }, value)
}

// Draw draws label, button and value.
func (c *Copyable) Draw() *node.Element {
	if c.Unit != "" {
		return el("div").Class("copyable amount").Body(
			c.sum(), node.Text(" "), c.button.draw(c.Copy, c.Part, c.Value, c.Text))
	}
	return el("div").Class("copyable address").Body(WithSpaces(c.label("p"),
		c.button.draw(c.Copy, c.Part, c.Value, c.Text),
		el("p").Class("value").Body(c.value("span").Body(c.shown()...)))...)
}

// sum is the screen's heading: the label, and the amount with its coin.
func (c *Copyable) sum() node.Node {
	size := ""
	length := utf8.RuneCountInString(c.Shown) + len(c.Unit)
	switch { // it fits beside the button
	case length > 11:
		size = " long"
	case length > 9:
		size = " medium"
	}
	amount := el("span").Class("amount-value"+size).Body(
		Icon(c.Icon, "", "28", false),
		el("span").Body(el("bdi").Attr("translate", "no").Body(
			c.value("span").Text(c.Shown), node.Text(" "+c.Unit))),
	)
	return Heading("").Body(c.label("span"), node.Text(" "), amount)
}

func (c *Copyable) value(tag node.Name) *node.Element {
	return el(tag).Attr("translate", "no").Attr("dir", "ltr").Attr("data-part", c.Part).
		Attr("data-value", c.Value)
}

// label says what the value is; for a while after copying an address, on which network to send, and
// after a failure, what to do instead.
func (c *Copyable) label(tag node.Name) node.Node {
	class := "label"
	text := c.Label
	result := c.button.about(c.Value)
	switch {
	case result == copied && c.Groups:
		class = "label copied"
		text = c.Text.Said
	case result == copyFailed:
		class = "label failed"
		text = c.Text.Failed
	}
	return el(tag).Class(class).Text(text)
}

func (c *Copyable) shown() []node.Node {
	if !c.Groups {
		return []node.Node{node.Text(c.Value)}
	}
	list := address.SplitGroups(c.Value, nil)
	shown := make([]node.Node, 0, len(list))
	for i, g := range list {
		group := el("span").Text(g.Text)
		if isKey(list, i) {
			group.Class("key")
		}
		shown = append(shown, group)
	}
	return shown
}

// isKey reports whether a group of an address is one that shoppers compare: at both ends. Next to a
// group that says little, such as "0x" or a short last one, its neighbor is one too.
func isKey(list []address.Group, i int) bool {
	last := len(list) - 1
	return i == 0 || i == 1 && strings.HasPrefix(list[0].Text, "0x") ||
		i == last || i == last-1 && len(list[last].Text) < 4
}
