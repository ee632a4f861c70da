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
