package webhook

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/docs/examples/exampletest"
	sample "coinslot/docs/examples/webhook"
)

// folder holds the samples of docs/webhooks.md.
const folder = "../../docs/examples/webhook"

// message is what arrives at a merchant's server.
type message struct {
	Name    string         `json:"name"`
	Secret  string         `json:"secret"`
	Headers map[string]any `json:"headers"`
	Body    string         `json:"body"`
	Now     int64          `json:"now"` // seconds
	good    bool
}

// arrived is every case that a sample has to tell apart. The first is the vector
// of the reference libraries.
func arrived() []message {
	vector := func() message {
		return message{
			Name: "the vector", Secret: secretOne, Body: vectorBody, Now: vectorSeconds, good: true,
			Headers: map[string]any{
				"webhook-id":        vectorID,
				"webhook-timestamp": "1614265330",
				"webhook-signature": vectorSignature,
			},
		}
	}
	list := []message{vector()}
	add := func(name string, good bool, change func(m *message)) {
		m := vector()
		m.Name, m.good = name, good
		change(&m)
		list = append(list, m)
	}
	header := func(name, value string) func(m *message) {
		return func(m *message) { m.Headers[name] = value }
	}
	other := independent(secretTwo, vectorID, vectorSeconds, []byte(vectorBody))
	bare := strings.TrimPrefix(vectorSignature, "v1,")

	add("with the new secret, too", true, header("webhook-signature", other+" "+vectorSignature))
	add("with another version before", true,
		header("webhook-signature", "v1a,"+bare+" v2,x v1, "+vectorSignature))
	add("five minutes later", true, func(m *message) { m.Now += 300 })
	add("five minutes earlier", true, func(m *message) { m.Now -= 300 })
	add("not in ASCII", true, func(m *message) {
		m.Body = `{"title":"Zwei Brötchen ☕"}`
		m.Headers["webhook-signature"] = independent(secretOne, vectorID, vectorSeconds,
			[]byte(m.Body))
	})
	add("a test", true, func(m *message) {
		m.Body = string(testBody(time.Unix(vectorSeconds, 0)))
		m.Headers["webhook-signature"] = independent(secretOne, vectorID, vectorSeconds,
			[]byte(m.Body))
	})
	add("too late", false, func(m *message) { m.Now += 301 })
	add("too early", false, func(m *message) { m.Now -= 301 })
	add("another secret", false, func(m *message) { m.Secret = secretTwo })
	add("another body", false, func(m *message) { m.Body += " " })
	add("another id", false, header("webhook-id", vectorID+"x"))
	add("another time", false, header("webhook-timestamp", "1614265331"))
	add("another version only", false, header("webhook-signature", "v2,"+bare))
	add("no version", false, header("webhook-signature", bare))
	add("a part of the signature", false, header("webhook-signature", vectorSignature[:20]))
	add("more than the signature", false, header("webhook-signature", vectorSignature+"A"))
	add("an empty signature", false, header("webhook-signature", ""))
	add("a signature that is no base64", false,
		header("webhook-signature", "v1,*é"+strings.Repeat("x", 42)))
	for _, stamp := range []string{
		"", "abc", "1614265330.0", "1614265330x", "-1614265330", "1e9", "99999999999999999999",
		"1614265330\n",
	} {
		add("the time "+stamp, false, header("webhook-timestamp", stamp))
	}
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		add("no "+name, false, func(m *message) { delete(m.Headers, name) })
	}
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		add("two of "+name, false, func(m *message) {
			m.Headers[name] = []string{m.Headers[name].(string), m.Headers[name].(string)}
		})
	}
	for form, name := range map[string]func(string) string{
		"as sent": http.CanonicalHeaderKey, "in capitals": strings.ToUpper,
	} {
		add("names "+form, true, func(m *message) {
			for _, old := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
				m.Headers[name(old)] = m.Headers[old]
				delete(m.Headers, old)
			}
		})
	}
	add("lists of one", true, func(m *message) {
		for name, value := range m.Headers {
			m.Headers[name] = []string{value.(string)}
		}
	})
	add("no secret, and signed with none", false, func(m *message) {
		m.Secret = ""
		m.Headers["webhook-signature"] = independent("", vectorID, vectorSeconds,
			[]byte(vectorBody))
	})
	return list
}

// anyList returns the values of a header, which is a text or several.
func anyList(value any) []string {
	if list, ok := value.([]string); ok {
		return list
	}
	return []string{value.(string)}
}

func TestSampleGo(t *testing.T) {
	for _, m := range arrived() {
		if strings.HasPrefix(m.Name, "two of ") {
			continue // Get returns the first, which is the one that was signed
		}
		h := http.Header{}
		for name, value := range m.Headers {
			h[name] = anyList(value)
		}
		fortest.Equal(t, sample.Verify(m.Secret, h, []byte(m.Body), time.Unix(m.Now, 0)), m.good,
			"%s", m.Name)
	}
}

