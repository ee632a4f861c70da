package reference

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"coinslot/bff/fortest"
	"coinslot/docs"
)

// allProblems is a table of all codes that the document names.
func allProblems(t *testing.T) map[string]Problem {
	t.Helper()
	var root tree
	fortest.OK(t, yaml.UnmarshalWithOptions(docs.OpenAPI, &root, yaml.UseOrderedMap()))
	all := map[string]Problem{anyOperation: {500, "something went wrong"}}
	for _, path := range members(root, "paths") {
		for _, o := range path.Value.(tree) {
			for _, code := range texts(o.Value, "x-errors") {
				all[code] = Problem{422, "because of " + code}
			}
		}
	}
	return all
}

func TestLoad(t *testing.T) {
	d := fortest.Must(Load("https://pay.example", allProblems(t)))(t)
	var got struct {
		Servers []struct{ URL string }
		Paths   map[string]map[string]any
	}
	text := d.JSON()
	if err := json.Unmarshal(text, &got); err != nil || got.Servers[0].URL != "https://pay.example" || len(got.Paths) < 30 {
		t.Fatalf("JSON = %.200s, %v", text, err)
	}
	fortest.Lacks(t, "the document", string(text),
		"x-errors", "x-pages", `/value"`, "coinslot.test")
	if first, second := strings.Index(string(text), `"/v1/sessions"`), strings.Index(string(text), `"/checkout"`); first < 0 || first > second {
		t.Error("the routes are not in the order of the file")
	}
}

// A code that no table has would be answered with nothing that is described.
func TestLoadRefusesCodes(t *testing.T) {
	all := allProblems(t)
	delete(all, "order_conflict")
	if _, err := Load("https://pay.example", all); err == nil || !strings.Contains(err.Error(), "post /v1/sessions: unknown code: order_conflict") {
		t.Errorf("Load = %v", err)
	}
}

func TestPages(t *testing.T) {
	d := fortest.Must(Load("https://pay.example", allProblems(t)))(t)
	page := fortest.Must(d.Page("/assets/docs.css"))(t)
	for _, want := range []string{
		`href="/assets/docs.css"`, `id="createSession"`, "curl &#39;https://pay.example/v1/sessions&#39;", `<a href="#Session">Session</a>`,
		`<a href="/docs/errors#order_conflict">`, "string, at most 200 characters", "list of <a href=\"#Attempt\">Attempt</a>", "because of order_conflict",
		`-H &#34;Authorization: Bearer $KEY&#34;`, "checkout.confirmed", "The message", ">else<", "may be absent",
	} {
		fortest.Has(t, "the page", string(page), want)
	}
	_, messages, _ := strings.Cut(string(page), `id="message"`)
	common, test, _ := strings.Cut(messages, `id="message-tellTest"`)
	if !strings.Contains(common, `&#34;type&#34;: &#34;checkout.confirmed&#34;`) || strings.Contains(common, "checkout.test") || !strings.Contains(test, `&#34;type&#34;: &#34;checkout.test&#34;`) {
		t.Error("the message of payments and that of a test are not told apart")
	}
	page = fortest.Must(Errors("/assets/docs.css"))(t)
	for _, want := range []string{`<h3 id="unauthorized"><code>unauthorized</code></h3>`, `<a href="#the-request">`, `<p class="seen">Seen by: API (401).</p>`} {
		fortest.Has(t, "the page of errors", string(page), want)
	}
}

func TestMarkup(t *testing.T) {
	for source, want := range map[string]string{
		"plain <b> & \"text\"":        "<p>plain &lt;b&gt; &amp; &#34;text&#34;</p>\n",
		"a `b<c` **d `e`** f":         "<p>a <code>b&lt;c</code> <b>d <code>e</code></b> f</p>\n",
		"`**no**` [x](/docs/api)":     `<p><code>**no**</code> <a href="/docs/api">x</a></p>` + "\n",
		"see [it](it.md#part)":        "<p>see it</p>\n",
		`[x](/a"onclick=b)`:           `<p><a href="/a&#34;onclick=b">x</a></p>` + "\n",
		"one\n\ntwo":                  "<p>one</p>\n<p>two</p>\n",
		"- one\n- `two`":              "<ul>\n<li>one</li>\n<li><code>two</code></li>\n</ul>\n",
		"## The request":              `<h2 id="the-request">The request</h2>` + "\n",
		"### `COINSLOT_ORIGINS`":      `<h3 id="coinslot_origins"><code>COINSLOT_ORIGINS</code></h3>` + "\n",
		"`unclosed **and [half](none": "<p>`unclosed **and [half](none</p>\n",
	} {
		fortest.Equal(t, string(blocks(source)), want, "blocks(%q)", source)
	}
}

func TestTypeOf(t *testing.T) {
	d := &Document{}
	for source, want := range map[string]string{
		"{type: string}":                                    "string",
		"{type: [string, 'null']}":                          "string",
		"{type: [string, 'null'], format: date-time}":       "string or null",
		"{enum: [a, '']}":                                   "<code>a</code>, empty",
		"{const: list}":                                     "<code>list</code>",
		"{type: array, items: {type: string}}":              "list of string",
		"{type: integer, minimum: 1, maximum: 9}":           "integer, 1 to 9",
		"{type: integer, minimum: 0, default: 3}":           "integer, at least 0, 3 if absent",
		"{anyOf: [{type: string}, {type: 'null'}]}":         "string or null",
		"{type: object, maxProperties: 20, description: x}": "object, at most 20 pairs",
	} {
		var schema tree
		fortest.OK(t, yaml.UnmarshalWithOptions([]byte(source), &schema, yaml.UseOrderedMap()))
		fortest.Equal(t, string(d.typeOf(schema)), want, "typed(%s)", source)
	}
}
