package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

const printed = `goos: linux
BenchmarkPush/coinslot-2         	       1	 250000000 ns/op	       212.5 ms	      40 B/op	       1 allocs/op
BenchmarkPush/naive-2            	       1	 250000000 ns/op	       850 ms
BenchmarkShow/warm/cpu4          	       5	         0 ns/op	        35 usable-ms
--- FAIL: BenchmarkOther
PASS
`

func TestParse(t *testing.T) {
	want := map[string]map[string]float64{
		"Push/coinslot":  {"ns/op": 250000000, "ms": 212.5, "B/op": 40, "allocs/op": 1},
		"Push/naive":     {"ns/op": 250000000, "ms": 850},
		"Show/warm/cpu4": {"ns/op": 0, "usable-ms": 35},
	}
	fortest.Diff(t, parse(printed), want, "printed")
}

func TestCells(t *testing.T) {
	push := row{name: "push", pkg: "p", benchmark: "Push/coinslot", unit: "ms", goal: 300, baseline: "Push/naive"}
	accept := row{name: "accept", pkg: "p", benchmark: "Accept", unit: "sessions/s", goal: 800, higherIsBetter: true}
	found := map[figure]float64{{"p", "Push/coinslot", "ms"}: 212.5, {"p", "Push/naive", "ms"}: 850, {"p", "Accept", "sessions/s"}: 1799.6}
	for _, c := range []struct {
		r    row
		has  map[figure]float64
		want []string
	}{
		{push, found, []string{"push", "213 ms", "at most 300", "yes", "850", "0.25 times", ""}},
		{push, map[figure]float64{{"p", "Push/coinslot", "ms"}: 301}, []string{"push", "301 ms", "at most 300", "no", "", "", ""}},
		{push, nil, []string{"push", "not measured", "at most 300", "", "", "", ""}},
		{accept, found, []string{"accept", "1,800 sessions/s", "at least 800", "yes", "", "", ""}},
		{row{name: "lost", pkg: "p", benchmark: "Storm", unit: "lost"}, map[figure]float64{{"p", "Storm", "lost"}: 1}, []string{"lost", "1 lost", "none", "no", "", "", ""}},
		{row{name: "lost", pkg: "p", benchmark: "Storm", unit: "lost"}, map[figure]float64{{"p", "Storm", "lost"}: 0}, []string{"lost", "0 lost", "none", "yes", "", "", ""}},
	} {
		fortest.Diff(t, c.r.cells(c.has), c.want, "%s", c.r.name)
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.08: "0.08", 8.74: "8.74", 99.96: "100", 1234.4: "1,234", 27599010: "27,599,010", -4200: "-4,200"} {
		fortest.Equal(t, number(v), want, "number(%v)", v)
	}
}

// Every row's benchmark exists: a row of one that was renamed would say "not measured" forever.
func TestRowsExist(t *testing.T) {
	for _, r := range rows {
		top, _, _ := strings.Cut(r.benchmark, "/")
		if !declared(t, filepath.Join("../..", r.pkg), "func Benchmark"+top+"(") {
			t.Errorf("%s: %s has no Benchmark%s", r.name, r.pkg, top)
		}
	}
}

func declared(t *testing.T, folder, head string) bool {
	t.Helper()
	files := fortest.Must(filepath.Glob(filepath.Join(folder, "*_test.go")))(t)
	for _, file := range files {
		text := fortest.Must(os.ReadFile(file))(t)
		if strings.Contains(string(text), head) {
			return true
		}
	}
	return false
}
