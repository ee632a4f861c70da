package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"coinslot/bff/fortest"

	"github.com/google/go-cmp/cmp"
)

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
