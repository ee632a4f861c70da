package reference

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/web/problems"

	"github.com/goccy/go-yaml"
)

// docs reads a file of the documentation.
func docs(t *testing.T, name string) []byte {
	t.Helper()
	return fortest.Must(os.ReadFile("../../docs/" + name))(t)
}

// allProblems is a table of all codes that the document names.
func allProblems(t *testing.T) map[wire.Code]problems.Answer {
	t.Helper()
	var root tree
	fortest.OK(t, yaml.UnmarshalWithOptions(docs(t, "openapi.yaml"), &root, yaml.UseOrderedMap()))
	all := map[wire.Code]problems.Answer{
		anyOperation: {Status: 500, Detail: "something went wrong"},
	}
	for _, path := range members(root, "paths") {
		for _, o := range path.Value.(tree) {
			for _, code := range texts(o.Value, "x-errors") {
				all[wire.Code(code)] = problems.Answer{Status: 422, Detail: "because of " + code}
			}
		}
	}
	return all
}

func TestLoad(t *testing.T) {
	d := fortest.Must(Load(docs(t, "openapi.yaml"), allProblems(t)))(t)
	var got struct {
		Servers []struct{ URL string }
		Paths   map[string]map[string]any
	}
	text := d.JSON()
	if err := json.Unmarshal(text, &got); err != nil || got.Servers[0].URL != "https://pay.shop.example" || len(got.Paths) < 30 {
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
	if _, err := Load(docs(t, "openapi.yaml"), all); err == nil || !strings.Contains(err.Error(), "post /v1/sessions: unknown code: order_conflict") {
		t.Errorf("Load = %v", err)
	}
}

func TestPages(t *testing.T) {
	d := fortest.Must(Load(docs(t, "openapi.yaml"), allProblems(t)))(t)
	page := fortest.Must(d.Page("/assets/docs.css"))(t)
	for _, want := range []string{
		`href="/assets/docs.css"`, `id="createSession"`, "curl &#39;https://pay.shop.example/v1/sessions&#39;", `<a href="#Session">Session</a>`,
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
	page = fortest.Must(Errors(docs(t, "errors.md"), "/assets/docs.css"))(t)
	for _, want := range []string{`<h3 id="unauthorized"><code>unauthorized</code></h3>`, `<a href="#the-request">`, `<p class="seen">Seen by: API (401).</p>`} {
		fortest.Has(t, "the page of errors", string(page), want)
	}
}

func TestMarkup(t *testing.T) {
	for source, want := range map[string]string{
		"a `b<c` **d** f":                   "<p>a <code>b&lt;c</code> <strong>d</strong> f</p>\n",
		"[x](/docs/api)":                    `<p><a href="/docs/api">x</a></p>` + "\n",
		"see [it](it.md#part), [`x`](y.md)": "<p>see it, <code>x</code></p>\n",
		"## The request":                    `<h2 id="the-request">The request</h2>` + "\n",
		"### `COINSLOT_ORIGINS`":            `<h3 id="coinslot_origins"><code>COINSLOT_ORIGINS</code></h3>` + "\n",
	} {
		fortest.Equal(t, string(blocks(source)), want, "blocks(%q)", source)
	}
	fortest.Equal(t, string(inline("a `b`")), "a <code>b</code>", "inline")
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
