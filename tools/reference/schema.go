package reference

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
)

// members are those of an object. A request object (with additionalProperties) marks required
// members, a response object marks optional ones.
func (d *Document) members(schema tree) (all []member) {
	required, sent := texts(schema, "required"), at(schema, "additionalProperties") != nil
	for _, p := range members(schema, "properties") {
		name := fmt.Sprint(p.Key)
		there := slices.Contains(required, name)
		all = append(all, member{
			Name: name, Type: d.typeOf(p.Value), Required: sent && there, Optional: !sent && !there,
			Text: d.description(p.Value),
		})
	}
	return all
}

// description is that of a member, else that of its type.
func (d *Document) description(schema node) template.HTML {
	if own := text(schema, "description"); own != "" {
		return inline(own)
	}
	if named := resolve(d.root, schema); members(named, "properties") == nil {
		return inline(text(named, "description"))
	}
	return ""
}

// typeOf is the type of a schema; an object is a link to its members.
func (d *Document) typeOf(schema node) template.HTML {
	if ref := text(schema, "$ref"); ref != "" {
		named := resolve(d.root, schema)
		if members(named, "properties") == nil {
			return d.typeOf(named)
		}
		name := ref[strings.LastIndexByte(ref, '/')+1:]
		return template.HTML(`<a href="#` + template.HTMLEscapeString(name) + `">` +
			template.HTMLEscapeString(name) + "</a>")
	}
	switch {
	case at(schema, "enum") != nil:
		return enumText(list(schema, "enum"))
	case at(schema, "const") != nil:
		return enumText([]any{at(schema, "const")})
	case at(schema, "anyOf") != nil:
		var parts []string
		for _, s := range list(schema, "anyOf") {
			parts = append(parts, string(d.typeOf(s)))
		}
		return template.HTML(strings.Join(parts, " or "))
	case at(schema, "items") != nil:
		return "list of " + d.typeOf(at(schema, "items"))
	}
	return template.HTML(
		template.HTMLEscapeString(strings.Join(kinds(schema), " or ") + bounds(schema)),
	)
}

// kinds are the types of a schema, without null in requests, which means absent.
func kinds(schema node) []string {
	if one := text(schema, "type"); one != "" {
		return []string{one}
	}
	return slices.DeleteFunc(texts(schema, "type"), func(kind string) bool {
		return kind == "null" && text(schema, "format") == ""
	})
}

func enumText(values []any) template.HTML {
	var parts []string
	for _, v := range values {
		if v == "" {
			parts = append(parts, "empty")
			continue
		}
		parts = append(parts, "<code>"+template.HTMLEscapeString(fmt.Sprint(v))+"</code>")
	}
	return template.HTML(strings.Join(parts, ", "))
}

// bounds are the limits of a schema.
func bounds(schema node) string {
	parts := ""
	low, high := at(schema, "minimum"), at(schema, "maximum")
	switch {
	case low != nil && high != nil:
		parts += fmt.Sprintf(", %v to %v", low, high)
	case low != nil:
		parts += fmt.Sprintf(", at least %v", low)
	}
	for _, b := range []struct{ name, format string }{
		{"maxLength", ", at most %v characters"}, {"maxProperties", ", at most %v pairs"},
		{"default", ", %v if absent"},
	} {
		if v := at(schema, b.name); v != nil {
			parts += fmt.Sprintf(b.format, v)
		}
	}
	return parts
}
