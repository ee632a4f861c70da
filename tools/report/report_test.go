package report

import (
	"os"
	"path/filepath"
	"testing"

	"coinslot/bff/fortest"
)

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 999: "999", -123: "-123", 27599010: "27,599,010", -4200: "-4,200",
	} {
		fortest.Equal(t, Thousands(n), want, "Thousands(%d)", n)
	}
}

func TestReplace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	fortest.OK(t, os.WriteFile(file, []byte("before <a>old<b> after"), 0o644))
	for range 2 { // the second time nothing grows
		fortest.OK(t, Replace(file, "<a>", "<b>", "new"))
	}
	got, err := os.ReadFile(file)
	if want := "before <a>new<b> after"; err != nil || string(got) != want {
		t.Errorf("%v, the page is %q; want %q", err, got, want)
	}
	fortest.Fails(t, Replace(file, "<b>", "<a>", "new"),
		"a page without markers in this order was changed")
}
