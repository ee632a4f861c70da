package check

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
)

// Code is an error code that checkout.js reports, as a finding: ID is the code, Text its cause, and
// Add has one line at most.
type Code struct {
	Finding
	Checks []string // ids of the checks that look closer
}

// MarshalJSON writes the code as data-debug and the doctor's page read it.
func (c Code) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Code   string   `json:"code"`
		Cause  string   `json:"cause"`
		Fix    string   `json:"cure"`
		Line   string   `json:"line,omitempty"`
		Place  Place    `json:"place,omitempty"`
		Checks []string `json:"checks"`
	}{c.ID, c.Text, c.Fix, strings.Join(c.Add, "\n"), c.Place, c.Checks})
}

// Codes returns the codes of docs/embed.md. In their lines, {server} and {origin} stand for the two
// origins. add is the AddOrigin of an [Embedding].
func Codes(add string) []Code {
	list := slices.Clone(codes)
	for i := range list {
		list[i] = list[i].fill("{allow}", AllowLine(add, Unnamed, "{origin}"))
	}
	return list
}

// Opaque is the origin of a page without one, as browsers write it: of a frame with a sandbox that
// lacks allow-same-origin, a file, or a data: URL. It cannot be listed.
const Opaque = "null"

// CodesOf returns Codes for a page of an origin, which may be Opaque.
func CodesOf(origin, add string) []Code {
	list := Codes(add)
	if origin != Opaque {
		return list
	}

	for i := range list {
		if list[i].ID == opaqueRefused.ID {
			list[i] = opaqueRefused
		}
	}
	return list
}

// opaqueRefused is origin_refused for a page without an origin.
var opaqueRefused = Code{Finding{
	ID: "origin_refused",
	Text: "Your page has no origin, so no setting can list it. Its frame has a sandbox without " +
		"allow-same-origin, as some site builders have, or it is a file or a data: URL.",
	Fix: "Have the frame's sandbox allow-same-origin, or serve the file over HTTP. If you cannot, " +
		"sell by a link that opens a tab. For that, the sandbox needs allow-popups and " +
		"allow-popups-to-escape-sandbox.",
	Place: HTML,
	Add:   []string{tabLink},
}, []string{"origin"}}

// tabLink pays without a frame.
const tabLink = `<a href="{server}/checkout?item=…" target="_blank">Pay with crypto</a>`

// fill returns c with pairs of old and new text replaced in its line.
func (c Code) fill(pairs ...string) Code {
	replacer := strings.NewReplacer(pairs...)
	c.Add = slices.Clone(c.Add)
	for i, line := range c.Add {
		c.Add[i] = replacer.Replace(line)
	}
	return c
}

// ExplainScript logs what Codes say, for pages with data-debug.
//
//go:embed explain.js
var ExplainScript string

// AllowLine returns the line that lists an origin; the server has to be restarted with it. It is
// add with the origin, or, if add is empty, the setting with the listed ones and the origin.
func AllowLine(add string, listed []string, origin string) string {
	if add != "" {
		return add + origin
	}
	all := append(slices.Clone(listed), origin)
	return "COINSLOT_ORIGINS=" + strings.Join(all, ",")
}

// Unnamed stands for listed origins that the reader is not to see.
var Unnamed = []string{"…"}

// Hints are for the console of a page whose frame fails: by error code, what its developer has to
// change, in one line of ASCII.
type Hints struct {
	OriginRefused string `json:"origin_refused"`
	FrameBlocked  string `json:"frame_blocked"`
	Timeout       string `json:"timeout"`
}

// NewHints returns those of the server at an origin, for a page of an origin that is not listed, or
// is Opaque. add is the AddOrigin of an [Embedding].
func NewHints(server, add, origin string) Hints {
	h := Hints{
		OriginRefused: "COINSLOT_ORIGINS must list the origin of this page",
		FrameBlocked: "a proxy must not add X-Frame-Options or Content-Security-Policy " +
			"frame-ancestors to " + server +
			" (COINSLOT_PUBLIC_URL); a sandbox around this page needs allow-same-origin",
		Timeout: "no answer in time from " + server +
			": is it reachable, and what COINSLOT_PUBLIC_URL says?",
	}
	switch {
	case origin == Opaque:
		h.OriginRefused = "this page has no origin: it is in a sandbox without allow-same-origin, " +
			"or a file. Sell by a link that opens a tab"
	case add != "": // else the line has dots that are not ASCII
		h.OriginRefused = "restart it to allow this page: " + AllowLine(add, nil, origin)
	}

	return h
}

