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

// page returns docs/webhooks.md.
func page(t *testing.T) string {
	t.Helper()
	text := fortest.Must(os.ReadFile("../../docs/webhooks.md"))(t)
	return string(text)
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
		if row := fmt.Sprintf("| %d | %s | %s |", tries+1, words(wait), words(since)); !strings.Contains(text, row) {
			t.Errorf("docs/webhooks.md lacks the row %q", row)
		}
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
			if !strings.Contains(text, `"`+name+`":`) {
				t.Errorf("docs/webhooks.md does not show the member %q of %T", name, value)
			}
		}
	}
}

// TestPageOfFailures: docs/errors.md says what is wrong and what to do in the words of
// the console, the API and the check.
func TestPageOfFailures(t *testing.T) {
	raw := fortest.Must(os.ReadFile("../../docs/errors.md"))(t)
	text := strings.ReplaceAll(string(raw), "`", "")
	for _, f := range failures {
		if want := "### " + f.Code + "\n\n" + f.Meaning + "\n\n**Action:** " + f.Fix + "\n"; !strings.Contains(text, want) {
			t.Errorf("docs/errors.md lacks\n%s", want)
		}
	}
}
