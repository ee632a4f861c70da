package widget

import (
	"coinslot/app/widget/node"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Names of the actions by which parts tell the root what the shopper wants, and
// the root tells parts what has happened.
const (
	ActionSend     = "coinslot/send"   // value: request
	ActionChange   = "coinslot/change" // value: bool, whether the chooser is shown
	ActionExchange = "coinslot/from"   // value: bool, whether the shopper pays from an exchange
	ActionAnnounce = "coinslot/say"    // value: string for the live region
	ActionRefresh  = "coinslot/look"   // no value: the view is out of date
	ActionFail     = "coinslot/fail"   // value: string to show as an error
	ActionCopy     = "coinslot/copy"   // value: copyRequest
	ActionQR       = "coinslot/qr"     // value: bool, whether the QR code holds the payment link
	ActionPay      = "coinslot/pay"    // value: payment
	ActionPrice    = "coinslot/price"  // value: wish

	ActionViewTime = "coinslot/instant" // value: instant; from the root to what tells the time
	ActionNetwork  = "coinslot/network" // no value: the network has come or gone; likewise
)

// Request is a form's content, sent by the WebAssembly program instead of the
// browser.
type Request struct {
	Sub  string            // "/attempts", "/extend", "/cancel", "/recheck", "/simulate"
	Body map[string]string // members of the JSON; nil for none
}

// bodyFunc returns what a form sends as JSON, nil for nothing; or the sentence
// that says what is missing, and then nothing is sent.
type bodyFunc func() (content map[string]string, missing string)

// Form is a POST form. Without WebAssembly the browser sends its fields; with
// it, body is sent instead. scope names what body holds: go-app compares
// handlers by their code alone and would keep one with yesterday's values.
func Form(p Page, sub string, body bodyFunc, scope ...string) *node.Element {
	return el("form").Attr("method", "post").Attr("action", p.Target(sub)).
		On("submit", func(ctx app.Context, e app.Event) {
			e.PreventDefault()
			content, missing := body()
			if missing != "" {
				ctx.NewActionWithValue(ActionFail, missing)
				return
			}
			ctx.NewActionWithValue(ActionSend, Request{Sub: sub, Body: content})
		}, append(scope, sub)...)
}

// HiddenFields are the hidden fields that every form takes along.
func HiddenFields(p Page) []node.Node {
	fields := make([]node.Node, 0, len(p.Carry))
	for _, f := range p.Carry {
		fields = append(fields, hidden(f))
	}
	return fields
}

func hidden(f Field) node.Node {
	return void("input").Attr("type", "hidden").Attr("name", f.Name).Attr("value", f.Value)
}

// ButtonForm is a form of one button, with fields of its own.
func ButtonForm(p Page, sub, part, class, text string, busy bool, fields ...Field) node.Node {
	inputs := HiddenFields(p)
	scope := make([]string, 0, 2*len(fields))
	for _, f := range fields {
		inputs = append(inputs, hidden(f))
		scope = append(scope, f.Name, f.Value)
	}
	inputs = append(inputs, Button(part, class, text, busy))
	return Form(p, sub, fieldsBody(fields), scope...).Class("press").Body(inputs...)
}

// Button is a submit button with a stable handle. While a request is on its way
// it says that it does nothing, but keeps the keyboard: a disabled one loses it.
func Button(part, class, text string, busy bool) node.Node {
	return el("button").Attr("type", "submit").Class("button "+class).Attr("data-part", part).
		Bool("aria-disabled", busy).Text(text)
}

// fieldsBody returns the JSON of a form's own fields. A network's key is split
// there, because "symbol:code" is the form's spelling only.
func fieldsBody(fields []Field) bodyFunc {
	return func() (map[string]string, string) {
		body := make(map[string]string, len(fields))
		for _, f := range fields {
			body[f.Name] = f.Value
			if f.Name == "network_code" {
				body[f.Name] = codeOf(f.Value)
			}
		}
		return body, ""
	}
}

// ChangeLink opens the chooser: a link without WebAssembly, at once with it.
func ChangeLink(p Page, part, class, text string) node.Node {
	return el("a").Class(class).Attr("data-part", part).
		Attr("href", p.Link("", Field{"change", "1"})).Text(text).
		On("click", func(ctx app.Context, e app.Event) { ToggleChange(ctx, e, true) })
}

// ToggleChange asks the root to show or hide the chooser.
func ToggleChange(ctx app.Context, e app.Event, show bool) {
	if StayOnPage(e) {
		ctx.NewActionWithValue(ActionChange, show)
	}
}

// StayOnPage keeps the browser from following a link whose work is done in the page,
// unless the shopper wants it in a tab of its own.
func StayOnPage(e app.Event) bool {
	if e.Get("ctrlKey").Bool() || e.Get("metaKey").Bool() || e.Get("shiftKey").Bool() {
		return false
	}
	e.PreventDefault()
	return true
}
