package widget

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
)

// english reads the sentences that travel with an English page.
func english(tb testing.TB) map[string]string {
	tb.Helper()
	raw, err := os.ReadFile("../../static/text/en.json")
	fortest.OK(tb, err)
	text, err := ReadText(raw)
	fortest.OK(tb, err)
	return text
}

// keyShape is what a text key looks like in the sources.
var keyShape = regexp.MustCompile(`^[a-z]+(\.[a-z_]+)+$|^close$`)

// literals returns the strings in the Go sources of folders that look like keys.
func literals(tb testing.TB, folders ...string) map[string]bool {
	tb.Helper()
	found := map[string]bool{}
	for _, folder := range folders {
		files := fortest.Must(filepath.Glob(filepath.Join(folder, "*.go")))(tb)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed := fortest.Must(parser.ParseFile(token.NewFileSet(), file, nil, 0))(tb)
			ast.Inspect(parsed, func(n ast.Node) bool {
				if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
					s, err := strconv.Unquote(l.Value)
					if err == nil && keyShape.MatchString(s) {
						found[s] = true
					}
				}
				return true
			})
		}
	}
	return found
}

// composed returns the keys that are put together from a prefix and a value.
func composed() map[string]bool {
	keys := map[string]bool{"said.partial": true, "said.seen": true, "lang.name": true} // the latter is read by its JSON name
	for _, s := range wire.Statuses() {
		keys["said."+string(s)] = true
		keys["title."+string(s)] = true
	}
	for _, kind := range []string{"pay", "half", "over", "parts", "late", "expire", "cancel"} {
		keys["simulate."+kind] = true
	}
	for _, source := range []string{"ecb", "json", "fixed"} {
		keys["order.rate."+source] = true
	}
	return keys
}

// TestPadded: sums are read with two places or more, whatever their coin.
func TestPadded(t *testing.T) {
	for number, want := range map[string]string{
		"18.5": "18.50", "18": "18.00", "18.": "18.00", "18.50000000": "18.50", "25.034": "25.034",
		"0.00912345": "0.00912345", "7.10300": "7.103", "100": "100.00", "": "", "1e5": "1e5",
	} {
		fortest.Equal(t, Padded(number), want, "Padded(%q)", number)
	}
	for network, want := range map[[2]string]string{
		{"TRON", "trc20"}:            "TRON (TRC20)",
		{"TON", "ton"}:               "TON",
		{"Ethereum", "eth"}:          "Ethereum",
		{"BNB Smart Chain", "bep20"}: "BNB Smart Chain (BEP20)",
		{"Base", "base"}:             "Base",
	} {
		fortest.Equal(t, NetworkTitle(network[0], network[1]), want, "NetworkTitle of %v", network)
	}
}

func TestEveryKeyHasText(t *testing.T) {
	text := english(t)
	used := literals(t, ".", "../screen")
	for key := range composed() {
		used[key] = true
	}
	for key := range used {
		if text[key] == "" && text[key+"#other"] == "" {
			t.Errorf("%q is used and has no sentence", key)
		}
	}
}

func TestEveryTextIsUsed(t *testing.T) {
	used := literals(t, ".", "../screen", "../../bff/web", "../../bff/shop", "../../bff/checkout")
	for key := range english(t) {
		key, _, _ = strings.Cut(key, "#")
		prefix, _, _ := strings.Cut(key, ".")
		if !used[key] && !composed()[key] && prefix != "problem" && prefix != "notice" {
			t.Errorf("%q is used nowhere", key)
		}
	}
}

func TestT(t *testing.T) {
	p := Page{Text: map[string]string{"a": "{x} and {y}, {x}"}}
	fortest.Equal(t, p.T("a", "x", "1", "y", "{x}"), "1 and {x}, 1", "say")
	p.Text["error.unknown"] = "That didn’t work."
	for _, sentence := range []string{"{x} {z}", "{x", "{", "{{x}}", "{}", "a {n {x}"} {
		p.Text["c"] = sentence
		fortest.Equal(t, p.T("c", "x", "1", "odd"), "That didn’t work.", "say of %q", sentence)
	}
	fortest.Equal(t, p.T("b"), "b", "say of an unknown key")
}