var codes = []Code{
	{Finding{
		ID: "script_blocked",
		Text: "checkout.js did not run, so nothing could report it; the link in the element still " +
			"pays.",
		Fix: "Allow the script in your page's policy. If that is right already, a content blocker " +
			"of this browser keeps it away.",
		Place: Policy,
		Add:   []string{"script-src {server}"},
	}, []string{"page-script", "script", "tag"}},

	{Finding{
		ID:    "csp_frame_src",
		Text:  "Your page's Content-Security-Policy refuses the frame.",
		Fix:   "Allow it. Paste your page's headers into the doctor to get the whole line.",
		Place: Policy,
		Add:   []string{"frame-src {server}"},
	}, []string{"page-frame"}},

	{Finding{
		ID: "frame_blocked",
		Text: "The frame loaded but nothing in it answered within 4 s: it shows the browser's " +
			"refusal instead of the checkout.",
		Fix:   "List your page's origin exactly, and let no proxy add X-Frame-Options.",
		Place: Settings,
		Add:   []string{"{allow}"},
	}, []string{"origin", "framing", "coep", "frame"}},

	{Finding{
		ID:    "timeout",
		Text:  "Nothing answered within 15 s.",
		Fix:   "Is the checkout's public address right, and reachable from this network?",
		Place: Settings,
		Add:   []string{"COINSLOT_PUBLIC_URL={server}"},
	}, []string{"address", "https", "frame"}},

	{Finding{
		ID:    "origin_refused",
		Text:  "The server does not know your page.",
		Fix:   "List its origin, exactly as browsers write it, and restart.",
		Place: Settings,
		Add:   []string{"{allow}"},
	}, []string{"origin"}},

	{Finding{
		ID: "wasm_unsupported",
		Text: "This browser has no WebAssembly, or a policy of its administrator forbids it. The " +
			"checkout goes on as plain HTML.",
		Fix: "Nothing is lost but live updates; nothing needs to be changed.",
	}, []string{"wasm"}},

	{Finding{
		ID: "wasm_failed",
		Text: "The WebAssembly program did not arrive or did not start. The checkout goes on as " +
			"plain HTML.",
		Fix:   "Let no proxy change .wasm files or the checkout's policy.",
		Place: Proxy,
		Add:   []string{"Content-Type: application/wasm"},
	}, []string{"wasm", "csp"}},

	{Finding{
		ID:   "offline",
		Text: "The browser is offline. The checkout tries again by itself when it is not.",
		Fix:  "Nothing needs to be changed.",
	}, nil},

	{Finding{
		ID:   "session_unknown",
		Text: "There is no session of that id, or the element names no session, order or item.",
		Fix: "Look at the element's attributes for a typing error or an empty variable, and whether " +
			"your server and the page talk to the same Coinslot.",
		Place: HTML,
		Add:   []string{`<coinslot-checkout session="cs_…">`},
	}, nil},

	{Finding{
		ID:    "create_failed",
		Text:  "Your createSession threw an error, returned no id, or took longer than 15 s.",
		Fix:   "Look at the error in the console, and at your server's log and answer.",
		Place: HTML,
		Add: []string{
			"createSession: async () => " +
				"(await (await fetch('/buy?order_ref=1001', {method: 'POST'})).json()).session",
		},
	}, nil},

	{Finding{
		ID:    "session_expired",
		Text:  "The session is over: its time is up, or it was closed.",
		Fix:   "Make a new session for the order.",
		Place: HTML,
		Add:   []string{`<coinslot-checkout session="cs_…">`},
	}, nil},

	{Finding{
		ID:    "session_paid",
		Text:  "The session is paid already.",
		Fix:   "Make a new session for the next order.",
		Place: HTML,
		Add:   []string{`<coinslot-checkout session="cs_…">`},
	}, nil},

	{Finding{
		ID:   "order_invalid",
		Text: "The order token has a bad signature, a wrong claim, or has expired.",
		Fix: "Sign with the key of COINSLOT_ORDER_KEY, and give exp in seconds. A clock that is " +
			"wrong makes tokens expire early.",
		Place: Settings,
		Add:   []string{"COINSLOT_ORDER_KEY=…"},
	}, []string{"sells", "clock"}},

	{Finding{
		ID:    "item_unknown",
		Text:  "The catalog has no such item.",
		Fix:   "Name the item in the file of COINSLOT_CATALOG and restart.",
		Place: Settings,
		Add:   []string{"COINSLOT_CATALOG=…"},
	}, []string{"sells"}},

	{Finding{
		ID:   "gateway_unavailable",
		Text: "The payment gateway does not answer, or refuses requests.",
		Fix: "Try again in a moment. If it stays, run coinslot check on the server: it tests " +
			"COINSLOT_GATEWAY_URL and COINSLOT_GATEWAY_KEY.",
		Place: Machine,
		Add:   []string{"coinslot check"},
	}, nil},

	{Finding{
		ID: "contrast_failed",
		Text: "Two colors of your page are too close to be read, in the scheme that the console " +
			"names (-dark is the dark one). The checkout uses its own in their place.",
		Fix: "Give text at least 4.5:1 on background and surface, and danger on background. Try " +
			"colors in the playground of coinslot demo, /checkout/playground.",
		Place: HTML,
		Add: []string{
			"coinslot-checkout { --coinslot-text: …; --coinslot-background: … }",
		},
	}, nil},
}
