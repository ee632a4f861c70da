package reference

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"coinslot/app/wire"
)

//go:embed api.html
var apiHTML string

//go:embed errors.html
var errorsHTML string

var (
	apiTemplate    = template.Must(template.New("api").Parse(apiHTML))
	errorsTemplate = template.Must(template.New("errors").Parse(errorsHTML))
)

// manual is the data of the API page.
type manual struct {
	CSS, Title, Version, Server string
	Intro                       template.HTML
	Groups                      []group
	Hooks                       []operation // one per type
	Messages                    []operation // the common one, and those that differ
	Objects                     []object
	Errors                      []failure
}

// group has the operations of a tag.
type group struct {
	Name, ID   string
	Text       template.HTML
	Operations []operation
}

// operation is a route or a webhook.
type operation struct {
	ID, Method, Path, Summary string
	Text                      template.HTML
	Key                       bool // it needs the bearer key
	Parameters, Body          []member
	BodyNote                  template.HTML
	Curl                      string
	Answers                   []answer
	Example                   string
	Errors                    []failure
}

// member is a parameter or a member of an object.
type member struct {
	Name, In           string
	Type, Text         template.HTML
	Required, Optional bool
}

// answer is a successful response.
type answer struct {
	Status string
	Text   template.HTML
	Forms  []form
}

// form is an answer's media type and, for a named object, its schema.
type form struct {
	Media string
	Type  template.HTML
}

// object is a schema with members.
type object struct {
	Name    string
	Text    template.HTML
	Members []member
}

// failure is a row of an error table.
type failure struct {
	Code, Detail string
	Status       int
}

// Page returns the document as HTML, with the stylesheet at css. Errors: the template's.
func (d *Document) Page(css string) ([]byte, error) {
	m := manual{
		CSS:     css,
		Title:   text(d.root, "info", "title"),
		Version: text(d.root, "openapi"),
		Server:  d.server(d.root),
		Intro:   blocks(text(d.root, "info", "description")),
	}
	for _, tag := range list(d.root, "tags") {
		m.Groups = append(m.Groups, group{
			Name: text(tag, "name"), ID: anchor(text(tag, "name")),
			Text: inline(text(tag, "description")),
		})
	}
	d.eachOperation("paths", func(path, method string, o tree, shared []any) {
		made := d.operation(path, method, o, shared)
		i := slices.IndexFunc(m.Groups,
			func(g group) bool { return slices.Contains(texts(o, "tags"), g.Name) })
		if i >= 0 {
			m.Groups[i].Operations = append(m.Groups[i].Operations, made)
		}
	})
	d.eachOperation("webhooks", func(path, method string, o tree, shared []any) {
		made := d.operation(path, method, o, shared)
		m.Hooks = append(m.Hooks, made)
		m.addMessage(made)
	})
	for _, s := range members(d.root, "components", "schemas") {
		if properties := members(s.Value, "properties"); properties != nil {
			m.Objects = append(m.Objects, object{
				Name: fmt.Sprint(s.Key), Text: inline(text(s.Value, "description")),
				Members: d.members(s.Value.(tree)),
			})
		}
	}
	for _, code := range d.codes() {
		m.Errors = append(m.Errors, d.failure(code))
	}
	return render(apiTemplate, m)
}

// addMessage adds the message of a webhook unless it equals the first.
func (m *manual) addMessage(hook operation) {
	o := operation{
		ID:         "message",
		Summary:    "The message",
		Parameters: hook.Parameters,
		Body:       hook.Body,
		Answers:    hook.Answers,
		Example:    hook.Example,
	}
	if len(m.Messages) > 0 {
		if hook.Example == m.Messages[0].Example {
			return
		}
		o.ID, o.Summary = "message-"+hook.ID, "The message "+hook.Summary
	}
	m.Messages = append(m.Messages, o)
}

// Errors returns source, which is docs/errors.md, as HTML, with the stylesheet at css. Errors: the
// template's.
func Errors(source []byte, css string) ([]byte, error) {
	html := strings.ReplaceAll(
		string(blocks(string(source))), "<p>Seen by:", `<p class="seen">Seen by:`,
	)
	return render(errorsTemplate, map[string]any{
		"CSS": css, "Text": template.HTML(html), "Contents": sections(source),
	})
}

func render(t *template.Template, data any) ([]byte, error) {
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("rendering: %w", err)
	}
	return b.Bytes(), nil
}

