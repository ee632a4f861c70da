package check

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/diagnose"
	"coinslot/bff/fortest"
)

// A terminal of 80 columns shows each finding in colors and in lines that fit, and says what is
// hidden without -v.
func TestTextForTerminal(t *testing.T) {
	coins := ok("gateway", "it accepts the key")
	coins[0].Details = []string{"USDT on TRON"}
	r := Report{Version: "v1.0.0", Findings: slices.Concat(
		fail("database", "it failed", ""),
		coins,
		warn("public", "http://localhost:8080 is for trying out: only this machine can open it",
			"COINSLOT_PUBLIC_URL=https://pay.shop.example"),
	)}

	var text bytes.Buffer
	r.Text(&text, diagnose.Style{Color: true, Width: 80})

	const want = `Coinslot v1.0.0

  ^[1;31mFAIL^[0m  database   it failed
  ^[32mok^[0m    gateway    it accepts the key (-v lists them)
  ^[33mwarn^[0m  public     http://localhost:8080 is for trying out: only this machine
                   can open it
                   → COINSLOT_PUBLIC_URL=https://pay.shop.example

Not ready: 1 of 3 checks failed, 1 warning.
`
	fortest.Equal(t, strings.ReplaceAll(text.String(), "\x1b", "^"), want, "the text")
}
