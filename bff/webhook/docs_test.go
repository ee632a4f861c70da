package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"coinslot/bff/checkout"
)

// verify reports whether body was signed with secret ("whsec_…") within five
// minutes of now.
func verify(secret string, h http.Header, body []byte) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < 24 {
		return false
	}
	id, stamp := h.Get("webhook-id"), h.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if id == "" || err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, got := range strings.Fields(h.Get("webhook-signature")) {
		if hmac.Equal([]byte(got), []byte(want)) {
			return true
		}
	}
	return false
}

// receive answers the checkout. take stores the event under its id and reports
// nil also for an id that it has stored before.
func receive(secret string, take func(id string, body []byte) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || !verify(secret, r.Header, body) {
			http.Error(w, "not signed by the checkout", http.StatusUnauthorized)
			return
		}
		if err := take(r.Header.Get("webhook-id"), body); err != nil {
			http.Error(w, "not stored, send it again", http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// page returns docs/webhooks.md.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sample returns the code on the page that is marked as checked.
func sample(t *testing.T, language string) string {
	t.Helper()
	_, rest, found := strings.Cut(page(t), "<!-- checked: "+language+" -->\n```"+language+"\n")
	code, _, closed := strings.Cut(rest, "\n```\n")
	if !found || !closed {
		t.Fatalf("docs/webhooks.md has no checked sample in %s", language)
	}
	return code
}

// TestPageGo: the sample is the code above, byte for byte.
func TestPageGo(t *testing.T) {
	source, err := os.ReadFile("docs_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(source), sample(t, "go")) {
		t.Error("the Go sample of docs/webhooks.md is not the code of docs_test.go any more")
	}
}

// TestPageGoReceives has the sample answer the sender.
func TestPageGoReceives(t *testing.T) {
	for name, tc := range map[string]struct {
		secret string
		fails  error
		want   int
	}{
		"current secret": {secretTwo, nil, 204}, "old secret": {secretOne, nil, 204},
		"other secret":   {"whsec_" + strings.Repeat("QUFB", 8), nil, 401},
		"no secret":      {"", nil, 401},
		"storing failed": {secretOne, io.ErrShortWrite, 500},
	} {
		t.Run(name, func(t *testing.T) {
			var taken []string
			got := deliverTo(t, receive(tc.secret, func(id string, body []byte) error {
				taken = append(taken, id)
				return tc.fails
			}), func(c *Config) { c.Secrets = []string{secretTwo, secretOne} })
			if got.Status != tc.want || (len(taken) == 1) != (tc.want != 401) {
				t.Errorf("result = %+v, taken %v; want status %d", got, taken, tc.want)
			}
		})
	}
}

// TestPageNode runs the sample in Node, if there is one.
func TestPageNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("node is missing: make install-test-tools")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "verify.mjs"), sample(t, "js"))
	write(t, filepath.Join(dir, "run.mjs"), `import { verify } from "./verify.mjs";
const cases = JSON.parse(process.argv[2]);
console.log(cases.map((c) => {
  try { return verify(c.secret, c.headers, Buffer.from(c.body)).type; } catch (e) { return e.message; }
}).join("\n"));`)
	type message struct {
		Secret  string            `json:"secret"`
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
	}
	const body = `{"type":"checkout.confirmed"}`
	signed := func(secret, stamp, body string) message {
		seconds, _ := strconv.ParseInt(stamp, 10, 64)
		signature := "v1, v2,x " + independent(secretTwo, "evt_1", seconds, []byte(body)) + " " + independent(secretOne, "evt_1", seconds, []byte(body))
		return message{secret, map[string]string{"webhook-id": "evt_1", "webhook-timestamp": stamp, "webhook-signature": signature}, body}
	}
	at := func(offset time.Duration) string { return strconv.FormatInt(time.Now().Add(offset).Unix(), 10) }
	changed := signed(secretOne, at(0), body)
	changed.Body += " "
	cases := []message{
		signed(secretOne, at(0), body), signed(secretTwo, at(0), body), signed(secretOne, at(-4*time.Minute), body),
		signed("whsec_"+strings.Repeat("QUFB", 8), at(0), body), changed,
		signed(secretOne, at(-6*time.Minute), body), signed(secretOne, at(6*time.Minute), body), signed(secretOne, "abc", body),
		{Secret: secretOne, Body: body},
	}
	const ok, mismatch, unsigned = "checkout.confirmed", "webhook: signature does not match", "webhook: missing headers or old timestamp"
	want := []string{ok, ok, ok, mismatch, mismatch, unsigned, unsigned, unsigned, unsigned}
	for i := range cases {
		if cases[i].Headers == nil {
			cases[i].Headers = map[string]string{}
		}
	}
	argument, _ := json.Marshal(cases)
	out, err := exec.CommandContext(t.Context(), node, filepath.Join(dir, "run.mjs"), string(argument)).CombinedOutput()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, out)
	}
	if got := strings.Split(strings.TrimSpace(string(out)), "\n"); !slices.Equal(got, want) {
		t.Errorf("node says %q; want %q", got, want)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
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

// TestPageNames: every type and every member of a message is on the page.
func TestPageNames(t *testing.T) {
	text := page(t)
	for _, name := range []checkout.EventType{checkout.EventPending, checkout.EventPartial, checkout.EventConfirmed, checkout.EventExpired, checkout.EventCancelled, checkout.EventReview} {
		if !strings.Contains(text, "| `"+string(name)+"` |") {
			t.Errorf("docs/webhooks.md does not explain %s", name)
		}
	}
	for _, value := range []any{checkout.Object{}, checkout.AttemptObject{}} {
		encoded, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		var members map[string]any
		if err := json.Unmarshal(encoded, &members); err != nil {
			t.Fatal(err)
		}
		for name := range members {
			if !strings.Contains(text, `"`+name+`":`) {
				t.Errorf("docs/webhooks.md does not show the member %q of %T", name, value)
			}
		}
	}
}
