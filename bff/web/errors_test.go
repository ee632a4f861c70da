package web

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/web/problems"
)

// docs/errors.md lists the codes and statuses of the one table.
func TestDocsListTheErrors(t *testing.T) {
	page := fortest.Must(os.ReadFile("../../docs/errors.md"))(t)
	got, want := map[string]string{}, map[string]string{}
	for _, m := range regexp.MustCompile("### `([a-z_]+)`\n\nSeen by: API \\((\\d{3})\\)[.,]").FindAllStringSubmatch(string(page), -1) {
		got[m[1]] = m[2]
	}
	for code, a := range problems.Answers {
		want[string(code)] = fmt.Sprint(a.Status)
	}
	fortest.Diff(t, got, want, "errors in docs/errors.md (-code +page)")
}
