package admin

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"coinslot/bff/checkout"
)

// Whatever a form says, a login leads to a page of the console.
func TestWithin(t *testing.T) {
	for to, want := range map[string]string{
		"/admin": "/admin", "/admin/payments?q=a&status=review": "/admin/payments?q=a&status=review", "/admin/payments/cs_x": "/admin/payments/cs_x",
		"": "/admin", "/": "/admin", "/adminx": "/admin", "//evil.example/admin/x": "/admin", "https://evil.example/admin/x": "/admin", "javascript:alert(1)": "/admin",
		"/\\evil.example/admin/": "/admin", "/admin/\\x": "/admin", "/admin/\r\nSet-Cookie: a": "/admin", "admin/x": "/admin", "/admin/../checkout": "/admin", "%": "/admin",
		"/admin/%2e%2e/checkout": "/admin", "/admin//evil.example": "/admin",
	} {
		if got := within(to); got != want {
			t.Errorf("within(%q) = %q; want %q", to, got, want)
		}
	}
}

// A login holds for twelve hours, unless anything of it or of what it is made
// with is another.
func TestLogin(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	k := newKeys("secret", "hash")
	login := k.login(now)
	for name, c := range map[string]struct {
		login string
		keys  keys
		after time.Duration
		want  bool
	}{
		"as it was":         {login, k, 0, true},
		"at the end":        {login, k, stays - time.Second, true},
		"after it":          {login, k, stays, false},
		"another password":  {login, newKeys("secret", "other"), 0, false},
		"another secret":    {login, newKeys("other", "hash"), 0, false},
		"later by a day":    {"1800000000" + login[10:], k, 0, false},
		"without signature": {login[:strings.LastIndex(login, ".")], k, 0, false},
		"nothing":           {"", k, 0, false},
		"a dot":             {".", k, 0, false},
		"a form's token":    {login[:strings.LastIndex(login, ".")+1] + k.token(login[:strings.LastIndex(login, ".")]), k, 0, false},
	} {
		if _, got := c.keys.holds(c.login, now.Add(c.after)); got != c.want {
			t.Errorf("%s: holds = %v; want %v", name, got, c.want)
		}
	}
	if k.token(login) == k.token(k.login(now)) || k.proves("", login) || !k.proves(k.token(login), login) {
		t.Error("the token of a form is not its login's alone")
	}
}

// Names that a proxy gives stand in trails as they are.
func TestNameable(t *testing.T) {
	for name, want := range map[string]bool{
		"ann": true, "ann@shop.example": true, "Ann Müller": true, "李": true,
		"ann\n": false, " ann": false, "ann\u202e": false, "ann\x00": false, "a\u200bb": false, "\xff": false, strings.Repeat("a", 255): false,
	} {
		if got := nameable(name); got != want {
			t.Errorf("nameable(%q) = %v; want %v", name, got, want)
		}
	}
}

// Whatever the domain writes down or doubts has words here.
func TestWords(t *testing.T) {
	source := ""
	for _, name := range []string{"choosing", "ending", "observe", "reconcile", "service", "sweep", "tending", "gate"} {
		raw, err := os.ReadFile("../checkout/" + name + ".go")
		if err != nil {
			t.Fatal(err)
		}
		source += string(raw)
	}
	notes := regexp.MustCompile(`note\(now, [^,]+, "((?:attempt|session)\.[a-z_]+)"`).FindAllStringSubmatch(source, -1)
	for _, note := range notes {
		if events[note[1]] == "" {
			t.Errorf("a trail says %q, which has no words", note[1])
		}
	}
	reasons := regexp.MustCompile(`reason[A-Z]\w+ += "([a-z_]+)"`).FindAllStringSubmatch(source, -1)
	for _, reason := range reasons {
		if reviews[reason[1]].todo == "" {
			t.Errorf("the reason %q has no words", reason[1])
		}
	}
	if len(notes) < 15 || len(reasons) < 10 {
		t.Errorf("found %d notes and %d reasons: is this still how they are written?", len(notes), len(reasons))
	}
	for _, s := range []checkout.State{checkout.Creating, checkout.Unknown, checkout.Waiting, checkout.Confirmed, checkout.Expired, checkout.Cancelled, checkout.Refused, checkout.Lost, checkout.Rejected, checkout.InReview, checkout.Stray} {
		if states[s].word == "" || states[s].means == "" {
			t.Errorf("the state %q has no words", s)
		}
	}
	for _, d := range deeds() {
		if doings[d.record] == "" || notices[d.done].Text == "" {
			t.Errorf("%q has no words for the audit, or no notice", d.path)
		}
	}
}

// The top of a chart is round, even, and not below what it holds.
func TestCeiling(t *testing.T) {
	for n, want := range map[int]int{0: 2, 1: 2, 2: 2, 3: 4, 9: 10, 11: 12, 21: 24, 81: 100, 101: 120, 950: 1000, 12345: 16000} {
		if got := ceiling(n); got != want {
			t.Errorf("ceiling(%d) = %d; want %d", n, got, want)
		}
	}
}
