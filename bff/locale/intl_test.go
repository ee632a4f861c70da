package locale

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"
)

var update = flag.Bool("update", false, "rewrite testdata/intl.txt with what Node's Intl says")

// What testdata/intl.txt has in every language: symbols and codes, padded and in groups.
var (
	sampleCurrencies = []string{"USD", "EUR", "GBP", "JPY", "CHF", "KWD"}
	sampleAmounts    = []string{"0.05", "1234", "1234567.890"}
)

// allAmounts are what all currencies are formatted with: some languages group only five digits and
// more, and some in pairs.
var allAmounts = []string{
	"0.00", "9.99", "1234.00", "99999", "1234567", "123456.789", "987654321001.23",
}

// formatted is one call of this package.
type formatted struct {
	name string   // "de EUR 1234"
	intl []string // the same for testdata/intl.mjs
	got  string
}

func formatPrices(lang, currency string, amounts []string) (list []formatted) {
	for _, amount := range amounts {
		list = append(list, formatted{
			name: lang + " " + currency + " " + amount,
			intl: []string{intlTag(lang), currency, amount},
			got:  FormatPrice(lang, currency, amount),
		})
	}
	return list
}

func formatDay(lang string, day time.Time) formatted {
	text := day.Format(time.DateOnly)
	return formatted{
		name: lang + " " + text,
		intl: []string{intlTag(lang), text},
		got:  FormatDay(lang, day),
	}
}

// intlTag returns what Intl calls a language of the checkout: "pt" is that of Brazil there.
func intlTag(lang string) string {
	if lang == "pt" {
		return "pt-PT"
	}
	return lang
}

func languages() []string { return slices.Sorted(maps.Keys(readLanguages())) }

// askIntl returns what Node's Intl makes of the list. It ends t without a Node whose CLDR is that
// of the table.
func askIntl(t testing.TB, list []formatted) []string {
	t.Helper()
	node := need.Command(t, "node")
	var arguments [][]string
	for _, f := range list {
		arguments = append(arguments, f.intl)
	}
	cmd := exec.Command(node, "testdata/intl.mjs")
	cmd.Stdin = bytes.NewReader(fortest.Must(json.Marshal(arguments))(t))
	cmd.Stderr = os.Stderr
	var answer struct {
		CLDR  string
		Texts []string
	}
	fortest.OK(t, json.Unmarshal(fortest.Must(cmd.Output())(t), &answer))

	var made struct{ CLDR string }
	fortest.OK(t, json.Unmarshal(tableJSON, &made))
	version, _, _ := strings.Cut(made.CLDR, ".")
	if !strings.HasPrefix(answer.CLDR, version+".") {
		need.Tool(t, fmt.Errorf("a Node with CLDR %s is missing: that of %s is %s: see tools/locale",
			version, node, answer.CLDR))
	}
	fortest.Equal(t, len(answer.Texts), len(list), "answers of %s", node)
	return answer.Texts
}

// TestIntlSample compares a part with what Intl has said, without Node.
func TestIntlSample(t *testing.T) {
	const file = "testdata/intl.txt"
	var list []formatted
	for _, lang := range languages() {
		for _, currency := range sampleCurrencies {
			list = append(list, formatPrices(lang, currency, sampleAmounts)...)
		}
		list = append(list,
			formatDay(lang, time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)),
			formatDay(lang, time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)))
	}
	if *update {
		var out strings.Builder
		for i, want := range askIntl(t, list) {
			fmt.Fprintf(&out, "%s %q\n", list[i].name, want)
		}
		fortest.OK(t, os.WriteFile(file, []byte(out.String()), 0o644))
	}

	var got strings.Builder
	for _, f := range list {
		fmt.Fprintf(&got, "%s %q\n", f.name, f.got)
	}
	want := string(fortest.Must(os.ReadFile(file))(t))
	fortest.Diff(t, strings.Split(got.String(), "\n"), strings.Split(want, "\n"),
		"%s, which -update writes (-got +Intl)", file)
}

// TestFullIntl compares every language, with all currencies that Intl knows and all days, with
// Node's Intl.
func TestFullIntl(t *testing.T) {
	need.Long(t, "it formats 60,000 prices")
	script := "Intl.supportedValuesOf('currency').join(' ')"
	known := fortest.Must(exec.Command(need.Command(t, "node"), "--print", script).Output())(t)
	currencies := append(strings.Fields(string(known)), "VED", "XYZ") // not known to it, or to anybody

	var list []formatted
	for _, lang := range languages() {
		for _, currency := range currencies {
			list = append(list, formatPrices(lang, currency, allAmounts)...)
		}
		for day := range 366 {
			list = append(list, formatDay(lang, time.Date(2028, 1, 1+day, 0, 0, 0, 0, time.UTC)))
		}
	}
	wrong := 0
	for i, want := range askIntl(t, list) {
		if list[i].got == want {
			continue
		}
		wrong++
		if wrong <= 20 {
			t.Errorf("%s is %+q; Intl says %+q", list[i].name, list[i].got, want)
		}
	}
	t.Logf("%d of %d differ", wrong, len(list))
}
