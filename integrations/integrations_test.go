// Package integrations tests what shop systems load: the parts of it that need neither the shop system nor a checkout.
// e2e TestFullMedusa, TestFullVendure and TestFullWordPress run three of them with both.
package integrations

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/currency"
	"coinslot/bff/fortest"
	"coinslot/e2e/need"

	"github.com/evanw/esbuild/pkg/api"
)

// The payment provider for Medusa, without its types, with a stand-in for Medusa's framework.
func TestMedusaProvider(t *testing.T) {
	t.Parallel()
	testInNode(t, "medusa/test/provider.test.ts", map[string]string{
		"@medusajs/framework/utils": "./medusa/test/framework.ts",
	})
}

// The plugin for Vendure, without its types, with stand-ins for Vendure and what it is made of.
func TestVendurePlugin(t *testing.T) {
	t.Parallel()
	const standIn = "./vendure/test/vendure.ts"
	testInNode(t, "vendure/test/plugin.test.ts", map[string]string{
		"@nestjs/common": standIn, "@nestjs/graphql": standIn, "@vendure/core": standIn,
		"graphql-tag": standIn, "typeorm": standIn,
	})
}

// testInNode runs a file of tests, with stand-ins for the packages that it imports.
func testInNode(t *testing.T, file string, standIns map[string]string) {
	t.Helper()
	node := need.Command(t, "node")
	out := filepath.Join(t.TempDir(), "test.mjs")
	built := api.Build(api.BuildOptions{
		EntryPoints: []string{file}, Outfile: out, Write: true, Bundle: true,
		Platform: api.PlatformNode, Format: api.FormatESModule, LogLevel: api.LogLevelWarning,
		Alias: standIns,
		TsconfigRaw: `{"compilerOptions":{"experimentalDecorators":true,` +
			`"useDefineForClassFields":false}}`,
	})
	if len(built.Errors) > 0 {
		t.Fatalf("bundling the tests: %v", built.Errors)
	}
	passes(t, exec.Command(node, "--test", out))
}

func passes(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, said)
	}
}

// The plugin for WooCommerce, with stand-ins for WordPress.
func TestWooCommercePlugin(t *testing.T) {
	t.Parallel()
	passes(t, exec.Command(need.Command(t, "php"), "woocommerce/tests/run.php"))
}

// The plugin for WordPress, with stand-ins for WordPress.
func TestWordPressPlugin(t *testing.T) {
	t.Parallel()
	passes(t, exec.Command(need.Command(t, "php"), "wordpress/tests/run.php"))
}

// Each integration that opens sessions knows how many digits an amount of a currency has, as the checkout does.
func TestDigitsOfCurrencies(t *testing.T) {
	t.Parallel()
	want := map[int][]string{}
	for _, code := range currency.Codes() {
		digits, _ := currency.Digits(code)
		want[digits] = append(want[digits], code)
	}
	fortest.Equal(t, len(want), 3, "numbers of digits") // the third is two, which all others have

	list := regexp.MustCompile(`NO_DIGITS += ["'](.+)["']|THREE_DIGITS += ["'](.+)["']`)
	for _, file := range []string{
		"medusa/src/modules/coinslot/coinslot.ts",
		"vendure/src/price.ts",
		"woocommerce/includes/price.php",
	} {
		source := string(fortest.Must(os.ReadFile(file))(t))
		found := list.FindAllStringSubmatch(source, -1)
		if len(found) != 2 {
			t.Fatalf("%s has %d lists of currencies; want 2", file, len(found))
		}
		if none := strings.Fields(found[0][1]); !slices.Equal(none, want[0]) {
			t.Errorf("%s: no digits have %v; want %v", file, none, want[0])
		}
		if three := strings.Fields(found[1][2]); !slices.Equal(three, want[3]) {
			t.Errorf("%s: three digits have %v; want %v", file, three, want[3])
		}
	}
}

// The behaviors of README.md: each integration has the tests that its column says, named by number,
// and the column says all that it has. A unit test has the behavior's name, too.
func TestBehaviors(t *testing.T) {
	t.Parallel()
	page := string(fortest.Must(os.ReadFile("README.md"))(t))
	names := map[string]string{}
	for _, found := range regexp.MustCompile(`(?m)^(\d+)\. \*\*(.+)\.\*\*`).FindAllStringSubmatch(page, -1) {
		names[found[1]] = found[2]
	}
	if len(names) == 0 {
		t.Fatal("README.md lists no behavior")
	}

	rows := regexp.MustCompile(`(?m)^\| (\d+) [^|]+((?:\| [^|]+)+)\|$`).FindAllStringSubmatch(page, -1)
	fortest.Equal(t, len(rows), len(names), "rows of the table")
	for column, tests := range []map[string]string{
		{"unit": "medusa/test/provider.test.ts", "shop": "medusa/test/medusa.test.mjs"},
		{"unit": "vendure/test/plugin.test.ts", "shop": "vendure/test/vendure.test.mjs"},
		{"unit": "woocommerce/tests/run.php"},
		{"unit": "wordpress/tests/run.php", "shop": "../e2e/wordpress_test.go"},
	} {
		for kind, file := range tests {
			source := string(fortest.Must(os.ReadFile(file))(t))
			tested := numbersOfTests(source)
			for _, row := range rows {
				number := row[1]
				cell := strings.Split(row[2], "|")[column+1]
				said := slices.Contains(strings.Fields(strings.ReplaceAll(cell, ",", " ")), kind)
				if said != tested[number] {
					t.Errorf("behavior %s: README.md says %q; a test in %s: %t", number, cell, file, tested[number])
				}
				if kind == "unit" && said && !strings.Contains(source, number+": "+names[number]) {
					t.Errorf("%s has no test named \"%s: %s\"", file, number, names[number])
				}
			}
		}
	}
}

// numbersOfTests returns the behaviors with which the names of tests begin: "1, 2: the name".
func numbersOfTests(source string) map[string]bool {
	numbers := map[string]bool{}
	declared := regexp.MustCompile("(?m)^\\s*(?:test\\(\"|test\\(`|t\\.Run\\(\"|')(\\d+(?:, \\d+)*): ")
	for _, found := range declared.FindAllStringSubmatch(source, -1) {
		for number := range strings.SplitSeq(found[1], ", ") {
			numbers[number] = true
		}
	}
	return numbers
}
