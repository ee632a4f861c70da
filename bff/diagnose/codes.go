package diagnose

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
)

// Code is an error code that the loader logs, with its cause and fix.
type Code struct {
	Code  string `json:"code"`
	Cause string `json:"cause"`
	Fix   string `json:"cure"`
	// Line is what to add at Place; empty = nothing to add.
	Line  string `json:"line,omitempty"`
	Place Place  `json:"place,omitempty"`
	// Checks are the ids of related checks.
	Checks []string `json:"checks"`
}

// Codes returns the codes of docs/embed.md. {server} and {origin} stand for the two origins.
func Codes() []Code { return slices.Clone(codes) }

// ExplainScript logs what Codes say, for pages with data-debug.
//
//go:embed explain.js
var ExplainScript string

var codes = []Code{
	{"script_blocked",
		"checkout.js did not run, so nothing could report it; the link in the element still pays.",
		"Allow the script in your page's policy. If that is right already, a content blocker " +
			"of this browser keeps it away.", "script-src {server}", Policy,
		[]string{"page-script", "script", "tag"}},
	{"csp_frame_src", "Your page's Content-Security-Policy refuses the frame.",
		"Allow it. Paste your page's headers into the doctor to get the whole line.",
		"frame-src {server}", Policy, []string{"page-frame"}},
	{"frame_blocked",
		"The frame loaded but nothing in it answered within 4 s: it shows the browser's " +
			"refusal instead of the checkout.",
		"List your page's origin exactly, and let no proxy add X-Frame-Options.",
		OriginsSetting + "{origin}", Settings,
		[]string{"origin", "framing", "coep", "frame"}},
	{"timeout", "Nothing answered within 15 s.",
		"Is the checkout's public address right, and reachable from this network?",
		"COINSLOT_PUBLIC_URL={server}", Settings, []string{"address", "https", "frame"}},
	{"origin_refused", "The server does not know your page.",
		"List its origin, exactly as browsers write it, and restart.",
		OriginsSetting + "{origin}", Settings, []string{"origin"}},
	{"wasm_unsupported",
		"This browser has no WebAssembly, or a policy of its administrator forbids it. The " +
			"checkout goes on as plain HTML.",
		"Nothing is lost but live updates; nothing needs to be changed.", "", "",
		[]string{"wasm"}},
	{"wasm_failed",
		"The WebAssembly program did not arrive or did not start. The checkout goes on as " +
			"plain HTML.",
		"Let no proxy change .wasm files or the checkout's policy.",
		"Content-Type: application/wasm", Proxy,
		[]string{"wasm", "csp"}},
	{"offline", "The browser is offline. The checkout tries again by itself when it is not.",
		"Nothing needs to be changed.", "", "", nil},
	{"session_unknown",
		"There is no session of that id, or the element names no session, order or item.",
		"Look at the element's attributes for a typing error or an empty variable, and whether " +
			"your server and the page talk to the same Coinslot.",
		`<coinslot-checkout session="cs_…">`, HTML, nil},
	{"create_failed",
		"Your createSession threw an error, returned no id, or took longer than 15 s.",
		"Look at the error in the console, and at your server's log and answer.",
		"createSession: async () => (await (await fetch('/buy?order_ref=1001', {method: 'POST'})).json()).session",
		HTML, nil},
	{"session_expired", "The session is over: its time is up, or it was closed.",
		"Make a new session for the order.", `<coinslot-checkout session="cs_…">`, HTML, nil},
	{"session_paid", "The session is paid already.", "Make a new session for the next order.",
		`<coinslot-checkout session="cs_…">`, HTML, nil},
	{"order_invalid", "The order token has a bad signature, a wrong claim, or has expired.",
		"Sign with the key of COINSLOT_ORDER_KEY, and give exp in seconds. A clock that is " +
			"wrong makes tokens expire early.", "COINSLOT_ORDER_KEY=…", Settings,
		[]string{"sells", "clock"}},
	{"item_unknown", "The catalog has no such item.",
		"Name the item in the file of COINSLOT_CATALOG and restart.",
		"COINSLOT_CATALOG=…", Settings, []string{"sells"}},
	{"gateway_unavailable", "The payment gateway does not answer, or refuses requests.",
		"Try again in a moment. If it stays, run coinslot check on the server: it tests " +
			"COINSLOT_GATEWAY_URL and COINSLOT_GATEWAY_KEY.", "coinslot check", Machine, nil},
	{"contrast_failed",
		"Two colors of your page are too close to be read, in the scheme that the console " +
			"names (-dark is the dark one). The checkout uses its own in their place.",
		"Give text at least 4.5:1 on background and surface, and danger on background. Try " +
			"colors in the playground of coinslot demo, /checkout/playground.",
		"coinslot-checkout { --coinslot-text: …; --coinslot-background: … }", HTML, nil},
}

// code returns the requested code with the origins filled in, nil if there is none.
func (q Question) code() *Code {
	for _, c := range codes {
		if c.Code == q.Code {
			origin := cmp.Or(q.Origin, "https://shop.example")
			c.Line = strings.NewReplacer("{server}", q.URL, "{origin}", origin, OriginsSetting,
				q.AddOrigin).Replace(c.Line)
			return &c
		}
	}
	return nil
}
