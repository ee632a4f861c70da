package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/webhook"
)

// featureRow is one row of a table of docs/features.md, by the names of its columns.
type featureRow map[string]string

// featureRows reads every table of the page that has a column of proofs.
func featureRows(t *testing.T, page string) (rows []featureRow) {
	t.Helper()
	var head []string
	for _, line := range strings.Split(page, "\n") {
		if !strings.HasPrefix(line, "|") {
			head = nil
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case head == nil:
			if head = cells; !slices.Contains(head, "proof") || !slices.Contains(head, "Coinslot") {
				t.Fatalf("a table without proofs: %s", line)
			}
		case strings.HasPrefix(line, "|---"):
		case len(cells) != len(head):
			t.Errorf("%d columns; want %d: %s", len(cells), len(head), line)
		default:
			row := featureRow{"line": line}
			for i, name := range head {
				row[name] = cells[i]
			}
			rows = append(rows, row)
		}
	}
	return rows
}

var (
	proof  = regexp.MustCompile("`([a-z0-9/]+) (Test[A-Za-z0-9]+)`")
	proofs = regexp.MustCompile("^(?:" + proof.String() + "(?:, |$))*$")
	answer = regexp.MustCompile(`^(yes|in part|not there)($|[,;:. ])`)
)

// TestFeatures holds the page that compares: what it claims names its proof, and no row of the
// first table is left out. That the proofs exist is TestNamedTestsExist's.
func TestFeatures(t *testing.T) {
	page := fortest.Must(os.ReadFile("../docs/features.md"))(t)
	rows := featureRows(t, string(page))
	for _, row := range rows {
		said := answer.FindStringSubmatch(row["Coinslot"])
		switch {
		case said == nil:
			t.Errorf("neither yes, in part nor not there: %s", row["line"])
		case !proofs.MatchString(row["proof"]):
			t.Errorf("proofs are written `package TestName`, with commas: %s", row["line"])
		case said[1] == "yes" && row["proof"] == "":
			t.Errorf("a yes without a proof: %s", row["line"])
		}
	}
	for i := range 65 {
		if len(rows) <= i || rows[i][""] != strconv.Itoa(i+1) {
			t.Fatalf("row %d of the first table is not where it belongs", i+1)
		}
	}
}

// All lists of statuses, or of the events that announce them, match the table in app/wire. Texts
// (app/widget TestEveryKeyHasASentence) and the gallery (app/screen TestEveryStatusHasAScreen)
// have tests of their own.
func TestStatuses(t *testing.T) {
	that := func(is func(wire.Status) bool) (names []string) {
		for _, s := range wire.StatusesWhere(is) {
			names = append(names, string(s))
		}
		return names
	}
	canCancel := that(func(s wire.Status) bool { return s.MerchantCan(wire.Cancel) })
	canErase := that(func(s wire.Status) bool { return s.MerchantCan(wire.Erase) })
	all, final := that(wire.Status.Known), that(wire.Status.Final)
	waiting := that(wire.Status.Waiting)
	choosing := that(func(s wire.Status) bool { return !s.Final() && !s.Waiting() })
	const name, code, key = `[a-z_]{3,}`, "`([a-z_]+)`", `(checkout\.[a-z_]+)`
	declared := fortest.Must(os.ReadFile("payment/events.go"))(t)
	var events []string
	for _, m := range regexp.MustCompile(`EventType = "(.*)"`).FindAllSubmatch(declared, -1) {
		events = append(events, string(m[1]))
	}
	for _, s := range wire.Statuses() {
		if e := s.Event(); e != "" && !slices.Contains(events, e) {
			t.Errorf("bff/payment/events.go lacks %s", e)
		}
	}
	for _, place := range []struct {
		file, section, name string // regular expressions: their group, or all, is what is meant
		want                []string
	}{
		{"app/wire/status.go", `(?s)type Status string(.*?)\n\)`, `Status = "(.*)"`, all},
		{"static/shared/statuses.js", `const CHOOSING = \[(.*)\]`, name, choosing},
		{"static/shared/statuses.js", `const WAITING = \[(.*)\]`, name, waiting},
		{"static/shared/statuses.js", `const FINAL = \[(.*)\]`, name, final},
		{"static/checkout.d.ts", `Final: (.*) \(a late`, name, final},
		{"static/checkout.d.ts", `(?s)\ntype Status =(.*?);`, name, all},
		{"static/shop/shop.css", `\.outcome:is\((.*), \[data-status=error\]\)`, `=(` + name + `)`,
			that(func(s wire.Status) bool { return s.Outcome() == wire.Unpaid })},
		{"docs/api.md", "\\| `status` is (.*?);", name, all},
		{"docs/console.md", `\| (?:Call off|Cancel[^|]*) \| (.*?) \|`, name, canCancel},
		{"docs/console.md", `\| Erase personal data \| (.*?) \|`, name, canErase},
		{"docs/design.md", "(?s)stateDiagram-v2\n(.*?)```", `--> (` + name + `)`, all},
		{"docs/design.md", `(?s)\n\| session (.*?)\n\n`, `(?m)^\| ` + code, all},
		{"docs/examples/playwright/checkout.mjs", `\{(.*)\} Status `, name, all},
		{"docs/openapi.yaml", `\n    Status: \{enum: \[(.*?)\]`, name, all},
		{"docs/openapi.yaml", `\n    Status: .* description: "(.*)"`, code, all},
		{"docs/openapi.yaml", `\n    EventType: \{enum: \[(.*?)\]`, key, events},
		{
			"docs/openapi.yaml", `(?s)\nwebhooks:(.*?)\n\w`, `\n  ` + key,
			append([]string{string(webhook.EventTest)}, events...),
		},
		{"bff/trigger_command.go", `(?s)var triggers = (.*?)\n\}`, key, events},
		{"npm/server/src/index.ts", `(?s)\nexport type Status =(.*?)\(`, name, all},
		{"npm/server/src/index.ts", `(?s)\nexport type EventType =(.*?)\(`, key, events},
		{"docs/webhooks.md", `(?s)\n(\| .*)`, "\n\\| `" + key, events},
	} {
		text := fortest.Must(os.ReadFile(filepath.Join("..", place.file)))(t)
		section := regexp.MustCompile(place.section).FindSubmatch(text)
		if section == nil {
			t.Errorf("%s has nothing like %s", place.file, place.section)
			continue
		}
		var got []string
		for _, m := range regexp.MustCompile(place.name).FindAllSubmatch(section[1], -1) {
			got = append(got, string(m[len(m)-1]))
		}
		slices.Sort(got)
		slices.Sort(place.want)
		fortest.Diff(t, slices.Compact(got), place.want, "%s, %s (-app/wire +it)", place.file,
			place.section)
	}
}
