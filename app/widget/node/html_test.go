package node

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"coinslot/bff/fortest"
)

func TestHTML(t *testing.T) {
	for name, c := range map[string]struct {
		tree Node
		want string
	}{
		"quotation marks stay in their attribute": {
			El("p").Attr("title", `a "b" <c> & d\e`).Text("x"),
			`<p title="a &#34;b&#34; &lt;c&gt; &amp; d\e">x</p>`,
		},
		"true and false are words in aria and data": {
			El("p").Bool("aria-hidden", true).Bool("aria-busy", false).Text(""),
			`<p aria-busy="false" aria-hidden="true"></p>`,
		},
		"what is not checked is not printed as checked": {
			El("p").Body(Void("input").Bool("checked", false).Bool("disabled", true),
				Void("input").Bool("checked", true).Bool("disabled", false)),
			`<p><input disabled><input checked></p>`,
		},
		"pieces of an address stay together": {
			El("p").Body(El("b").Text("TXYZ"), El("b").Text("opYR")),
			`<p><b>TXYZ</b><b>opYR</b></p>`,
		},
		"spaces around words stay": {
			El("p").Body(Text("paid "), El("b").Text(" 5 "), Text(" of 6")),
			`<p>paid <b> 5 </b> of 6</p>`,
		},
		"lines of a text stay": {El("p").Text("a\n  b"), "<p>a\n  b</p>"},
		"text beside elements": {
			El("p").Body(Text("a"), El("i"), El("div").Body(El("i"), Text("b"))),
			`<p>a<i></i><div><i></i>b</div></p>`,
		},
		"nil is nothing": {El("p").Body(nil, (*Element)(nil), Text("a"), nil), `<p>a</p>`},
		"the last of two contents counts": {
			El("p").Body(El("i").Body(Text("a")).Text("b"), El("b").Text("a").Body(Text("b"))),
			`<p><i>b</i><b>b</b></p>`,
		},
		"classes are joined, other attributes replaced, empty ones left out": {
			El("p").Class("a ").
				Class("").
				Class("b").
				ID("x").
				ID("y").
				Attr("dir", " "),
			`<p class="a b" id="y"></p>`,
		},
		"only the text of a field keeps its spaces": {
			Void("input").Attr("value", " a ").Attr("name", " b "), `<input name="b" value=" a ">`,
		},
		"a picture has a text, if an empty one": {
			El("p").
				Body(Void("img").Attr("src", "a"), Void("img").Attr("src", "a").Attr("alt", "b")),
			`<p><img src="a" alt=""><img alt="b" src="a"></p>`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			fortest.Equal(t, HTML(c.tree), c.want, "HTML")
		})
	}
}

// TestAddresses: what is followed runs nothing.
func TestAddresses(t *testing.T) {
	for _, address := range []string{
		"/checkout/cs_1?a=javascript:", "https://shop.example", "mailto:a@b.example", "",
		"ethereum:0x52@1?value=1", "javascript.example", "?q=javascript:1",
	} {
		fortest.Lacks(t, address+" becomes", HTML(El("a").Attr("href", address)), "about:invalid")
	}
	for _, address := range []string{
		"javascript:alert(1)", " \x01JavaScript:alert(1)", "java\tscr\nipt:alert(1)", "vbscript:x",
		"data:text/html,<script>", "DATA:text/html,",
	} {
		fortest.Equal(t, HTML(El("a").Attr("href", address)), `<a href="about:invalid"></a>`,
			"%q becomes", address)
	}
	const picture = `<img src="data:image/png,x" alt="">`
	fortest.Equal(t, HTML(Void("img").Attr("src", "data:image/png,x")), picture,
		"a picture becomes")
}

// TestUnescapedContent: no element can be made whose content is not escaped.
func TestUnescapedContent(t *testing.T) {
	for _, tag := range []Name{"script", "style", "iframe", "plaintext", ""} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("El(%q) does not panic", tag)
				}
			}()
			El(tag)
		}()
	}
}