// eachOperation calls do for every operation of paths or webhooks, with the parameters of its path.
func (d *Document) eachOperation(where string, do func(path, method string, o tree, shared []any)) {
	for _, path := range members(d.root, where) {
		item, _ := path.Value.(tree)
		for _, m := range item {
			if o, ok := m.Value.(tree); ok && isMethod(m.Key) {
				if servers := at(item, "servers"); servers != nil {
					o = with(slices.Clone(o), "servers", servers)
				}
				do(fmt.Sprint(path.Key), strings.ToUpper(fmt.Sprint(m.Key)), o,
					list(item, "parameters"))
			}
		}
	}
}

func (d *Document) server(n node) string {
	if all := list(n, "servers"); len(all) > 0 {
		return text(all[0], "url")
	}
	return text(list(d.root, "servers")[0], "url")
}

func (d *Document) operation(path, method string, o tree, shared []any) operation {
	made := operation{
		ID:      text(o, "operationId"),
		Method:  method,
		Path:    path,
		Summary: text(o, "summary"),
		Text:    blocks(text(o, "description")),
		Key:     at(o, "security") == nil && strings.HasPrefix(path, "/"),
	}
	parameters := slices.Concat(shared, list(o, "parameters"))
	for _, p := range parameters {
		p := resolve(d.root, p)
		made.Parameters = append(made.Parameters, member{
			Name: text(p, "name"), In: text(p, "in"), Type: d.typeOf(at(p, "schema")),
			Required: at(p, "required") == true, Text: inline(text(p, "description")),
		})
	}
	body := resolve(d.root, at(o, "requestBody"))
	made.BodyNote = inline(text(body, "description"))
	if schema, ok := resolve(d.root, at(body, "content", "application/json", "schema")).(tree); ok {
		made.Body = d.members(schema)
	}
	d.answers(&made, o)
	switch {
	case at(o, "responses", "101") != nil: // curl cannot listen
	case strings.HasPrefix(path, "/"):
		made.Curl = d.curl(made, o, parameters, body)
	default:
		made.Example = d.example(at(body, "content", "application/json"))
	}
	return made
}

// answers adds the responses of o, and the first example.
func (d *Document) answers(made *operation, o tree) {
	for _, response := range members(o, "responses") {
		r := resolve(d.root, response.Value)
		if content := at(r, "content", "application/problem+json", "schema"); content != nil {
			for _, code := range texts(content, "properties", "code", "enum") {
				made.Errors = append(made.Errors, d.failure(code))
			}
			continue
		}
		status := strings.ReplaceAll(fmt.Sprint(response.Key), "default", "else")
		a := answer{Status: status, Text: inline(text(r, "description"))}
		for _, media := range members(r, "content") {
			f := form{Media: fmt.Sprint(media.Key)}
			if at(media.Value, "schema", "$ref") != nil {
				f.Type = d.typeOf(at(media.Value, "schema"))
			}
			a.Forms = append(a.Forms, f)
			if made.Example == "" {
				made.Example = d.example(media.Value)
			}
		}
		made.Answers = append(made.Answers, a)
	}
}

// example is that of a media type, "" = none.
func (d *Document) example(media node) string {
	if e := at(media, "example"); e != nil {
		return pretty(e, "")
	}
	for _, e := range members(media, "examples") {
		return pretty(at(resolve(d.root, e.Value), "value"), "")
	}
	return ""
}

func (d *Document) failure(code string) failure {
	answer := d.problems[wire.Code(code)]
	return failure{Code: code, Detail: answer.Detail, Status: answer.Status}
}

// curl is a shell command for an example request.
func (d *Document) curl(made operation, o tree, parameters []any, body node) string {
	address := made.Path
	var query, headers []string
	for _, p := range parameters {
		p := resolve(d.root, p)
		name, example := text(p, "name"), at(p, "example")
		switch {
		case text(p, "in") == "path" && example != nil:
			address = strings.ReplaceAll(address, "{"+name+"}", fmt.Sprint(example))
		case text(p, "in") == "query" && example != nil:
			query = append(query, name+"="+fmt.Sprint(example))
		case text(p, "in") == "header" && example != nil:
			headers = append(headers, name+": "+fmt.Sprint(example))
		}
	}
	if len(query) > 0 {
		address += "?" + strings.Join(query, "&")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "curl '%s%s'", d.server(o), address)
	if made.Method == "POST" && body == nil {
		b.WriteString(" -X POST")
	}
	if made.Key {
		b.WriteString(" \\\n  -H \"Authorization: Bearer $KEY\"")
	}
	for _, h := range headers {
		b.WriteString(" \\\n  -H '" + h + "'")
	}
	switch e := at(body, "content", "application/json", "example"); {
	case e != nil:
		b.WriteString(" \\\n  -H 'Content-Type: application/json' \\\n  -d '" +
			strings.ReplaceAll(pretty(e, "  "), "'", `'\''`) + "'")
	case body != nil:
		b.WriteString(" -X POST")
	}
	return b.String()
}
