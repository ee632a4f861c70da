package reference

import (
	"bytes"
	"html/template"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	markdowntext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown renders descriptions and docs/errors.md. Links to files of the repository become their
// text: the pages are read elsewhere.
var markdown = goldmark.New(goldmark.WithParserOptions(
	parser.WithAutoHeadingID(),
	parser.WithASTTransformers(util.Prioritized(unlinkFiles{}, 0)),
))

// blocks renders Markdown as HTML.
func blocks(source string) template.HTML {
	var html bytes.Buffer
	context := parser.NewContext(parser.WithIDs(anchors{}))
	if err := markdown.Convert([]byte(source), &html, parser.WithContext(context)); err != nil {
		panic("rendering into memory: " + err.Error()) // any text is Markdown
	}
	return template.HTML(html.String())
}

// inline renders one paragraph without its tags.
func inline(source string) template.HTML {
	html := strings.TrimSpace(string(blocks(source)))
	return template.HTML(strings.TrimSuffix(strings.TrimPrefix(html, "<p>"), "</p>"))
}

// section is a heading of the second level.
type section struct{ Name, ID string }

// sections lists those of a page.
func sections(source []byte) (all []section) {
	root := markdown.Parser().Parse(markdowntext.NewReader(source))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if heading, ok := n.(*ast.Heading); ok && heading.Level == 2 {
			name := string(heading.Lines().Value(source))
			all = append(all, section{Name: name, ID: anchor(name)})
		}
	}
	return all
}

var notInAnchor = regexp.MustCompile(`[^a-z0-9_.]+`)

// anchor is the id of a heading: "the-request", or a code as it is.
func anchor(heading string) string {
	return strings.Trim(notInAnchor.ReplaceAllString(strings.ToLower(heading), "-"), "-")
}

// anchors implements parser.IDs.
type anchors struct{}

// Generate returns the id of a heading.
func (anchors) Generate(heading []byte, _ ast.NodeKind) []byte {
	return []byte(anchor(string(heading)))
}

// Put is for ids that are written out, of which there are none.
func (anchors) Put([]byte) {}

// unlinkFiles is the transformer that replaces links to Markdown files by their text.
type unlinkFiles struct{}

// Transform implements parser.ASTTransformer.
func (unlinkFiles) Transform(document *ast.Document, _ markdowntext.Reader, _ parser.Context) {
	var links []*ast.Link
	collect := func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		link, ok := n.(*ast.Link)
		if ok && entering && isFile(string(link.Destination)) {
			links = append(links, link)
		}
		return ast.WalkContinue, nil
	}
	_ = ast.Walk(document, collect) // returns no errors

	for _, link := range links {
		for child := link.FirstChild(); child != nil; child = link.FirstChild() {
			link.Parent().InsertBefore(link.Parent(), link, child)
		}
		link.Parent().RemoveChild(link.Parent(), link)
	}
}

func isFile(destination string) bool {
	path, _, _ := strings.Cut(destination, "#")
	return strings.HasSuffix(path, ".md")
}
