package console

import (
	"net/url"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

// An address has what is set, in order, and nothing that is empty.
func TestLinkWith(t *testing.T) {
	form := url.Values{"q": {"a b&c"}, "status": {""}, "cursor": {"x"}}
	for want, got := range map[string]string{
		"/admin/payments?cursor=y&q=a+b%26c": linkWith("/admin/payments", form, "cursor", "y"),
		"/admin/payments?q=a+b%26c":          linkWith("/admin/payments", form, "cursor", ""),
		"/admin/audit":                       linkWith("/admin/audit", nil, "done", ""),
		"/admin/audit?q=a+b%26c": linkWith("/admin/audit", formWithoutPage(form),
			"page", ""),
	} {
		fortest.Equal(t, got, want, "the address")
	}
}

// Both days are part of a range, and what is no day that can be meant is refused.
func TestDays(t *testing.T) {
	for _, c := range []struct{ from, to, wantFrom, wantTo string }{
		{"2026-01-01", "2026-01-01", "2026-01-01", "2026-01-02"},
		{"", "", "0001-01-01", "0001-01-01"},
		{"yesterday", "", "", ""},
		{"", "9999-99-99", "", ""},
		{"1999-12-31", "", "", ""},
		{"", "2201-01-01", "", ""},
	} {
		from, to, err := parseDays(url.Values{"from": {c.from}, "to": {c.to}}, time.UTC)
		if (err != nil) != (c.wantFrom == "") ||
			err == nil &&
				(from.Format(time.DateOnly) != c.wantFrom || to.Format(time.DateOnly) != c.wantTo) {
			t.Errorf("from %q to %q = %v, %v, %v", c.from, c.to, from, to, err)
		}
	}
}
