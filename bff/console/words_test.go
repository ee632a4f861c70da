package console

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"coinslot/bff/attention"
	"coinslot/bff/fortest"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

// sources is the Go code of some folders.
func sources(t *testing.T, patterns ...string) (source string) {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			raw := fortest.Must(os.ReadFile(file))(t)
			source += string(raw)
		}
	}
	return source
}

// Whatever the domain writes down or doubts has words here.
func TestWords(t *testing.T) {
	source := sources(t, "../payment/*.go", "../checkout/*.go")
	notes := regexp.MustCompile(`AppendTimeline\(now, [^,]+, "((?:attempt|session)\.[a-z_]+)"`).FindAllStringSubmatch(
		source,
		-1,
	)
	for _, note := range notes {
		if words().Events[note[1]] == "" {
			t.Errorf("the timeline says %q, which has no words", note[1])
		}
	}
	reasons := regexp.MustCompile(`[rR]eason[A-Z]\w+ += "([a-z_]+)"`).FindAllStringSubmatch(source,
		-1)
	for _, reason := range reasons {
		if words().Reviews[reason[1]].Todo == "" {
			t.Errorf("the reason %q has no words", reason[1])
		}
	}
	if len(notes) < 15 || len(reasons) < 10 {
		t.Errorf("found %d notes and %d reasons: is this still how they are written?", len(notes),
			len(reasons))
	}
	for _, s := range []payment.State{
		payment.Creating, payment.Unknown, payment.Waiting, payment.Confirmed, payment.Expired,
		payment.Cancelled, payment.Refused, payment.Abandoned, payment.Rejected, payment.InReview,
		payment.Duplicate,
	} {
		if state := words().AttemptStates[string(s)]; state.Word == "" || state.Means == "" {
			t.Errorf("the state %q has no words", s)
		}
	}
	for _, d := range actions() {
		if words().Audit[d.record] == "" || words().Audit[d.record+doneSuffix] == "" ||
			words().Notices[d.done].Text == "" {
			t.Errorf("%q has no words for the audit, or no notice", d.path)
		}
		q := words().Confirmations[d.path]
		if q.Name == "" || q.Title == "" || q.Button == "" || len(q.Will) == 0 {
			t.Errorf("%q has no words for the page that asks", d.path)
		}
	}
	for _, kind := range gatewaylist.FindingKinds() {
		if f := words().Findings[kind]; f.Word == "" || f.Kind == "" || kind.Explanation() == "" {
			t.Errorf("the finding %q has no words", kind)
		}
	}
	for code, f := range words().Failures {
		if f.Status < 400 || f.Text == "" {
			t.Errorf("the failure %q is %+v", code, f)
		}
	}
}

// Every key that the console itself uses has words.
func TestKeys(t *testing.T) {
	source := sources(t, "*.go", "auth/*.go", "../attention/attention.go")
	used := map[string]int{}
	for _, c := range []struct {
		key  string
		have func(string) bool
	}{
		{
			`r\.recordResult\("([^"]+)"`,
			func(key string) bool { return words().Audit[key+doneSuffix] != "" },
		},
		{`r\.record\("([^"]+)"`, func(key string) bool { return words().Audit[key] != "" }},
		{
			`Record\(r, [^,]+, "([^"]+)"\)`,
			func(key string) bool { return words().Audit[key] != "" },
		},
		{
			`(?:done: +|r\.redirect\([^"\n]*, )"([a-z-]+)"`,
			func(key string) bool { return words().Notices[key].Text != "" },
		},
		{
			`r\.confirmPage\("([^"]+)"`,
			func(key string) bool { return words().Confirmations[key].Title != "" },
		},
		{`Kind = "([a-z_]+)" +//`, func(key string) bool {
			var out strings.Builder
			kind := attention.Kind(key)
			err := templates(time.UTC)["overview"].ExecuteTemplate(&out, "need", need{Name: kind})
			return err == nil && strings.Contains(out.String(), "<h3>")
		}},
	} {
		found := regexp.MustCompile(c.key).FindAllStringSubmatch(source, -1)
		for _, key := range found {
			if used[c.key]++; !c.have(key[1]) {
				t.Errorf("%q has no words", key[1])
			}
		}
		if len(found) == 0 {
			t.Errorf("nothing is like %s: is this still how it is written?", c.key)
		}
	}
	if n := used[`(?:done: +|r\.redirect\([^"\n]*, )"([a-z-]+)"`]; n != len(words().Notices) {
		t.Errorf("the code uses %d notices; words.json has %d", n, len(words().Notices))
	}
}

// Endpoints are distinguished by a mark: keys may stand in a path as well as in a query.
func TestHost(t *testing.T) {
	for endpoint, want := range map[string]string{
		"https://hooks.example/services/T0/B0/s3cr3t": "hooks.example/… ",
		"https://hooks.example/in?key=s3cr3t":         "hooks.example/… ",
		"https://hooks.example/?s3cr3t":               "hooks.example/… ",
		"https://hooks.example:8443/":                 "hooks.example:8443",
		"https://hooks.example":                       "hooks.example",
		"https://s3cr3t:s3cr3t@[":                     "an endpoint",
	} {
		got := endpointHost(endpoint)
		if !strings.HasPrefix(got, want) || strings.Contains(got, "s3cr3t") ||
			len(got) > len(want)+6 {
			t.Errorf("host(%q) = %q; want %q", endpoint, got, want)
		}
	}
	a, b := endpointHost("https://hooks.example/a"), endpointHost("https://hooks.example/b")
	if a == b {
		t.Errorf("two endpoints of one host are both %q", a)
	}
}

