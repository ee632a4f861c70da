package rules

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

// mutant is the confirm gate with one thing wrong.
type mutant struct {
	name   string // "gate.go:43:7: r.Status != "confirmed" -> false"
	source []byte
}

// swaps are methods and what they could be mistaken for.
var swaps = map[string][]string{ // by name
	"LessThan":    {"LessThanOrEqual"},
	"GreaterThan": {"GreaterThanOrEqual"},
	"RoundCeil":   {"Round", "RoundFloor"},
	"IsPositive":  {"IsNegative"},
}

// weaker are operators that a condition's operator could be mistaken for.
var weaker = map[token.Token][]token.Token{
	token.EQL:  {token.NEQ},
	token.NEQ:  {token.EQL},
	token.LOR:  {token.LAND},
	token.LAND: {token.LOR},
	token.LSS:  {token.LEQ, token.GTR}, token.GTR: {token.GEQ, token.LSS},
}

// mutate returns every mutant of a Go file: each condition taken out, each
// operand of && and || taken out, each operator and rounding exchanged, each
// call around a value left off, each number moved by one. What it makes follows
// from the source, so that a condition which is added tomorrow is covered.
func mutate(t *testing.T, path string, source []byte) []mutant {
	t.Helper()
	m := mutator{t: t, path: path, source: source, seen: map[string]bool{}}
	m.files = token.NewFileSet()
	var err error
	if m.file, err = parser.ParseFile(m.files, path, source, parser.ParseComments); err != nil {
		t.Fatal(err)
	}
	for _, decl := range m.file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			m.function(d)
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				ast.Inspect(d, m.node)
			}
		}
	}
	return m.mutants
}

type mutator struct {
	t       *testing.T
	path    string
	source  []byte
	files   *token.FileSet
	file    *ast.File
	seen    map[string]bool // sources, so that none is tried twice
	mutants []mutant
}

// function makes the mutants of one function, and those of its results.
func (m *mutator) function(f *ast.FuncDecl) {
	if f.Body == nil {
		return
	}
	boolean := f.Type.Results != nil && len(f.Type.Results.List) == 1 &&
		m.text(f.Type.Results.List[0].Type) == "bool"
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok && boolean && len(r.Results) == 1 {
			m.replace(r.Results[0], "true")
			m.replace(r.Results[0], "false")
		}
		return m.node(n)
	})
}

func (m *mutator) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CaseClause:
		for _, e := range n.List {
			m.condition(e)
		}
	case *ast.IfStmt:
		m.condition(n.Cond)
	case *ast.BinaryExpr:
		m.binary(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			m.replace(n, m.text(n.X))
		}
	case *ast.CallExpr:
		m.call(n)
	case *ast.BasicLit:
		if v, err := strconv.Atoi(n.Value); n.Kind == token.INT && err == nil {
			m.replace(n, strconv.Itoa(v+1))
			m.replace(n, strconv.Itoa(max(v-1, 0)))
		}
	}
	return true
}

// condition takes out what a case or an if asks for.
func (m *mutator) condition(e ast.Expr) {
	m.replace(e, "false")
	m.replace(e, "true")
}

func (m *mutator) binary(e *ast.BinaryExpr) {
	neutral := map[token.Token]string{token.LOR: "false", token.LAND: "true"}[e.Op]
	if neutral != "" {
		m.replace(e.X, neutral)
		m.replace(e.Y, neutral)
	}
	for _, op := range weaker[e.Op] {
		m.replace(e, "("+m.text(e.X)+") "+op.String()+" ("+m.text(e.Y)+")")
	}
}

// call exchanges a method for its neighbours, leaves a rounding off, and takes
// an argument for the whole call where that can have the same type.
func (m *mutator) call(e *ast.CallExpr) {
	selector, method := e.Fun.(*ast.SelectorExpr)
	if !method {
		for _, arg := range e.Args {
			if len(e.Args) == 1 {
				m.replace(e, m.text(arg)) // capTolerance(x) -> x
			}
		}
		return
	}
	for _, other := range swaps[selector.Sel.Name] {
		m.replace(selector.Sel, other)
	}
	switch name := selector.Sel.Name; name {
	case "Max", "Min":
		for _, arg := range e.Args {
			m.replace(e, m.text(arg))
		}
	case "RoundCeil", "RoundFloor", "Round", "Truncate", "Shift", "Sub", "Add", "Mul":
		m.replace(e, m.text(selector.X))
	}
}

func (m *mutator) offset(p token.Pos) int { return m.files.Position(p).Offset }

func (m *mutator) text(n ast.Node) string {
	return string(m.source[m.offset(n.Pos()):m.offset(n.End())])
}

// replace adds the file with text in place of n.
func (m *mutator) replace(n ast.Node, text string) {
	var b bytes.Buffer
	b.Write(m.source[:m.offset(n.Pos())])
	b.WriteString(text)
	b.Write(m.source[m.offset(n.End()):])
	source, err := format.Source(b.Bytes())
	if err != nil {
		m.t.Fatalf("mutating %s: %v", m.text(n), err)
	}
	if m.text(n) == text || m.seen[string(source)] {
		return
	}
	m.seen[string(source)] = true
	m.mutants = append(m.mutants,
		mutant{fmt.Sprintf("%s: %s -> %s", m.files.Position(n.Pos()), m.text(n), text), source})
}
