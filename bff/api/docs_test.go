package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/check"
	"coinslot/bff/fortest"
	"coinslot/bff/web"
	"coinslot/bff/web/problems"
	"coinslot/e2e/need"
	"coinslot/static"
)

// docs/errors.md has exactly the codes of the code: of answers, the loader, reviews and test
// webhooks, and who sees each.
func TestErrorsPage(t *testing.T) {
	raw := fortest.Must(os.ReadFile("../../docs/errors.md"))(t)
	got := map[string]string{}
	for _, section := range strings.Split(string(raw), "\n### ")[1:] {
		heading, body, _ := strings.Cut(section, "\n\n")
		code := strings.Trim(heading, "`")
		if got[code] = ""; strings.HasPrefix(body, "Seen by: ") {
			got[code], _, _ = strings.Cut(strings.TrimPrefix(body, "Seen by: "), ".\n")
		}
		fortest.Has(t, code+" does not say what to do", body, "**Action:** ")
	}
	fortest.Diff(t, got, whoSees(t), "docs/errors.md (-code +page)")
}

// whoSees is who sees each code, by the tables.
func whoSees(t *testing.T) map[string]string {
	t.Helper()
	raw := fortest.Must(os.ReadFile("../../static/text/en.json"))(t)
	var text map[string]any
	fortest.OK(t, json.Unmarshal(raw, &text))
	seen := map[string][]string{}
	for code, a := range problems.Answers {
		seen[string(code)] = []string{fmt.Sprintf("API (%d)", a.Status)}
	}
	for _, code := range slices.Sorted(maps.Keys(seen)) {
		if text["problem."+code] != nil {
			seen[code] = append(seen[code], "shopper")
		}
	}
	for _, c := range check.Codes("") {
		seen[c.ID] = append(seen[c.ID], "host page")
	}
	gate := fortest.Must(os.ReadFile("../payment/gate.go"))(t)
	for _, m := range regexp.MustCompile(`(?m)^\t[rR]eason\w+ += "(\w+)"`).FindAllStringSubmatch(string(gate), -1) {
		seen[m[1]] = nil
	}
	faults := fortest.Must(os.ReadFile("../webhook/failure.go"))(t)
	for _, m := range regexp.MustCompile(`\bCode: "(\w+)"`).FindAllStringSubmatch(string(faults), -1) {
		seen[m[1]] = nil
	}
	all := map[string]string{}
	for code, list := range seen {
		all[code] = strings.Join(list, ", ")
	}
	return all
}

// The pages have all linked anchors, no script, and no external resources.
func TestManual(t *testing.T) {
	need.Assets(t, static.Files)
	site, err := web.New(web.Config{Static: static.Files, PublicURL: "https://pay.example"})
	fortest.OK(t, err)
	h := site.Handler(Routes(site, Config{}))
	pages := map[string]string{}
	for _, path := range []string{"/docs/api", "/docs/errors"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if pages[path] = w.Body.String(); w.Code != 200 {
			t.Fatalf("GET %s = %d %.200s", path, w.Code, w.Body)
		}
	}
	fortest.Has(t, "/docs/api", pages["/docs/api"], "curl &#39;https://pay.example/v1/sessions&#39;")
	for path, page := range pages {
		fortest.Lacks(t, path, page, docsOrigin)
		for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			to, id, anchored := strings.Cut(m[1], "#")
			if to == "" {
				to = path
			}
			if anchored && !strings.Contains(pages[to], ` id="`+id+`"`) {
				t.Errorf("%s leads to %s, which is nowhere", path, m[1])
			}
		}
		for _, bad := range []string{"<script", "<style", " style=", " on", "src=", "](", "**", "http://"} {
			if strings.Contains(strings.ReplaceAll(regexp.MustCompile(`(?s)>[^<]*<`).ReplaceAllString(page, "><"), "\n", ""), bad) {
				t.Errorf("the tags of %s have %q", path, bad)
			}
		}
		fortest.Lacks(t, path+" shows", page, "](", "**", "{{", "&lt;no value")
		ids := regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1)
		seen := map[string]bool{}
		for _, m := range ids {
			if seen[m[1]] {
				t.Errorf("%s has two parts called %s", path, m[1])
			}
			seen[m[1]] = true
		}
	}
	for code := range problems.Answers {
		fortest.Has(t, "/docs/errors", pages["/docs/errors"], ` id="`+string(code)+`"`)
	}
}
