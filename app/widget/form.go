package widget

import (
	"strings"

	"coinslot/app/widget/node"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Actions that parts send to the root component, and the last two from the root to parts.
const (
	ActionSend     = "coinslot/send"   // value: Request
	ActionChange   = "coinslot/change" // value: bool, whether the chooser is shown
	ActionAnnounce = "coinslot/say"    // value: string, announced to screen readers
	ActionRefresh  = "coinslot/look"   // no value: fetch the view now
	ActionFail     = "coinslot/fail"   // value: string to show as an error
	ActionCopy     = "coinslot/copy"   // value: CopyRequest
	ActionQR       = "coinslot/qr"     // value: string, what the QR code is to hold: "uri" or "address"
	ActionPay      = "coinslot/pay"    // value: payment
	ActionPrice    = "coinslot/price"  // value: offerInput

	ActionViewTime = "coinslot/instant" // value: ViewTime
	ActionNetwork  = "coinslot/network" // no value: the browser went online or offline
)

// Request is a form's content, sent by WebAssembly instead of the browser.
type Request struct {
	Sub  string            // "/attempts", "/extend", "/cancel", "/recheck", "/simulate"
	Body map[string]string // members of the JSON; nil for none
}

// Form is a POST form. Without WebAssembly the browser sends its fields; with it, body is sent
// instead, which returns the members of the JSON, or the text that says what is missing. scope
// lists the values that body captures, see [node.Element.On].
func Form(
	p Page, sub string, body func() (members map[string]string, missing string), scope ...string,
) *node.Element {
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

// HiddenFields are the fields of Carry as hidden inputs.
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

// ButtonForm is a form of one button with hidden fields.
func ButtonForm(p Page, sub, part, class, text string, busy bool, fields ...Field) node.Node {
	inputs := HiddenFields(p)
	scope := make([]string, 0, 2*len(fields))
	for _, f := range fields {
		inputs = append(inputs, hidden(f))
		scope = append(scope, f.Name, f.Value)
	}
	inputs = append(inputs, Button(part, class, text, busy))
	members := func() (map[string]string, string) {
		body := make(map[string]string, len(fields))
		for _, f := range fields {
			body[f.Name] = f.Value
			_, code, isKey := strings.Cut(f.Value, ":")
			if isKey && f.Name == "network_code" {
				body[f.Name] = code // forms have a NetworkKey there
			}
		}
		return body, ""
	}
	return Form(p, sub, members, scope...).Class("press").Body(inputs...)
}

// Button is a submit button. While a request is under way it is aria-disabled, because a disabled
// button would lose the focus.
func Button(part, class, text string, busy bool) node.Node {
	if class != "link" {
		class = "button " + class
	}
	return el("button").Attr("type", "submit").Class(class).
		Attr("data-part", part).Bool("aria-disabled", busy).Text(text)
}

// ChangeLink opens the chooser, by a new page without WebAssembly.
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

// StayOnPage keeps the browser from following a link that WebAssembly handles; false if the shopper
// opens it in a new tab.
func StayOnPage(e app.Event) bool {
	if e.Get("ctrlKey").Bool() || e.Get("metaKey").Bool() || e.Get("shiftKey").Bool() {
		return false
	}
	e.PreventDefault()
	return true
}
