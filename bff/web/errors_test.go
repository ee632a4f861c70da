package web

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"coinslot/static"

	"github.com/google/go-cmp/cmp"
)

// docs/api.md lists the codes and statuses of the one table.
func TestDocsListTheErrors(t *testing.T) {
	page, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	got, want := map[string]string{}, map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (\\d{3}) \\|").FindAllStringSubmatch(string(page), -1) {
		got[m[1]] = m[2]
	}
	for code, a := range answers {
		want[string(code)] = fmt.Sprint(a.status)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors in docs/api.md (-code +page):\n%s", diff)
	}
}

// A shopper reads a sentence for every code that a page can show.
func TestShoppersReadWords(t *testing.T) {
	w, err := readWords(static.Files, silent())
	if err != nil {
		t.Fatal(err)
	}
	say := w.saying("en")
	for _, key := range []string{
		"problem.session_unknown", "problem.session_expired", "problem.session_paid", "problem.order_invalid", "problem.item_unknown",
		"problem.gateway_unavailable", "problem.network_unsupported", "problem.network_required", "problem.amount_below_minimum",
		"problem.amount_above_maximum", "problem.amount_invalid", "problem.payment_in_progress", "problem.too_many_attempts",
		"problem.not_possible", "problem.invalid", "problem.rate_limited", "problem.storage_unavailable", "problem.cross_site_refused",
		"problem.internal", "problem.payment_refused",
		"reason.minimum", "reason.maximum", "return.neutral",
	} {
		if say(key) == "" {
			t.Errorf("text/en.json has no sentence for %q", key)
		}
	}
}
