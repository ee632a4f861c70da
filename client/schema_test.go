package client_test

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/client"

	"github.com/google/go-cmp/cmp"
)

// schema is a schema of the document, as far as the clients are compared with it.
type schema struct {
	Type       any    // a name, or a list of them
	Ref        string `yaml:"$ref"`
	Required   []string
	Properties map[string]schema
}

// typeScript is a required member's type in TypeScript; "" = it is no simple one.
func (d document) typeScript(s schema, required bool) string {
	if s.Ref != "" {
		s = d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	name, null := s.Type, ""
	if list, ok := s.Type.([]any); ok { // a type, or null
		if name = list[0]; required {
			null = " | null"
		}
	}
	switch name {
	case "integer":
		return "number" + null
	case "string", "boolean":
		return name.(string) + null
	}
	return ""
}

// goMembers are the JSON names of a struct, and whether each may be absent.
func goMembers(v any) map[string]bool {
	members := map[string]bool{}
	for _, field := range reflect.VisibleFields(reflect.TypeOf(v)) {
		if name, option, _ := strings.Cut(field.Tag.Get("json"), ","); name != "-" {
			members[name] = option == "omitempty"
		}
	}
	return members
}

// Both clients have every member of the document's objects, and no other; what may be absent is
// optional.
func TestTypesMatchTheDocument(t *testing.T) {
	d := openAPI(t)
	source := string(fortest.Must(os.ReadFile("../npm/server/src/index.ts"))(t))
	member := regexp.MustCompile(`(?m)^  "?(\w+)"?(\??): (.*);$`)
	for name, inGo := range map[string]any{
		"Session": client.Session{}, "Attempt": payment.AttemptObject{}, "Entry": payment.TimelineEntry{}, "Warning": payment.Warning{},
		"Refund": payment.RefundObject{}, "NewRefund": client.NewRefund{},
		"NewSession": client.NewSession{}, "Rate": client.Rate{}, "ListedRate": client.ListedRate{}, "LoggedEvent": client.Event{}, "EventList": client.EventPage{},
	} {
		want := d.Components.Schemas[name]
		optional := map[string]bool{}
		for member := range want.Properties {
			optional[member] = !slices.Contains(want.Required, member)
		}
		got := goMembers(inGo)
		switch name {
		case "LoggedEvent":
			got["id"] = false // a webhook's body has none
		case "EventList":
			got["object"] = false // is always "list"
		}
		fortest.Diff(t, got, optional, "Go's %s, whose members may be absent (-document +Go)", name)
		if name == "NewSession" { // a union of prices, and the other members
			for _, price := range []string{"amount_usd", "amount", "currency"} {
				delete(optional, price)
			}
			name = "OrderDetails"
		}
		_, text, found := strings.Cut(source, "\nexport interface "+name+" {\n")
		text, _, _ = strings.Cut(text, "\n}\n")
		inTS := map[string]bool{}
		for _, m := range member.FindAllStringSubmatch(text+"\n", -1) {
			inTS[m[1]] = m[2] == "?"
			if kind := d.typeScript(want.Properties[m[1]], m[2] == ""); kind != "" && kind != m[3] {
				t.Errorf("TypeScript's %s.%s is %s; want %s", name, m[1], m[3], kind)
			}
		}
		if diff := cmp.Diff(optional, inTS); diff != "" || !found {
			t.Errorf("TypeScript's %s, whose members may be absent (-document +TypeScript):\n%s", name, diff)
		}
	}
}