// TestSampleGoReceives has the sample answer the sender.
func TestSampleGoReceives(t *testing.T) {
	for name, tc := range map[string]struct {
		secret string
		fails  error
		want   int
	}{
		"current secret": {secretTwo, nil, 204}, "old secret": {secretOne, nil, 204},
		"other secret": {"whsec_" + strings.Repeat("QUFB", 8), nil, 401},
		"no secret":    {"", nil, 401}, "storing failed": {secretOne, os.ErrPermission, 500},
	} {
		t.Run(name, func(t *testing.T) {
			var taken []string
			got := deliverTo(t, sample.Receive(tc.secret, func(id string, _ []byte) error {
				taken = append(taken, id)
				return tc.fails
			}), func(c *Config) { c.Secrets = []string{secretTwo, secretOne} })
			if got.Status != tc.want || (len(taken) == 1) != (tc.want != 401) {
				t.Errorf("result = %+v, taken %v; want status %d", got, taken, tc.want)
			}
		})
	}
}

// samples are the others. Each answers "good", or with its reason.
var samples = []exampletest.Sample{
	{
		Language: "js",
		File:     "webhook.mjs",
		Commands: []string{"node"},
		Needs:    []string{"--version"},
		Run: `import { readFileSync } from "node:fs";
const { verify } = await import(process.argv[2]);
for (const m of JSON.parse(readFileSync(0, "utf8"))) {
  try { verify(m.secret, m.headers, Buffer.from(m.body), m.now); console.log("good"); } catch (e) { console.log(e.message); }
}`},
	{
		Language: "python",
		File:     "webhook.py",
		Commands: []string{"python3"},
		Needs:    []string{"--version"},
		Run: `import json, sys
sys.path.insert(0, sys.argv[1].rsplit("/", 1)[0])
sys.dont_write_bytecode = True
from webhook import verify
for m in json.load(sys.stdin):
    try:
        verify(m["secret"], m["headers"], m["body"].encode(), m["now"])
        print("good")
    except ValueError as e:
        print(e)
`},
	{
		Language: "php",
		File:     "webhook.php",
		Commands: []string{"php"},
		Needs:    []string{"--version"},
		Run: `<?php
require $argv[1];
set_error_handler(fn (int $level, string $text) => throw new ErrorException($text)); // warnings, too
foreach (json_decode(stream_get_contents(STDIN), true) as $m) {
    try { verify($m['secret'], $m['headers'], $m['body'], $m['now']); echo "good\n"; }
    catch (UnexpectedValueException $e) { echo $e->getMessage() . "\n"; }
}`},
	{
		Language: "ruby",
		File:     "webhook.rb",
		Commands: []string{"ruby"},
		Needs:    []string{"--version"},
		Run: `require ARGV[0]
JSON.parse(STDIN.read).each do |m|
  begin
    verify(m["secret"], m["headers"], m["body"], m["now"])
    puts "good"
  rescue ArgumentError => e
    puts e.message
  end
end`},
}

// TestFullSamples runs the samples of docs/webhooks.md.
func TestFullSamples(t *testing.T) {
	list := arrived()
	for _, s := range samples {
		t.Run(s.Language, func(t *testing.T) {
			t.Parallel()
			said := s.Answers(t, folder, list, len(list))
			for i, m := range list {
				if (said[i] == "good") != m.good ||
					said[i] != "good" && !strings.HasPrefix(said[i], "webhook: ") {
					t.Errorf("%s: %q; want good %v, or a reason of the sample's own", m.Name,
						said[i], m.good)
				}
			}
		})
	}
}

// TestFullTypeScriptClient runs the client of npm/.
func TestFullTypeScriptClient(t *testing.T) {
	list := arrived()
	bundle := exampletest.Bundle(t, "../../npm/server/src/index.ts")
	s := exampletest.Sample{
		Language: "js",
		File:     filepath.Base(bundle),
		Commands: []string{"node"},
		Needs:    []string{"--version"},
		Run: `import { readFileSync } from "node:fs";
const { verifyWebhook } = await import(process.argv[2]);
for (const m of JSON.parse(readFileSync(0, "utf8"))) {
  Date.now = () => m.now * 1000;
  const pairs = Object.entries(m.headers), single = pairs.every(([, value]) => typeof value === "string" && !/[^ -~]/.test(value));
  const forms = [m.headers, new Map(pairs), pairs, ...single ? [new Headers(m.headers)] : []];
  const answers = new Set();
  for (const headers of forms) {
    try { const e = await verifyWebhook(m.secret, headers, m.body); answers.add(e.id ? "good" : "no id"); } catch (e) { answers.add(e.name); }
  }
  console.log([...answers].join());
}`}
	for i, said := range s.Answers(t, filepath.Dir(bundle), list, len(list)) {
		fortest.Equal(t, said, map[bool]string{true: "good", false: "WebhookError"}[list[i].good],
			"%s", list[i].Name)
	}
}

// TestPageLinksToTheSamples: docs/webhooks.md links to every sample, and each of them is run here.
func TestPageLinksToTheSamples(t *testing.T) {
	exampletest.Linked(t, "../../docs/webhooks.md", folder, "webhook.go", samples)
}
