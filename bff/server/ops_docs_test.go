package server_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/metrics"

	"github.com/goccy/go-yaml"
)

// read returns a file of docs/ops.
func read(t *testing.T, name string) string {
	t.Helper()
	return string(fortest.Must(os.ReadFile(filepath.Join("../../docs/ops", name)))(t))
}

// TestMetricsAreDocumented compares metrics.md with the program's table, both ways.
func TestMetricsAreDocumented(t *testing.T) {
	var want []string
	for _, f := range metrics.Families() {
		labels := "–"
		if f.Labels != "" {
			labels = "`" + f.Labels + "`"
		}
		want = append(want, fmt.Sprintf("| `%s` | %s | %s | %s |", f.Name, f.Kind, labels, f.Help))
	}
	var got []string
	for line := range strings.Lines(read(t, "metrics.md")) {
		if strings.HasPrefix(line, "| `") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	for _, row := range want {
		if !slices.Contains(got, row) {
			t.Errorf("metrics.md lacks %s", row)
		}
	}
	for _, row := range got {
		if !slices.Contains(want, row) {
			t.Errorf("metrics.md has what there is not: %s", row)
		}
	}
}

// rules is a file of alert rules.
type rules struct {
	Groups []struct {
		Name  string
		Rules []struct {
			Alert, Expr, For    string
			Labels, Annotations map[string]string
		}
	}
}

// TestFullAlerts reads the rules as Prometheus and the on-call engineer do.
func TestFullAlerts(t *testing.T) {
	t.Parallel()
	text := read(t, "alerts.yaml")
	var file rules
	fortest.OK(t, yaml.UnmarshalWithOptions([]byte(text), &file, yaml.Strict()))
	runbook := read(t, "runbook.md")
	var names []string
	for _, r := range file.Groups[0].Rules {
		names = append(names, r.Alert)
		known(t, r.Alert, r.Expr)
		for _, name := range []string{"summary", "description", "runbook_url"} {
			if r.Annotations[name] == "" {
				t.Errorf("%s has no %s", r.Alert, name)
			}
		}
		if s := r.Labels["severity"]; s != "page" && s != "ticket" {
			t.Errorf("%s has the severity %q", r.Alert, s)
		}
		want := "docs/ops/runbook.md#" + strings.ToLower(r.Alert)
		if r.Annotations["runbook_url"] != want {
			t.Errorf("%s leads to %s; want %s", r.Alert, r.Annotations["runbook_url"], want)
		}
		_, section, _ := strings.Cut(runbook, "\n## "+r.Alert+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		for _, part := range []string{"**Impact:** ", "**Check:** ", "**Do:** "} {
			fortest.Equal(t, strings.Count(section, part), 1,
				"the runbook's section of %s has %s times", r.Alert, part)
		}
	}
	for _, found := range regexp.MustCompile(`(?m)^## (Coinslot\S+)$`).FindAllStringSubmatch(
		runbook,
		-1,
	) {
		if !slices.Contains(names, found[1]) {
			t.Errorf("the runbook has a section of no alert: %s", found[1])
		}
	}
	fires(t, names)
}

// fires runs Prometheus on each alert: none fires in a healthy world, each does in that of
// alerts_test.yaml.
func fires(t *testing.T, names []string) {
	t.Helper()
	world := fortest.Must(os.ReadFile("testdata/alerts_test.yaml"))(t)
	for _, name := range names {
		if strings.Count(string(world), "alertname: "+name+"\n") < 2 {
			t.Errorf("testdata/alerts_test.yaml does not try %s in both worlds", name)
		}
	}
	if out, err := promtool(t, "", "check", "rules", "../../docs/ops/alerts.yaml"); err != nil {
		t.Fatalf("promtool check rules: %v\n%s", err, out)
	}
	if out, err := promtool(t, "", "test", "rules", "testdata/alerts_test.yaml"); err != nil {
		t.Errorf("promtool test rules: %v\n%s", err, out)
	}
}

// TestFullDashboard has Prometheus read every query of the dashboard.
func TestFullDashboard(t *testing.T) {
	t.Parallel()
	var dashboard struct {
		Panels []struct {
			ID          int
			Type, Title string
			GridPos     struct{ X, Y, W, H int }
			Targets     []struct{ Expr string }
		}
	}
	fortest.OK(t, json.Unmarshal([]byte(read(t, "dashboard.json")), &dashboard))
	var file strings.Builder
	file.WriteString("groups:\n- name: dashboard\n  rules:\n")
	queries, ids, covered := 0, map[int]bool{}, map[[2]int]string{}
	for _, p := range dashboard.Panels {
		if ids[p.ID] || p.Title == "" || p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("panel %d, %q: its id is taken, or it is empty", p.ID, p.Title)
		}
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := covered[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("%q lies over %q, or beside the page", p.Title, other)
				}
				covered[[2]int{x, y}] = p.Title
			}
		}
		for _, target := range p.Targets {
			expr := strings.ReplaceAll(target.Expr, "$__rate_interval", "5m")
			known(t, p.Title, expr)
			queries++
			fmt.Fprintf(&file, "  - record: query:%d\n    expr: %q\n", queries, expr)
		}
	}
	path := filepath.Join(t.TempDir(), "queries.yaml")
	fortest.OK(t, os.WriteFile(path, []byte(file.String()), 0o600))
	if out, err := promtool(t, "", "check", "rules", path); err != nil || queries < 40 {
		t.Errorf("%d queries: %v\n%s", queries, err, out)
	}
}

var (
	metric   = regexp.MustCompile(`\b(?:coinslot|go|process)_[a-z_]+\b(\{[^}]*\})?`)
	selected = regexp.MustCompile(`([a-z_]+)(?:=~|!~|!=|=)"`)
	grouped  = regexp.MustCompile(`by \(([a-z_, ]+)\)`)
)

// known fails if a query uses unknown metrics or labels.
func known(t *testing.T, where, expr string) {
	t.Helper()
	labels := []string{"le", "instance", "job"}
	for _, found := range metric.FindAllString(expr, -1) {
		name, selector, _ := strings.Cut(found, "{")
		f, ok := family(name)
		if !ok {
			t.Errorf("%s asks for %s, which there is not", where, name)
		}
		labels = append(labels, strings.Split(f.Labels, ",")...)
		for _, label := range selected.FindAllStringSubmatch(selector, -1) {
			if label[1] != "job" && !slices.Contains(strings.Split(f.Labels, ","), label[1]) {
				t.Errorf("%s asks %s for the label %s", where, name, label[1])
			}
		}
	}
	for _, by := range grouped.FindAllStringSubmatch(expr, -1) {
		for _, label := range strings.Split(by[1], ", ") {
			if !slices.Contains(labels, label) {
				t.Errorf("%s groups by %s, which nothing has: %s", where, label, expr)
			}
		}
	}
}

// family returns the family that a series is of.
func family(name string) (metrics.Family, bool) {
	for _, f := range metrics.Families() {
		if f.Name == name && f.Kind != "histogram" {
			return f, true
		}
		whole, part, _ := strings.Cut(name, f.Name)
		if whole == "" && f.Kind == "histogram" &&
			slices.Contains([]string{"_bucket", "_sum", "_count"}, part) {
			return f, true
		}
	}
	return metrics.Family{}, false
}
