package token

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// The worked example of docs/tokens.md is a file that loads, and its table of what
// is built in is complete.
func TestDocs(t *testing.T) {
	page := fortest.Must(os.ReadFile("../../docs/tokens.md"))(t)
	example := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(page)
	if example == nil {
		t.Fatal("no example")
	}
	r := fortest.Must(Parse(example[1]))(t)
	if usdc, ok := r.Token("USDC", "bsc"); !ok || usdc.Contract != "" {
		t.Errorf("USDC on bsc = %+v", usdc)
	}
	_, table, _ := strings.Cut(string(page), "## What is built in")
	for id, n := range Builtin().networks {
		if !strings.Contains(table, "`"+n.ID+"`") {
			t.Errorf("the table lacks %s", id)
		}
	}
	for code := range Builtin().codes {
		if !regexp.MustCompile(`[ ,` + "`" + `]` + regexp.QuoteMeta(code) + "[ ,`]").MatchString(table) {
			t.Errorf("the table lacks the code %s", code)
		}
	}
	for id := range Builtin().tokens {
		if !strings.Contains(table, id.symbol) {
			t.Errorf("the table lacks %s", id.symbol)
		}
	}
}
