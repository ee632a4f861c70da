package html_test

import (
	standard "html"
	"testing"

	"coinslot/tools/assets/slim/html"
)

func TestAsTheStandardLibrary(t *testing.T) {
	for _, s := range []string{"", "a", `<a href="b" title='c'>d & e &amp; f</a>`, "\x00é😀"} {
		if got, want := html.EscapeString(s), standard.EscapeString(s); got != want {
			t.Errorf("EscapeString(%q) = %q; want %q", s, got, want)
		}
	}
}
