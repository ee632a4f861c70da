package admin

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a spreadsheet would take for a formula is text, and what is text stays as
// it is.
func TestDefused(t *testing.T) {
	for given, want := range map[string]string{
		"": "", "ORD-1": "ORD-1", "25.00": "25.00", "0.1": "0.1", "müller@example.org": "müller@example.org", "a=b": "a=b", "Ann's": "Ann's",
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "' =1", "\n=1": "' =1", " =1": "' =1", "   @x": "'   @x", "＝1+1": "'＝1+1", "＠x": "'＠x",
		"two\nlines": "two lines", "two\r\nlines": "two  lines", "a\x00b": "a b", "a\xffb": "a\ufffdb",
	} {
		if got := defused(given); got != want {
			t.Errorf("defused(%q) = %q; want %q", given, got, want)
		}
	}
}

// Every row is one row for whoever reads it, whatever is in its cells.
func FuzzLine(f *testing.F) {
	f.Fuzz(func(t *testing.T, a, b string) {
		text := line([]string{a, b})
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || len(rows) != 1 || len(rows[0]) != 2 {
			t.Fatalf("line(%q, %q) = %q: %v %v", a, b, text, rows, err)
		}
		if diff := cmp.Diff([]string{defused(a), defused(b)}, rows[0]); diff != "" {
			t.Errorf("cells (-want +got):\n%s", diff)
		}
		for _, cell := range rows[0] {
			if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r\n") {
				t.Errorf("line(%q, %q) has the cell %q", a, b, cell)
			}
		}
	})
}
