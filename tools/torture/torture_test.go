package main

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	began := time.Date(2026, 8, 20, 12, 0, 0, 0, time.UTC)
	got := table([]result{
		{Goal: "kill -9, SQLite", Figure: "a | b", Rounds: 3000, Wanted: 3000, Seed: 7, Took: 90 * time.Second},
		{Goal: "fuzzing", Rounds: 10, Wanted: 1_000_000, Violations: 1, Took: time.Second},
	}, "2 cores", began, time.Hour, 0.5)
	want := `Measured on 20 August 2026, in 1h0m0s, on 2 cores; cut to 0.5 of the full bounds.

| goal            | figure | rounds |    wanted | violations |   bound | seed |  took |
|-----------------|--------|-------:|----------:|-----------:|--------:|-----:|------:|
| kill -9, SQLite | a / b  |  3,000 |     3,000 |          0 | < 0.1 % |    7 | 1m30s |
| fuzzing         |        |     10 | 1,000,000 |          1 |         |      |    1s |
`
	fortest.Diff(t, got, want, "table")
}

// The page that the table is kept in has its markers.
func TestPageHasMarkers(t *testing.T) {
	page := fortest.Must(os.ReadFile("../../torture/README.md"))(t)
	if _, rest, ok := strings.Cut(string(page), tableBegins); !ok || !strings.Contains(rest, tableEnds) {
		t.Errorf("torture/README.md lacks %s or %s", tableBegins, tableEnds)
	}
}

func TestFindParts(t *testing.T) {
	parts, err := findParts("../..", regexp.MustCompile(`^\./torture TestTortureKills$`))
	if diff := cmp.Diff([]part{{"./torture", "TestTortureKills"}}, parts, cmp.AllowUnexported(part{})); err != nil || diff != "" {
		t.Errorf("find (-want +got), %v:\n%s", err, diff)
	}
	parts, err = findParts("../..", regexp.MustCompile(`^\./bff/gateway Fuzz`))
	if err != nil || len(parts) == 0 {
		t.Errorf("find = %v, %v; want the fuzz targets of the gateway's client", parts, err)
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		results []result
		failed  []string
		bad     bool
	}{
		{results: []result{{Goal: "x", Rounds: 1}}},
		{results: []result{{Goal: "x", Rounds: 1, Violations: 1}}, bad: true},
		{failed: []string{"./torture TestTortureX"}, bad: true},
	} {
		fortest.Equal(t, verdict(c.results, c.failed) != nil, c.bad,
			"verdict(%v, %v)", c.results, c.failed)
	}
}

func TestOptions(t *testing.T) {
	for args, ok := range map[string]bool{"": true, "-cut 0.1 -seed 7 -only Kills": true, "-cut 0": false, "-cut 2": false, "-only (": false, "more": false} {
		if _, _, err := options(strings.Fields(args), io.Discard); (err == nil) != ok {
			t.Errorf("options(%q) = %v", args, err)
		}
	}
}
