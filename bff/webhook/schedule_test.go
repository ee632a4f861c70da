package webhook

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// TestScheduleTable prints the times of all tries (go test -v -run Table).
func TestScheduleTable(t *testing.T) {
	var got []time.Duration // since creation
	age := time.Duration(0)
	for tries := 0; ; tries++ {
		wait, ok := Next(tries, age)
		if !ok {
			break
		}
		age += wait
		got = append(got, age)
		t.Logf("try %2d after %8v, %9v in all", tries+1, wait, age)
	}
	const s, m, h = time.Second, time.Minute, time.Hour
	want := []time.Duration{
		0, 5 * s, 35 * s, 2*m + 35*s, 12*m + 35*s, 42*m + 35*s, h + 42*m + 35*s, 3*h + 42*m + 35*s,
		7*h + 42*m + 35*s, 15*h + 42*m + 35*s,
	}
	for next := 27*h + 42*m + 35*s; next <= 30*24*h; next += 12 * h {
		want = append(want, next)
	}
	fortest.Diff(t, got, want, "times of tries")
	fortest.Equal(t, len(got), 68, "tries; the comment of Next says 68")
	if last := got[len(got)-1]; last < 29*24*h+12*h {
		t.Errorf("last try after %v; want one in the last half day", last)
	}
}

func TestNextEdges(t *testing.T) {
	for _, tc := range []struct {
		tries int
		age   time.Duration
		want  time.Duration
		ok    bool
	}{
		{-1, 0, 0, true},
		{0, -time.Hour, 0, true},
		{1, -40 * 24 * time.Hour, 5 * time.Second, true},
		{10, 0, 12 * time.Hour, true},
		{1 << 40, 0, 12 * time.Hour, true},
		{50, 30*24*time.Hour - 12*time.Hour, 12 * time.Hour, true},
		{50, 30*24*time.Hour - 12*time.Hour + 1, 12 * time.Hour, false},
		{1, 30 * 24 * time.Hour, 5 * time.Second, false},
		{0, 31 * 24 * time.Hour, 0, false},
	} {
		if got, ok := Next(tc.tries, tc.age); got != tc.want || ok != tc.ok {
			t.Errorf("Next(%d, %v) = %v, %v; want %v, %v", tc.tries, tc.age, got, ok, tc.want,
				tc.ok)
		}
	}
}

func TestJitter(t *testing.T) {
	for draw, want := range map[float64]time.Duration{
		0:    9 * time.Hour,
		0.5:  10 * time.Hour,
		0.75: 10*time.Hour + 30*time.Minute,
		1:    11 * time.Hour,
	} {
		fortest.Equal(t, jitter(10*time.Hour, draw), want, "spread(10h, %v)", draw)
	}
}

// page returns docs/webhooks.md.
func page(t *testing.T) string {
	t.Helper()
	return string(fortest.Must(os.ReadFile("../../docs/webhooks.md"))(t))
}

// TestPageSchedule: the table of retry times is that of Next.
func TestPageSchedule(t *testing.T) {
	text, age := page(t), time.Duration(0)
	for tries := 1; tries < 10; tries++ {
		wait, _ := Next(tries, age)
		age += wait
		since := age
		if since >= time.Hour {
			since = since.Truncate(time.Minute)
		}
		fortest.Has(t, "docs/webhooks.md", text,
			fmt.Sprintf("| %d | %s | %s |", tries+1, words(wait), words(since)))
	}
}

// words writes 1h42m0s as "1 h 42 min".
func words(d time.Duration) string {
	var parts []string
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if n := d / unit.size; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, unit.name))
		}
		d %= unit.size
	}
	return strings.Join(parts, " ")
}

// TestPageNames: every member of a message is on the page.
func TestPageNames(t *testing.T) {
	text := page(t)
	for _, value := range []any{payment.Object{}, payment.AttemptObject{}} {
		encoded := fortest.Must(json.Marshal(value))(t)
		var members map[string]any
		fortest.OK(t, json.Unmarshal(encoded, &members))
		for name := range members {
			fortest.Has(t, fmt.Sprintf("docs/webhooks.md on %T", value), text, `"`+name+`":`)
		}
	}
}

// TestPageOfFailures: docs/errors.md says what is wrong and what to do in the words of
// the console, the API and the check.
func TestPageOfFailures(t *testing.T) {
	raw := fortest.Must(os.ReadFile("../../docs/errors.md"))(t)
	text := strings.ReplaceAll(string(raw), "`", "")
	for _, f := range failures {
		fortest.Has(t, "docs/errors.md", text,
			"### "+f.Code+"\n\n"+f.Meaning+"\n\n**Action:** "+f.Fix+"\n")
	}
}
