package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// Each exported name has a comment that begins with it, and each package has one.
func TestExportedNamesAreExplained(t *testing.T) {
	files, packages := token.NewFileSet(), map[string]bool{} // by folder: whether it says what it is for
	for _, name := range sources(t, "*.go") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file := fortest.Must(parser.ParseFile(files, filepath.Join("..", name), nil, parser.ParseComments|parser.SkipObjectResolution))(t)
		packages[filepath.Dir(name)] = packages[filepath.Dir(name)] || file.Doc != nil
		for _, decl := range file.Decls {
			for _, n := range unexplained(decl) {
				t.Errorf("%s: %s has no comment that begins with its name", files.Position(n.Pos()), n.Name)
			}
		}
	}
	for folder, said := range packages {
		if !said {
			t.Errorf("%s: the package does not say what it is for", folder)
		}
	}
}

// unexplained returns the exported names of a declaration that no comment begins with. In a list of
// constants or variables, a comment on the list or behind the name does as well.
func unexplained(decl ast.Decl) (names []*ast.Ident) {
	if f, ok := decl.(*ast.FuncDecl); ok {
		if f.Name.IsExported() && showDecl(f) && !slices.Contains(contracts, f.Name.Name) && !describes(f.Doc, f.Name.Name) {
			names = append(names, f.Name)
		}
		return names
	}
	list := decl.(*ast.GenDecl)
	for _, spec := range list.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && !describes(s.Doc, s.Name.Name) && !describes(list.Doc, s.Name.Name) {
				names = append(names, s.Name)
			}
		case *ast.ValueSpec:
			for _, n := range s.Names {
				grouped := list.Lparen.IsValid() && (list.Doc != nil || s.Doc != nil || s.Comment != nil)
				if n.IsExported() && !grouped && !describes(list.Doc, n.Name) {
					names = append(names, n)
				}
			}
		}
	}
	return names
}

// contracts are methods of interfaces that everybody knows.
var contracts = []string{"Error", "Is", "Len", "Less", "Swap", "String", "Unwrap", "ServeHTTP", "Read", "Write"}

// showDecl reports whether a function, or the type whose method it is, is exported.
func showDecl(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if generic, ok := of.(*ast.IndexExpr); ok {
		of = generic.X
	}
	name, ok := of.(*ast.Ident)
	return ok && name.IsExported()
}

// describes reports whether a comment begins with the name.
func describes(doc *ast.CommentGroup, name string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(doc.Text()), " ")
	return strings.TrimRight(first, ":,.") == name
}
