package checkouttest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"
)

// description lists what one file says about the element.
type description struct{ Attributes, Properties, Events []string }

func (d description) sorted() description {
	for _, list := range []*[]string{&d.Attributes, &d.Properties, &d.Events} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return d
}

type named struct{ Name, Kind string }

func names(list []named, skip string) (out []string) {
	for _, one := range list {
		if one.Kind != skip {
			out = append(out, one.Name)
		}
	}
	return out
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	return fortest.Must(os.ReadFile("../" + name))(t)
}

func decode(t *testing.T, name string, into any) {
	t.Helper()
	if err := json.Unmarshal(read(t, name), into); err != nil {
		t.Fatalf("decoding %s: %v", name, err)
	}
}

func ofManifest(t *testing.T) description {
	var manifest struct {
		SchemaVersion string
		Modules       []struct {
			Declarations []struct{ Attributes, Members, Events []named }
		}
	}
	decode(t, "custom-elements.json", &manifest)
	fortest.Equal(t, manifest.SchemaVersion, "1.0.0", "schemaVersion")
	d := manifest.Modules[0].Declarations[0]
	return description{
		names(d.Attributes, "none"),
		names(d.Members, "method"),
		names(d.Events, "none"),
	}.sorted()
}

func ofWebTypes(t *testing.T) description {
	var types struct {
		Version       string
		Contributions struct {
			HTML struct {
				Elements []struct {
					Attributes []named
					JS         struct{ Properties, Events []named }
				}
			}
		}
	}
	decode(t, "web-types.json", &types)
	for _, name := range []string{"checkout", "frame"} {
		fortest.Has(t, name+".js", string(bundled(t, name, false)), `version: "`+types.Version+`"`)
	}
	e := types.Contributions.HTML.Elements[0]
	return description{
		names(e.Attributes, "none"),
		names(e.JS.Properties, "none"),
		names(e.JS.Events, "none"),
	}.sorted()
}

// ofTypes reads checkout.d.ts as text: members of Options, TextAttributes, Attributes, Checkout and EventMap.
func ofTypes(t *testing.T) description {
	text := string(read(t, "checkout.d.ts"))
	body := func(name string) string {
		_, rest, _ := strings.Cut(text, "interface "+name+" ")
		rest, _, _ = strings.Cut(rest, "\n}")
		return rest
	}
	find := func(pattern, in string) (out []string) {
		for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(in, -1) {
			out = append(out, found[1])
		}
		return out
	}
	const member = `(?m)^  (?:readonly )?'?([\w-]+)'?\??:`
	options := slices.DeleteFunc(find(member, body("Options")),
		func(name string) bool { return name == "returnUrl" })
	return description{
		append(options, find(member, body("TextAttributes")+body("Attributes"))...),
		append(find(member, body("Checkout")), "lang"),
		find(member, body("EventMap")),
	}.sorted()
}

// ofScript reads the element's source; a page's own texts are no observed attributes, and prewarm
// is a method.
func ofScript(t *testing.T) description {
	text := string(read(t, "checkout/element.js"))
	find := func(pattern, in string) (out []string) {
		for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(in, -1) {
			out = append(out, found[1])
		}
		return out
	}
	_, list, _ := strings.Cut(text, "const ATTRIBUTES = [")
	list, _, _ = strings.Cut(list, "]")
	attributes := find(`'([\w-]+)'`, list)
	var d description
	d.Attributes = append(slices.Clone(attributes), "text-title", "text-close", "text-failed",
		"text-offline", "text-link", "text-retry", "data-debug")
	for _, name := range attributes {
		if name != "prewarm" {
			d.Properties = append(d.Properties, strings.Replace(name, "-u", "U", 1))
		}
	}
	d.Properties = append(d.Properties, find(`(?m)^  get (\w+)\(\)`, text)...)
	d.Properties = append(d.Properties, find(`(?m)^    this\.(\w+) = this\.`, text)...)
	for _, module := range modules(t, "checkout") {
		for _, name := range find(`\bemit\('(\w+)'`, module) {
			d.Events = append(d.Events, "coinslot-"+name)
		}
	}
	return d.sorted()
}

// TestElementDescriptionsAgree: types, manifest and web types name what checkout.js has, and
// nothing else.
func TestElementDescriptionsAgree(t *testing.T) {
	want := ofScript(t)
	for name, got := range map[string]description{
		"checkout.d.ts":        ofTypes(t),
		"custom-elements.json": ofManifest(t),
		"web-types.json":       ofWebTypes(t),
	} {
		fortest.Diff(t, got, want, "%s (-checkout.js +it)", name)
	}
}

// union returns the members of a union of texts in checkout.d.ts.
func union(t *testing.T, name string) (members []string) {
	t.Helper()
	_, rest, _ := strings.Cut(string(read(t, "checkout.d.ts")), "type "+name+" =")
	rest, _, _ = strings.Cut(rest, ";")
	for _, found := range regexp.MustCompile(`'(\w+)'`).FindAllStringSubmatch(rest, -1) {
		members = append(members, found[1])
	}
	return members
}

// TestErrorCodesAreDocumented: each code of the types has its line in docs/embed.md.
func TestErrorCodesAreDocumented(t *testing.T) {
	docs := string(read(t, "../docs/embed.md"))
	codes := union(t, "ErrorCode")
	if len(codes) != 15 {
		t.Errorf("%d error codes; want the contract's 15", len(codes))
	}
	for _, code := range codes {
		fortest.Has(t, "docs/embed.md does not mention "+code, docs, "`"+code+"`")
	}
}

// TestTypes compiles testdata/types against checkout.d.ts: what must be accepted, and by
// @ts-expect-error what must not. It checks the types in our own modules, too.
func TestTypes(t *testing.T) {
	need.Long(t, "it runs the TypeScript compiler five times")
	node := need.Command(t, "node")
	compiler, err := filepath.Abs(need.File(t, "../../.cache/npm/typescript/lib/tsc.js"))
	fortest.OK(t, err)
	projects := []string{
		"plain.json", "react18.json", "react19.json", "vue.json", "../../../jsconfig.json",
	}
	for _, project := range projects {
		t.Run(filepath.Base(project), func(t *testing.T) {
			t.Parallel()
			run := exec.Command(node, compiler, "--project", project)
			run.Dir = "testdata/types"
			if out, err := run.CombinedOutput(); err != nil {
				t.Errorf("tsc: %v\n%s", err, out)
			}
		})
	}
}
