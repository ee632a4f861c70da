package main

import (
	"bytes"
	"strings"
	"testing"

	"coinslot/bff/check"
	"coinslot/bff/fortest"
)

// found is one finding of each status that counts.
var found = []check.Finding{
	{ID: "database", Status: check.Fail, Text: "it failed"},
	{
		ID: "gateway", Status: check.OK, Text: "it accepts the key",
		Details: []string{"USDT on TRON"},
	},
	{
		ID: "public", Status: check.Warn,
		Text: "http://localhost:8080 is for trying out: only this machine can open it",
		Fix:  "COINSLOT_PUBLIC_URL=https://pay.shop.example",
	},
}

// A terminal of 80 columns shows each finding in colors and in lines that fit, and says what is
// hidden without -v.
func TestFindingsForTerminal(t *testing.T) {
	var text bytes.Buffer
	printFindings(&text, "v1.0.0", found, false, check.Style{Color: true, Width: 80})

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

// Programs read the same names in every release.
func TestFindingsForPrograms(t *testing.T) {
	var text bytes.Buffer
	fortest.OK(t, writeFindings(&text, "v1.0.0", found))

	const want = `{
  "version": "v1.0.0",
  "failed": 1,
  "warned": 1,
  "findings": [
    {
      "id": "database",
      "level": "fail",
      "text": "it failed"
    },
    {
      "id": "gateway",
      "level": "ok",
      "text": "it accepts the key",
      "details": [
        "USDT on TRON"
      ]
    },
    {
      "id": "public",
      "level": "warn",
      "text": "http://localhost:8080 is for trying out: only this machine can open it",
      "way": "COINSLOT_PUBLIC_URL=https://pay.shop.example"
    }
  ]
}
`
	fortest.Equal(t, text.String(), want, "the JSON")
}

func TestVerdict(t *testing.T) {
	fortest.Equal(t, verdict(found[1:2]), "Ready: all 1 checks passed", "of what is right")
	fortest.Equal(t, verdict(found[1:]), "Ready, with 1 warning", "of a warning")
	fortest.Equal(t, verdict(found), "Not ready: 1 of 3 checks failed, 1 warning", "of a failure")
}