// TestNamesAreConstants: nowhere is a variable converted to a name.
func TestNamesAreConstants(t *testing.T) {
	for _, folder := range []string{"../../../app", "../../../bff", "../../../e2e"} {
		err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || filepath.Base(path) == "html_test.go" {
				return err
			}
			source, err := os.ReadFile(path)
			fortest.Lacks(t, path+" converts something to a node.Name", string(source),
				"node.Name"+"(")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// shape is a tree to build, and the tree that a parser has to find.
type shape struct {
	built *Element
	found *html.Node
}

// grow makes a tree that code describes, with the given text and value in it. What
// can be expected of a parser that runs scripts is that it reads noscript as text.
func grow(code []byte, text, value string, scripting bool) shape {
	tags := []Name{"div", "section", "span", "strong", "noscript", "textarea", "pre"}
	attrs := []Name{"title", "value", "class", "href", "src", "data-value"}
	root := shape{El("div"), &html.Node{Type: html.ElementNode, Data: "div"}}
	var children []Node
	for len(code) > 0 {
		c := code[0]
		code = code[1:]
		switch c % 8 {
		case 0:
			children = append(children, Text(text))
			root.found.AppendChild(&html.Node{Type: html.TextNode, Data: readable(text)})
		case 1:
			field := shape{Void("input"), &html.Node{Type: html.ElementNode, Data: "input"}}
			field.set(attrs[int(c/8)%len(attrs)], value)
			children = append(children, field.built)
			root.found.AppendChild(field.found)
		case 2, 3:
			root.set(attrs[int(c/8)%len(attrs)], value)
		case 4:
			size := min(int(c/8), len(code))
			inner := grow(code[:size], text, value, scripting)
			code = code[size:]
			children = append(children, inner.built)
			root.found.AppendChild(inner.found)
		default:
			tag := tags[int(c/8)%len(tags)]
			children = append(children, El(tag).Text(text))
			inner := &html.Node{Type: html.ElementNode, Data: string(tag)}
			words := readable(text)
			if tag == "noscript" && scripting {
				words = string(appendEscaped(nil, text))
			}
			inner.AppendChild(&html.Node{Type: html.TextNode, Data: words})
			root.found.AppendChild(inner)
		}
	}
	root.built.Body(children...)
	return root
}

// set gives both trees an attribute.
func (s *shape) set(name Name, value string) {
	s.built.Attr(name, value)
	want := readable(value)
	if name != "value" {
		want = readable(strings.TrimSpace(value))
	}
	if isURL(name) && isScriptURL(name, strings.TrimSpace(value)) {
		want = "about:invalid"
	}
	if want == "" {
		return
	}
	for i, a := range s.found.Attr {
		if a.Key == string(name) {
			s.found.Attr[i].Val = want
			return
		}
	}
	s.found.Attr = append(s.found.Attr, html.Attribute{Key: string(name), Val: want})
}

// readable is what of s can stand in HTML.
func readable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

// outline writes a parsed tree for comparing: attributes sorted, neighboring texts as
// one, an empty one as none.
func outline(n *html.Node) string {
	var out strings.Builder
	var write func(n *html.Node, indent string)
	write = func(n *html.Node, indent string) {
		out.WriteString("\n" + indent + n.Data)
		attrs := map[string]string{}
		for _, a := range n.Attr {
			attrs[a.Key] = a.Val
		}
		for _, name := range []string{"class", "data-value", "href", "src", "title", "value"} {
			if value, ok := attrs[name]; ok {
				out.WriteString(" " + name + "=" + strings.ReplaceAll(value, "\n", "\\n"))
				delete(attrs, name)
			}
		}
		for name := range attrs {
			out.WriteString(" unexpected " + name)
		}
		words := ""
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type == html.TextNode {
				words += c.Data
				continue
			}
			out.WriteString(words)
			words = ""
			write(c, indent+"  ")
		}
		out.WriteString(words)
	}
	write(n, "")
	return out.String()
}

// FuzzHTML: whatever is in texts and values, a browser reads the tree that was
// built. The parser is that of golang.org/x/net/html.
func FuzzHTML(f *testing.F) {
	hazards := []string{
		"", " ", "true", "false", `"><script>alert(1)</script>`, "</script><!--", "--><b>", "]]>",
		"a\nb", "a\r\nb\r", "\n\na", `\"`,
		"é\u00a0\u202e\u2028", "\xff\xfe", "\x00<\x00b>", "&amp;", "&#0;&lt", "a=b c", "'", "`",
		"</noscript><img src=x onerror=a>",
		"javascript:alert(1)", "java\nscript:alert(1)",
		"data:text/html,x", "</div></span>", "<plaintext>", "\ufeff<",
	}
	code := []byte{0, 1, 2, 9, 18, 26, 36, 5, 13, 0, 17, 5, 37, 0, 68, 0, 5, 2, 10, 25, 33, 41,
		45, 53}
	for _, hazard := range hazards {
		f.Add(code, hazard, hazard)
	}
	f.Fuzz(func(t *testing.T, code []byte, text, value string) {
		if len(code) > 200 || len(text)+len(value) > 2000 {
			return
		}
		for _, scripting := range []bool{false, true} {
			want := grow(code, text, value, scripting)
			written := HTML(want.built)
			body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
			found, err := html.ParseFragmentWithOptions(strings.NewReader(written), body,
				html.ParseOptionEnableScripting(scripting))
			if err != nil || len(found) != 1 {
				t.Fatalf("%s\nis read as %d nodes, %v; want 1", written, len(found), err)
			}
			if diff := cmp.Diff(outline(want.found), outline(found[0])); diff != "" {
				t.Fatalf("%s\nis read as another tree (scripting %t, -want +got):\n%s",
					written, scripting, diff)
			}
		}
	})
}
