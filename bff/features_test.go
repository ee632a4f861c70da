package main

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"coinslot/bff/fortest"
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