// Of the page of an error its words are shown.
func TestWithoutMarkup(t *testing.T) {
	for answer, want := range map[string]string{
		"no such order < 5": "no such order < 5",
		"<!DOCTYPE html> <style>p { color: red }</style><h1>502 Bad Gateway</h1> <hr>nginx &amp; others": "502 Bad Gateway nginx & others",
		"<h1>Cut</h1> <div class=": "Cut",
		"<html>":                   "<html>",
	} {
		fortest.Equal(t, withoutMarkup(answer), want, "withoutMarkup(%q)", answer)
	}
}

// What a chart shows is what its table says, and a day outside of it does no harm.
func TestChart(t *testing.T) {
	from := time.Date(2026, 10, 24, 0, 0, 0, 0, time.UTC)
	count := func(day int, status, coin string, n int, usd string) OrderCount {
		return OrderCount{
			Day:       from.AddDate(0, 0, day),
			Status:    status,
			Coin:      coin,
			Sessions:  n,
			AmountUSD: decimal.RequireFromString(usd),
		}
	}
	counts := []OrderCount{
		count(-24, "confirmed", "USDT", 1, "1000"), count(-9, "expired", "", 1, "9"),
		count(0, "confirmed", "USDT", 2, "1999.98"), count(0, "review", "USDT", 1, "5"),
		count(29, "open", "", 3, "30"), count(29, "expired", "<b>", 4, "40"),
		count(29, "confirmed", "ETH", 1, "0.02"), count(30, "confirmed", "USDT", 9, "9"),
	}
	of := func(counts ...OrderCount) string {
		return rendered(t,
			page{template: "overview", View: overviewView{Chart: newChart(counts, from)}})
	}
	got := of(counts...)
	fortest.Has(t, "the charts", got,
		"$2,009.00", "<b>&#43;101 %</b> <span>before: $1,000.00", "<b>&#43;1,100 %</b> <span>before: 1<", "75 %", "<b>&#43;25 points</b> <span>before: 50 %", "$30.00, and 1 in review",
		"24 October: 2 confirmed", "24 October: 1 review", "22 November: 3 in progress", "22 November: 4 not paid", "1,999.98", "USDT", "$0.02",
	)
	if strings.Contains(got, "<b><") || strings.Count(got, "<rect class=\"bar") != 5+2 {
		t.Errorf("the charts are %s", got)
	}
	for n, top := range map[int]string{
		1:     "2",
		3:     "4",
		9:     "10",
		11:    "12",
		21:    "24",
		81:    "100",
		101:   "120",
		950:   "1,000",
		12345: "16,000",
	} { // round and even
		fortest.Has(t, "a chart", of(count(29, "open", "", n, "5")), ">"+top+"</text>")
	}
	// A shop's first days: at least a week, no empty days before it, and nothing to compare.
	for days, want := range map[[2]int]string{
		{29, 29}:   ">16 Nov<",
		{20, 20}:   ">14 Nov<",
		{-15, 25}:  "no earlier data",
		{-15, -15}: "No orders in the last 30 days",
	} {
		got := of(count(days[0], "confirmed", "USDT", 1, "5"),
			count(days[1], "confirmed", "USDT", 1, "5"))
		if !strings.Contains(got, want) || strings.Contains(got, "<b>") ||
			strings.Count(got, `class="tick"`) > 7 {
			t.Errorf("orders on days %d: the page is %s", days, got)
		}
	}
}

// tallies counts how often it is asked.
type tallies struct {
	Records
	asked int
	err   error
}

func (r *tallies) Tally(context.Context, time.Time, time.Time) ([]OrderCount, error) {
	r.asked++
	return []OrderCount{{Sessions: r.asked}}, r.err
}

// However often the overview is loaded, the database counts twice a minute.
func TestTally(t *testing.T) {
	day := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	r, f := &tallies{}, &tally{}
	for _, c := range []struct {
		from time.Time
		at   time.Duration
		err  error
		want int // of the count that is shown; 0 = an error
	}{
		{day, 0, nil, 1},
		{day, 29 * time.Second, nil, 1},
		{day, 30 * time.Second, nil, 2},
		{day, 59 * time.Second, nil, 2},
		{day.AddDate(0, 0, 1), 59 * time.Second, nil, 3}, // midnight
		{day.AddDate(0, 0, 1), 30 * time.Second, nil, 4}, // the clock was set back
		{day.AddDate(0, 0, 1), time.Hour, errors.New("away"), 0},
		{day.AddDate(0, 0, 1), time.Hour, nil, 6},
	} {
		r.err = c.err
		counts, err := f.of(t.Context(), r, c.from, c.from.AddDate(0, 0, 30), day.Add(c.at))
		if !errors.Is(err, c.err) || err == nil && counts[0].Sessions != c.want {
			t.Errorf("tally from %s at %s = %v, %v; want count %d, %v",
				c.from.Format(time.DateOnly), c.at, counts, err, c.want, c.err)
		}
	}
}
