package static

import (
	"coinslot/bff/fortest"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite icons/marks.svg")

// TestMarks: icons/marks.svg has the icon of every coin and network, each in a view of its name.
// The default icon is first, so that an unknown name shows it.
func TestMarks(t *testing.T) {
	files := fortest.Must(filepath.Glob("icons/*.svg"))(t)
	const start, square = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">`, 32
	marks, y := "", 0
	for _, file := range append([]string{"icons/default.svg"}, files...) {
		name := strings.TrimSuffix(filepath.Base(file), ".svg")
		if name == "marks" || strings.HasPrefix(name, "tab") || name == "default" && y > 0 {
			continue
		}
		svg := fortest.Must(os.ReadFile(file))(t)
		mark, isWhole := strings.CutPrefix(strings.TrimSpace(string(svg)), start)
		if !isWhole {
			t.Errorf("%s does not begin with %s", file, start)
		}
		marks += fmt.Sprintf(`<view id="%s" viewBox="0 %d 32 32"/>%s<g transform="translate(0 32)">`,
			name, y, strings.TrimSuffix(mark, "</svg>"))
		y += square
	}
	want := start + marks + strings.Repeat("</g>", y/square) + "</svg>\n"
	if *update {
		fortest.OK(t, os.WriteFile("icons/marks.svg", []byte(want), 0o600))
	}
	if got, err := os.ReadFile("icons/marks.svg"); err != nil || string(got) != want {
		t.Errorf("icons/marks.svg is outdated (%v): go test ./static -update", err)
	}
}
