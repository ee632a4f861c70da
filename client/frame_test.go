package client_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/client"
	"coinslot/docs/examples/exampletest"
	"coinslot/e2e/need"
)

// frames is a table of addresses that every helper has to build.
const frames = "testdata/frames.json"

// frameCase is one row of the table.
type frameCase struct {
	URL     string
	Options client.Frame
	Address string
}

func frameCases(t *testing.T) (list []frameCase) {
	t.Helper()
	fortest.OK(t, json.Unmarshal(fortest.Must(os.ReadFile(frames))(t), &list))
	return list
}

func TestCheckoutFrame(t *testing.T) {
	for _, c := range frameCases(t) {
		fortest.Equal(t, client.CheckoutFrame(c.URL, c.Options), c.Address, "address")
	}
}

// The helpers of both npm packages build the same addresses.
func TestFullTypeScriptCheckoutFrame(t *testing.T) {
	node := need.Command(t, "node")
	var want []string
	for _, c := range frameCases(t) {
		want = append(want, c.Address)
	}
	for _, from := range []string{"@coinslot/server", fromHere(t, "../npm/src/frame.ts")} {
		page := filepath.Join(t.TempDir(), "page.ts")
		code := `import { checkoutFrame } from ` + inJSON(t, from) + `;
import { readFileSync } from "node:fs";
const cases = JSON.parse(readFileSync(process.argv[2], "utf8"));
console.log(JSON.stringify(cases.map(({ url, options }) => checkoutFrame(url, options))));
`
		fortest.OK(t, os.WriteFile(page, []byte(code), 0o600))
		run := exec.CommandContext(t.Context(), node, exampletest.Bundle(t, page), frames)
		said := fortest.Must(run.Output())(t)
		var got []string
		fortest.OK(t, json.Unmarshal(said, &got))
		fortest.Diff(t, got, want, "addresses by %s", from)
	}
}

// The line of PHP in docs/embed.md builds the second address of the table.
func TestFullPHPCheckoutFrame(t *testing.T) {
	php := need.Command(t, "php")
	code := `$session = ['url' => 'https://pay.shop.example/checkout/cs_1'];` +
		blocks(t, "../docs/embed.md", "php")[0] + `echo $frame;`
	said := fortest.Must(exec.CommandContext(t.Context(), php, "-r", code).Output())(t)
	fortest.Equal(t, string(said), frameCases(t)[1].Address, "address")
}

func fromHere(t *testing.T, path string) string {
	t.Helper()
	return fortest.Must(filepath.Abs(path))(t)
}

func inJSON(t *testing.T, text string) string {
	t.Helper()
	return string(fortest.Must(json.Marshal(text))(t))
}
